"""What results tell: win rates and Elo ratings with their error bars, and when an answer is clear (SPRT).

All rests on sets of games on the same dice: the score of a set is the first bot's part of its points, from 0 to 1.
Games of a set are not independent of each other, so errors are computed from sets, never from single games.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aachen.arena.match import Scoreboard
from aachen.core.errors import BadOptions
from aachen.core.schema import Array

#: Elo points of one natural unit of strength.
ELO = 400 / math.log(10)
#: Standard deviations to either side that hold 95%.
SURE = 1.96
#: The part of a set won and of a set lost that each pairing is given, so that ratings stay finite.
PRIOR = 0.25


def expected(elo: float, players: int = 2) -> float:
    """The score that a bot so much stronger should have (Bradley-Terry; with three at the table, Luce).

    With three players it sits alone against two in half of the games, and is two against one in the others.
    """
    odds = math.exp(max(-300.0, min(300.0, elo / ELO)))
    if players == 3:
        return (odds / (odds + 2) + 2 * odds / (2 * odds + 1)) / 2
    return odds / (odds + 1)


def _slope(elo: float, players: int) -> float:
    """How the expected score grows with strength, in natural units."""
    return max(1e-9, (expected(elo + 0.5, players) - expected(elo - 0.5, players)) * ELO)


def rate_of(scores: Sequence[float]) -> tuple[float, float]:
    """The mean score of sets and its error (95%); at least one set.

    The error counts a set won and a set lost more than there were, so that few sets do not look sure (as Agresti and
    Coull do for single games).
    """
    padded = np.array([*scores, 0.0, 1.0])
    return float(np.mean(scores)), SURE * float(np.std(padded)) / math.sqrt(len(padded))


@dataclass(frozen=True)
class Ratings:
    """Elo ratings, 0 on average, and the covariance of their errors."""

    elo: Array
    covariance: Array

    def error(self, bot: int) -> float:
        """95%, of a bot's distance from the average."""
        return SURE * math.sqrt(max(0.0, float(self.covariance[bot, bot])))

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """How much stronger the one is than the other, and the error of that (95%)."""
        c = self.covariance
        variance = float(c[one, one] + c[other, other] - 2 * c[one, other])
        return float(self.elo[one] - self.elo[other]), SURE * math.sqrt(max(0.0, variance))


