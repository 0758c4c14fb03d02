"""`state.forecast()` tells, region by region, what would happen if the Emperor stopped there now."""

import pytest

from aachen import carolus
from aachen.carolus import RegionForecast
from aachen.core import Outcome, Side
from helpers import EVERYTHING, forecast_at, position, random_games, ring, told

LETTERS = "ABCDEFGHIJKLMNO"


def test_there_is_a_forecast_for_each_region_clockwise_from_tile_A() -> None:
    state = position("A! CW3 HB2")
    assert "".join(LETTERS[one.tile] for one in state.forecast()) == "ABCFGHJKLMNO"
    assert "".join(LETTERS[one.tile] for one in position("C! OW3").forecast()) == "CDEFGHIJKLMNO"


def test_it_counts_cubes_of_controlled_clans_and_castles_for_each_side() -> None:
    assert forecast_at(position("A! Br2y3gW", markers="01---"), "B").counts == (3, 3)
    assert forecast_at(position("A! Br2y3gpG", options="3", markers="012--"), "B").counts == (2, 3, 2)
    assert forecast_at(position("A! Br2y3gpB", options="4", markers="0132-"), "B").counts == (2, 5)


def test_nothing_happens_on_an_empty_region() -> None:
    assert forecast_at(position("A!", markers="0----"), "B") == RegionForecast(
        tile=1, counts=(0, 0), holder=None, majority=None, effect="nothing", castles=0, merges=(), outcome=None, steps=1
    )


def test_a_majority_on_a_region_without_castles_builds_one() -> None:
    assert forecast_at(position("A! Br", markers="0----"), "B") == RegionForecast(
        tile=1, counts=(1, 0), holder=None, majority=Side(0), effect="build", castles=1, merges=(), outcome=None,
        steps=1,
    )  # fmt: skip


def test_a_majority_of_another_side_takes_the_castles_over() -> None:
    assert forecast_at(position("A! Cr4B3", markers="0----"), "C") == RegionForecast(
        tile=2, counts=(4, 3), holder=Side(1), majority=Side(0), effect="take over", castles=3, merges=(),
        outcome=None, steps=2,
    )  # fmt: skip


def test_the_holders_own_majority_changes_nothing() -> None:
    told_of = forecast_at(position("A! BrW", markers="0----"), "B")
    assert (told_of.holder, told_of.majority, told_of.effect, told_of.castles) == (0, 0, "nothing", 0)


def test_a_tie_changes_nothing_and_nobody_has_the_majority() -> None:
    told_of = forecast_at(position("A! BrB", markers="0----"), "B")
    assert (told_of.holder, told_of.majority, told_of.effect) == (1, None, "nothing")


@pytest.mark.parametrize(
    ("regions", "letter", "merges"),
    [
        ("A! Br CW", "B", "C"),
        ("A! BW Cr", "C", "B"),
        ("A! BW2 Dr EW3", "D", "BE"),
        ("M! OW Ar BW", "A", "BO"),
        ("M! NW Or AW2", "O", "AN"),
        ("A! Br CB", "B", ""),
    ],
)
def test_it_names_the_other_regions_that_would_merge(regions: str, letter: str, merges: str) -> None:
    found = forecast_at(position(regions, markers="0----"), letter).merges
    assert "".join(LETTERS[tile] for tile in found) == merges


def test_it_tells_a_win_with_the_last_castle_and_no_merger_then() -> None:
    told_of = forecast_at(position("A! Br CW9", markers="0----"), "B")
    assert told_of.outcome == Outcome((Side(0),), "castles", (10, 0))
    assert told_of.merges == ()


def test_it_tells_how_many_castles_are_put_up_when_they_do_not_suffice() -> None:
    told_of = forecast_at(position("A! Br9B3 FW8", markers="0----"), "B")
    assert (told_of.effect, told_of.castles) == ("take over", 2)
    assert told_of.outcome == Outcome((Side(0),), "castles", (10, 0))


def test_it_tells_the_end_by_few_regions() -> None:
    told_of = forecast_at(position("AW6 Gr HB7 O!", markers="0----"), "G")
    assert told_of.outcome == Outcome((Side(0), Side(1)), "regions", (7, 7))
    assert told_of.merges == (0,)


def test_steps_count_regions_from_the_Emperor_and_his_own_is_a_full_lap() -> None:
    state = position("AW6 GB6! MW2 O")
    assert {LETTERS[one.tile]: one.steps for one in state.forecast()} == {"A": 3, "G": 4, "M": 1, "O": 2}


def test_a_forecast_of_a_finished_game_promises_nothing() -> None:
    state = position("A! Br DW9 ", markers="0----").apply("m1")
    assert state.is_over
    assert {one.effect for one in state.forecast()} == {"nothing"}
    assert {one.outcome for one in state.forecast()} == {None}


def test_a_forecast_changes_nothing() -> None:
    state = position(f"A! B{EVERYTHING}", markers="01010")
    before = state.text
    state.forecast()
    assert state.text == before


def test_in_random_games_the_forecast_is_what_happens_when_the_Emperor_stops_there() -> None:
    moves = 0
    for history in random_games(0, 36):
        for before, step, after in zip(history.states, history.steps, history.states[1:], strict=False):
            if not str(step.action).startswith("m"):
                continue
            moves += 1
            check(before, int(str(step.action)[1:]), after)
    assert moves > 1000


def check(before: carolus.State, steps: int, after: carolus.State) -> None:
    forecasts = before.forecast()
    regions = len(forecasts)
    expected = next(one for one in forecasts if one.steps == (steps - 1) % regions + 1)
    old, new = before.position[0], after.position[0]
    home = int(new["emperor"])
    assert home in {expected.tile, *expected.merges}
    assert after.outcome == expected.outcome
    assert len(after.forecast()) == regions - len(expected.merges)
    if expected.effect != "nothing":
        assert expected.majority is not None
        assert expected.castles == int(old["stock"][expected.majority]) - int(new["stock"][expected.majority])
        assert int(new["holder"][home]) == expected.majority
        assert (expected.effect == "take over") == bool(old["castles"][expected.tile])
    else:
        assert told(before).regions.replace("!", "") == told(after).regions.replace("!", "")
    assert ring(after).count("!") == 1
