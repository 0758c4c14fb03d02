"""Thinking about a state for a while: the search with its memory, its budget and its threads, and what it found."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from aachen.bots.network import HIDDEN, size_of
from aachen.bots.search import DEEPEST, HERE, NETWORK, PLAYOUTS, ROOT, SIDES, WORK, Desk, Tree, find_place, passes
from aachen.core.errors import BadOptions
from aachen.core.kernel import MOST_ACTIONS, NO_SEAT, actors_of, step
from aachen.core.schema import Array, Positions, room_for
from aachen.core.state import State, View
from aachen.core.words import Action, Side

#: Positions looked at between two looks at the clock: some milliseconds.
BITE = {NETWORK: 4000, PLAYOUTS: 400}
#: How strongly a search tries what was tried little.
BOLDNESS = {NETWORK: 0.6, PLAYOUTS: 0.3}
#: How much a better first judgement draws the search.
SHARPNESS = {NETWORK: 25.0, PLAYOUTS: 50.0}


@dataclass(frozen=True)
class Budget:
    """How long to think: for so many seconds, or until so many positions were looked at."""

    seconds: float | None = None
    positions: int | None = None

    def __post_init__(self) -> None:
        given = [part for part in (self.seconds, self.positions) if part is not None]
        if len(given) != 1 or not given[0] > 0:
            raise BadOptions("bad-budget", "a budget is a number of seconds or of positions, more than 0")

    @property
    def is_large(self) -> bool:
        """Whether it allows to look through a whole turn at once, which takes some ten thousand positions."""
        return (self.positions or 0) >= 100_000 or (self.seconds or 0) >= 0.1

    def part(self, share: float) -> "Budget":
        """A part of it."""
        if self.positions is not None:
            return Budget(positions=max(1, round(self.positions * share)))
        return Budget(seconds=max(1e-4, (self.seconds or 0) * share))

    def without(self, positions: int, seconds: float) -> "Budget":
        """What is left of it; never quite nothing."""
        if self.positions is not None:
            return Budget(positions=max(1, self.positions - positions))
        return Budget(seconds=max(1e-4, (self.seconds or 0) - seconds))


@dataclass(frozen=True)
class Thought:
    """An action as a search sees it."""

    action: Any
    chance: float  # of the acting side to win with it
    weight: float  # the part of the search that went into it
    error: float  # of `chance`, one standard deviation
    line: tuple[Any, ...]  # what is expected to follow, up to the next throw of chance


@dataclass(frozen=True)
class Analysis:
    """What a search found: each side's chance to win, and the actions, best first."""

    chances: dict[Side, float]
    thoughts: tuple[Thought, ...]
    positions: int
    seconds: float