def fit(bots: int, scores: Mapping[tuple[int, int], Sequence[float]], players: int = 2) -> Ratings:
    """The most likely ratings (Bradley-Terry) for the scores of each pairing's sets, set by set.

    Sets with the same place in their lists share their dice, so they may vary together: the errors allow for that.
    """
    strength = np.zeros(bots)
    for _ in range(200):
        gradient, curvature = _likelihood(strength, scores, players)
        step = np.linalg.pinv(curvature) @ gradient
        strength += step * min(1.0, 1.0 / max(1e-12, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-9:
            break
    inverse = np.linalg.pinv(_likelihood(strength, scores, players)[1])
    spread = _spread(strength, scores, players)
    return Ratings((strength - strength.mean()) * ELO, inverse @ spread @ inverse * ELO**2)


def _likelihood(
    strength: Array, scores: Mapping[tuple[int, int], Sequence[float]], players: int
) -> tuple[Array, Array]:
    """How the log-likelihood climbs and bends."""
    gradient = np.zeros(len(strength))
    curvature = np.zeros((len(strength), len(strength)))
    for (one, other), sets in scores.items():
        elo = float(strength[one] - strength[other]) * ELO
        number = len(sets) + 2 * PRIOR
        climb = sum(sets) + PRIOR - number * expected(elo, players)
        bend = number * _slope(elo, players)
        gradient[[one, other]] += [climb, -climb]
        curvature[np.ix_([one, other], [one, other])] += [[bend, -bend], [-bend, bend]]
    return gradient, curvature


def _spread(strength: Array, scores: Mapping[tuple[int, int], Sequence[float]], players: int) -> Array:
    """How much the gradient varies from pair to pair; as in `rate_of`, each pairing is given two sets more."""
    pulls = np.zeros((max((len(sets) for sets in scores.values()), default=0), len(strength)))
    spread = np.zeros((len(strength), len(strength)))
    for (one, other), sets in scores.items():
        right = expected(float(strength[one] - strength[other]) * ELO, players)
        off = np.array(sets) - right
        pulls[: len(sets), one] += off
        pulls[: len(sets), other] -= off
        extra = right**2 + (1 - right) ** 2
        spread[np.ix_([one, other], [one, other])] += [[extra, -extra], [-extra, extra]]
    return np.asarray(spread + pulls.T @ pulls)


class Sprt:
    """A sequential test of two answers: the first bot is `low` Elo stronger than the second, or `high`.

    Generalised to sets: their mean is taken as normal, with the variance that was seen. Each answer is wrong in about
    5 of 100 cases when the other is true. Raises BadOptions.
    """

    def __init__(self, low: float, high: float, players: int = 2, risk: float = 0.05) -> None:
        if not -2000 <= low < high <= 2000:
            raise BadOptions("bad-sprt", "the SPRT needs two numbers of Elo, the smaller first, not {low:g} {high:g}",
                             low=low, high=high)  # fmt: skip
        self.low, self.high = low, high
        self._means = expected(low, players), expected(high, players)
        self.bound = math.log((1 - risk) / risk)
        self._sets, self._sum, self._squares = 2, 1.0, 1.0  # a set won and one lost, for the variance only
        self.llr = 0.0
        self.answer: float | None = None
        self.after = 0

    def add(self, score: float) -> float | None:
        """Counts a set, and gives the answer if there is one. What comes after an answer does not change it."""
        if self.answer is not None:
            return self.answer
        self._sets, self._sum, self._squares = self._sets + 1, self._sum + score, self._squares + score**2
        self.after += 1
        low, high = self._means
        variance = self._squares / self._sets - (self._sum / self._sets) ** 2
        excess = (self._sum - 1) - self.after * (low + high) / 2
        self.llr = (high - low) * excess / max(variance, 1e-9)
        if abs(self.llr) >= self.bound:
            self.answer = self.high if self.llr > 0 else self.low
        return self.answer


# All of it together, for people and for files


def summary(board: Scoreboard) -> dict[str, Any]:
    """Standings, best first, and pairings, from the full sets; errors are 95%. A bot without a set has no numbers."""
    settings = board.settings
    scores = {pairing: [sum(one) / len(one) for one in sets] for pairing, sets in board.sets.items() if sets}
    ratings = fit(len(settings.bots), scores, settings.players)
    rows = [_standing(board, bot, scores, ratings) for bot in range(len(settings.bots))]
    return {
        "games": board.games,
        "standings": sorted(rows, key=lambda row: -row.get("elo", -math.inf)),
        "pairings": [_pairing(board, pairing, sets) for pairing, sets in scores.items()],
    }


def _standing(
    board: Scoreboard, bot: int, scores: Mapping[tuple[int, int], Sequence[float]], ratings: Ratings
) -> dict[str, Any]:
    own = [[x if bot == one else 1 - x for x in sets] for (one, other), sets in scores.items() if bot in (one, other)]
    row: dict[str, Any] = {"bot": board.settings.bots[bot]}
    if not own:
        return row
    longest = range(max(map(len, own)))
    by_dice = [np.mean([sets[pair] for sets in own if pair < len(sets)]) for pair in longest]
    games = sum(map(len, own)) * board.settings.games_a_set
    points = sum(map(sum, own)) * board.settings.games_a_set
    error = rate_of([float(score) for score in by_dice])[1]
    row |= {"games": games, "points": points, "rate": points / games, "rate_error": error}
    return _rounded(row | {"elo": float(ratings.elo[bot]), "elo_error": ratings.error(bot)})


def _pairing(board: Scoreboard, pairing: tuple[int, int], scores: Sequence[float]) -> dict[str, Any]:
    settings = board.settings
    rate, error = rate_of(scores)
    elo, elo_error = fit(2, {(0, 1): scores}, settings.players).difference(0, 1)
    games = len(scores) * settings.games_a_set
    first, second = (settings.bots[bot] for bot in pairing)
    row = {"first": first, "second": second, "games": games, "points": rate * games, "rate": rate, "rate_error": error}
    row |= {"elo": elo, "elo_error": elo_error}
    if settings.players == 3:
        alone = [sum(one[:3]) / 3 for one in board.sets[pairing]], [1 - sum(one[3:]) / 3 for one in board.sets[pairing]]
        row["first_alone"], row["first_alone_error"] = rate_of(alone[0])
        row["second_alone"], row["second_alone_error"] = rate_of(alone[1])
    return _rounded(row)


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
