"""A turn: cubes, control, the Emperor, castles, mergers and the throw (C8 to C17)."""

from itertools import pairwise

import pytest

from aachen import carolus
from helpers import legal, play, position, random_games, ring, seat, told


def cubes(reserve: str, *, courts: tuple[str, ...] = (), markers: str = "-----", options: str = "2") -> carolus.State:
    """Seat 0 is to play its cubes."""
    due = 4 if options[0] == "3" else 3
    return position("A!", options=options, courts=courts, reserves=[reserve], markers=markers, phase=f"cube:{due}")


# C8: cubes


@pytest.mark.parametrize(("options", "number"), [("2", 3), ("3", 4), ("4", 3)])
def test_C8_a_seat_plays_exactly_3_cubes_or_4_with_three_players(options: str, number: int) -> None:
    state = cubes("r7", options=options)
    for left in range(number, 0, -1):
        assert told(state).phase == f"cube:{left}"
        state = state.apply("rC")
    assert told(state).phase == "move"
    assert seat(state, 0).reserve == f"r{7 - number}"


def test_C8_a_cube_goes_to_the_own_court_or_to_any_region() -> None:
    state = position("A! BW2", reserves=["rg"], phase="cube:2")
    regions = "ABDEFGHIJKLMNO"
    assert legal(state) == " ".join([*(f"r{tile}" for tile in regions), "r@", *(f"g{tile}" for tile in regions), "g@"])


def test_C8_cubes_go_to_court_and_regions_in_any_mix() -> None:
    state = play(cubes("r3y2gb"), "r@ gE bA")
    assert seat(state, 0) == ("r", "r2y2", "2345", "1")
    assert ring(state) == "Ab! Eg"


def test_C8_only_cubes_of_the_own_reserve_can_be_played() -> None:
    state = position("A!", reserves=["ry2", "gbp"], phase="cube:3")
    assert {str(action)[0] for action in state.legal_actions()} == {"r", "y"}


def test_C8_played_cubes_never_move_again_unless_courts_give_them_back() -> None:
    """Except by C18, when more of a clan is taken than lies in the middle, courts only grow; so do regions."""
    for history in random_games(0, 12):
        for (before, after), step in zip(pairwise(history.states), history.steps, strict=True):
            old, new = before.position[0], after.position[0]
            assert (new["cubes"].sum(axis=0) >= old["cubes"].sum(axis=0)).all()
            for clan in range(5):
                if (new["court"][:, clan] < old["court"][:, clan]).any():
                    assert str(step.action).count("rygbp"[clan]) > old["supply"][clan]


# C9: control


def test_C9_a_marker_that_nobody_holds_goes_to_the_first_cube_at_court() -> None:
    assert told(cubes("r3").apply("r@")).markers == "0----"


def test_C9_side_0_holds_a_marker_like_any_other() -> None:
    """Seat 0 has red with one cube; one cube of the rival is a tie and leaves it there."""
    state = position("A!", courts=["r", "-"], reserves=["-", "r3"], markers="0----", turn=1, phase="cube:3")
    assert told(state.apply("r@")).markers == "0----"
    assert told(play(state, "r@ r@")).markers == "1----"


def test_C9_more_cubes_than_every_other_court_take_the_marker_at_once() -> None:
    state = cubes("r3", courts=("r", "r2"), markers="1----").apply("r@")
    assert told(state).markers == "1----"
    state = state.apply("r@")
    assert told(state).markers == "0----"
    assert told(state).phase == "cube:1"


def test_C9_on_equal_numbers_the_marker_stays_where_it_is() -> None:
    assert told(cubes("y3", courts=("y2", "y3"), markers="-1---").apply("y@")).markers == "-1---"
    assert told(cubes("y3", courts=("y3", "y4"), markers="-1---").apply("y@")).markers == "-1---"


def test_C9_more_than_the_holder_is_not_enough_if_a_third_seat_has_as_many() -> None:
    """Seat 2 holds pink with 2; seat 1 has 2 as well. Two cubes of seat 0 tie with them, a third takes it."""
    state = cubes("p4", courts=("-", "p2", "p2"), markers="----2", options="3")
    assert told(play(state, "p@ p@")).markers == "----2"
    assert told(play(state, "p@ p@ p@")).markers == "----0"


def test_C9_cubes_in_regions_and_reserves_never_count_for_control() -> None:
    state = position("A! Br9", courts=["-", "r"], reserves=["r7", "-"], markers="1----", phase="cube:3")
    assert told(play(state, "rB rB rC")).markers == "1----"


