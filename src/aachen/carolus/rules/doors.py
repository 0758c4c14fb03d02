"""The doors: who is asked, what they may do, what chance may do, and doing it (see aachen.core.kernel)."""

from aachen.carolus import codes
from aachen.carolus.position import Position
from aachen.carolus.rules.cubes import list_cubes, name_joker, play_cube
from aachen.carolus.rules.emperor import list_moves, move_emperor, winners
from aachen.carolus.rules.opening import list_discs, play_disc
from aachen.carolus.rules.setup import deal_cube, draw_lot, place_emperor, still_to_deal
from aachen.carolus.rules.supply import list_names
from aachen.carolus.rules.table import seat_at_turn
from aachen.carolus.rules.throw import choose_die, list_choices, list_throws, name_crown, serve_throw
from aachen.carolus.words import CLANS, TILES, Phase
from aachen.core.kernel import Rules, compiled
from aachen.core.schema import Array

DEAL, EMPEROR, LOT, FILL = int(Phase.DEAL), int(Phase.EMPEROR), int(Phase.LOT), int(Phase.FILL)
CROWN, DISC, JOKER, CUBE = int(Phase.CROWN), int(Phase.DISC), int(Phase.JOKER), int(Phase.CUBE)
MOVE, CHOOSE, THROW = int(Phase.MOVE), int(Phase.CHOOSE), int(Phase.THROW)


@compiled
def actors(s: Position) -> int:
    """One seat at a time; none where chance acts and at the end."""
    return 1 << seat_at_turn(s) if FILL < s.phase < THROW else 0


@compiled
def legal(s: Position, seat: int, out: Array) -> int:
    phase = s.phase
    if phase == CUBE:
        return list_cubes(s, seat, out)
    if phase == MOVE:
        return list_moves(s, seat, out)
    if phase == DISC:
        return list_discs(s, seat, out)
    if phase == CROWN or phase == JOKER:
        return list_names(s, out)
    if phase == CHOOSE:
        return list_choices(s, out)
    return 0


@compiled
def chance(s: Position, out: Array, weights: Array) -> int:
    phase = s.phase
    if phase == THROW or phase == FILL:
        return list_throws(s, out, weights)
    n = 0
    if phase == DEAL:
        for clan in range(CLANS):
            if still_to_deal(s, clan) > 0:
                out[n] = codes.DEAL + clan
                weights[n] = still_to_deal(s, clan)
                n += 1
    elif phase == EMPEROR:
        for tile in range(TILES):
            out[n] = codes.EMPEROR + tile
            weights[n] = 1
            n += 1
    elif phase == LOT:
        for seat in range(s.players):
            out[n] = codes.FIRST + seat
            weights[n] = 1
            n += 1
    return n


@compiled(inline=False)
def apply(s: Position, seat: int, action: int) -> None:
    phase = s.phase
    if phase == CUBE:
        play_cube(s, seat, (action - codes.CUBE) >> 4, (action - codes.CUBE) & 15)
    elif phase == MOVE:
        move_emperor(s, action - codes.MOVE + 1)
    elif phase == THROW or phase == FILL:
        serve_throw(s, action - codes.THROW)
    elif phase == DISC:
        play_disc(s, seat, action - codes.DISC + 1)
    elif phase == CROWN:
        name_crown(s, seat, action - codes.NAME)
    elif phase == JOKER:
        name_joker(s, seat, action - codes.NAME)
    elif phase == CHOOSE:
        choose_die(s, seat, action)
    elif phase == DEAL:
        deal_cube(s, action - codes.DEAL)
    elif phase == EMPEROR:
        place_emperor(s, action - codes.EMPEROR)
    elif phase == LOT:
        draw_lot(s, action - codes.FIRST)


RULES = Rules(actors, legal, chance, apply, winners)
