"""How a game ends: all castles in play, few regions, no cubes, no rounds; and who has won then (C21 to C23)."""

import pytest

from aachen import carolus
from aachen.core import Outcome, Side
from helpers import EVERYTHING, position, random_games, ring, told


def outcome(state: carolus.State) -> Outcome:
    assert state.outcome is not None
    return state.outcome


def won(*winners: int, reason: str, scores: tuple[int, ...]) -> Outcome:
    return Outcome(tuple(Side(side) for side in winners), reason, scores)


def spent(regions: str, **more: str) -> carolus.State:
    """The last throw of the last round, after which rounds are over."""
    options = more.get("options", "2")
    last = int(options[0]) - 1
    dice = "rrrr" if options[0] == "3" else "rrr"
    state = position(regions, options=f"{options}+limit=1", turn=last, phase=f"throw:{len(dice)}")
    return state.apply(f"dice:{dice}")


# C22: all castles in play


@pytest.mark.parametrize(
    ("options", "before", "after", "scores"),
    [
        ("2", "A! Br DW9", "BrW! DW9", (10, 0)),
        ("3", "A! Br DW7", "BrW! DW7", (8, 0, 0)),
        ("4", "A! Br DW9", "BrW! DW9", (10, 0)),
    ],
)
def test_C22_a_side_with_all_its_castles_in_play_wins_at_once(
    options: str, before: str, after: str, scores: tuple[int, ...]
) -> None:
    state = position(before, options=options, markers="0----").apply("m1")
    assert ring(state) == after
    assert outcome(state) == won(0, reason="castles", scores=scores)


def test_C22_nine_castles_of_ten_do_not_win_nor_do_seven_of_eight() -> None:
    assert not position("A! Br DW8", markers="0----").apply("m1").is_over
    assert not position("A! Br DW6", options="3", markers="0----").apply("m1").is_over


def test_C22_there_is_no_merging_after_the_win() -> None:
    """The tenth castle stands between two white regions, which stay regions of their own."""
    state = position("A! BgW3 Er FpW6", discs="25", markers="0----").apply("m2")
    assert told(state).regions == "A/BgW3/ErW!/FpW6/L/M/N/O"
    assert outcome(state).reason == "castles"


def test_C22_all_castles_in_play_win_before_the_regions_are_counted() -> None:
    """Merging would leave three regions; but white has won already, and for its castles."""
    state = position("AW7 Hr IW2 KB4 O!", markers="0----", discs="25").apply("m2")
    assert told(state).regions == "AW7/HrW!/IW2/KB4/O"
    assert outcome(state) == won(0, reason="castles", scores=(10, 4))


def test_C22_there_is_no_throw_after_the_win() -> None:
    state = position("A! Br DW9", markers="0----").apply("m1")
    assert told(state).phase == "over"
    assert (state.actors, state.is_chance, state.legal_actions(), state.chance_weights()) == ((), False, [], {})


def test_C22_the_rival_may_win_in_somebody_elses_turn() -> None:
    state = position("A! Br DB9", markers="1----")
    assert state.actor == 0
    assert outcome(state.apply("m1")) == won(1, reason="castles", scores=(0, 10))


def test_C22_a_team_wins_with_the_castles_of_both_partners() -> None:
    """Seat 3's clan builds the tenth castle of seats 1 and 3."""
    state = position("A! Br DB9", options="4", markers="3----").apply("m1")
    assert outcome(state) == won(1, reason="castles", scores=(0, 10))
    assert [state.side(one) for one in range(4)] == [0, 1, 0, 1]


def test_C22_the_third_side_wins_alone() -> None:
    state = position("A! Br DG7 KW4", options="3", markers="2----").apply("m1")
    assert outcome(state) == won(2, reason="castles", scores=(4, 0, 8))


# C23: few regions


def test_C23_fewer_than_four_regions_end_the_game_and_the_most_castles_win() -> None:
    state = position("AW7 Hr IB6 O!", markers="0----", discs="25").apply("m2")
    assert told(state).regions == "ArW8!/IB6/O"
    assert outcome(state) == won(0, reason="regions", scores=(8, 6))
    assert told(state).phase == "over"


