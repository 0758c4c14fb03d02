"""`preview` tells what a draft of a turn would do: markers, majorities, castles, mergers, the end, the forecast."""

import pytest

from aachen import carolus
from aachen.carolus import Clan
from aachen.carolus.preview import LeaderChange, MarkerChange, Preview, preview
from aachen.carolus.words import TILE_LETTERS, TILES
from aachen.core import BadNotation, IllegalAction, Outcome, Seat, Side
from helpers import play, position, random_games
from test_rules_examples import castle_of_black, figure_5, figure_6


def try_out(state: carolus.State, actions: str = "") -> Preview:
    return preview(state, actions.split())


def letters(tiles: tuple[int, ...]) -> str:
    return "".join(TILE_LETTERS[tile] for tile in tiles)


# What changes


def test_an_empty_draft_changes_nothing() -> None:
    found = try_out(figure_6())
    assert found.after == figure_6()
    assert (found.markers, found.leaders, found.castles, found.merged, found.outcome) == ((), (), (0, 0), (), None)


def test_E4_the_counterattack_brings_yellow_three_castles_and_a_region_of_three() -> None:
    found = try_out(figure_6(), "y@ y@ yD m2")
    assert found.markers == (MarkerChange(Clan.YELLOW, Seat(1), Seat(0)),)
    assert found.leaders == (LeaderChange(2, Side(1), Side(0)), LeaderChange(3, Side(1), Side(0)))
    assert found.castles == (3, -3)
    assert letters(found.merged) == "CDG"
    assert found.outcome is None
    assert found.after == play(figure_6(), "y@ y@ yD m2")


def test_E4_before_the_move_the_majority_is_told_and_no_castle_has_changed() -> None:
    found = try_out(figure_6(), "y@ y@ yD")
    assert found.leaders == (LeaderChange(3, Side(1), Side(0)),)
    assert (found.castles, found.merged) == ((0, 0), ())
    assert {TILE_LETTERS[one.tile]: (one.effect, one.merges) for one in found.forecast} == {
        "C": ("take over", (0, 3)),
        "D": ("take over", (2, 6)),
        "G": ("nothing", ()),
    }


def test_E3_a_marker_changes_hands_only_with_the_second_yellow_cube() -> None:
    assert try_out(figure_5(), "y@").markers == ()
    assert try_out(figure_5(), "y@ y@").markers == (MarkerChange(Clan.YELLOW, Seat(1), Seat(0)),)


def test_C9_a_free_marker_comes_from_nobody() -> None:
    state = position("A! Br", reserves=["r"], phase="cube:1")
    found = try_out(state, "r@")
    assert found.markers == (MarkerChange(Clan.RED, None, Seat(0)),)
    assert found.leaders == (LeaderChange(1, None, Side(0)),)


def test_E2_castles_and_the_regions_of_a_merger_are_named_as_they_were_before() -> None:
    found = try_out(castle_of_black("BypW DbW"), "g@ m2")
    assert found.castles == (1, -1)
    assert letters(found.merged) == "BCD"


def test_C14_a_merger_across_the_first_tile_is_told_too() -> None:
    assert letters(try_out(position("M! NW Or AW2", markers="0----", discs="25"), "m2").merged) == "ANO"


def test_C11_a_tie_leaves_a_region_without_a_majority() -> None:
    state = position("A! BrB", courts=["r"], reserves=["r"], markers="0----", phase="cube:1")
    assert try_out(state, "rB").leaders == (LeaderChange(1, None, Side(0)),)
    state = position("A! Bry", courts=["r", "y"], reserves=["y"], markers="01---", phase="cube:1")
    assert try_out(state, "yB").leaders == (LeaderChange(1, None, Side(1)),)
    state = position("A! By", courts=["r", "y"], reserves=["r"], markers="01---", phase="cube:1")
    assert try_out(state, "rB").leaders == (LeaderChange(1, Side(1), None),)


def test_castles_are_told_for_each_of_three_sides_and_for_two_teams() -> None:
    state = position("A! Br4G2", options="3", markers="0----")
    assert try_out(state, "m1").castles == (2, 0, -2)
    state = position("A! Br4B2", options="4", markers="2----")
    assert try_out(state, "m1").castles == (2, -2)


def test_C22_the_last_castle_ends_the_game_and_nothing_is_in_reach_any_more() -> None:
    found = try_out(position("A! Br CW9", markers="0----"), "m1")
    assert found.outcome == Outcome((Side(0),), "castles", (10, 0))
    assert (found.merged, found.reach, found.forecast) == ((), 0, ())


def test_C23_too_few_regions_end_the_game() -> None:
    found = try_out(position("AW6 Gr HB7 O!", markers="0----", discs="25"), "m2")
    assert found.outcome == Outcome((Side(0), Side(1)), "regions", (7, 7))
    assert letters(found.merged) == "AG"


# The Emperor's reach


def test_C10_the_forecast_has_the_regions_that_the_disc_allows_the_nearest_first() -> None:
    found = try_out(position("N! AW3", discs="35", reserves=["r"], phase="cube:1"), "rN")
    assert (found.reach, letters(tuple(one.tile for one in found.forecast))) == (3, "OAD")


