"""The variants: one die may be chosen, crowns wait as jokers, partners may talk (C24 to C26)."""

from typing import Any

import pytest

from aachen import carolus
from helpers import EVERYTHING, full_ring, legal, play, position, random_games, ring, seat, told

# C24: dice = "choose-one"


@pytest.mark.parametrize(("players", "dice"), [(2, 3), (3, 4), (4, 3)])
def test_C24_before_its_throw_a_seat_may_name_one_clan_or_throw_all(players: int, dice: int) -> None:
    state = position("A!", options=f"{players}+choose-one").apply("m1")
    assert (told(state).phase, state.actor) == ("choose", 0)
    assert legal(state) == "=r =y =g =b =p all"
    assert told(state.apply("all")).phase == f"throw:{dice}"
    assert told(state.apply("=g")).phase == f"throw:{dice - 1}"


def test_C24_the_named_cube_is_taken_at_once() -> None:
    state = position("A!", options="2+choose-one", reserves=["r4"]).apply("m1").apply("=g")
    assert seat(state, 0).reserve == "r4g"
    assert seat(state.apply("dice:yy"), 0).reserve == "r4y2g"


def test_C24_who_throws_all_takes_no_cube_before() -> None:
    state = position("A!", options="2+choose-one", reserves=["r4"]).apply("m1").apply("all")
    assert seat(state, 0).reserve == "r4"


def test_C24_only_a_clan_that_can_be_taken_may_be_named() -> None:
    """Red and blue are gone, and nobody can return any; yellow is gone, but both courts have some."""
    state = position("A! Br40y36b40", options="2+choose-one", courts=["y2", "y2"], markers="-0---", phase="choose")
    assert legal(state) == "=y =g =p all"
    after = state.apply("=y")
    assert [seat(after, one).court for one in (0, 1)] == ["-", "-"]
    assert seat(after, 0).reserve == "y"


def test_C24_there_is_no_offer_when_no_clan_can_be_taken() -> None:
    """Reading (b)."""
    state = position(f"A! B{EVERYTHING}", options="2+choose-one").apply("m1")
    assert told(state).phase == "throw:3"


def test_C24_there_is_no_offer_before_the_throws_of_the_set_up() -> None:
    for history in random_games(3, 3):
        assert history.state.options["dice"] == "choose-one"
        set_up = [told(state).phase for state in history.states if told(state).round == "0"]
        assert "fill:3" in set_up
        assert "choose" not in set_up


def test_C24_there_is_no_offer_in_the_usual_game() -> None:
    assert told(position("A!").apply("m1")).phase == "throw:3"


def test_C24_the_crowns_of_the_smaller_throw_are_named_as_always() -> None:
    state = play(position("A!", options="2+choose-one"), "m1 =r dice:**")
    assert told(state).phase == "crown:2"
    assert seat(play(state, "=b =p"), 0).reserve == "rbp"


def test_C24_the_named_die_is_never_a_joker() -> None:
    state = play(position("A!", options="2+choose-one+deferred"), "m1 =r dice:**")
    assert seat(state, 0).reserve == "r*2"


# C25: crowns = "deferred"

SET_UP = "Ar/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op!"


def test_C25_crowns_thrown_in_the_set_up_go_to_the_reserve_as_jokers() -> None:
    state = carolus.read(f"carolus 2+deferred {SET_UP} -:-:12345:-/-:-:12345:- ----- >01 fill:3 0")
    state = play(state, "dice:r** dice:***")
    assert seat(state, 0).reserve == "r*5"
    assert told(state).phase == "fill:1"
    assert told(state.apply("dice:*")).order == "0>1"


def test_C25_crowns_thrown_in_a_turn_go_to_the_reserve_as_jokers() -> None:
    state = position("A!", options="2+deferred", reserves=["r4", "r3"], phase="throw:3").apply("dice:y**")
    assert seat(state, 0).reserve == "r4y*2"
    assert (state.actor, told(state).phase) == (1, "cube:3")


def test_C25_a_die_that_becomes_a_crown_by_C19_is_a_joker_too() -> None:
    state = position("A! Br40", options="2+deferred", reserves=["-", "y"], phase="throw:3").apply("dice:rg*")
    assert seat(state, 0).reserve == "g*2"


def discs_played(reserve: str, *, regions: str = "A!", courts: tuple[str, str] = ("-", "-")) -> carolus.State:
    """The last disc of a round has been played; seat 0 begins, with jokers in its reserve."""
    seats = f"{courts[0]}:{reserve}:12345:-/{courts[1]}:-:12345:-"
    markers = "".join("0" if clan in courts[0] else "-" for clan in "rygbp")
    return play(carolus.read(f"carolus 2+deferred {full_ring(regions)} {seats} {markers} >01 disc 1"), "d1 d2")


