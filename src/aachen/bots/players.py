"""The bots by name: five levels, and three simpler ones to measure them by."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from aachen.bots import carolus as policies
from aachen.bots.bot import Bot
from aachen.bots.features import FEATURES
from aachen.bots.judgement import best_action, weights_for
from aachen.bots.network import HIDDEN
from aachen.bots.search import NETWORK, PLAYOUTS
from aachen.bots.thinking import Analysis, Budget, Search
from aachen.carolus.game import GAME
from aachen.carolus.words import Phase
from aachen.core.errors import BadOptions, IllegalAction
from aachen.core.kernel import MOST_ACTIONS
from aachen.core.state import State, View

#: Bots that are one compiled function: they answer at once, and batches of thousands can be played with them.
POLICIES = {
    "random": policies.RANDOM,
    "greedy": policies.GREEDY,
    "page": policies.SHORT_SIGHTED,
    "squire": policies.GREEDY,
}


@dataclass(frozen=True)
class Thinker:
    """A bot that searches: how it judges positions, and its usual budget for a turn."""

    how: int
    budget: Budget


THINKERS = {
    "search": Thinker(PLAYOUTS, Budget(seconds=1.0)),
    "paladin": Thinker(NETWORK, Budget(positions=1000)),
    "emperor": Thinker(NETWORK, Budget(seconds=1.0)),
}
#: The levels, from the weakest to the strongest.
LEVELS = {
    "page": "sees one action ahead",
    "squire": "plans its own turn",
    "knight": "has learned what positions are worth",
    "paladin": "has learned, and looks a little ahead",
    "emperor": "has learned, and thinks for a second",
}
NAMES = ("random", "greedy", "search", *LEVELS)
#: How a turn's budget is shared out: most for the first cube, when the whole turn is planned. Cubes by how many are
#: left; crowns may come or not, so little is kept for them.
CUBE_SHARES = (0.15, 0.2, 0.25, 0.3)
JOKER_SHARE, MOVE_SHARE, CHOOSE_SHARE, CROWN_SHARE = 0.1, 0.1, 0.1, 0.05


class PolicyBot:
    """A player with one of the compiled policies. With a seed it plays the same again."""

    def __init__(self, name: str, seed: int | None = None) -> None:
        self.name = name
        self._policy = policy_of(name)
        self._work = policies.scratch()
        self._out = np.empty(MOST_ACTIONS, np.int16)
        self._rng = new_generator(seed)

    def choose(self, view: View[Any], budget: Budget | None = None) -> Any:
        self._work[0] = view.position[0]
        return GAME.actions[policies.choose(self._policy, self._work, asked(view), self._out, self._rng)]


class NetworkBot:
    """A player that does what the network likes best, without looking further."""

    def __init__(self, name: str, seed: int | None = None) -> None:
        self.name = name
        self._work = policies.scratch()
        self._x = np.empty(FEATURES, np.float32)
        self._hidden = np.empty(HIDDEN, np.float32)
        self._out = np.empty(MOST_ACTIONS, np.int16)
        self._rng = new_generator(seed)

    def choose(self, view: View[Any], budget: Budget | None = None) -> Any:
        self._work[0] = view.position[0]
        weights = weights_for(view.seats)
        seat = asked(view)
        return GAME.actions[best_action(self._work, seat, weights, self._x, self._hidden, self._out, self._rng)]


class ThinkingBot:
    """A player that searches. Its tree lasts as long as the game, so what it saw coming is not lost."""

    def __init__(self, name: str, seed: int | None = None, threads: int = 1) -> None:
        self.name = name
        self._thinker = THINKERS[name]
        self._seed = random.Random(seed).getrandbits(64)
        self._threads = threads
        self._search: Search | None = None
        self._players = 0
        self.positions = 0  # looked at so far
        self._turn: tuple[object, ...] = ()
        self._left = self._thinker.budget

    def choose(self, view: View[Any], budget: Budget | None = None) -> Any:
        asked(view)
        legal = view.legal_actions()
        if len(legal) == 1:
            return legal[0]
        whole_turn = budget or self._thinker.budget
        turn = (whole_turn, *turn_of(view))
        if turn != self._turn:
            self._turn, self._left = turn, whole_turn
        found = self._think(view, self._left.part(share_of_rest(view)))
        self._left = self._left.without(found.positions, found.seconds)
        return found.thoughts[0].action

    def analyse(self, state: State[Any], budget: Budget | None = None) -> Analysis:
        """What it thinks of a state where a seat is asked: each side's chance, and the actions, best first."""
        if not state.actors:
            raise IllegalAction("no-decision", "there is nothing to decide in this position")
        return self._think(state.view(state.actor), budget or self._thinker.budget)

    def _think(self, view: View[Any], budget: Budget) -> Analysis:
        if self._search is None or self._players != view.seats:
            self._players = view.seats
            weights = weights_for(view.seats) if self._thinker.how == NETWORK else np.zeros(1, np.float32)
            self._search = Search(GAME, self._thinker.how, weights, FEATURES, self._seed, self._threads)
        sides = [int(view.side(seat)) for seat in range(view.seats)]
        found = self._search.think(view.position, sides, budget)
        self.positions += found.positions
        return found