def test_C5_a_draft_of_a_disc_shows_how_far_it_would_take_the_Emperor() -> None:
    state = carolus.new(2, seed=2)
    assert try_out(state).reach == 5
    assert try_out(state, "d2").reach == 2
    assert [one.steps for one in try_out(state, "d2").forecast] == [1, 2]


def test_after_the_move_the_next_seat_has_its_reach_and_after_the_last_one_any_disc_may_come() -> None:
    state = position(discs="24")
    assert try_out(state).reach == 2
    assert try_out(state, "m1").reach == 4
    assert try_out(position(discs="24", turn=1), "m3").reach == 5


def test_C16_crowns_are_a_draft_like_any_other_until_the_turn_is_over() -> None:
    state = position(discs="24", phase="crown:2")
    assert try_out(state, "=r").reach == 4
    found = try_out(state, "=r =y")
    assert found.after.actor == 1
    assert found.reach == 4


def test_C25_jokers_are_named_in_a_draft() -> None:
    state = position("A! B", options="2+deferred", reserves=["*"], phase="joker")
    assert try_out(state, "=r r@").markers == (MarkerChange(Clan.RED, None, Seat(0)),)


# Drafts that cannot be played


@pytest.mark.parametrize(
    ("draft", "index", "code"),
    [("g@", 1, "no-cube"), ("y@ r@ g@", 3, "no-cube"), ("y@ m1", 2, "wrong-kind"), ("y@ y@ yD m4", 4, "too-far")],
)
def test_the_first_illegal_action_is_told_with_its_number_and_reason(draft: str, index: int, code: str) -> None:
    state = figure_6()
    with pytest.raises(IllegalAction, match=f"^action {index} of the draft: ") as told:
        try_out(state, draft)
    with pytest.raises(IllegalAction) as reason:
        play(state, draft)
    assert told.value.code == reason.value.code == code
    assert told.value.params == {**reason.value.params, "index": index}
    assert str(told.value).endswith(str(reason.value))


def test_what_is_no_action_is_told_with_its_number() -> None:
    with pytest.raises(BadNotation, match="action 2 of the draft: 'x' is no action") as told:
        try_out(figure_6(), "y@ x")
    assert told.value.params["index"] == 2


def test_a_draft_ends_where_chance_or_another_seat_acts() -> None:
    with pytest.raises(IllegalAction, match="action 5 of the draft: dice:rrr: seat 0 is not asked now"):
        try_out(figure_6(), "y@ y@ yD m2 dice:rrr")
    with pytest.raises(IllegalAction, match=r"action 2 of the draft: d3: seat 1 is not asked now; seat 0 to act"):
        try_out(carolus.new(2, seed=2), "d2 d3")


def test_where_no_seat_is_asked_there_is_nothing_to_draft() -> None:
    with pytest.raises(IllegalAction):
        try_out(carolus.table(2))


def test_an_illegal_draft_and_a_legal_one_leave_the_state_as_it_is() -> None:
    state = figure_6()
    with pytest.raises(IllegalAction):
        try_out(state, "y@ y@ yD m5")
    try_out(state, "y@ y@ yD m2")
    assert state == figure_6()


# Random games


def test_in_random_games_the_preview_of_what_a_seat_did_is_what_came_of_it() -> None:
    drafts = 0
    for history in random_games(0, 12):
        steps, states = history.steps, history.states
        for first in range(0, len(steps), 7):
            seat = steps[first].seat
            last = first
            while last < len(steps) and steps[last].seat == seat:
                last += 1
            if seat is not None:
                found = preview(states[first], [step.action for step in steps[first:last]])
                assert found.after == states[last]
                check(states[first], found)
                drafts += 1
    assert drafts > 300


def check(before: carolus.State, found: Preview) -> None:
    after = found.after
    for change in found.markers:
        assert change.clan in after.player(change.after).controls
        assert change.before is None or change.clan in before.player(change.before).controls
    changed = [after.player(seat).controls - before.player(seat).controls for seat in range(before.players)]
    assert {change.clan for change in found.markers} == frozenset().union(*changed)
    left = [before.player(side).castles_left - after.player(side).castles_left for side in range(len(found.castles))]
    assert found.castles == tuple(left)
    assert len(before.regions) - len(after.regions) == max(0, len(found.merged) - 1)
    leaders = {one.tile: one.majority for one in after.forecast()}
    was = {one.tile: one.majority for one in before.forecast()}
    told = {change.tile: change for change in found.leaders}
    for tile, majority in was.items():
        now = leaders[next(head % TILES for head in range(tile, tile - TILES, -1) if head % TILES in leaders)]
        assert (tile in told) == (majority != now)
        assert tile not in told or told[tile] == LeaderChange(tile, majority, now)
    assert found.outcome == after.outcome
    assert {one.steps for one in found.forecast} == set(range(1, min(found.reach, len(after.regions)) + 1))
    assert all(one in after.forecast() for one in found.forecast)
