"""A whole game judged: what each decision lost, what chance gave and took, and how the chances to win went.

Every position of the game is looked at once, before it is acted upon. The judge values the positions after what can
be done there (for chance: all outcomes; for a seat: the best candidates and what was played). From that table comes
everything:

- before chance, a side's chance to win is the mean of the outcomes by their weights; the luck is what the real outcome
  is above it. So luck adds up to nothing on average.
- before a decision it is that of the best action; the loss is what the action that was played is below it, for the
  side that acts. It is never negative.
- between an action and the next look at the same position the judge may think again: it sees further. That is told
  apart, as second thoughts.

The three add up to the result less the chance at the start, for each side. The deal, up to the first disc, is one
piece of luck: before it, all sides have the same chance.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from aachen.bots.features import FEATURES
from aachen.bots.judgement import weights_for
from aachen.bots.search import NETWORK
from aachen.bots.thinking import Analysis, Budget, Search, sides_of
from aachen.carolus import Action, Phase, State
from aachen.carolus.game import GAME
from aachen.core import BadRecord, History, Step

#: How the budget of a decision is used: for a first look at all actions, and for each candidate.
FIRST_LOOK, CANDIDATES = 0.5, 3
#: The part of it that each outcome of chance gets.
AN_OUTCOME = 1 / 32
QUICK = Budget(positions=10_000)
#: A loss of so much of a game is called a mistake.
MISTAKE = 0.02
#: What every side has, by its number; together they make 1.
Chances = tuple[float, ...]
Table = dict[Any, Chances]


def result(state: State) -> Chances | None:
    """What each side has of a finished game: a draw is shared. None while the game goes on."""
    outcome = state.outcome
    if outcome is None:
        return None
    return tuple(float(side in outcome.winners) / len(outcome.winners) for side in range(sides(state)))


def sides(state: State) -> int:
    return max(sides_of(state)) + 1


def expectation(table: Mapping[Any, Chances], weights: Mapping[Any, int]) -> Chances:
    """The mean of the chances by the weights."""
    total = sum(weights.values())
    columns = zip(*(np.multiply(table[action], weights[action]) for action in weights), strict=True)
    return tuple(float(sum(column) / total) for column in columns)


class Judge:
    """Values positions by search. It remembers what it has seen of a game; with the same seed it judges the same."""

    def __init__(self, players: int, how: int = NETWORK, seed: int = 0) -> None:
        weights = weights_for(players) if how == NETWORK else np.zeros(1, np.float32)
        self._search = Search(GAME, how, weights, FEATURES, seed)

    def think(self, state: State, budget: Budget) -> Analysis:
        return self._search.think(state.position, sides_of(state), budget)

    def value(self, state: State, budget: Budget) -> Chances:
        """Each side's chance to win, whoever is to act; at the end, the result."""
        end = result(state)
        if end is not None:
            return end
        chances = list(self.think(state, budget).chances.values())
        return tuple(chance / sum(chances) for chance in chances)

    def outcomes(self, state: State, budget: Budget) -> Table:
        """The chances after each outcome of chance; each is thought about with this budget."""
        return {action: self.value(state.apply(action), budget) for action in state.chance_weights()}

    def actions(self, state: State, budget: Budget, played: Action | None = None) -> Table:
        """The chances after the candidates for the best action, and after the one that was played."""
        candidates = list(state.legal_actions())
        if len(candidates) > CANDIDATES:
            thoughts = self.think(state, budget.part(FIRST_LOOK)).thoughts
            candidates = [thought.action for thought in thoughts[:CANDIDATES]]
        if played is not None and played not in candidates:
            candidates.append(played)
        each = budget.part((1 - FIRST_LOOK) / len(candidates))
        return {action: self.value(state.apply(action), each) for action in candidates}


@dataclass(frozen=True)
class Judged:
    """A step of the game as it was judged. The set-up is one step of chance, without an action."""

    number: int  # of the position before it
    round: int
    seat: int | None  # whose turn it is; None for the set-up
    side: int | None
    is_chance: bool
    is_disc: bool
    action: Action | None
    before: Chances
    after: Chances
    best: Action | None = None  # at a decision

    @property
    def change(self) -> Chances:
        """What it brought to each side: luck, or a loss of the side that acted."""
        return tuple(after - before for before, after in zip(self.before, self.after, strict=True))

    @property
    def loss(self) -> float:
        """What the acting side lost against the best action; 0 for chance."""
        return 0.0 if self.is_chance or self.side is None else max(0.0, -self.change[self.side])


@dataclass(frozen=True)
class Turn:
    """A disc, or cubes and the Emperor and the dice of a seat; or the set-up."""

    steps: tuple[Judged, ...]

    @property
    def round(self) -> int:
        return self.steps[0].round

    @property
    def seat(self) -> int | None:
        return self.steps[0].seat

    @property
    def side(self) -> int | None:
        return self.steps[0].side

    @property
    def chances(self) -> Chances:
        """Each side's chance to win when it is over."""
        return self.steps[-1].after

    @property
    def loss(self) -> float:
        return sum(step.loss for step in self.steps)

    @property
    def luck(self) -> Chances:
        return _sum(len(self.chances), (step.change for step in self.steps if step.is_chance))

    @property
    def played(self) -> str:
        """Its actions in notation."""
        return " ".join(str(step.action) for step in self.steps if step.action is not None) or "set-up"


