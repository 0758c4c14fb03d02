"""Matches between bots: paired games on the same deal and dice with seats swapped, in threads on all cores."""

import hashlib
import os
import random
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, TypeVar

from aachen.bots.judgement import weights_for
from aachen.bots.players import POLICIES, THINKERS, check_name, make
from aachen.bots.thinking import Budget
from aachen.carolus.game import GAME, State
from aachen.carolus.words import side_at, sides_at
from aachen.core.errors import BadOptions

T = TypeVar("T")
MOST_SECONDS = 3600
MOST_POSITIONS = 10**9


@dataclass(frozen=True)
class Contender:
    """A bot that takes part, with its budget for a turn; without one it takes what it usually takes."""

    name: str
    budget: Budget | None = None

    @classmethod
    def read(cls, text: str) -> "Contender":
        """The contender of a label such as `knight`, `emperor@0.2s` or `paladin@2000`. Raises BadOptions."""
        name, at, amount = text.partition("@")
        check_name(name)
        if not at:
            return cls(name)
        if name not in THINKERS:
            raise BadOptions("no-thinker", "{name} does not think ahead, so it takes no budget; those that do: {right}",
                             name=name, right=", ".join(THINKERS))  # fmt: skip
        return cls(name, _budget(text, amount))

    @property
    def label(self) -> str:
        """What `read` takes back; the same for the same contender."""
        if self.budget is None:
            return self.name
        seconds = self.budget.seconds
        if seconds is None:
            return f"{self.name}@{self.budget.positions}"
        return f"{self.name}@{f'{seconds:.9f}'.rstrip('0').rstrip('.')}s"


