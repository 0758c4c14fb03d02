"""A training run: batches of self-play on all cores, kept in a folder, so that it can be interrupted and goes on.

The folder has `run.json` (settings and learning curve) and `state.npz` (weights and the optimiser's memory). With the
same settings and number of games a run gives the same weights, whatever the number of cores.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aachen.arena.learning import learn
from aachen.bots.features import FEATURES
from aachen.bots.network import HIDDEN, adam, fresh_weights
from aachen.carolus.game import GAME
from aachen.core.errors import BadOptions
from aachen.core.schema import Array, Positions

#: The games of a batch; each is played with the same weights, and has its own part of the gradient.
BATCH = 16
#: How often each kind of game is played: mostly the usual one, and the variants.
VARIANTS: tuple[dict[str, object], ...] = (
    {}, {"dice": "choose-one"}, {}, {"crowns": "deferred"}, {}, {}, {"dice": "choose-one", "crowns": "deferred"}, {},
)  # fmt: skip
#: Batches between two entries of the learning curve.
ENTRY = 250


@dataclass(frozen=True)
class Settings:
    """All that decides how a run goes."""

    players: int
    games: int
    seed: int = 1
    rate: float = 0.002  # of learning, at the beginning; it falls to a twentieth
    decay: float = 0.7  # how much of what came later counts more than the next position
    strays: int = 10  # decisions at random, of 1000
    features: int = FEATURES
    hidden: int = HIDDEN


@dataclass(frozen=True)
class Entry:
    """A point of the learning curve."""

    games: int
    seconds: float
    loss: float
    decisions: float  # a game


def play_part(all_starts: Positions, weights: Array, settings: Settings, seeds: Array) -> tuple[Array, Array]:
    """Plays a game for each seed; the gradient of all their positions, and what `learn` tells."""
    gradient, told = np.zeros_like(weights), np.zeros(3)
    starts = all_starts[np.random.default_rng(seeds).permutation(len(all_starts))]
    learn(starts, seeds, weights, gradient, settings.decay, settings.strays, told)
    return gradient, told


class Run:
    """A training under way. `advance` plays batches; `save` keeps all of it."""

    def __init__(self, settings: Settings) -> None:
        if settings.players not in (2, 3, 4):
            raise BadOptions("bad-players", "players = {n} is not possible; 2, 3 or 4", n=settings.players)
        self.settings = settings
        self.games = 0
        self.seconds = 0.0
        self.curve: list[Entry] = []
        self.weights = fresh_weights(FEATURES, np.random.default_rng(settings.seed))
        self.memory = np.zeros((2, len(self.weights)), np.float32)
        self._told = np.zeros(3)
        self._starts: Positions = np.concatenate(
            [GAME.start({"players": settings.players, **variant}) for variant in VARIANTS]
        )

    @property
    def is_done(self) -> bool:
        return self.games >= self.settings.games

    def advance(self, jobs: int | None = None, run: Callable[..., Any] | None = None) -> Iterator[int]:
        """Plays on to the end of the run, batch by batch; gives the games so far after each.

        The parts of a batch go to `run`, which is a `map` (see `cluster.mapper`); without one, to threads.
        """
        with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            while not self.is_done:
                began = time.perf_counter()
                self._batch(run or pool.map)
                self.seconds += time.perf_counter() - began
                if self.games % (ENTRY * BATCH) == 0:
                    self._note()
                yield self.games

    def _batch(self, run: Callable[..., Any]) -> None:
        """One batch and one step of learning. The parts are added up in their order, so cores change nothing."""
        seeds = np.random.default_rng([self.settings.seed, self.games]).integers(0, 2**64, BATCH, dtype=np.uint64)
        play = partial(play_part, self._starts, self.weights, self.settings)
        parts = list(run(play, [seeds[part : part + 4] for part in range(0, BATCH, 4)]))
        told = np.sum([told for _, told in parts], axis=0)
        gradient: Array = np.sum([gradient for gradient, _ in parts], axis=0) / np.float32(told[0])
        self._told += told
        self.games += BATCH
        left = max(0.0, 1 - self.games / self.settings.games)
        rate = self.settings.rate * (0.05 + 0.95 * left)
        first, second = self.memory
        adam(self.weights, gradient, first, second, self.games // BATCH, rate)

    def _note(self) -> None:
        positions, loss, decisions = self._told
        games = self.games - (self.curve[-1].games if self.curve else 0)
        self.curve.append(Entry(self.games, round(self.seconds, 1), loss / positions, decisions / games))
        self._told[:] = 0

    def save(self, folder: Path) -> None:
        """Keeps the run; a crash leaves the one that was kept before."""
        folder.mkdir(parents=True, exist_ok=True)
        facts = {"settings": asdict(self.settings), "games": self.games, "seconds": self.seconds}
        text = json.dumps(facts | {"curve": [asdict(entry) for entry in self.curve]}, indent=1)
        with open(folder / "new.npz", "wb") as file:
            np.savez(file, weights=self.weights, memory=self.memory, told=self._told, run=np.array(text))
            file.flush()
            os.fsync(file.fileno())
        os.replace(folder / "new.npz", folder / "state.npz")
        (folder / "run.json").write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Run":
        """The run that was kept in this folder."""
        with np.load(folder / "state.npz", allow_pickle=False) as kept:
            facts = json.loads(str(kept["run"]))
            run = cls(Settings(**facts["settings"]))
            if (run.settings.features, run.settings.hidden) != (FEATURES, HIDDEN):
                raise BadOptions(
                    "other-network", "{folder} is a run of another network; begin a new one", folder=folder
                )
            run.games, run.seconds = facts["games"], facts["seconds"]
            run.curve = [Entry(**entry) for entry in facts["curve"]]
            run.weights[:], run.memory[:], run._told[:] = kept["weights"], kept["memory"], kept["told"]
        return run