class Search:
    """A search with its memory: a tree for each thread, each of a fixed size."""

    def __init__(
        self, game: Any, how: int, weights: Array, inputs: int, seed: int = 0, threads: int = 1, places: int = 1 << 16
    ) -> None:
        if how == NETWORK and len(weights) != size_of(inputs):
            raise BadOptions("bad-weights", "{number} weights do not make a network with {inputs} inputs",
                             number=len(weights), inputs=inputs)  # fmt: skip
        self.game, self.how, self._weights = game, how, weights
        self._inputs, self._places = inputs, places
        self._seeds = np.random.default_rng(seed).integers(0, 2**64, threads, dtype=np.uint64)
        self._trees: list[Tree] = []
        self._desks: list[Desk] = []

    @property
    def size(self) -> int:
        """The places in use, in all trees together."""
        return sum(int(tree.used[0]) for tree in self._trees)

    def think(self, position: Positions, side_of: Sequence[int], budget: Budget) -> Analysis:
        """Searches the position; what was found about it before is built upon."""
        self._lay_out(position, side_of)
        began = time.perf_counter()
        if len(self._desks) == 1:
            looked = self._search(0, budget, began)
        else:
            each = budget.part(1 / len(self._desks)) if budget.positions else budget
            with ThreadPoolExecutor(len(self._desks)) as pool:
                looked = sum(pool.map(lambda i: self._search(i, each, began), range(len(self._desks))))
        return self._found(looked, time.perf_counter() - began)

    def _lay_out(self, position: Positions, side_of: Sequence[int]) -> None:
        if not self._desks or self._desks[0].side_of.tolist() != list(side_of):
            self._trees = [new_tree(self._places) for _ in self._seeds]
            self._desks = [self._desk(seed, side_of) for seed in self._seeds]
        for tree, desk in zip(self._trees, self._desks, strict=True):
            if 4 * tree.used[0] > len(tree.keys) or 2 * tree.used[1] > len(tree.action):  # room for the next search
                tree.keys[:] = 0
                tree.used[:] = 0
            desk.work[ROOT] = position[0]
            desk.sums[:] = 0

    def _desk(self, seed: np.uint64, side_of: Sequence[int]) -> Desk:
        work = np.zeros(WORK, self.game.record)
        return Desk(
            work=work,
            data=self.game.data,
            raw=work.view(np.uint8).reshape(len(work), -1),
            side_of=np.array(side_of, np.int64),
            sides=max(side_of) + 1,
            weights=self._weights,
            x=np.zeros(self._inputs, np.float32),
            hidden=np.zeros(HIDDEN, np.float32),
            out=np.zeros(MOST_ACTIONS, np.int16),
            odds=np.zeros(MOST_ACTIONS, np.int32),
            path=np.zeros((DEEPEST + 1, 3), np.int64),
            values=np.zeros(SIDES),
            foreseen=np.full(len(self.game.actions), -1.0, np.float32),
            sums=np.zeros(SIDES + 1),
            rng=np.array([seed], np.uint64),
        )

    def _search(self, thread: int, budget: Budget, began: float) -> int:
        tree, desk = self._trees[thread], self._desks[thread]
        looked, bite = 0, BITE[self.how]
        foresight = budget.is_large
        while True:
            left = budget.positions - looked if budget.positions is not None else bite
            looked += passes(tree, desk, min(left, bite), self.how, BOLDNESS[self.how], SHARPNESS[self.how], foresight)
            if budget.positions is not None:
                if looked >= budget.positions:
                    return looked
            elif time.perf_counter() - began >= (budget.seconds or 0):
                return looked

    # What was found

    def _found(self, looked: int, seconds: float) -> Analysis:
        sums = np.sum([desk.sums for desk in self._desks], axis=0)
        sides = self._desks[0].sides
        tries: dict[int, int] = {}
        totals: dict[int, float] = {}
        for tree, desk in zip(self._trees, self._desks, strict=True):
            for edge in edges_at(tree, desk):
                code = int(tree.action[edge])
                tries[code] = tries.get(code, 0) + int(tree.tries[edge])
                totals[code] = totals.get(code, 0) + float(tree.total[edge])
        all_tries = max(1, sum(tries.values()))
        order = sorted(tries, key=lambda code: (-tries[code], -totals[code] / max(1, tries[code])))
        thoughts = [self._thought(code, tries[code], totals[code], all_tries) for code in order]
        chances = {Side(side): float(sums[side] / sums[SIDES]) for side in range(sides)}
        return Analysis(chances, tuple(thoughts), looked, seconds)

    def _thought(self, code: int, tries: int, total: float, all_tries: int) -> Thought:
        chance = total / max(1, tries)
        error = (max(chance * (1 - chance), 1e-4) / max(1, tries)) ** 0.5
        return Thought(self.game.actions[code], chance, tries / all_tries, error, self._line(code))

    def _line(self, code: int) -> tuple[Action, ...]:
        """The most tried actions after this one, until chance acts."""
        tree, desk = self._trees[0], self._desks[0]
        here = desk.work[ROOT : ROOT + 1].copy()
        line: list[Action] = []
        while code >= 0 and len(line) < 12:
            after = room_for(self.game.record)
            if not step(here, after, self.game.data, NO_SEAT, code):
                break
            line.append(self.game.actions[code])
            here = after
            desk.work[HERE] = here[0]
            edges = list(edges_at(tree, desk, HERE)) if actors_of(here, self.game.data) else []
            best = max(edges, key=lambda edge: tree.tries[edge], default=-1)
            code = int(tree.action[best]) if best >= 0 else -1
        return tuple(line)


def new_tree(places: int) -> Tree:
    """An empty tree; it takes about 300 bytes a place."""
    actions = places * 16 + MOST_ACTIONS
    return Tree(
        keys=np.zeros(places, np.uint64),
        first=np.zeros(places, np.int32),
        number=np.zeros(places, np.int16),
        visits=np.zeros(places, np.int32),
        action=np.zeros(actions, np.int16),
        tries=np.zeros(actions, np.int32),
        total=np.zeros(actions, np.float32),
        prior=np.zeros(actions, np.float32),
        used=np.zeros(2, np.int64),
    )


def edges_at(tree: Tree, desk: Desk, index: int = ROOT) -> range:
    """The actions of a position in the tree; none if it is not there."""
    place = find_place(tree, desk.raw, index)
    return range(tree.first[place], tree.first[place] + tree.number[place]) if place >= 0 else range(0)


def sides_of(state: State[Any] | View[Any]) -> list[int]:
    return [int(state.side(seat)) for seat in range(state.seats)]
