"""Many games at once, on all cores: compiled play in threads that do not hold Python's lock."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from aachen.bots.carolus import choose, scratch
from aachen.bots.players import policy_of
from aachen.carolus.game import GAME
from aachen.carolus.position import RECORD
from aachen.carolus.rules.doors import actors, apply, chance
from aachen.carolus.words import sides_at
from aachen.core.errors import BadOptions
from aachen.core.kernel import MOST_ACTIONS, NO_SEAT, at, compiled, whole
from aachen.core.playout import pick
from aachen.core.schema import Array, Positions
from aachen.core.words import Outcome

CHUNK = 50
#: How a game can end (C21 to C23).
REASONS = ("castles", "regions", "cubes", "rounds")


@dataclass(frozen=True)
class Played:
    """One finished game of a batch."""

    number: int
    seed: int
    outcome: Outcome
    rounds: int
    decisions: int
    first: int  # the seat that the lot made first
    position: bytes  # the record at the end

    @property
    def text(self) -> str:
        """The final position."""
        return GAME.write(np.frombuffer(self.position, RECORD))


@compiled(arrays=True)
def play_games(
    positions: Positions, seeds: Array, seat_policies: Array, work: Positions, decisions: Array, firsts: Array
) -> None:
    """Plays every position to its end, each with its own seed, each seat by its policy."""
    out = np.empty(MOST_ACTIONS, np.int16)
    weights = np.empty(MOST_ACTIONS, np.int32)
    rng = np.empty(1, np.uint64)
    for i in range(len(positions)):
        s = at(positions, i)
        rng[0] = seeds[i]
        while True:
            asked = actors(s)
            if asked != 0:
                seat = 0
                while asked >> seat != 1:
                    seat += 1
                if decisions[i] == 0:
                    firsts[i] = s.order[0]
                work[0] = positions[i]
                apply(s, seat, choose(seat_policies[seat], work, seat, out, rng))
                decisions[i] += 1
            else:
                count = chance(s, out, weights)
                if count == 0:
                    break
                apply(s, NO_SEAT, whole(out[pick(rng, weights, count)]))


def simulate(
    games: int,
    seats: Sequence[str] = ("random", "random"),
    *,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
    **options: object,
) -> Iterator[Played]:
    """Plays so many games between these bots, a name for each seat, and gives them in order as they are done.

    Game number i depends on the seed, i, the bots and the options alone, not on the jobs. Raises BadOptions.
    """
    if games < 1:
        raise BadOptions("no-games", "games = {games} is not possible; at least 1", games=games)
    if jobs is not None and jobs < 1:
        raise BadOptions("no-jobs", "jobs = {jobs} is not possible; at least 1", jobs=jobs)
    if not 0 <= seed < 2**64:
        raise BadOptions("bad-seed", "seed = {seed} is not possible; 0 to 2**64 - 1", seed=seed)
    if "players" in options:
        raise BadOptions("two-players", "players is not an option here: the seats say how many there are")
    start = GAME.start({"players": len(seats), **options})
    seat_policies = np.array([policy_of(name) for name in seats], np.int64)
    seeds = np.random.default_rng(seed).integers(0, 2**64, size=games, dtype=np.uint64)
    chunks = [range(first, min(first + CHUNK, games)) for first in range(0, games, CHUNK)]

    def play(chunk: range) -> list[Played]:
        positions = np.empty(len(chunk), RECORD)
        positions[:] = start
        decisions = np.zeros(len(chunk), np.int64)
        firsts = np.zeros(len(chunk), np.int64)
        play_games(positions, seeds[chunk.start : chunk.stop], seat_policies, scratch(), decisions, firsts)
        return [_played(n, seeds, positions[i : i + 1], decisions[i], firsts[i]) for i, n in enumerate(chunk)]

    return _in_order(play, chunks, jobs or os.cpu_count() or 1, progress)


def _in_order(
    play: Callable[[range], list[Played]], chunks: Sequence[range], jobs: int, progress: Callable[[int], None]
) -> Iterator[Played]:
    """Runs the chunks in threads, a few ahead of what was asked for, and gives the games in their order."""
    waiting: dict[int, Future[list[Played]]] = {}
    next_chunk = 0
    pool = ThreadPoolExecutor(jobs)
    try:
        for number in range(len(chunks)):
            while next_chunk < len(chunks) and next_chunk < number + 4 * jobs:
                waiting[next_chunk] = pool.submit(play, chunks[next_chunk])
                next_chunk += 1
            while not waiting[number].done():
                wait([waiting[number]], timeout=0.2, return_when=FIRST_COMPLETED)
            done = waiting.pop(number).result()
            progress(len(done))
            yield from done
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _played(number: int, seeds: Array, position: Positions, decisions: int, first: int) -> Played:
    return Played(
        number=number,
        seed=int(seeds[number]),
        outcome=GAME.outcome(position),
        rounds=int(position["round_number"][0]),
        decisions=int(decisions),
        first=int(first),
        position=position.tobytes(),
    )


class Tally:
    """What a batch comes to, counted as the games arrive.

    Wins are games that a side won alone; points share a draw out among those who drew.
    """

    def __init__(self, seats: Sequence[str]) -> None:
        self.seats = list(seats)
        self.games = self.draws = self.rounds = self.decisions = 0
        self.wins = [0] * sides_at(len(seats))
        self.points = [0.0] * sides_at(len(seats))
        self.reasons = dict.fromkeys(REASONS, 0)

    def add(self, game: Played) -> None:
        outcome = game.outcome
        self.games += 1
        self.draws += outcome.is_draw
        self.rounds += game.rounds
        self.decisions += game.decisions
        self.reasons[outcome.reason] += 1
        for side in outcome.winners:
            self.wins[side] += not outcome.is_draw
            self.points[side] += 1 / len(outcome.winners)

    @property
    def facts(self) -> dict[str, Any]:
        """For people and files; there must have been a game."""
        return {
            "games": self.games,
            "seats": self.seats,
            "wins": self.wins,
            "points": self.points,
            "draws": self.draws,
            "reasons": self.reasons,
            "mean_rounds": self.rounds / self.games,
            "mean_decisions": self.decisions / self.games,
        }


def summary(played: Iterable[Played], seats: Sequence[str]) -> dict[str, Any]:
    """What a batch comes to; at least one game."""
    tally = Tally(seats)
    for game in played:
        tally.add(game)
    return tally.facts
