"""Every turn that a seat can play, tried out: how many there are, and how many of them win at once."""

import numpy as np

from aachen.carolus import State
from aachen.carolus.rules.cubes import play_cube
from aachen.carolus.rules.emperor import move_emperor, winners
from aachen.carolus.rules.table import side_of
from aachen.carolus.words import CLANS, TILES, Phase
from aachen.core.kernel import at, compiled, whole
from aachen.core.schema import Array, Positions

CUBE = int(Phase.CUBE)


@compiled
def fits(work: Positions, depth: int, seat: int, code: int) -> bool:
    """Whether this cube (16 x clan + tile, 15 for the court) can be played."""
    s = at(work, depth)
    return s.reserve[seat, code >> 4] > 0 and (code & 15 == TILES or s.tiles[code & 15] > 0)


@compiled(inline=False)
def try_moves(work: Positions, depth: int, seat: int, counts: Array) -> None:
    side = side_of(at(work, depth), seat)
    for steps in range(1, whole(at(work, depth).disc[seat]) + 1):
        work[depth + 1] = work[depth]
        move_emperor(at(work, depth + 1), steps)
        counts[0] += 1
        if winners(at(work, depth + 1)) == 1 << side:
            counts[1] += 1


@compiled
def try_turns(work: Positions, seat: int, counts: Array) -> None:
    """All sets of cubes, each in rising order of codes, and all moves after each."""
    depth, path, code = 0, 0, 0
    while True:
        if code == 16 * CLANS:
            if depth == 0:
                return
            depth -= 1
            code = (path & 127) + 1
            path >>= 7
        elif not fits(work, depth, seat, code):
            code += 1
        else:
            work[depth + 1] = work[depth]
            play_cube(at(work, depth + 1), seat, code >> 4, code & 15)
            if at(work, depth + 1).phase == CUBE:
                depth += 1
                path = path << 7 | code
            else:
                try_moves(work, depth + 1, seat, counts)
                code += 1


def count_turns(state: State) -> tuple[int, int]:
    """All turns from a state where cubes are to be played, and those that win at once."""
    work = np.zeros(8, state.game.record)
    work[0] = state.position[0]
    counts = np.zeros(2, np.int64)
    try_turns(work, state.actor, counts)
    return int(counts[0]), int(counts[1])