def test_C9_control_is_a_seats_and_never_a_teams() -> None:
    """Seats 0 and 2 are partners: their 2 and 1 are no more than seat 1's 2, and partners outdo each other."""
    state = cubes("b3", courts=("b", "b2", "b"), markers="---1-", options="4")
    assert told(state.apply("b@")).markers == "---1-"
    assert told(play(state, "b@ b@")).markers == "---0-"
    partner = cubes("b3", courts=("b", "-", "b"), markers="---2-", options="4")
    assert told(partner.apply("b@")).markers == "---0-"


# C10: the Emperor


@pytest.mark.parametrize(
    ("discs", "moves"), [("15", "m1"), ("35", "m1 m2 m3"), ("45", "m1 m2 m3 m4"), ("55", "m1 m2 m3 m4 m5")]
)
def test_C10_the_Emperor_moves_at_least_1_region_and_at_most_the_discs_number(discs: str, moves: str) -> None:
    assert legal(position("A!", discs=discs)) == moves


def test_C10_he_moves_clockwise() -> None:
    assert ring(position("D!", discs="35").apply("m2")) == "F!"
    assert ring(position("O!", discs="35").apply("m1")) == "A!"
    assert ring(position("N!", discs="35").apply("m3")) == "B!"


def test_C10_a_merged_region_is_one_step() -> None:
    assert ring(position("A! BrW4", discs="35").apply("m1")) == "BrW4!"
    assert ring(position("A! BrW4", discs="35").apply("m2")) == "BrW4 F!"


def test_C10_a_merged_region_around_the_first_tile_is_one_step() -> None:
    assert ring(position("M! OrW3", discs="35").apply("m2")) == "OrW3!"
    assert ring(position("M! OrW3", discs="35").apply("m3")) == "C! OrW3"


def test_C10_a_full_lap_back_to_the_same_region_is_legal_and_resolves_it() -> None:
    """There are four regions: white's with 6 tiles, black's with 6, white's with 2, and tile O."""
    state = position("AW6 GB6 MW2 Or!", markers="1----", discs="45")
    assert legal(state) == "m1 m2 m3 m4"
    assert ring(state.apply("m4")) == "AW6 GB6 MW2 OrB!"


def test_C10_more_than_a_lap_is_legal_too() -> None:
    state = position("AW6! GB6 MW2 Or", discs="55")
    assert ring(state.apply("m4")) == "AW6! GB6 MW2 Or"
    assert ring(state.apply("m5")) == "AW6 GB6! MW2 Or"


# C11 to C13: counting, building, taking over


def test_C11_a_side_counts_the_cubes_of_its_clans_and_its_castles() -> None:
    state = position("A! Br2yg3bW", markers="0011-")
    assert state.forecast()[1].counts == (2 + 1 + 1, 3 + 1)


def test_C11_cubes_of_a_clan_that_nobody_controls_count_for_nobody() -> None:
    state = position("A! Br5y", markers="-1---").apply("m1")
    assert ring(state) == "Br5yB!"
    assert ring(position("A! Br5").apply("m1")) == "Br5!"


def test_C11_on_a_tie_for_the_most_nobody_has_the_majority() -> None:
    assert ring(position("A! Br2y2", markers="01---").apply("m1")) == "Br2y2!"


def test_C11_with_three_sides_a_tie_for_the_most_is_no_majority_even_if_the_third_has_less() -> None:
    """Counted in every order of the sides: 2-2-1, 2-1-2 and 1-2-2."""
    for markers in ("012--", "021--", "210--"):
        assert ring(position("A! Br2y2g", options="3", markers=markers).apply("m1")) == "Br2y2g!"


def test_C11_with_three_sides_more_than_each_other_side_is_enough() -> None:
    """2 against 1 and 1 is no more than half, and wins; so does the last side after a tie of the first two."""
    assert ring(position("A! Br2yg", options="3", markers="012--").apply("m1")) == "Br2ygW!"
    assert ring(position("A! Br2yg", options="3", markers="201--").apply("m1")) == "Br2ygG!"


def test_C11_it_makes_no_difference_whose_turn_it_is() -> None:
    state = position("A! Br", markers="1----")
    assert state.actor == 0
    assert ring(state.apply("m1")) == "BrB!"


