"""Finds puzzles: positions where a turn wins at once, but hardly any does.

`python tests/make_puzzles.py` plays games between bots and writes src/aachen/carolus/puzzles/wins.txt: positions at the
beginning of a turn, in which at most one turn in 500 wins.
"""

import random
from pathlib import Path

from aachen import carolus
from aachen.bots import make
from aachen.carolus import Phase, puzzles
from turns import count_turns

NUMBER = 60
FILE = Path(puzzles.__file__).with_name("wins.txt")


def puzzles_of(seed: int) -> list[str]:
    """The puzzles that come up in one game; at most one, so that they differ."""
    players, rng = (2, 3, 4)[seed % 3], random.Random(seed)
    state = carolus.new(players, seed=seed)
    bots = [make("knight", seed * 10 + seat) for seat in range(players)]
    while not state.is_over:
        if state.is_chance:
            state = state.draw(rng)
            continue
        full = 4 if players == 3 else 3
        if state.phase == Phase.CUBE and int(state.position["due"][0]) == full:
            turns, wins = count_turns(state)
            if 0 < wins <= turns / 500:
                return [state.text]
        state = state.apply(bots[state.actor].choose(state.view(state.actor)))
    return []


def main() -> None:
    found: list[str] = []
    seed = 0
    while len(found) < NUMBER:
        found += puzzles_of(seed)
        seed += 1
    FILE.write_text("\n".join(found) + "\n", encoding="utf-8")
    print(f"{len(found)} puzzles from {seed} games")


if __name__ == "__main__":
    main()
