"""The rulebook's own examples, with its figures (E1 to E6). White is seat 0, black seat 1."""

from aachen import carolus
from helpers import forecast_at, legal, play, position, ring, seat, told

#: Figure 5: what white and black have at court. White has the red and pink markers, black the other three.
COURTS = ("r7y5g3b6p8", "r6y6g5b8p5")
RESERVES = ("r2y3", "r3")
MARKERS = "01110"


# E1, E2: figures 2 to 4


def castle_of_black(neighbours: str = "") -> carolus.State:
    """Region C has a black castle, 2 green and 1 red; black controls green, white red. White has a green cube left."""
    return position(
        f"A! Crg2B {neighbours}",
        courts=["rg", "g"],
        reserves=["g"],
        markers="0-1--",
        discs="25",
        phase="cube:1",
    )


def test_E1_black_counts_3_and_white_1_while_black_controls_green() -> None:
    assert forecast_at(castle_of_black(), "C").counts == (1, 3)


def test_E1_white_counts_3_and_black_1_once_white_has_the_green_marker() -> None:
    state = castle_of_black().apply("g@")
    assert told(state).markers == "0-0--"
    assert forecast_at(state, "C").counts == (3, 1)


def test_E1_nothing_happens_until_the_Emperor_stops_there() -> None:
    assert ring(castle_of_black().apply("g@")) == "A! Crg2B"
    assert ring(play(castle_of_black(), "g@ m1")) == "B! Crg2B"


def test_E1_the_Emperor_stops_and_a_white_castle_replaces_the_black_one() -> None:
    state = play(castle_of_black(), "g@ m2")
    assert ring(state) == "Crg2W!"
    assert state.position["stock"][0].tolist() == [9, 10, 0]


def test_E2_with_white_neighbours_the_three_merge_into_one_region_of_3_castles_and_6_cubes() -> None:
    state = play(castle_of_black("BypW DbW"), "g@ m2")
    assert ring(state) == "Bryg2bpW3!"
    assert int(state.position["cubes"][0][1].sum()) == 6
    assert told(state).regions == "A/Bryg2bpW3!/E/F/G/H/I/J/K/L/M/N/O"


# E3: figure 5


def figure_5() -> carolus.State:
    return position("A!", courts=COURTS, reserves=RESERVES, markers=MARKERS, discs="35", phase="cube:3")


def test_E3_the_markers_are_with_those_who_have_more_at_court() -> None:
    state = figure_5()
    court = state.position["court"][0][:2].tolist()
    assert court == [[7, 5, 3, 6, 8], [6, 6, 5, 8, 5]]
    leaders = "".join("0" if white > black else "1" for white, black in zip(*court, strict=True))
    assert leaders == told(state).markers == "01110"


def test_E3_if_white_leaves_red_alone_black_wins_it_by_9_to_7() -> None:
    state = play(figure_5(), "yB yB yB m1 dice:ggg r@ r@")
    assert told(state).markers == "11110"
    assert seat(state.apply("r@"), 1).court.startswith("r9")


def test_E3_two_more_red_defend_the_marker_because_a_tie_changes_nothing() -> None:
    state = play(figure_5(), "r@ r@ yB m1 dice:ggg r@ r@ r@")
    assert (seat(state, 0).court, seat(state, 1).court) == ("r9y5g3b6p8", "r9y6g5b8p5")
    assert told(state).markers == "01110"


def test_E3_two_yellow_take_the_yellow_marker_by_7_to_6() -> None:
    state = figure_5().apply("y@")
    assert told(state).markers == "01110"
    assert told(state.apply("y@")).markers == "00110"


# E4: figure 6. The regions A, B, C, D of the rulebook are the regions A, C, D, G here, by their first tiles.

FIGURE_6 = "AB2! Cb2W Dr2y3g2bpB3 GW"


def figure_6(phase: str = "cube:3", turn: int = 0) -> carolus.State:
    return position(
        FIGURE_6, courts=COURTS, reserves=RESERVES, markers=MARKERS, discs="35", phase=phase, turn=turn
    )  # fmt: skip


def test_E4_at_first_black_counts_9_and_white_3() -> None:
    assert forecast_at(figure_6(), "D").counts == (3, 9)


def test_E4_after_three_yellow_cubes_white_counts_7_and_black_6() -> None:
    state = play(figure_6(), "y@ y@ yD")
    assert told(state).markers == "00110"
    assert forecast_at(state, "D").counts == (7, 6)
    assert legal(state) == "m1 m2 m3"


def test_E4_the_counterattack_makes_one_region_of_5_white_castles() -> None:
    state = play(figure_6(), "y@ y@ yD m2")
    assert ring(state) == "AB2 Cr2y4g2b3pW5!"
    assert state.position["stock"][0].tolist() == [5, 8, 0]


def test_E4_had_black_moved_one_step_its_region_would_have_6_castles() -> None:
    state = figure_6(phase="move", turn=1)
    assert state.actor == 1
    assert forecast_at(state, "C").majority == 1
    state = state.apply("m1")
    assert ring(state) == "Ar2y3g2b3pB6! GW"
    assert state.position["stock"][0].tolist() == [9, 4, 0]


# E5, E6


def test_E5_Bob_with_disc_2_acts_first_then_Albert_with_3_and_Bob_plays_the_next_rounds_first_disc() -> None:
    albert, bob = 0, 1
    state = carolus.read(
        "carolus 2 Ar!/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op "
        "-:r3y4:12345:-/-:g3b4:12345:- ----- >01 disc 1"
    )  # fmt: skip
    assert state.actor == albert
    state = state.apply("d3")
    assert state.actor == bob
    assert legal(state) == "d1 d2 d4 d5"
    state = play(state, "d2 gA gA gA")
    assert (state.actor, legal(state)) == (bob, "m1 m2")
    state = play(state, "m1 dice:ggg rA rA rA")
    assert (state.actor, legal(state)) == (albert, "m1 m2 m3")
    state = play(state, "m1 dice:rrr")
    assert (told(state).phase, told(state).round) == ("disc", "2")
    assert state.actor == bob


def test_E6_Anna_takes_the_red_marker_with_one_cube_and_builds_on_a_red_tile() -> None:
    state = carolus.read(
        "carolus 2 Ap!/Br/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Oy "
        "-:ry4gb:2345:1/-:g3b4:1345:2 ----- >01 cube:3 1"
    )  # fmt: skip
    state = state.apply("r@")
    assert told(state).markers == "0----"
    state = play(state, "yH yI m1")
    assert told(state).regions == "Ap/BrW!/Cg/Db/Ep/Fr/Gy/Hyg/Iyb/Jp/Kr/Ly/Mg/Nb/Oy"
    assert state.position["stock"][0].tolist() == [9, 10, 0]
