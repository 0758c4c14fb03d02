"""The Emperor moves (C10); castles are built, taken over and merged (C11 to C15); that may end the game (C22, C23)."""

from aachen.carolus.codes import MOVE
from aachen.carolus.position import Position
from aachen.carolus.rules.table import count_regions, region_after, region_before, side_of, sides
from aachen.carolus.rules.throw import begin_throw
from aachen.carolus.words import CLANS, LEAST_REGIONS, NOBODY, Phase
from aachen.core.kernel import compiled, whole
from aachen.core.schema import Array

OVER = int(Phase.OVER)


@compiled
def list_moves(s: Position, seat: int, out: Array) -> int:
    """C10. At least one step, at most the disc's number."""
    for i in range(s.disc[seat]):
        out[i] = MOVE + i
    return whole(s.disc[seat])


@compiled
def move_emperor(s: Position, steps: int) -> None:
    """C10."""
    tile = whole(s.emperor)
    for _ in range(steps):
        tile = region_after(s, tile)
    s.emperor = tile
    visit(s, tile)
    if s.phase != OVER:
        begin_throw(s)


@compiled
def visit(s: Position, tile: int) -> None:
    """C11 to C15, C22, C23. The region where the Emperor stops is resolved."""
    side = majority(s, tile)
    if side == NOBODY or side == s.holder[tile]:
        return
    put_up_castles(s, tile, side)
    if s.stock[side] == 0:
        end_game(s)  # C22: at once, without merging
        return
    merge_neighbours(s, tile, side)
    if count_regions(s) < LEAST_REGIONS:
        end_game(s)  # C23


@compiled
def strength(s: Position, tile: int, side: int) -> int:
    """C11. The cubes of the clans that the side's seats control, plus its castles."""
    total = whole(s.castles[tile]) if s.holder[tile] == side else 0
    for clan in range(CLANS):
        if s.marker[clan] != NOBODY and side_of(s, whole(s.marker[clan])) == side:
            total += whole(s.cubes[tile, clan])
    return total


@compiled
def majority(s: Position, tile: int) -> int:
    """C11. The side that counts more than every other, or NOBODY."""
    most = 0
    leader = NOBODY
    for side in range(sides(s)):
        count = strength(s, tile, side)
        if count > most:
            most = count
            leader = side
        elif count == most:
            leader = NOBODY
    return leader


@compiled
def put_up_castles(s: Position, tile: int, side: int) -> None:
    """C12, C13, C15. One castle, or as many as stood there, or as many as the side has left."""
    number = 1
    if s.castles[tile] > 0:
        number = whole(s.castles[tile])
        s.stock[s.holder[tile]] += number
    number = min(number, whole(s.stock[side]))
    s.stock[side] -= number
    s.castles[tile] = number
    s.holder[tile] = side


@compiled
def merge_neighbours(s: Position, tile: int, side: int) -> None:
    """C14."""
    after = region_after(s, tile)
    if after != tile and s.holder[after] == side:
        join(s, tile, after)
    before = region_before(s, tile)
    if before != tile and s.holder[before] == side:
        join(s, before, tile)


@compiled
def join(s: Position, tile: int, after: int) -> None:
    """C14. The region `after` becomes part of the one before it, cubes, castles and Emperor together."""
    s.tiles[tile] += s.tiles[after]
    s.tiles[after] = 0
    for clan in range(CLANS):
        s.cubes[tile, clan] += s.cubes[after, clan]
        s.cubes[after, clan] = 0
    s.castles[tile] += s.castles[after]
    s.castles[after] = 0
    s.holder[after] = NOBODY
    if s.emperor == after:
        s.emperor = tile


@compiled
def end_game(s: Position) -> None:
    s.due = 0
    s.phase = OVER


@compiled
def winners(s: Position) -> int:
    """C22, C23. The sides with the most castles in play, as bits; 0 while the game goes on."""
    if s.phase != OVER:
        return 0
    least = 255
    won = 0
    for side in range(sides(s)):
        if s.stock[side] < least:
            least = whole(s.stock[side])
            won = 0
        if s.stock[side] == least:
            won |= 1 << side
    return won
