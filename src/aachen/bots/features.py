"""What the network of Carolus Magnus sees of a position, from one side's point of view: a row of small numbers.

Regions are told by their distance from the Emperor, clans in the order of their worth to this side, so that the same
situation looks the same wherever on the circle and in whichever colours it stands.
"""

import numpy as np

from aachen.carolus.position import Position
from aachen.carolus.rules.table import region_after, side_of, sides
from aachen.carolus.words import CLANS, DISCS, NOBODY, TILES, Phase
from aachen.core.kernel import compiled, whole
from aachen.core.schema import Array

OF_REGION, OF_CLAN, OF_SEAT, OF_TABLE = 7, 9, 15, 14
SEATS = 4
FEATURES = TILES * OF_REGION + CLANS * OF_CLAN + SEATS * OF_SEAT + OF_TABLE
CLANS_AT = TILES * OF_REGION
SEATS_AT = CLANS_AT + CLANS * OF_CLAN
TABLE_AT = SEATS_AT + SEATS * OF_SEAT
DISC, CROWN, JOKER, CUBE = int(Phase.DISC), int(Phase.CROWN), int(Phase.JOKER), int(Phase.CUBE)
MOVE, CHOOSE, THROW, OVER = int(Phase.MOVE), int(Phase.CHOOSE), int(Phase.THROW), int(Phase.OVER)


@compiled(inline=False)
def write_features(s: Position, side: int, x: Array) -> None:
    """Fills `x`, of length FEATURES."""
    for i in range(FEATURES):
        x[i] = 0.0
    write_regions(s, side, x)
    write_clans(s, side, x)
    write_seats(s, side, x)
    write_table(s, side, x)


@compiled
def write_regions(s: Position, side: int, x: Array) -> None:
    """Each region by its steps from the Emperor: who counts what, whose castles, what a halt would bring."""
    tile = whole(s.emperor)
    for place in range(TILES):
        mine, best, second = 0, 0, 0
        free = 0
        for other in range(sides(s)):
            count = whole(s.castles[tile]) if s.holder[tile] == other else 0
            for clan in range(CLANS):
                if s.marker[clan] != NOBODY and side_of(s, whole(s.marker[clan])) == other:
                    count += whole(s.cubes[tile, clan])
            if other == side:
                mine = count
            elif count > best:
                best, second = count, best
            else:
                second = max(second, count)
        for clan in range(CLANS):
            if s.marker[clan] == NOBODY:
                free += whole(s.cubes[tile, clan])
        at = place * OF_REGION
        castles = whole(s.castles[tile])
        own = s.holder[tile] == side
        x[at] = 0.5
        x[at + 1] = 0.25 * max(-6, min(6, mine - best))
        x[at + 2] = 0.4 * castles if own else 0.0
        x[at + 3] = 0.0 if own else 0.4 * castles
        if mine > best and not own:
            x[at + 4] = 0.5 + 0.4 * castles
        elif best > mine and best > second and (own or castles == 0):
            x[at + 5] = 0.5 + 0.4 * castles
        x[at + 6] = 0.2 * free
        tile = region_after(s, tile)
        if tile == s.emperor:
            break


@compiled
def write_clans(s: Position, side: int, x: Array) -> None:
    """Each clan: how the courts stand, who controls it, what it counts for on the board, who can fight for it."""
    done = 0
    for place in range(CLANS):
        best_clan, best_key = 0, -100000
        for clan in range(CLANS):
            if (done >> clan) & 1 == 0:
                key = clan_key(s, side, clan)
                if key > best_key:
                    best_clan, best_key = clan, key
        done |= 1 << best_clan
        write_clan(s, side, best_clan, x, CLANS_AT + place * OF_CLAN)


@compiled
def clan_key(s: Position, side: int, clan: int) -> int:
    """Higher for clans that this side controls more firmly."""
    holder = whole(s.marker[clan])
    key = 0 if holder == NOBODY else 1000 if side_of(s, holder) == side else -1000
    return key + 10 * court_margin(s, side, clan)


@compiled
def court_margin(s: Position, side: int, clan: int) -> int:
    """The best court of this side against the best of the others."""
    mine, best = 0, 0
    for seat in range(s.players):
        if side_of(s, whole(seat)) == side:
            mine = max(mine, whole(s.court[seat, clan]))
        else:
            best = max(best, whole(s.court[seat, clan]))
    return mine - best