def _budget(text: str, amount: str) -> Budget:
    positions = int(amount) if re.fullmatch(r"\d{1,12}", amount, re.ASCII) else 0
    if 0 < positions <= MOST_POSITIONS:
        return Budget(positions=positions)
    seconds = float(amount[:-1]) if re.fullmatch(r"(\d{1,6}(\.\d{0,9})?|\.\d{1,9})s", amount, re.ASCII) else 0.0
    if 0 < seconds <= MOST_SECONDS:
        return Budget(seconds=seconds)
    raise BadOptions("bad-budget", "{text!r} has no budget that can be: write seconds (@0.2s, at most {seconds}) or "
                     "positions (@2000)", text=text, seconds=MOST_SECONDS)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What decides every game of a tournament: the contenders by label, the seed, and the options of the game."""

    bots: tuple[str, ...]
    seed: int
    options: dict[str, Any]

    @classmethod
    def of(cls, bots: Sequence[str], players: int = 2, seed: int = 0, **options: object) -> "Settings":
        """Checked settings. Raises BadOptions."""
        labels = tuple(Contender.read(text).label for text in bots)
        if len(labels) < 2:
            raise BadOptions("one-bot", "an arena needs two bots or more, not {number}", number=len(labels))
        twice = [label for label in labels if labels.count(label) > 1]
        if twice:
            raise BadOptions("same-bot", "{name} is named twice; a bot can meet others, or itself with another budget",
                             name=twice[0])  # fmt: skip
        if not 0 <= seed < 2**64:
            raise BadOptions("bad-seed", "seed = {seed} is not possible; 0 to 2**64 - 1", seed=seed)
        return cls(labels, seed, GAME.options(GAME.start({"players": players, **options})))

    @property
    def players(self) -> int:
        return int(self.options["players"])

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who meets whom, as numbers of bots."""
        return list(combinations(range(len(self.bots)), 2))

    @property
    def games_a_set(self) -> int:
        """Games on the same dice between two bots, after which each has had each place."""
        return 6 if self.players == 3 else 2

    def total(self, games: int) -> int:
        """The games of a tournament with so many games a pairing, in whole sets."""
        return -(-games // self.games_a_set) * self.games_a_set * len(self.pairings)

    @property
    def facts(self) -> dict[str, Any]:
        """For files: what must be the same for a tournament to go on, down to what the bots have learned."""
        return {"bots": " ".join(self.bots), "seed": self.seed, **self.options, "weights": self._weights_mark()}

    def _weights_mark(self) -> str:
        if all(Contender.read(label).name in POLICIES for label in self.bots):
            return "none"
        return hashlib.sha256(weights_for(self.players).tobytes()).hexdigest()[:12]


@dataclass(frozen=True)
class Fixture:
    """A game that is to be played. Games of the same pair have the same chance."""

    number: int
    pair: int
    first: int  # the pairing: numbers of bots
    second: int
    game: int  # within its set
    seats: tuple[str, ...]


def fixture(settings: Settings, number: int) -> Fixture:
    """Game number so-and-so. All pairings have played a pair before any plays the next.

    With 2 and 4 players the two sides change places. With 3 the first bot sits alone against two of the second, in each
    seat in turn, and then the second against two of the first.
    """
    rest, game = divmod(number, settings.games_a_set)
    pair, which = divmod(rest, len(settings.pairings))
    first, second = settings.pairings[which]
    sides = sides_at(settings.players)
    one, others = (first, second) if game < sides else (second, first)
    seats = range(settings.players)
    names = [settings.bots[one if side_at(settings.players, seat) == game % sides else others] for seat in seats]
    return Fixture(number, pair, first, second, game, tuple(names))


@dataclass(frozen=True)
class Result:
    """A game that was played."""

    number: int
    pair: int
    seats: tuple[str, ...]
    winners: tuple[int, ...]  # sides
    reason: str
    scores: tuple[int, ...]
    rounds: int

    @property
    def facts(self) -> dict[str, Any]:
        return asdict(self)

    def points(self, bot: str) -> float:
        """What the bot got of the game's one point; those who draw share it."""
        return sum(self.seats[side] == bot for side in self.winners) / len(self.winners)


class Scoreboard:
    """The games so far, by pairing and set. They are added in order."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.games = 0
        #: For each pairing its full sets; of each the first bot's points, game by game.
        self.sets: dict[tuple[int, int], list[tuple[float, ...]]] = {pairing: [] for pairing in settings.pairings}
        self._points: list[float] = []

    def add(self, result: Result) -> float | None:
        """Counts a game. Gives the first bot's score, from 0 to 1, if a set is full with it."""
        todo = fixture(self.settings, result.number)
        self.games += 1
        self._points.append(result.points(self.settings.bots[todo.first]))
        if len(self._points) < self.settings.games_a_set:
            return None
        full, self._points = tuple(self._points), []
        self.sets[todo.first, todo.second].append(full)
        return sum(full) / len(full)


class Stopped(Exception):
    """The game was broken off because nobody wants it any more."""


def chance_of(seed: int, pair: int, number: int) -> random.Random:
    """What chance draws from when it acts for the so-and-so-manieth time in a game of this pair."""
    return random.Random(f"chance/{seed}/{pair}/{number}")


def bot_seed(seed: int, pair: int, seat: int) -> int:
    return random.Random(f"bot/{seed}/{pair}/{seat}").getrandbits(63)


def play(settings: Settings, number: int, stop: threading.Event | None = None) -> Result:
    """Plays game number so-and-so. With budgets in positions it goes the same way each time. Raises Stopped."""
    todo = fixture(settings, number)
    contenders = [Contender.read(label) for label in todo.seats]
    bots = [make(one.name, bot_seed(settings.seed, todo.pair, seat)) for seat, one in enumerate(contenders)]
    state = State(GAME.start(settings.options))
    throws = 0
    while not state.is_over:
        if stop is not None and stop.is_set():
            raise Stopped
        if state.is_chance:
            state = state.draw(chance_of(settings.seed, todo.pair, throws))
            throws += 1
        else:
            seat = state.actor
            state = state.apply(bots[seat].choose(state.view(seat), contenders[seat].budget), seat)
    return _result(todo, state)


def _result(todo: Fixture, state: State) -> Result:
    outcome = state.outcome
    assert outcome is not None
    winners = tuple(int(side) for side in outcome.winners)
    rounds = int(state.position["round_number"][0])
    return Result(todo.number, todo.pair, todo.seats, winners, outcome.reason, tuple(map(int, outcome.scores)), rounds)


def warm_up(settings: Settings) -> None:
    """Lets every contender act once, so that the compiler does not take of its time."""
    state = State(GAME.start(settings.options))
    while state.is_chance:
        state = state.draw(random.Random(0))
    for label in settings.bots:
        make(Contender.read(label).name, 0).choose(state.view(state.actor), Budget(positions=2))


def run(settings: Settings, numbers: range, jobs: int | None = None) -> Iterator[Result]:
    """Plays these games in threads, and gives them in order. Closed early, it breaks off those under way."""
    stop = threading.Event()
    threads = jobs or os.cpu_count() or 1
    pool = ThreadPoolExecutor(threads)

    def submit(number: int) -> Future[Result]:
        return pool.submit(play, settings, number, stop)

    try:
        yield from in_order(submit, _patiently, numbers, 3 * threads)
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _patiently(game: Future[Result]) -> Result:
    """Waits for the game, with open ears for Ctrl-C."""
    while not game.done():
        wait([game], timeout=0.2)
    return game.result()


def in_order(submit: Callable[[int], T], get: Callable[[T], Result], numbers: range, ahead: int) -> Iterator[Result]:
    """Keeps so many games under way, and gives them in their order."""
    under_way: dict[int, T] = {}
    upcoming = iter(numbers)
    for number in numbers:
        while len(under_way) < ahead and (following := next(upcoming, None)) is not None:
            under_way[following] = submit(following)
        yield get(under_way.pop(number))
