"""A turn's first part: jokers are named (C25), cubes are played (C8, C20), clans change hands (C9)."""

from aachen.carolus.codes import COURT, CUBE
from aachen.carolus.position import Position
from aachen.carolus.rules.supply import any_takeable, take_cube
from aachen.carolus.rules.table import cubes_a_turn, cubes_in_reserve, seat_at_turn
from aachen.carolus.words import CLANS, TILES, Phase
from aachen.core.kernel import compiled, whole
from aachen.core.schema import Array

JOKER, CUBE_PHASE, MOVE = int(Phase.JOKER), int(Phase.CUBE), int(Phase.MOVE)


@compiled
def begin_turn(s: Position) -> None:
    """C25. A seat with jokers names them first; jokers for which nothing can be taken are lost."""
    seat = seat_at_turn(s)
    s.due = 0
    if s.jokers[seat] > 0 and any_takeable(s):
        s.phase = JOKER
    else:
        s.jokers[seat] = 0
        begin_cubes(s, seat)


@compiled
def name_joker(s: Position, seat: int, clan: int) -> None:
    """C25."""
    s.jokers[seat] -= 1
    take_cube(s, seat, clan)
    begin_turn(s)


@compiled
def begin_cubes(s: Position, seat: int) -> None:
    """C8, C20. As many cubes as the turn asks for, or all that there are."""
    s.due = min(cubes_a_turn(s), cubes_in_reserve(s, seat))
    s.phase = CUBE_PHASE if s.due > 0 else MOVE


@compiled
def list_cubes(s: Position, seat: int, out: Array) -> int:
    """C8. Any cube of the reserve, to the own court or to any region."""
    n = 0
    for clan in range(CLANS):
        if s.reserve[seat, clan] > 0:
            code = CUBE + 16 * clan
            for tile in range(TILES):
                out[n] = code + tile
                n += s.tiles[tile] > 0
            out[n] = code + COURT
            n += 1
    return n


@compiled
def play_cube(s: Position, seat: int, clan: int, target: int) -> None:
    """C8."""
    s.reserve[seat, clan] -= 1
    if target == COURT:
        s.court[seat, clan] += 1
        take_control(s, seat, clan)
    else:
        s.cubes[target, clan] += 1
    s.due -= 1
    if s.due == 0:
        s.phase = MOVE


@compiled
def take_control(s: Position, seat: int, clan: int) -> None:
    """C9. More cubes at court than every other seat: the marker changes hands at once."""
    for other in range(s.players):
        if whole(other) != seat and s.court[other, clan] >= s.court[seat, clan]:
            return
    s.marker[clan] = seat
