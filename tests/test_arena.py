"""Matches: fair pairs on the same dice, the same games whatever the jobs, ratings that are true, and SPRT answers."""

import json
import math
import random
import threading
from collections.abc import Generator
from itertools import combinations, islice
from typing import Any, cast

import pytest

from aachen.arena.match import Contender, Result, Scoreboard, Settings, Stopped, chance_of, fixture, play, run
from aachen.arena.ratings import Sprt, expected, fit, rate_of, summary
from aachen.bots.thinking import Budget
from aachen.core import BadOptions

#: Greedy and Squire are one bot under two names: on the same dice their games go the same way.
TWINS = ("greedy", "squire")


def played(settings: Settings, games: int) -> list[Result]:
    return list(run(settings, range(games)))


def scored(settings: Settings, results: list[Result]) -> Scoreboard:
    board = Scoreboard(settings)
    for result in results:
        board.add(result)
    return board


def what_happened(result: Result) -> tuple[object, ...]:
    """All of a game but who played it."""
    return result.pair, result.winners, result.reason, result.scores, result.rounds


# Contenders and settings


@pytest.mark.parametrize(
    ("text", "name", "budget", "label"),
    [
        ("knight", "knight", None, "knight"),
        ("paladin@2000", "paladin", Budget(positions=2000), "paladin@2000"),
        ("search@0100", "search", Budget(positions=100), "search@100"),
        ("emperor@0.2s", "emperor", Budget(seconds=0.2), "emperor@0.2s"),
        ("emperor@.50s", "emperor", Budget(seconds=0.5), "emperor@0.5s"),
        ("emperor@0.00001s", "emperor", Budget(seconds=0.00001), "emperor@0.00001s"),
        ("emperor@1234.5678s", "emperor", Budget(seconds=1234.5678), "emperor@1234.5678s"),
    ],
)
def test_a_contender_is_read_and_its_label_reads_back(text: str, name: str, budget: Budget | None, label: str) -> None:
    contender = Contender.read(text)
    assert contender == Contender(name, budget)
    assert contender.label == label
    assert Contender.read(label) == contender


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("wizard", "unknown-bot", "there is no bot called 'wizard'; there are: random, greedy"),
        ("Knight", "unknown-bot", "there is no bot called 'Knight'"),
        ("knight@100", "no-thinker", "knight does not think ahead, so it takes no budget; those that do: search"),
        ("paladin@", "bad-budget", "'paladin@' has no budget that can be"),
        ("paladin@0", "bad-budget", "has no budget"),
        ("paladin@-5", "bad-budget", "has no budget"),
        ("paladin@1000000001", "bad-budget", "has no budget"),
        ("paladin@3601s", "bad-budget", "at most 3600"),
        ("paladin@nans", "bad-budget", "has no budget"),
        ("paladin@٣", "bad-budget", "has no budget"),
        ("paladin@5@5", "bad-budget", "'paladin@5@5' has no budget"),
    ],
)
def test_a_contender_that_cannot_be_is_refused(text: str, code: str, sentence: str) -> None:
    with pytest.raises(BadOptions) as refused:
        Contender.read(text)
    assert refused.value.code == code
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("bots", "given", "sentence"),
    [
        (["page"], {}, "an arena needs two bots or more, not 1"),
        (["page", "squire", "page"], {}, "page is named twice"),
        (["paladin@0100", "paladin@100"], {}, "paladin@100 is named twice"),
        (["page", "robot"], {}, "there is no bot called 'robot'"),
        (["page", "squire"], {"players": 5}, "players = 5 is not possible"),
        (["page", "squire"], {"seed": -1}, "seed = -1 is not possible"),
        (["page", "squire"], {"dice": "none"}, "dice = 'none' is not possible"),
        (["page", "squire"], {"colour": "red"}, "there is no option 'colour'"),
    ],
)
def test_settings_that_cannot_be_are_refused(bots: list[str], given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadOptions) as refused:
        Settings.of(bots, **given)
    assert sentence in str(refused.value)


