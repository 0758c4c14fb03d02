"""When cubes run out: courts give back, dice become crowns, seats go without (C18 to C20)."""

from itertools import pairwise

import pytest

from aachen import carolus
from helpers import EVERYTHING, full_ring, legal, play, position, random_games, ring, seat, told


def short_of_red(*courts: str, on_board: int) -> carolus.State:
    """Seat 0 is to throw, and no red cube is left in the middle: all are at courts and on tile B."""
    options = str(len(courts))
    state = position(
        f"A! Br{on_board}",
        options=options,
        courts=courts,
        markers="0----",
        phase="throw:4" if options == "3" else "throw:3",
    )
    assert state.position["supply"][0][0] == 0
    return state


def courts(state: carolus.State) -> list[str]:
    return [seat(state, one).court for one in range(state.players)]


# C18: courts give back


def test_C18_an_empty_clan_alone_triggers_nothing() -> None:
    state = short_of_red("r6", "r4", on_board=30).apply("dice:ygb")
    assert courts(state) == ["r6", "r4"]


def test_C18_taking_the_last_cube_triggers_nothing() -> None:
    state = position("A! Br29", courts=["r6", "r4"], markers="0----", phase="throw:3").apply("dice:ryy")
    assert courts(state) == ["r6", "r4"]
    assert state.position["supply"][0][0] == 0


def test_C18_every_seat_returns_the_largest_number_that_all_can_return() -> None:
    """6 and 4 at court: both return 4. Of the 8, one is taken at once."""
    state = short_of_red("r6", "r4", on_board=30).apply("dice:ryy")
    assert courts(state) == ["r2", "-"]
    assert seat(state, 0).reserve == "ry2"
    assert state.position["supply"][0][0] == 7


def test_C18_with_three_players_all_three_courts_return_the_same() -> None:
    state = short_of_red("r7", "r3", "r5", on_board=25).apply("dice:rgbp")
    assert courts(state) == ["r4", "-", "r2"]
    assert state.position["supply"][0][0] == 8


def test_C18_with_four_players_all_four_courts_return_the_same_partners_too() -> None:
    state = short_of_red("r4", "r3", "r2", "r4", on_board=27).apply("dice:ryy")
    assert courts(state) == ["r2", "r", "-", "r2"]
    assert state.position["supply"][0][0] == 7


def test_C18_the_other_clans_at_court_stay() -> None:
    state = position("A! Br30", courts=["r6g2", "r4p"], markers="0-0-1", phase="throw:3").apply("dice:rrr")
    assert courts(state) == ["r2g2", "p"]


def test_C18_control_does_not_change() -> None:
    """Equal courts: the marker stays with its holder, even when no cube of the clan is left at any court."""
    for holder in (0, 1):
        state = position("A! Br30", courts=["r5", "r5"], markers=f"{holder}----", phase="throw:3").apply("dice:ryy")
        assert courts(state) == ["-", "-"]
        assert told(state).markers == f"{holder}----"


def test_C18_in_random_games_every_return_keeps_the_differences_and_the_markers() -> None:
    returns = 0
    for history in random_games(0, 36):
        for before, after in pairwise(history.states):
            old, new = before.position[0], after.position[0]
            given = old["court"][: before.players].astype(int) - new["court"][: before.players]
            if (given > 0).any():
                returns += 1
                assert (given == given[0]).all()
                assert old["marker"].tolist() == new["marker"].tolist()
    assert returns > 0


def test_C18_a_crown_that_names_an_empty_clan_makes_the_courts_give_back() -> None:
    state = short_of_red("r6", "r4", on_board=30).apply("dice:yy*")
    assert courts(state) == ["r6", "r4"]
    state = state.apply("=r")
    assert courts(state) == ["r2", "-"]
    assert seat(state, 0).reserve == "ry2"