@compiled
def write_clan(s: Position, side: int, clan: int, x: Array, at: int) -> None:
    holder = whole(s.marker[clan])
    margin = court_margin(s, side, clan)
    on_board = 0
    for tile in range(TILES):
        on_board += whole(s.cubes[tile, clan])
    mine, theirs = 0, 0
    for seat in range(s.players):
        if side_of(s, whole(seat)) == side:
            mine += whole(s.reserve[seat, clan])
        else:
            theirs += whole(s.reserve[seat, clan])
    x[at] = 0.25 * max(-5, min(5, margin))
    if holder != NOBODY:
        own = side_of(s, holder) == side
        x[at + 1] = 0.5 if own else 0.0
        x[at + 2] = 0.0 if own else 0.5
        x[at + 3] = (0.1 if own else -0.1) * on_board
        x[at + 4] = 0.5 if abs(margin) <= 1 else 0.0
    x[at + 5] = 0.06 * on_board
    x[at + 6] = 0.25 * mine
    x[at + 7] = 0.25 * theirs
    x[at + 8] = 0.1 * max(0, 8 - whole(s.supply[clan]))


@compiled
def write_seats(s: Position, side: int, x: Array) -> None:
    """Each seat, this side's first: discs, its place in the order, what it is about to do."""
    for step in range(whole(s.players)):
        ahead = 3 - step if s.players == 4 and 0 < step < 3 else step  # with four, the partner comes second
        seat = (side + ahead) % whole(s.players)
        at = SEATS_AT + step * OF_SEAT
        for disc in range(DISCS):
            x[at + disc] = 0.3 if (whole(s.unused[seat]) >> disc) & 1 else 0.0
        disc = whole(s.disc[seat])
        if disc > 0:
            x[at + 5] = 0.5
            x[at + 6] = 0.2 * disc
        for place in range(s.players):
            if s.order[place] == seat:
                waits = whole(place) - whole(s.turn)
                if s.phase == DISC:
                    x[at + 7] = 0.3 * waits
                elif waits > 0:
                    x[at + 8] = 0.5
                    x[at + 9] = 0.2 * disc
                    x[at + 10] = 0.3 * waits
                elif waits == 0:
                    x[at + 11] = 0.5
                    x[at + 12] = 0.2 * disc if s.phase <= MOVE else 0.0
        x[at + 13] = 0.3 * whole(s.jokers[seat])
        held = 0
        for clan in range(CLANS):
            held += whole(s.reserve[seat, clan])
        x[at + 14] = 0.1 * held


@compiled
def write_table(s: Position, side: int, x: Array) -> None:
    """Castles left, regions left, time left, what is asked."""
    at = TABLE_AT
    most = 10.0 if s.players != 3 else 8.0
    nearest = 100
    for other in range(sides(s)):
        left = whole(s.stock[other])
        if other == side:
            x[at] = left / most
            x[at + 1] = 1.0 if left <= 2 else 0.0
            x[at + 2] = 0.5 if left <= 4 else 0.0
        else:
            nearest = min(nearest, left)
            x[at + 3] += 0.5 * left / most
    x[at + 4] = nearest / most
    x[at + 5] = 1.0 if nearest <= 2 else 0.0
    x[at + 6] = 0.5 if nearest <= 4 else 0.0
    regions = 0
    for tile in range(TILES):
        regions += 1 if s.tiles[tile] > 0 else 0
    x[at + 7] = regions / 15.0
    x[at + 8] = 0.5 if regions <= 5 else 0.0
    phase = whole(s.phase)
    x[at + 9] = 0.5 if phase == DISC else 0.0
    x[at + 10] = 0.3 * whole(s.due) if phase == CUBE else 0.0
    x[at + 11] = 0.5 if phase == MOVE else 0.0
    x[at + 12] = 0.5 if phase >= CHOOSE else 0.0
    x[at + 13] = min(1.0, (whole(s.round_limit) - whole(s.round_number)) / 20.0)


def features_of(position: Array, side: int) -> Array:
    """The row for one position, for looking at it from Python."""
    x = np.zeros(FEATURES, np.float32)
    _features_at(position, side, x)
    return x


@compiled
def _features_at(positions: Array, side: int, x: Array) -> None:
    write_features(positions[0], side, x)
