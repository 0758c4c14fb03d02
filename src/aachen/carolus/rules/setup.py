"""Set-up: the deal, the Emperor, the lot and the first reserves (C1 to C4)."""

from aachen.carolus.position import Position
from aachen.carolus.rules.opening import begin_round
from aachen.carolus.rules.table import cubes_in_reserve, full_reserve, seat_at_turn
from aachen.carolus.words import CUBES_A_CLAN, DEALT_A_CLAN, TILES, Phase
from aachen.core.kernel import compiled, whole

DEAL, EMPEROR, LOT, FILL = int(Phase.DEAL), int(Phase.EMPEROR), int(Phase.LOT), int(Phase.FILL)


@compiled
def still_to_deal(s: Position, clan: int) -> int:
    return whole(s.supply[clan]) - (CUBES_A_CLAN - DEALT_A_CLAN)


@compiled
def deal_cube(s: Position, clan: int) -> None:
    """C1. The tiles get their cubes in order."""
    tile = TILES - s.due
    s.cubes[tile, clan] += 1
    s.supply[clan] -= 1
    s.due -= 1
    if s.due == 0:
        s.phase = EMPEROR


@compiled
def place_emperor(s: Position, tile: int) -> None:
    """C1."""
    s.emperor = tile
    s.phase = LOT


@compiled
def draw_lot(s: Position, first: int) -> None:
    """C2."""
    for place in range(s.players):
        s.order[place] = (first + place) % s.players
    s.turn = 0
    begin_fill(s)


@compiled
def begin_fill(s: Position) -> None:
    """C3. Throws of 3 dice while that many cubes are missing; then the next seat; then the first round."""
    seat = seat_at_turn(s)
    missing = full_reserve(s) - cubes_in_reserve(s, seat) - s.jokers[seat]
    if missing > 0:
        s.due = min(3, missing)
        s.phase = FILL
    elif s.turn + 1 < s.players:
        s.turn += 1
        s.due = 3
        s.phase = FILL
    else:
        s.round_number = 1
        begin_round(s)
