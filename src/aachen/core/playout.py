"""Random play inside the kernel: whole games with nothing but compiled code, for any game.

The random numbers are SplitMix64's, one 64-bit word of state; a choice among n is the high half of a product. They
are simple on purpose: the same games can be played in another language and compared.
"""

import numpy as np

from aachen.core.kernel import MOST_ACTIONS, NO_SEAT, actors, apply, at, chance, compiled, legal, whole
from aachen.core.schema import Array, Positions


@compiled
def next_random(rng: Array) -> np.uint64:
    """The next 64 random bits; `rng` is an array of one uint64."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z: np.uint64 = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def below(rng: Array, n: int) -> int:
    """A random number from 0 to n - 1."""
    return whole(((next_random(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def pick(rng: Array, weights: Array, count: int) -> int:
    """A random place in `weights`, each as likely as its weight."""
    total = 0
    for i in range(count):
        total += weights[i]
    mark = below(rng, total)
    for i in range(count):
        mark -= weights[i]
        if mark < 0:
            return i
    return count - 1


@compiled
def some_seat(rng: Array, asked: int) -> int:
    """One of the seats that are asked."""
    number = 0
    rest = asked
    while rest:
        rest &= rest - 1
        number += 1
    skip = below(rng, number) if number > 1 else 0
    seat = 0
    while True:
        if (asked >> seat) & 1:
            if skip == 0:
                return seat
            skip -= 1
        seat += 1


@compiled
def play_out(positions: Positions, index: int, data: Positions, rng: Array, out: Array, weights: Array) -> int:
    """Plays one game to its end, all choices equally likely; the number of decisions."""
    s, d = at(positions, index), at(data, 0)
    decisions = 0
    while True:
        asked = actors(s, d)
        if asked != 0:
            seat = some_seat(rng, asked)
            count = legal(s, d, seat, out)
            apply(s, d, seat, whole(out[below(rng, count)]))
            decisions += 1
        else:
            count = chance(s, d, out, weights)
            if count == 0:
                return decisions
            apply(s, d, NO_SEAT, whole(out[pick(rng, weights, count)]))


@compiled(arrays=True)
def play_out_all(positions: Positions, data: Positions, seeds: Array) -> int:
    """Plays every position of the array to its end, each with its own seed; the number of decisions in all."""
    out = np.empty(MOST_ACTIONS, np.int16)
    weights = np.empty(MOST_ACTIONS, np.int32)
    rng = np.empty(1, np.uint64)
    decisions = 0
    for i in range(len(positions)):
        rng[0] = seeds[i]
        decisions += play_out(positions, i, data, rng, out, weights)
    return decisions