def test_C18_returned_cubes_serve_the_dice_that_follow_in_the_throw() -> None:
    """One cube from each court serves two dice; the third die finds nothing, and counts as a crown."""
    state = short_of_red("r2", "r", on_board=37).apply("dice:rrr")
    assert courts(state) == ["r", "-"]
    assert (seat(state, 0).reserve, told(state).phase) == ("r2", "crown:1")


# C19: a die that counts as a crown


def test_C19_if_some_court_has_none_the_die_counts_as_a_crown() -> None:
    state = short_of_red("r8", "-", on_board=32).apply("dice:ryy")
    assert courts(state) == ["r8", "-"]
    assert (seat(state, 0).reserve, told(state).phase) == ("y2", "crown:1")
    assert state.actor == 0


def test_C19_with_three_players_one_court_without_the_clan_is_enough() -> None:
    state = short_of_red("r8", "r3", "-", on_board=29).apply("dice:ryyy")
    assert courts(state) == ["r8", "r3", "-"]
    assert told(state).phase == "crown:1"


def test_C19_the_made_crowns_come_after_all_clans_and_with_the_thrown_crowns() -> None:
    state = short_of_red("r8", "-", on_board=32).apply("dice:rg*")
    assert (seat(state, 0).reserve, told(state).phase) == ("g", "crown:2")


def test_C19_a_crown_may_only_name_a_clan_that_can_be_taken() -> None:
    """Red is gone. Yellow is gone too, but both courts have some; green lies in the middle; blue and pink are gone."""
    state = position("A! Br40y30g39b40p40", courts=["y6", "y4"], markers="-0---", reserves=["-", "-"], phase="crown:2")
    assert legal(state) == "=y =g"
    assert legal(state.apply("=g")) == "=y"


def test_C19_a_crown_in_the_set_up_has_every_clan_to_choose_from() -> None:
    state = carolus.read(
        "carolus 2 Ar/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op! -:r2:12345:-/-:-:12345:- ----- >01 crown:1 0"
    )
    assert legal(state) == "=r =y =g =b =p"


# C20: nothing to take, little to play


def test_C20_when_no_clan_can_be_taken_the_seat_goes_without() -> None:
    state = position(f"A! B{EVERYTHING}", phase="throw:3").apply("dice:r**")
    assert seat(state, 0).reserve == "-"
    assert (state.actor, told(state).phase) == (1, "move")


def test_C20_crowns_beyond_the_last_cube_are_dropped() -> None:
    state = position("A! Br39y40g40b40p40", phase="throw:3").apply("dice:***")
    assert (legal(state), told(state).phase) == ("=r", "crown:3")
    state = state.apply("=r")
    assert seat(state, 0).reserve == "r"
    assert state.actor == 1


@pytest.mark.parametrize(("options", "reserve", "due"), [("2", "ry", 2), ("3", "r2y", 3), ("4", "p", 1)])
def test_C20_a_seat_with_fewer_cubes_than_it_must_play_plays_all_it_has(options: str, reserve: str, due: int) -> None:
    players = int(options)
    seats = "/".join([f"-:{reserve}:12345:-", *["-:-:12345:-"] * (players - 1)])
    order = ">" + "0123"[:players]
    state = carolus.read(f"carolus {options} {full_ring('A!')} {seats} ----- {order} disc 1")
    state = play(state, "d1 d2 d3 d4"[: 3 * players - 1])
    assert told(state).phase == f"cube:{due}"
    for _ in range(due):
        state = state.apply(state.legal_actions()[0])
    assert (seat(state, 0).reserve, told(state).phase) == ("-", "move")


def test_C20_a_seat_without_cubes_still_moves_the_Emperor_and_throws() -> None:
    state = carolus.read(f"carolus 2 {full_ring('A! Br')} -:-:12345:-/-:g:12345:- 0---- >01 disc 1")
    state = play(state, "d1 d2")
    assert (state.actor, told(state).phase, legal(state)) == (0, "move", "m1")
    state = state.apply("m1")
    assert ring(state) == "BrW!"
    assert told(state).phase == "throw:3"
    assert seat(state.apply("dice:ygb"), 0).reserve == "ygb"