def asked(view: View[Any]) -> int:
    """The seat that is to choose. Raises IllegalAction if there is nothing to choose for it."""
    if view.seat is None or not view.legal_actions():
        raise IllegalAction("not-asked", "the bot's seat {seat} is not asked now", seat=view.seat)
    return view.seat


def turn_of(view: View[Any]) -> tuple[object, ...]:
    """What tells a turn from others: a disc is one, the cubes with all that follows another."""
    s = view.position[0]
    return view.seat, int(s["round_number"]), s["phase"] == Phase.DISC


def share_of_rest(view: View[Any]) -> float:
    """The part of what is left of a turn's budget that this decision may take."""
    s = view.position[0]
    phase, due = Phase(int(s["phase"])), int(s["due"])
    if phase == Phase.DISC:
        return 1.0
    if phase == Phase.CROWN:
        return 1 / due
    after_cubes = [MOVE_SHARE, *([CHOOSE_SHARE] if s["choose_one"] else []), CROWN_SHARE]
    cubes = list(CUBE_SHARES[::-1])
    if phase == Phase.JOKER:
        jokers = int(s["jokers"][view.seat or 0])
        shares = [JOKER_SHARE] * jokers + cubes + after_cubes
    elif phase == Phase.CUBE:
        shares = cubes[-min(due, len(cubes)) :] + after_cubes
    else:
        shares = after_cubes if phase == Phase.MOVE else after_cubes[1:]
    return shares[0] / sum(shares)


def new_generator(seed: int | None) -> Any:
    return np.array([random.Random(seed).getrandbits(64)], np.uint64)


def policy_of(name: str) -> int:
    """The compiled policy of this name. Raises BadOptions."""
    if name in POLICIES:
        return POLICIES[name]
    check_name(name)
    raise BadOptions("slow-bot", "{name} thinks too long for this; quick ones are: {right}",
                     name=name, right=", ".join(POLICIES))  # fmt: skip


def check_name(name: object) -> None:
    """Raises BadOptions if there is no such bot."""
    if name not in NAMES:
        raise BadOptions("unknown-bot", "there is no bot called {name!r}; there are: {right}",
                         name=name, right=", ".join(NAMES))  # fmt: skip


def make(name: str, seed: int | None = None, threads: int = 1) -> Bot:
    """The bot of this name. Raises BadOptions."""
    check_name(name)
    if name in POLICIES:
        return PolicyBot(name, seed)
    return ThinkingBot(name, seed, threads) if name in THINKERS else NetworkBot(name, seed)