def test_C11_partners_count_together() -> None:
    """Seats 0 and 2 control red and green: 4 against 1. Then seats 1 and 3 yellow and green: 3 against 2."""
    assert ring(position("A! Bryg3", options="4", markers="012--").apply("m1")) == "Bryg3W!"
    assert ring(position("A! Bryg2b", options="4", markers="0132-").apply("m1")) == "Bryg2bB!"


def test_C12_the_side_with_a_majority_builds_one_castle() -> None:
    state = position("A! Br4", markers="0----").apply("m1")
    assert ring(state) == "Br4W!"
    assert state.position["stock"][0].tolist() == [9, 10, 0]


def test_C12_one_cube_is_enough_to_build() -> None:
    assert ring(position("A! Bp", markers="----1").apply("m1")) == "BpB!"


def test_C12_nobody_builds_on_an_empty_region() -> None:
    assert ring(position("A!", markers="01010").apply("m1")) == "B!"


def test_C13_the_castles_of_another_side_are_replaced_one_for_one() -> None:
    state = position("A! Br6B3", markers="0----").apply("m1")
    assert ring(state) == "Br6W3!"
    assert state.position["stock"][0].tolist() == [7, 10, 0]


def test_C13_a_tie_leaves_the_castles_as_they_are() -> None:
    state = position("A! Br3B3", markers="0----")
    assert state.forecast()[1].counts == (3, 3)
    assert ring(state.apply("m1")) == "Br3B3!"


def test_C13_with_three_sides_a_tie_of_two_rivals_leaves_the_castles_of_the_third() -> None:
    assert ring(position("A! Br2g2B", options="3", markers="0-2--").apply("m1")) == "Br2g2B!"


def test_C13_the_majority_of_the_holder_changes_nothing() -> None:
    """Neither a further castle, nor a merger."""
    state = position("A! Br5W", markers="0----").apply("m1")
    assert ring(state) == "Br5W!"
    assert state.position["stock"][0].tolist() == [9, 10, 0]


def test_C13_castles_of_side_0_are_taken_over_like_any_others() -> None:
    assert ring(position("A! Br2W", markers="1----").apply("m1")) == "Br2B!"


def test_C13_castles_without_a_majority_of_anybody_else_stay() -> None:
    assert ring(position("A! BrB", markers="-----").apply("m1")) == "BrB!"


# C14: merging


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A! Br CgW2", "BrgW3!"),
        ("A! BgW2 Dr", "BrgW3!"),
        ("A! BgW Cr DyW2", "BrygW4!"),
        ("A! Br CgB2", "BrW! CgB2"),
    ],
)
def test_C14_neighbours_of_the_same_side_merge_with_a_new_castle(before: str, after: str) -> None:
    steps = "m2" if before.startswith("A! Bg") else "m1"
    assert ring(position(before, discs="25", markers="0----").apply(steps)) == after


def test_C14_a_taken_region_merges_with_both_neighbours_at_once() -> None:
    state = position("A! BpW Cr4B3 FbW2", discs="25", markers="0----").apply("m2")
    assert ring(state) == "Br4bpW6!"
    assert told(state).regions == "A/Br4bpW6!/H/I/J/K/L/M/N/O"


def test_C14_merging_goes_around_the_first_tile() -> None:
    state = position("N! Or AgW", markers="0----").apply("m1")
    assert ring(state) == "OrgW2!"
    assert told(state).regions == "B/C/D/E/F/G/H/I/J/K/L/M/N/OrgW2!"
    assert ring(position("L! MyW2 Or2B AgW2", markers="0----", discs="25").apply("m2")) == "Mr2ygW5!"


def test_C14_regions_further_away_do_not_merge() -> None:
    assert ring(position("A! Br DgW", markers="0----").apply("m1")) == "BrW! DgW"


def test_C14_castles_of_another_side_do_not_merge() -> None:
    state = position("A! BgW Cr DyG", discs="245", options="3", markers="1----")
    assert ring(state.apply("m2")) == "BgW CrB! DyG"


def test_C14_a_merged_region_is_not_resolved_again() -> None:
    """The merged region holds 9 yellow cubes of black, yet it stays white's."""
    state = position("A! Br Cy9W", markers="01---").apply("m1")
    assert ring(state) == "Bry9W2!"
    counts = state.forecast()[1].counts
    assert counts == (3, 9)


