"""What players see at a glance: numbers by players, who sits where, the regions around the circle."""

from aachen.carolus.position import Position
from aachen.carolus.words import CLANS, TILES
from aachen.core.kernel import compiled, whole


@compiled
def sides(s: Position) -> int:
    return 3 if s.players == 3 else 2


@compiled
def side_of(s: Position, seat: int) -> int:
    """Partners sit opposite each other."""
    return seat & 1 if s.players == 4 else seat


@compiled
def full_reserve(s: Position) -> int:
    return 9 if s.players == 3 else 7


@compiled
def cubes_a_turn(s: Position) -> int:
    """Also the number of dice thrown at its end."""
    return 4 if s.players == 3 else 3


@compiled
def seat_at_turn(s: Position) -> int:
    return whole(s.order[s.turn])


@compiled
def cubes_in_reserve(s: Position, seat: int) -> int:
    """Without jokers."""
    total = 0
    for clan in range(CLANS):
        total += whole(s.reserve[seat, clan])
    return total


@compiled
def region_after(s: Position, tile: int) -> int:
    """The next region clockwise; regions are named by their first tile."""
    after = tile + whole(s.tiles[tile])
    return after - TILES if after >= TILES else after


@compiled
def region_before(s: Position, tile: int) -> int:
    before = tile
    while True:
        before = before - 1 if before > 0 else TILES - 1
        if s.tiles[before] > 0:
            return before


@compiled
def count_regions(s: Position) -> int:
    regions = 0
    for tile in range(TILES):
        regions += int(s.tiles[tile] > 0)
    return regions
