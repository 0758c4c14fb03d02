"""Makes the golden games in tests/games: one for each way a game can end, with each number of players, and draws.

Run it from the checkout when the rules have changed on purpose, and look at the difference:

    PYTHONPATH=src:tests python tests/make_games.py

Each game is the first, by seed, that ends as its name says with castles in play. A game with crowns = deferred
cannot end for want of cubes, so there is none (C21, C25).
"""

import random
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from aachen import carolus
from aachen.core import History, Record
from compare import Policy, court_heavy, uniform

GAMES = Path(__file__).parent / "games"


@dataclass(frozen=True)
class Wanted:
    """A game to look for: its name tells the players and how it must end; then the policy and the options."""

    name: str
    reason: str
    policy: Policy
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def players(self) -> int:
        return int(self.name[0])

    @property
    def is_draw(self) -> bool:
        return self.name.endswith("draw")


WANTED = (
    Wanted("2-players-castles", "castles", uniform),
    Wanted("2-players-regions", "regions", uniform),
    Wanted("2-players-cubes", "cubes", uniform),
    Wanted("2-players-rounds", "rounds", uniform, {"round_limit": 7}),
    Wanted("2-players-cubes-draw", "cubes", uniform),
    Wanted("3-players-castles", "castles", uniform, {"dice": "choose-one"}),
    Wanted("3-players-regions", "regions", court_heavy),
    Wanted("3-players-cubes", "cubes", uniform),
    Wanted("3-players-rounds", "rounds", uniform, {"round_limit": 5, "crowns": "deferred"}),
    Wanted("3-players-regions-draw", "regions", court_heavy),
    Wanted("4-players-castles", "castles", uniform, {"crowns": "deferred", "talk": "none"}),
    Wanted("4-players-regions", "regions", uniform, {"dice": "choose-one", "crowns": "deferred"}),
    Wanted("4-players-cubes", "cubes", uniform, {"dice": "choose-one"}),
    Wanted("4-players-rounds", "rounds", court_heavy, {"round_limit": 6}),
    Wanted("4-players-rounds-draw", "rounds", uniform, {"round_limit": 5, "dice": "choose-one"}),
)


def play(wanted: Wanted, seed: int) -> History[carolus.State]:
    """The game of this seed, from before the deal to its end."""
    rng = random.Random(seed)
    history = History(carolus.table(wanted.players, **wanted.options))
    while not history.draw(rng).is_over:
        history.play(wanted.policy(rng, sorted(map(str, history.state.legal_actions()))))
    return history


def find(wanted: Wanted) -> Record:
    """The first game that ends as wanted."""
    for seed in count():
        history = play(wanted, seed)
        outcome = history.state.outcome
        assert outcome is not None
        if (outcome.reason, outcome.is_draw) == (wanted.reason, wanted.is_draw) and any(outcome.scores):
            return history.record(tags={"Policy": wanted.policy.__name__, "Seed": str(seed)})
    raise AssertionError("seeds never end")


def main() -> None:
    GAMES.mkdir(exist_ok=True)
    for wanted in WANTED:
        record = find(wanted)
        (GAMES / f"{wanted.name}.game").write_text(str(record), encoding="utf-8", newline="\n")
        print(f"{wanted.name}: seed {record.tags['Seed']}, {record.result}")


if __name__ == "__main__":
    main()