def test_C14_without_a_new_castle_nothing_merges() -> None:
    """A region that keeps its castles has merged already; no neighbour of its side is left in any random game."""
    for history in random_games(0, 12, round_limit=20):
        for state in history.states[:-1]:
            holders = state.position["holder"][0][state.position["tiles"][0] > 0].tolist()
            pairs = zip(holders, holders[1:] + holders[:1], strict=True)
            assert not any(one == other != 255 for one, other in pairs)


def test_C14_regions_never_split() -> None:
    for history in random_games(12, 12, round_limit=20):
        heads = [state.position["tiles"][0] > 0 for state in history.states]
        assert all((after <= before).all() for before, after in pairwise(heads))


# C15: too few castles


def test_C15_a_takeover_puts_up_the_castles_that_are_left_and_wins() -> None:
    """White has 8 castles in play, and takes over 3 with the 2 it has left."""
    state = position("A! Br9B3 FW8", markers="0----").apply("m1")
    assert told(state).regions == "A/Br9W2!/E/FW8/N/O"
    assert state.outcome is not None
    assert (state.outcome.winners, state.outcome.reason, state.outcome.scores) == ((0,), "castles", (10, 0))


def test_C15_just_enough_castles_also_win() -> None:
    state = position("A! Br9B3 FW7", markers="0----").apply("m1")
    assert ring(state) == "Br9W3! FW7"
    assert state.is_over


def test_C15_one_castle_more_than_needed_does_not_win() -> None:
    state = position("A! Br9B3 FW6", markers="0----").apply("m1")
    assert ring(state) == "Br9W3! FW6"
    assert not state.is_over


# C16: the throw


@pytest.mark.parametrize(("options", "dice"), [("2", 3), ("3", 4), ("4", 3)])
def test_C16_the_seat_throws_3_dice_or_4_with_three_players(options: str, dice: int) -> None:
    state = position("A!", options=options, reserves=["r4"]).apply("m1")
    assert told(state).phase == f"throw:{dice}"
    assert state.is_chance


def test_C16_the_number_of_dice_is_the_same_however_few_cubes_were_played() -> None:
    state = play(position("A!", reserves=["r"], phase="cube:1"), "rB m1")
    assert told(state).phase == "throw:3"
    assert seat(state.apply("dice:ryg"), 0).reserve == "ryg"


def test_C16_clans_are_served_first_and_then_the_crowns_one_at_a_time() -> None:
    """One red cube is left: the die takes it before a crown could name red."""
    state = position("A! Br39", phase="throw:3").apply("dice:r**")
    assert (seat(state, 0).reserve, told(state).phase) == ("r", "crown:2")
    assert legal(state) == "=y =g =b =p"
    state = state.apply("=y")
    assert (seat(state, 0).reserve, told(state).phase) == ("ry", "crown:1")


def test_C16_each_cube_is_taken_before_the_next_clan_is_named() -> None:
    state = position("A! Br39", phase="throw:3").apply("dice:***")
    assert legal(state) == "=r =y =g =b =p"
    assert legal(state.apply("=r")) == "=y =g =b =p"


def test_C16_after_the_last_crown_the_next_seat_has_its_turn() -> None:
    state = position("A!", reserves=["-", "r3"], phase="throw:3").apply("dice:rb*").apply("=p")
    assert (state.actor, told(state).phase, seat(state, 0).reserve) == (1, "cube:3", "rbp")


@pytest.mark.parametrize(("options", "full"), [("2", 7), ("3", 9), ("4", 7)])
def test_C16_the_reserve_is_then_full_again(options: str, full: int) -> None:
    number = 4 if options == "3" else 3
    state = position("A!", options=options, reserves=[f"r{full}"], phase=f"cube:{number}")
    state = play(state, "rB " * number + "m1 dice:" + "y" * number)
    assert seat(state, 0).reserve == f"r{full - number}y{number}"


# C17: no secrets


def test_C17_every_seat_and_every_spectator_sees_everything() -> None:
    for state in next(random_games(3, 1)).states[::10]:
        views = [state.view(viewer).text for viewer in [None, *range(state.players)]]
        assert set(views) == {state.text}


def test_C17_the_only_chance_is_the_deal_the_first_tile_the_lot_and_the_dice() -> None:
    kinds = set()
    for history in random_games(0, 6):
        kinds |= {str(step.action).split(":")[0] for step in history.steps if step.seat is None}
        assert all(":" not in str(step.action) for step in history.steps if step.seat is not None)
    assert kinds == {"deal", "emperor", "first", "dice"}
