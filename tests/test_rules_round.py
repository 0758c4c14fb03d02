"""A round: discs, the order of turns, the discs' return, and the end for want of cubes or rounds (C5 to C7, C21)."""

import pytest

from aachen import carolus
from helpers import EVERYTHING, full_ring, legal, play, position, random_games, seat, told

RING = full_ring("Ar!")


def opening(seats: str, *, players: int = 2, order: str = "", number: int = 1, options: str = "") -> carolus.State:
    """The opening of a round: each seat's unused discs and the one it has played, such as `1234:5`."""
    full = "/".join(f"-:r3y2g:{discs}" for discs in seats.split())
    order = order or ">" + "0123"[:players]
    return carolus.read(f"carolus {players}{options} {RING} {full} ----- {order} disc {number}")


def last_turn(*, discs: str = "12", number: int, unused: str = "-", options: str = "2") -> carolus.State:
    """Two players; the last throw of the round is due. `unused` is what both have left."""
    seats = "/".join(f"-:r4:{unused}:{disc}" for disc in discs)
    return carolus.read(f"carolus {options} {RING} {seats} ----- 0>1 throw:3 {number}")


def test_C5_the_seats_play_their_discs_in_turn_order() -> None:
    state = opening("12345:- 12345:- 12345:-", players=3, order=">201")
    asked = []
    for disc in ("d4", "d1", "d2"):
        asked.append(state.actor)
        state = state.apply(disc)
    assert asked == [2, 0, 1]


def test_C5_the_first_seat_may_play_any_of_its_unused_discs() -> None:
    assert legal(opening("135:- 245:-", number=3)) == "d1 d3 d5"


def test_C5_a_played_disc_lies_face_up_and_is_used() -> None:
    state = opening("12345:- 12345:-").apply("d3")
    assert seat(state, 0) == ("-", "r3y2g", "1245", "3")
    assert told(state).order == "0>1"


def test_C5_a_disc_must_differ_from_every_disc_already_played_this_round() -> None:
    state = play(opening("12345:- 12345:- 12345:- 12345:-", players=4), "d2 d5 d1")
    assert legal(state) == "d3 d4"


def test_C5_a_seat_with_no_other_disc_left_may_play_an_equal_one() -> None:
    assert legal(opening("-:3 3:-", order="0>1", number=5)) == "d3"


def test_C5_a_seat_whose_unused_discs_are_all_taken_may_play_any_of_them() -> None:
    """With three discs on the table and two left in hand, both of them taken."""
    state = opening("3:1 5:2 1:3 12:-", players=4, order="012>3", number=4)
    assert legal(state) == "d1 d2"


def test_C5_one_fresh_disc_left_must_be_played() -> None:
    assert legal(opening("3:1 13:-", order="0>1", number=4)) == "d3"


@pytest.mark.parametrize(
    ("players", "discs", "order"),
    [
        (2, "d1 d2", ">01"), (2, "d2 d1", ">10"), (2, "d5 d4", ">10"),
        (3, "d3 d1 d2", ">120"), (3, "d1 d2 d5", ">012"), (3, "d5 d3 d1", ">210"),
        (4, "d3 d1 d4 d2", ">1302"), (4, "d5 d4 d3 d2", ">3210"),
    ],
)  # fmt: skip
def test_C6_turns_go_by_disc_from_low_to_high(players: int, discs: str, order: str) -> None:
    state = play(opening(" ".join(["12345:-"] * players), players=players), discs)
    assert told(state).order == order
    assert told(state).phase == ("cube:4" if players == 3 else "cube:3")
    assert state.actor == int(order[1])


def test_C6_of_equal_discs_the_one_played_earlier_counts_as_lower() -> None:
    assert told(opening("-:2 2:-", order="0>1", number=5).apply("d2")).order == ">01"
    assert told(opening("2:- -:2", order="1>0", number=5).apply("d2")).order == ">10"


def test_C6_an_equal_disc_played_later_still_goes_before_a_higher_one() -> None:
    state = opening("-:4 -:2 2:-", players=3, order="01>2", number=5)
    assert told(state.apply("d2")).order == ">120"