@dataclass(frozen=True)
class Account:
    """How a side's chance went from the start of the game to its end: the parts add up."""

    start: float
    luck: float
    own: float  # what its own decisions lost
    others: float  # what the decisions of others gave it
    second_thoughts: float  # what the judge saw only later
    end: float

    @property
    def skill(self) -> float:
        """All that chance did not do."""
        return self.own + self.others + self.second_thoughts


@dataclass(frozen=True)
class Mistake:
    """A decision with a loss, and what was better."""

    step: Judged
    line: tuple[Action, ...]  # the better action, and what would have followed


@dataclass(frozen=True)
class Review:
    """A game as it was judged."""

    steps: tuple[Judged, ...]
    mistakes: tuple[Mistake, ...]  # the worst ones, worst first
    is_over: bool

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        turns: list[list[Judged]] = []
        for step in self.steps:
            if turns and _same_turn(turns[-1][-1], step):
                turns[-1].append(step)
            else:
                turns.append([step])
        return tuple(Turn(tuple(steps)) for steps in turns)

    @property
    def start(self) -> Chances:
        return self.steps[0].before

    @property
    def end(self) -> Chances:
        """The result; if the game is not over, the chances in its last position."""
        return self.steps[-1].after

    @property
    def accounts(self) -> tuple[Account, ...]:
        """The account of each side."""
        number = len(self.start)
        luck = _sum(number, (step.change for step in self.steps if step.is_chance))
        gaps = zip(self.steps, self.steps[1:], strict=False)
        second = _sum(number, (_difference(later.before, earlier.after) for earlier, later in gaps))
        accounts = []
        for side in range(number):
            decisions = [step for step in self.steps if not step.is_chance]
            own = sum(step.change[side] for step in decisions if step.side == side)
            others = sum(step.change[side] for step in decisions if step.side != side)
            accounts.append(Account(self.start[side], luck[side], own, others, second[side], self.end[side]))
        return tuple(accounts)

    def losses(self, seat: int) -> list[float]:
        """The loss of each of the seat's turns (a disc, or the rest of a turn)."""
        return [turn.loss for turn in self.turns if turn.seat == seat]

    def mistakes_of(self, seat: int) -> int:
        return sum(step.seat == seat and step.loss >= MISTAKE for step in self.steps)


def _same_turn(one: Judged, other: Judged) -> bool:
    return (one.round, one.seat, one.is_disc) == (other.round, other.seat, other.is_disc)


def _difference(one: Chances, other: Chances) -> Chances:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _sum(number: int, parts: Iterator[Chances]) -> Chances:
    return tuple(map(sum, zip(*parts, strict=True))) or (0.0,) * number


def review(
    history: History[State],
    budget: Budget = QUICK,
    *,
    worst: int = 5,
    seed: int = 0,
    told: Callable[[int], None] = lambda number: None,
) -> Review:
    """Judges a game; the budget is for each decision. `told` hears how many steps are done. Raises BadRecord."""
    states, steps = history.states, history.steps
    first = _first(states)
    if first >= len(steps):
        raise BadRecord("nothing-played", "nothing has been decided in this game yet")
    judge = Judge(states[0].seats, seed=seed)
    judged = [_set_up(judge, states[first], budget)] if first else []
    for number in range(first, len(steps)):
        judged.append(_judged(judge, number, states[number], steps[number], budget))
        told(number + 1)
    bad = sorted((step for step in judged if step.loss > 0), key=lambda step: -step.loss)[:worst]
    mistakes = [Mistake(step, _line(judge, states[step.number], step.best, budget)) for step in bad]
    return Review(tuple(judged), tuple(mistakes), states[-1].is_over)


def _phase(state: State) -> Phase:
    return Phase(int(state.position["phase"][0]))


def _first(states: Sequence[State]) -> int:
    """The number of the first position that is judged: behind the set-up, if the game begins with one."""
    if _phase(states[0]) != Phase.DEAL:
        return 0
    return next((number for number, state in enumerate(states) if _phase(state) == Phase.DISC), len(states))


def _set_up(judge: Judge, state: State, budget: Budget) -> Judged:
    number = sides(state)
    equal = (1 / number,) * number
    return Judged(0, 0, None, None, True, False, None, equal, judge.value(state, budget))


def _judged(judge: Judge, number: int, state: State, step: Step, budget: Budget) -> Judged:
    s = state.position[0]
    seat = int(s["order"][int(s["turn"])]) if step.seat is None else int(step.seat)
    side = int(state.side(seat))
    best = None
    if step.seat is None:
        table = judge.outcomes(state, budget.part(AN_OUTCOME))
        before = expectation(table, state.chance_weights())
    else:
        table = judge.actions(state, budget, step.action)
        # Of equal actions the one that was played is the best.
        best = max(table, key=lambda action: (table[action][side], action == step.action))
        before = table[best]
    is_disc = _phase(state) == Phase.DISC
    round_number = int(s["round_number"])
    after = table[step.action]
    return Judged(number, round_number, seat, side, step.seat is None, is_disc, step.action, before, after, best)


def _line(judge: Judge, state: State, best: Any, budget: Budget) -> tuple[Action, ...]:
    """The better action and what is expected to follow it."""
    thoughts = judge.think(state, budget).thoughts
    return next((thought.line for thought in thoughts if thought.action == best and thought.line), (best,))
