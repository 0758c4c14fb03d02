"""Learning by self-play: games in compiled code, and what the network learns from each (temporal differences).

After every decision the position is remembered as each side sees it. When the game is over, each of these positions is
moved towards what came of it: the values of the positions after it, and the more the end itself the closer it was.
"""

import numpy as np

from aachen.bots.features import FEATURES, write_features
from aachen.bots.judgement import SIDES, best_action, share_of
from aachen.bots.network import HIDDEN, add_gradient, forward
from aachen.carolus.rules.doors import actors, apply, chance, legal
from aachen.carolus.rules.emperor import winners
from aachen.carolus.rules.table import sides
from aachen.core.kernel import MOST_ACTIONS, NO_SEAT, at, compiled, whole
from aachen.core.playout import below, pick
from aachen.core.schema import Array, Positions

MOST_STEPS = 1500


@compiled(inline=False)
def play_and_remember(
    work: Positions, weights: Array, seen: Array, values: Array, out: Array, odds: Array, rng: Array, strays: int
) -> int:
    """Plays `work[0]` to its end, `strays` of 1000 decisions at random; the number of positions remembered."""
    x = seen[MOST_STEPS, 0]
    hidden = values[MOST_STEPS]
    steps = 0
    while True:
        s = at(work, 0)
        asked = actors(s)
        if asked == 0:
            count = chance(s, out, odds)
            if count == 0:
                return steps
            apply(s, NO_SEAT, whole(out[pick(rng, odds, count)]))
            continue
        seat = 0
        while asked >> seat != 1:
            seat += 1
        if below(rng, 1000) < strays:
            action = whole(out[below(rng, legal(s, seat, out))])
        else:
            action = best_action(work, seat, weights, x, hidden, out, rng)
        apply(s, seat, action)
        if steps < MOST_STEPS and winners(s) == 0:
            for side in range(sides(s)):
                write_features(s, side, seen[steps, side])
                values[steps, side] = forward(weights, seen[steps, side], hidden)
            steps += 1


@compiled(arrays=True)
def learn(
    start: Positions, seeds: Array, weights: Array, gradient: Array, decay: float, strays: int, told: Array
) -> None:
    """Plays a game for each seed, from the start positions in turn, and adds up the gradient of all positions.

    `told` gets the number of positions, the sum of their losses, and the number of decisions.
    """
    work = np.empty(2, start.dtype)
    seen = np.empty((MOST_STEPS + 1, SIDES, FEATURES), np.float32)
    values = np.empty((MOST_STEPS + 1, HIDDEN), np.float32)
    out = np.empty(MOST_ACTIONS, np.int16)
    odds = np.empty(MOST_ACTIONS, np.int32)
    rng = np.empty(1, np.uint64)
    hidden = np.empty(HIDDEN, np.float32)
    for game in range(len(seeds)):
        rng[0] = seeds[game]
        work[0] = start[game % len(start)]
        steps = play_and_remember(work, weights, seen, values, out, odds, rng, strays)
        s = at(work, 0)
        for side in range(sides(s)):
            target = share_of(winners(s), side)
            for step in range(steps - 1, -1, -1):
                told[0] += 1
                told[1] += add_gradient(weights, seen[step, side], target, hidden, gradient)
                target = decay * target + (1 - decay) * values[step, side]
        told[2] += steps