def test_C6_two_pairs_of_equal_discs_keep_the_order_in_which_they_were_played() -> None:
    state = opening("3:- -:3 1:- -:1", players=4, order="31>20", number=5)
    assert told(play(state, "d1 d3")).order == ">3210"


def test_C6_the_order_of_turns_is_the_order_of_discs_in_the_next_round() -> None:
    state = opening("12345:- 12345:-").apply("d4").apply("d2")
    assert told(state).order == ">10"
    state = play(state, "r@ r@ r@ m1 dice:rrr y@ y@ g@ m1 dice:rrr")
    assert told(state)[5:] == (">10", "disc", "2")
    assert state.actor == 1


def test_C7_the_discs_stay_away_until_the_fifth_round_is_over() -> None:
    state = carolus.read(f"carolus 2 {RING} -:r4:5:1/-:r4:4:2 ----- 0>1 throw:3 4").apply("dice:yyy")
    assert (seat(state, 0).unused, seat(state, 1).unused) == ("5", "4")
    assert (seat(state, 0).disc, seat(state, 1).disc) == ("-", "-")


@pytest.mark.parametrize("number", [5, 10, 95])
def test_C7_after_every_fifth_round_every_seat_takes_its_five_discs_back(number: int) -> None:
    state = last_turn(number=number).apply("dice:yyy")
    assert (seat(state, 0).unused, seat(state, 1).unused) == ("12345", "12345")
    assert (told(state).phase, told(state).round) == ("disc", str(number + 1))


def test_C7_in_every_round_of_random_games_a_seat_has_the_discs_that_the_rounds_left_it() -> None:
    for history in random_games(0, 6):
        for state in history.states:
            if told(state).phase == "disc" and told(state).order.startswith(">"):
                left = 5 - (int(told(state).round) - 1) % 5
                assert all(len(seat(state, one).unused) == left for one in range(state.players))


def test_C21_with_no_cube_in_any_reserve_at_the_start_of_a_round_the_game_ends() -> None:
    """Nothing can be taken: every cube of the game lies on tile B."""
    state = position(f"A! B{EVERYTHING}", turn=1, phase="throw:3").apply("dice:ryg")
    assert state.outcome is not None
    assert state.outcome.reason == "cubes"
    assert told(state).phase == "over"


def test_C21_one_cube_in_one_reserve_is_enough_for_another_round() -> None:
    state = position("A! Br39y40g40b40p40", reserves=["r"], turn=1, phase="throw:3").apply("dice:ygb")
    assert not state.is_over
    assert told(state).phase == "disc"


def test_C21_empty_reserves_do_not_end_the_game_in_the_middle_of_a_round() -> None:
    state = position(f"A! B{EVERYTHING}", turn=0, phase="throw:3").apply("dice:ryg")
    assert not state.is_over
    assert (state.actor, told(state).phase) == (1, "move")


def test_C21_the_game_ends_after_100_rounds() -> None:
    assert carolus.table().options["round_limit"] == 100
    assert not last_turn(number=95).apply("dice:rrr").is_over
    state = last_turn(number=100).apply("dice:rrr")
    assert state.outcome is not None
    assert state.outcome.reason == "rounds"
    assert told(state).round == "100"


def test_C21_the_option_round_limit_sets_another_number() -> None:
    assert not last_turn(number=5, options="2+limit=6").apply("dice:rrr").is_over
    assert last_turn(number=5, options="2+limit=5").apply("dice:rrr").is_over
    assert carolus.table(round_limit=7).options["round_limit"] == 7


def test_C21_after_the_last_round_no_seat_is_asked_and_chance_does_nothing() -> None:
    state = last_turn(number=100).apply("dice:rrr")
    assert state.actors == ()
    assert state.legal_actions() == []
    assert state.chance_weights() == {}


def test_C21_empty_reserves_after_the_last_round_end_the_game_for_want_of_cubes() -> None:
    """Reading (c): both reasons hold, and cubes is the one that is told."""
    state = position(f"A! B{EVERYTHING}", options="2+limit=1", turn=1, phase="throw:3").apply("dice:ryg")
    assert state.outcome is not None
    assert state.outcome.reason == "cubes"