def test_C23_merging_with_both_neighbours_may_end_the_game() -> None:
    state = position("AW4 Er FW3 IB6 O!", markers="0----", discs="25").apply("m2")
    assert told(state).regions == "ArW8!/IB6/O"
    assert outcome(state).reason == "regions"


def test_C23_with_four_regions_left_the_game_goes_on() -> None:
    state = position("AW4 Er FW3 IB5 N! O", markers="0----", discs="35").apply("m3")
    assert told(state).regions == "ArW8!/IB5/N/O"
    assert not state.is_over


def test_C23_the_side_that_merged_may_be_the_one_that_loses() -> None:
    state = position("AW5 Fr GB8 O!", markers="0----", discs="25").apply("m2")
    assert outcome(state) == won(1, reason="regions", scores=(6, 8))


def test_C23_equal_castles_are_a_draw() -> None:
    state = position("AW6 Gr HB7 O!", markers="0----", discs="25").apply("m2")
    assert outcome(state) == won(0, 1, reason="regions", scores=(7, 7))
    assert outcome(state).is_draw


def test_C23_a_draw_is_only_between_the_sides_with_the_most_castles() -> None:
    state = position("AW5 Fr GB6 MG3!", options="3", markers="0----", discs="245").apply("m2")
    assert outcome(state) == won(0, 1, reason="regions", scores=(6, 6, 3))


def test_C23_three_sides_may_share_a_draw() -> None:
    state = position("AW4 Er FB5 KG5!", options="3", markers="0----", discs="245").apply("m2")
    assert outcome(state) == won(0, 1, 2, reason="regions", scores=(5, 5, 5))


def test_C23_there_is_no_throw_after_the_end() -> None:
    state = position("AW7 Hr IB6 O!", markers="0----", discs="25").apply("m2")
    assert (state.actors, state.is_chance, state.legal_actions(), state.chance_weights()) == ((), False, [], {})


# C21: no rounds, no cubes


def test_C21_the_most_castles_win_when_the_rounds_are_over() -> None:
    assert outcome(spent("A! BW3 GB2")) == won(0, reason="rounds", scores=(3, 2))
    assert outcome(spent("A! BW3 GB4")) == won(1, reason="rounds", scores=(3, 4))


def test_C21_the_most_castles_win_when_the_cubes_are_gone() -> None:
    state = position(f"A! B{EVERYTHING} CW GB2", turn=1, phase="throw:3").apply("dice:rrr")
    assert outcome(state) == won(1, reason="cubes", scores=(1, 2))


def test_C21_nobody_has_a_castle_when_the_game_ends_so_everybody_draws() -> None:
    assert outcome(spent("A!")) == won(0, 1, reason="rounds", scores=(0, 0))
    assert outcome(spent("A!", options="3")) == won(0, 1, 2, reason="rounds", scores=(0, 0, 0))
    assert outcome(spent("A!", options="4")) == won(0, 1, reason="rounds", scores=(0, 0))


def test_C21_a_draw_after_the_last_round_is_between_those_with_the_most_castles() -> None:
    assert outcome(spent("A! BW2 EB2")) == won(0, 1, reason="rounds", scores=(2, 2))
    assert outcome(spent("A! BW EB2 HG2", options="3")) == won(1, 2, reason="rounds", scores=(1, 2, 2))


def test_C21_to_C23_random_games_end_for_the_four_reasons_with_the_most_castles_winning() -> None:
    reasons = set()
    for seed in range(3):
        for history in random_games(36 * seed, 36, round_limit=(100, 6, 100)[seed]):
            end = outcome(history.state)
            best = max(end.scores)
            assert end.winners == tuple(side for side, castles in enumerate(end.scores) if castles == best)
            assert (end.reason == "castles") == (best == (8 if history.state.players == 3 else 10))
            if end.reason != "castles":
                assert (end.reason == "regions") == (len(told(history.state).regions.split("/")) < 4)
            reasons.add(end.reason)
    assert reasons == {"castles", "regions", "cubes", "rounds"}