def test_settings_tell_all_that_decides_the_games() -> None:
    facts = Settings.of(["page", "knight"], 3, 7, round_limit=9).facts
    assert facts["bots"] == "page knight"
    assert (facts["players"], facts["seed"], facts["round_limit"], facts["dice"]) == (3, 7, 9, "all")
    marks = [Settings.of(["page", "knight"], players).facts["weights"] for players in (2, 3, 4)]
    assert len(set(marks)) == 3, "what was learned for 2, 3 and 4 players differs"
    assert Settings.of(["page", "squire"]).facts["weights"] == "none", "these have learned nothing"


# Fixtures


@pytest.mark.parametrize("players", [2, 3, 4])
def test_in_each_set_both_bots_have_each_seat_equally_often(players: int) -> None:
    settings = Settings.of(["page", "squire", "knight"], players)
    size = settings.games_a_set
    for begin in range(0, 12 * size, size):
        games = [fixture(settings, begin + number) for number in range(size)]
        pair = {settings.bots[games[0].first], settings.bots[games[0].second]}
        assert len({(game.pair, game.first, game.second) for game in games}) == 1
        assert len({game.seats for game in games}) == size
        for seat in range(players):
            names = [game.seats[seat] for game in games]
            assert {name: names.count(name) for name in pair} == dict.fromkeys(pair, size // 2)


def test_partners_are_the_same_bot_and_with_three_one_sits_against_two() -> None:
    four = Settings.of(["page", "squire"], 4)
    assert fixture(four, 0).seats == ("page", "squire", "page", "squire")
    three = Settings.of(["page", "squire"], 3)
    assert [fixture(three, number).seats.count("page") for number in range(6)] == [1, 1, 1, 2, 2, 2]
    assert [fixture(three, number).seats.index("page") for number in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("players", [2, 3])
def test_all_pairings_have_played_a_set_before_any_plays_the_next(players: int) -> None:
    settings = Settings.of(["random", "page", "squire", "knight"], players)
    size = settings.games_a_set
    order = [fixture(settings, number) for number in range(0, 3 * 6 * size, size)]
    assert [game.pair for game in order] == [0] * 6 + [1] * 6 + [2] * 6
    assert [(game.first, game.second) for game in order] == list(combinations(range(4), 2)) * 3


def test_games_are_rounded_up_to_whole_sets_for_each_pairing() -> None:
    assert [Settings.of(["page", "squire"]).total(games) for games in (1, 2, 3)] == [2, 2, 4]
    assert Settings.of(["page", "squire", "knight"], 3).total(7) == 12 * 3


# Games


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_of_a_pair_have_the_same_dice(players: int) -> None:
    """Twins in swapped seats do the same, so their games differ only where the dice do."""
    settings = Settings.of(TWINS, players, seed=3)
    results = played(settings, 12 if players == 3 else 30)
    pairs = [{what_happened(game) for game in results if game.pair == pair} for pair in range(results[-1].pair + 1)]
    assert [len(games) for games in pairs] == [1] * len(pairs)
    assert len({what_happened(game)[1:] for game in results}) > len(pairs) // 2, "other pairs have other dice"


def test_all_pairings_play_on_the_same_dice() -> None:
    alone = Settings.of(["page", "squire"], seed=5)
    among = Settings.of(["random", "page", "squire"], seed=5)
    wanted = [what_happened(game) for game in played(alone, 10)]
    results = [game for game in played(among, 30) if set(game.seats) == {"page", "squire"}]
    assert [what_happened(game) for game in results] == wanted


def test_the_seed_decides_the_dice() -> None:
    throws = {(seed, pair, number): chance_of(seed, pair, number).random()
              for seed in (0, 1, 11) for pair in (0, 1, 11) for number in (0, 1, 11)}  # fmt: skip
    assert len(set(throws.values())) == 27
    games = {seed: played(Settings.of(["page", "squire"], seed=seed), 6) for seed in (1, 2)}
    assert games[1] != games[2]
    assert games[1] == played(Settings.of(["page", "squire"], seed=1), 6)


@pytest.mark.parametrize("jobs", [2, 5, None])
def test_the_number_of_jobs_changes_no_game(jobs: int | None) -> None:
    settings = Settings.of(["knight", "paladin@100", "random"], seed=4)
    one_by_one = [play(settings, number) for number in range(6)]
    assert list(run(settings, range(6), jobs)) == one_by_one
    assert list(run(settings, range(2, 5), jobs)) == one_by_one[2:5], "a game does not depend on those before it"


def test_a_contender_thinks_with_its_own_budget() -> None:
    little, much, again = (play(Settings.of([bot, "page"]), 0) for bot in ("paladin@1", "paladin@300", "paladin@0300"))
    assert what_happened(little) != what_happened(much) == what_happened(again)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_result_says_how_the_game_ended(players: int) -> None:
    settings = Settings.of(["random", "page"], players, round_limit=2)
    results = played(settings, 12)
    sides = 3 if players == 3 else 2
    for number, result in enumerate(results):
        todo = fixture(settings, number)
        assert (result.number, result.pair, result.seats) == (number, todo.pair, todo.seats)
        assert len(result.scores) == sides
        assert set(result.winners) <= set(range(sides))
        assert 1 <= result.rounds <= 2
        assert result.points("random") + result.points("page") == pytest.approx(1)
        assert json.loads(json.dumps(result.facts))["seats"] == list(result.seats)
    assert {result.reason for result in results} == {"rounds"}, "the game has the options of the settings"


def test_points_are_shared_in_a_draw_and_partners_have_one_together() -> None:
    def points(seats: str, *winners: int) -> tuple[float, float]:
        result = Result(0, 0, tuple(seats.split()), winners, "cubes", (1, 1, 1), 9)
        return result.points("page"), result.points("squire")

    assert points("page squire", 1) == (0, 1)
    assert points("page squire", 0, 1) == (0.5, 0.5)
    assert points("squire page squire", 0) == (0, 1)
    assert points("squire page squire", 0, 2) == (0, 1)
    assert points("squire page squire", 0, 1, 2) == pytest.approx((1 / 3, 2 / 3))
    assert points("page squire page squire", 0) == (1, 0)


def test_games_are_given_while_others_are_still_to_be_played() -> None:
    """A million games would take hours: only what is asked for, and a little more, is played."""
    settings = Settings.of(["page", "squire"])
    threads = threading.active_count()
    games = cast(Generator[Result, None, None], run(settings, range(1_000_000), jobs=2))
    first = list(islice(games, 5))
    games.close()
    assert threading.active_count() == threads
    assert first == played(settings, 5)


def test_a_game_that_nobody_wants_any_more_is_broken_off() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        play(Settings.of(["page", "squire"]), 0, stop)


# The scoreboard and its summary


def result_of(settings: Settings, number: int, winner: str) -> Result:
    todo = fixture(settings, number)
    return Result(number, todo.pair, todo.seats, (todo.seats.index(winner),), "castles", (0, 0, 0), 9)


def test_the_scoreboard_counts_by_pairing_and_tells_when_a_set_is_full() -> None:
    settings = Settings.of(["page", "squire", "knight"])
    winners = ["squire", "page", "knight", "knight", "squire", "squire", "squire"]
    board = Scoreboard(settings)
    told = [board.add(result_of(settings, number, winner)) for number, winner in enumerate(winners)]
    assert told == [None, 0.5, None, 0.0, None, 1.0, None]
    assert board.games == 7
    assert board.sets == {(0, 1): [(0.0, 1.0)], (0, 2): [(0.0, 0.0)], (1, 2): [(1.0, 1.0)]}


def test_a_summary_has_the_best_first_and_counts_full_sets_only() -> None:
    settings = Settings.of(["page", "squire", "knight"])
    winners = ["squire", "squire", "knight", "knight", "knight", "knight", "page"]
    told = summary(scored(settings, [result_of(settings, *pair) for pair in enumerate(winners)]))
    assert told["games"] == 7
    standings = [(row["bot"], row["games"], row["points"], row["rate"]) for row in told["standings"]]
    assert standings == [("knight", 4, 4, 1), ("squire", 4, 2, 0.5), ("page", 4, 0, 0)]
    best, middle, last = (row["elo"] for row in told["standings"])
    assert (best + last, middle) == pytest.approx((0, 0), abs=0.001)
    pairings = [(row["first"], row["second"], row["points"]) for row in told["pairings"]]
    assert pairings == [("page", "squire", 0), ("page", "knight", 0), ("squire", "knight", 0)]


def test_a_bot_without_a_full_set_has_no_numbers() -> None:
    settings = Settings.of(["page", "squire", "knight"])
    told = summary(scored(settings, [result_of(settings, 0, "page"), result_of(settings, 1, "page")]))
    assert told["standings"][-1] == {"bot": "knight"}
    assert [row["bot"] for row in told["standings"][:2]] == ["page", "squire"]
    nothing = summary(Scoreboard(settings))
    assert (nothing["games"], nothing["pairings"]) == (0, [])


def test_with_three_the_summary_tells_apart_who_was_alone() -> None:
    settings = Settings.of(["page", "squire"], 3)
    winners = ["page", "page", "squire", "page", "page", "page"]
    (row,) = summary(scored(settings, [result_of(settings, *pair) for pair in enumerate(winners)]))["pairings"]
    assert (row["games"], row["points"], row["rate"]) == (6, 5, 0.8333)
    assert row["first_alone"] == pytest.approx(2 / 3, abs=1e-4)
    assert row["second_alone"] == 0


def test_stronger_bots_are_rated_higher() -> None:
    settings = Settings.of(["page", "random", "knight", "squire"])
    told = summary(scored(settings, played(settings, settings.total(12))))
    assert [row["bot"] for row in told["standings"]] == ["knight", "squire", "page", "random"]
    assert sum(row["points"] for row in told["standings"]) == told["games"] == 72


# Ratings


def drawn_sets(rng: random.Random, elo: float, number: int) -> list[float]:
    """Scores of sets of two games, with as much difference as so much Elo makes."""
    return [sum(rng.random() < expected(elo) for _ in range(2)) / 2 for _ in range(number)]


def test_expected_scores_follow_bradley_terry_and_luce() -> None:
    for players in (2, 3, 4):
        assert expected(0, players) == pytest.approx(0.5)
        for elo in (10, 150, 900):
            assert expected(elo, players) + expected(-elo, players) == pytest.approx(1)
            assert expected(elo - 10, players) < expected(elo, players) < expected(1e6, players) <= 1
    assert expected(400) == pytest.approx(10 / 11)
    assert expected(400, 3) == pytest.approx((10 / 12 + 20 / 21) / 2)


def test_the_rating_of_two_bots_is_that_of_their_score() -> None:
    """With a quarter of a set won and of one lost more than there were."""
    ratings = fit(2, {(0, 1): [1.0, 0.5, 1.0, 1.0]})
    elo, error = ratings.difference(0, 1)
    assert (elo, error) == pytest.approx((400 * math.log10(3.75 / 0.75), 2 * ratings.error(0)))
    assert (*ratings.elo, *ratings.difference(1, 0)) == pytest.approx((elo / 2, -elo / 2, -elo, error))


@pytest.mark.parametrize("players", [2, 3])
def test_the_fit_finds_the_strengths_that_made_the_scores(players: int) -> None:
    elo = [310.0, 40.0, -100.0, -250.0]
    scores = {(a, b): [expected(elo[a] - elo[b], players)] * 100_000 for a, b in combinations(range(4), 2)}
    assert list(fit(4, scores, players).elo) == pytest.approx(elo, abs=0.1)
    some = {pairing: scores[pairing] for pairing in [(0, 1), (1, 2), (2, 3)]}
    assert list(fit(4, some, players).elo) == pytest.approx(elo, abs=0.1), "not all need to have met"


def test_error_bars_hold_the_truth_in_about_95_of_100_tournaments() -> None:
    rng = random.Random(1)
    elo = [120.0, 0.0, -120.0]
    held = rates = 0
    for _ in range(300):
        scores = {(a, b): drawn_sets(rng, elo[a] - elo[b], 60) for a, b in combinations(range(3), 2)}
        ratings = fit(3, scores)
        held += sum(abs(ratings.elo[bot] - elo[bot]) <= ratings.error(bot) for bot in range(3))
        rate, error = rate_of(scores[0, 2])
        rates += abs(rate - expected(240)) <= error
    assert 0.92 <= held / 900 <= 0.985
    assert 0.92 <= rates / 300 <= 0.985


def test_four_times_the_sets_halve_the_errors() -> None:
    few = [1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 0.5, 0.0] * 20
    assert rate_of(few * 4)[1] == pytest.approx(rate_of(few)[1] / 2, rel=0.02)
    errors = [fit(2, {(0, 1): sets}).error(0) for sets in (few, few * 4)]
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.02)


def test_scores_that_vary_together_make_a_rating_less_sure() -> None:
    """A bot that has the same luck against both others on the same dice has learned less from them."""
    ups, downs = [1.0, 0.0] * 50, [0.0, 1.0] * 50
    together, apart = (fit(3, {(0, 1): ups, (0, 2): other}) for other in (ups, downs))
    assert together.error(0) > 1.5 * apart.error(0)


def test_few_sets_do_not_look_sure_and_ratings_stay_finite() -> None:
    assert rate_of([1.0]) == pytest.approx((1.0, 1.96 * math.sqrt(2 / 27)))
    ratings = fit(2, {(0, 1): [1.0] * 3})
    assert ratings.difference(0, 1)[0] == pytest.approx(400 * math.log10(13))
    assert ratings.difference(0, 1)[1] > ratings.difference(0, 1)[0]


# SPRT


@pytest.mark.parametrize(("elo", "players"), [(0, 2), (50, 2), (-20, 2), (90, 4)])
def test_the_sprt_finds_the_right_answer_nearly_always(elo: int, players: int) -> None:
    rng = random.Random(2)
    tests = [Sprt(0, 50, players) for _ in range(200)]
    for test in tests:
        while test.add(drawn_sets(rng, elo, 1)[0]) is None:
            pass
    assert sum(test.answer == (50 if elo >= 50 else 0) for test in tests) >= 186


def test_the_sprt_stops_when_the_answer_is_clear_and_stays_with_it() -> None:
    test = Sprt(0, 50)
    answers = [test.add(1.0) for _ in range(100)]
    clear = answers.index(50)
    assert 5 < clear < 50
    assert answers == [None] * clear + [50] * (100 - clear)
    assert (test.after, test.answer) == (clear + 1, 50)
    assert [test.add(0.0) for _ in range(500)] == [50] * 500
    assert test.llr >= test.bound == pytest.approx(math.log(19))


def test_an_even_match_does_not_decide_between_equal_and_opposite_answers() -> None:
    test = Sprt(-30, 30)
    assert {test.add(score) for score in [1.0, 0.0] * 2000} == {None}
    assert test.llr == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("low", "high"), [(50, 0), (10, 10), (0, 2001), (math.nan, 5), (0, math.inf)])
def test_an_sprt_between_numbers_that_cannot_be_is_refused(low: float, high: float) -> None:
    with pytest.raises(BadOptions, match="two numbers of Elo, the smaller first"):
        Sprt(low, high)
