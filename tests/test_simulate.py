"""Batches of games: the same whatever the number of jobs, in order, and each one complete."""

import threading
from collections.abc import Generator, Sequence
from itertools import islice
from typing import Any, cast

import pytest

from aachen import carolus
from aachen.arena import Played, simulate, summary
from aachen.core import BadOptions
from aachen.core.words import Outcome, Side

SEATS = ("random", "random", "random")


def batch(games: int = 130, seats: Sequence[str] = SEATS, **given: Any) -> list[Played]:
    return list(simulate(games, seats, **given))


@pytest.mark.parametrize("jobs", [2, 3, 8, None])
def test_the_number_of_jobs_changes_nothing(jobs: int | None) -> None:
    for seats in (SEATS, ("greedy", "random")):
        assert batch(seats=seats, jobs=jobs) == batch(seats=seats, jobs=1)


def test_a_longer_batch_begins_with_the_shorter_one() -> None:
    """Game number i depends on the seed and on i, not on how many there are."""
    assert batch(130)[:70] == batch(70)
    assert [game.number for game in batch(130)] == list(range(130))


def test_another_seed_plays_other_games_and_no_two_games_are_alike() -> None:
    one, other = batch(seed=1), batch(seed=2)
    assert len({game.seed for game in one + other}) == 260
    assert len({game.text for game in one + other}) == 260
    assert batch(seed=1) == one


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (("random", "random"), {}),
        (("random", "greedy"), {"dice": "choose-one", "round_limit": 8}),
        (SEATS, {"crowns": "deferred", "talk": "none"}),
        (("random",) * 4, {}),
    ],
)
def test_results_read_back(seats: tuple[str, ...], options: dict[str, Any]) -> None:
    for game in batch(60, seats, **options):
        state = carolus.read(game.text)
        assert state.is_over
        assert state.outcome == game.outcome
        assert state.position["round_number"][0] == game.rounds
        assert state.players == len(seats)
        assert state.options == state.options | options
        assert game.decisions >= game.rounds


def test_every_seat_is_first_now_and_then() -> None:
    assert {game.first for game in batch(130)} == {0, 1, 2}


def test_the_options_of_a_batch_are_those_of_its_games() -> None:
    games = batch(60, round_limit=2)
    assert max(game.rounds for game in games) == 2
    assert "rounds" in {game.outcome.reason for game in games}


def test_progress_adds_up_to_all_games() -> None:
    told: list[int] = []
    batch(130, progress=told.append)
    assert sum(told) == 130
    assert len(told) > 1


@pytest.mark.parametrize(
    ("games", "seats", "options", "sentence"),
    [
        (0, SEATS, {}, "games = 0 is not possible"),
        (-5, SEATS, {}, "games = -5 is not possible"),
        (10, ("random",), {}, "players = 1 is not possible"),
        (10, (), {}, "players = 0 is not possible"),
        (10, ("random",) * 5, {}, "players = 5 is not possible"),
        (10, ("random", "clever"), {}, "there is no bot called 'clever'"),
        (10, SEATS, {"dice": "none"}, "dice = 'none' is not possible"),
        (10, SEATS, {"colour": "red"}, "there is no option 'colour'"),
        (10, SEATS, {"round_limit": 0}, "round_limit = 0 is not possible"),
        (10, SEATS, {"players": 2}, "players is not an option here"),
        (10, SEATS, {"jobs": 0}, "jobs = 0 is not possible"),
        (10, SEATS, {"jobs": -1}, "jobs = -1 is not possible"),
        (10, SEATS, {"seed": -1}, "seed = -1 is not possible"),
    ],
)
def test_what_cannot_be_played_is_refused_at_once(
    games: int, seats: tuple[str, ...], options: dict[str, Any], sentence: str
) -> None:
    """At the call, not when the first game is asked for."""
    with pytest.raises(BadOptions, match=sentence):
        simulate(games, seats, **options)


# Interruption


def test_games_are_given_while_others_are_still_to_be_played() -> None:
    """A million games would take a while: only what is asked for, and a little more, is played."""
    threads = threading.active_count()
    games = cast(Generator[Played, None, None], simulate(1_000_000, SEATS, jobs=2))
    first = list(islice(games, 130))
    games.close()
    assert threading.active_count() == threads
    assert first == batch(130)


def test_what_was_played_before_an_interruption_is_kept() -> None:
    kept: list[Played] = []

    def interrupt(_: int) -> None:
        if len(kept) == 100:
            raise KeyboardInterrupt

    threads = threading.active_count()
    games = simulate(1000, SEATS, jobs=2, progress=interrupt)

    def keep_all() -> None:
        for game in games:
            kept.append(game)

    with pytest.raises(KeyboardInterrupt):
        keep_all()
    assert kept == batch(100)
    assert threading.active_count() == threads
    assert list(games) == []


# The summary


def played(winners: Sequence[int], reason: str, rounds: int) -> Played:
    sides = tuple(Side(side) for side in winners)
    return Played(0, 7, Outcome(sides, reason, (1, 2)), rounds, 10 * rounds, 0, b"")


def test_a_summary_counts_wins_and_shares_out_draws() -> None:
    games = [played([0], "castles", 4), played([0, 1], "rounds", 8), played([1], "castles", 6), played([0], "cubes", 2)]
    told = summary(games, ("greedy", "random"))
    assert told == {
        "games": 4,
        "seats": ["greedy", "random"],
        "wins": [2, 1],
        "points": [2.5, 1.5],
        "draws": 1,
        "reasons": {"castles": 2, "regions": 0, "cubes": 1, "rounds": 1},
        "mean_rounds": 5.0,
        "mean_decisions": 50.0,
    }


def test_the_wins_of_a_batch_add_up_to_its_games() -> None:
    told = summary(batch(), SEATS)
    assert sum(told["wins"]) + told["draws"] == 130
    assert sum(told["points"]) == pytest.approx(130)
    assert sum(told["reasons"].values()) == 130
