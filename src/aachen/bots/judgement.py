"""How the network of Carolus Magnus judges positions, and a player that asks it about every action."""

import math
from functools import cache
from importlib.resources import files

import numpy as np

from aachen.bots.carolus import CUBE_PHASE, evaluate, is_sensible, likely
from aachen.bots.features import write_features
from aachen.bots.network import forward
from aachen.bots.search import SPARE, install_foresight, install_judge, install_playout
from aachen.carolus.codes import CUBE
from aachen.carolus.position import RECORD, Position
from aachen.carolus.rules.cubes import play_cube
from aachen.carolus.rules.doors import apply, legal
from aachen.carolus.rules.emperor import move_emperor, winners
from aachen.carolus.rules.table import side_of
from aachen.carolus.words import CLANS
from aachen.core.kernel import at, compiled, whole
from aachen.core.playout import below
from aachen.core.schema import Array, Positions

SIDES = 3
#: Instead of a network.
NO_WEIGHTS = np.zeros(1, np.float32)
#: By how much the rules of thumb must see a side ahead for three wins to one.
THUMB = 200.0


@cache
def weights_for(players: int) -> Array:
    """The trained weights; docs/bots.md tells how they came about."""
    with (files("aachen.bots") / "weights" / f"carolus-{players}.npy").open("rb") as file:
        weights: Array = np.load(file, allow_pickle=False).astype(np.float32)
        return weights


@compiled
def judge(s: Position, side: int, weights: Array, x: Array, hidden: Array) -> float:
    """The side's chance to win: by the network, or without weights by rules of thumb."""
    if len(weights) == len(NO_WEIGHTS):
        return 1.0 / (1.0 + math.exp(-evaluate(s, side) / THUMB))
    write_features(s, side, x)
    return forward(weights, x, hidden)


install_judge(RECORD, judge)
install_playout(RECORD, likely)


@compiled
def share_of(won: int, side: int) -> float:
    """What a side has of a finished game: 1 for a win, a part of it for a draw."""
    number = 0
    for other in range(SIDES):
        number += (won >> other) & 1
    return ((won >> side) & 1) / number


@compiled(inline=False)
def best_action(work: Positions, seat: int, weights: Array, x: Array, hidden: Array, out: Array, rng: Array) -> int:
    """The action in `work[0]` after which the network likes the position best; `work[1]` is scratch."""
    count = legal(at(work, 0), seat, out)
    side = side_of(at(work, 0), seat)
    best, chosen, equal = -1.0, 0, 0
    for i in range(count):
        work[1] = work[0]
        s = at(work, 1)
        apply(s, seat, whole(out[i]))
        won = winners(s)
        value = share_of(won, side) if won != 0 else judge(s, side, weights, x, hidden)
        if value > best:
            best, chosen, equal = value, whole(out[i]), 1
        elif value == best:
            equal += 1
            if below(rng, equal) == 0:
                chosen = whole(out[i])
    return chosen


@compiled(inline=False)
def best_move_value(work: Positions, last: int, seat: int, weights: Array, x: Array, hidden: Array) -> float:
    """The best that a move of the Emperor in `work[last]` comes to."""
    side = side_of(at(work, last), seat)
    best = 0.0
    for steps in range(1, whole(at(work, last).disc[seat]) + 1):
        work[last + 1] = work[last]
        s = at(work, last + 1)
        move_emperor(s, steps)
        won = winners(s)
        best = max(best, share_of(won, side) if won != 0 else judge(s, side, weights, x, hidden))
    return best


@compiled(inline=False)
def foresee(work: Positions, index: int, seat: int, weights: Array, x: Array, hidden: Array, foreseen: Array) -> int:
    """Looks through every turn: all sets of cubes to the court and to where the Emperor can stop, and all moves.

    The order of cubes does not matter, so what a set comes to counts for each of its cubes as the next one.
    """
    if at(work, index).phase != CUBE_PHASE:
        return 0
    for i in range(len(foreseen)):
        foreseen[i] = -1
    work[SPARE] = work[index]
    depth, path, code, looked = SPARE, 0, 0, 0
    while True:
        if code == 16 * CLANS:  # all tried here: back to the cube before
            if depth == SPARE:
                return looked
            depth -= 1
            code = (path & 127) + 1
            path >>= 7
        elif not is_sensible(at(work, depth), seat, code >> 4, code & 15):
            code += 1
        else:
            work[depth + 1] = work[depth]
            play_cube(at(work, depth + 1), seat, code >> 4, code & 15)
            if at(work, depth + 1).phase == CUBE_PHASE:
                depth += 1
                path = path << 7 | code
                continue
            value = best_move_value(work, depth + 1, seat, weights, x, hidden)
            looked += whole(at(work, depth).disc[seat])
            cubes = path << 7 | code
            for _ in range(depth + 1 - SPARE):
                foreseen[CUBE + (cubes & 127)] = max(foreseen[CUBE + (cubes & 127)], np.float32(value))
                cubes >>= 7
            code += 1


install_foresight(RECORD, foresee)