def test_C25_a_seat_names_all_its_jokers_at_the_start_of_its_turn_one_by_one() -> None:
    state = discs_played("r2*2")
    assert (told(state).phase, state.actor, legal(state)) == ("joker", 0, "=r =y =g =b =p")
    state = state.apply("=b")
    assert (told(state).phase, seat(state, 0).reserve) == ("joker", "r2b*")
    state = state.apply("=p")
    assert (told(state).phase, seat(state, 0).reserve) == ("cube:3", "r2bp")


def test_C25_jokers_are_not_named_before_the_own_turn() -> None:
    state = position("A!", options="2+deferred", reserves=["r3", "y2*"], phase="cube:3")
    assert state.actor == 0
    state = play(state, "rB rB rB m1 dice:rrr")
    assert (told(state).phase, state.actor) == ("joker", 1)
    assert told(state.apply("=y")).phase == "cube:3"


def test_C25_C18_holds_for_a_joker() -> None:
    state = discs_played("*", regions="A! Br32", courts=("r5", "r3"))
    state = state.apply("=r")
    assert [seat(state, one).court for one in (0, 1)] == ["r2", "-"]
    assert seat(state, 0).reserve == "r"
    assert told(state).markers == "0----"


def test_C25_C19_holds_for_a_joker() -> None:
    assert legal(discs_played("*", regions="A! Br40b40")) == "=y =g =p"


def test_C25_a_joker_for_which_no_clan_can_be_taken_is_lost() -> None:
    """Every cube of the game is on tile B: both jokers are lost, and there is nothing to play (C20)."""
    state = discs_played("*2", regions=f"A! B{EVERYTHING}")
    assert (seat(state, 0).reserve, told(state).phase) == ("-", "move")


def test_C25_the_jokers_behind_the_last_cube_are_lost() -> None:
    state = discs_played("*3", regions="A! Br39y40g40b40p40")
    assert legal(state) == "=r"
    state = state.apply("=r")
    assert (seat(state, 0).reserve, told(state).phase) == ("r", "cube:1")


def test_C25_only_after_the_jokers_does_C20_count_the_reserve() -> None:
    assert told(play(discs_played("r*2"), "=r =r")).phase == "cube:3"
    assert told(play(discs_played("r*"), "=r")).phase == "cube:2"


def test_C25_jokers_count_as_cubes_at_the_start_of_a_round() -> None:
    """C21: reserves with a joker are not empty, even if nothing can be taken for it."""
    state = position(f"A! B{EVERYTHING}", options="2+deferred", reserves=["*"], turn=1, phase="throw:3")
    assert told(state.apply("dice:rrr")).phase == "disc"


def test_C25_a_round_of_lost_jokers_and_new_ones_goes_on() -> None:
    """Dice that find no cube become jokers, so that with deferred crowns the next round begins."""
    state = position(f"A! B{EVERYTHING}", options="2+deferred", turn=1, phase="throw:3").apply("dice:ryg")
    assert (seat(state, 1).reserve, told(state).phase) == ("*3", "disc")


def test_C25_in_the_usual_game_no_reserve_ever_holds_a_joker() -> None:
    for history in random_games(0, 6):
        assert history.state.options["crowns"] == "at-once"
        assert not any(state.position["jokers"].any() for state in history.states)


# C26: talk


def test_C26_talk_is_an_option_that_is_open_or_none() -> None:
    assert carolus.table(4).options["talk"] == "open"
    assert carolus.table(4, talk="none").options["talk"] == "none"


def test_C26_talk_rules_nothing_else() -> None:
    """The same dice and the same choices give the same game, but for the option itself."""
    start = carolus.new(4, seed=26)
    silent = carolus.new(4, seed=26, talk="none")
    assert silent.text == start.text.replace("carolus 4 ", "carolus 4+silent ")
    for history in random_games(2, 1, talk="none"):
        options: dict[str, Any] = history.start.options | {"talk": "open"}
        state = carolus.table(**options)
        for quiet, step in zip(history.states, history.steps, strict=False):
            assert quiet.legal_actions() == state.legal_actions()
            assert quiet.chance_weights() == state.chance_weights()
            state = state.apply(step.action)
        assert state.outcome == history.state.outcome
        assert ring(state) == ring(history.state)
