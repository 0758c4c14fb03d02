"""Values that no player would give, from programs that use the library: refused with a reason, and nothing changes."""

import copy
import pickle
from typing import Any, cast

import numpy as np
import pytest

from aachen import carolus
from aachen.bots import NAMES, make
from aachen.carolus import Clan, Cube, Deal, Disc, Move, Name, Throw
from aachen.core import (
    AachenError,
    BadNotation,
    BadOptions,
    BadPosition,
    BadRecord,
    History,
    IllegalAction,
    Record,
)  # fmt: skip
from helpers import EVERYTHING, position

RING = "Ar/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op!"


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Disc, (0,)), (Disc, (6,)), (Disc, (1.0,)), (Move, (0,)), (Move, (2.5,)), (Name, (5,)), (Name, (-1,)),
        (Name, ("r",)), (Deal, (7,)), (Cube, (Clan.RED, 15)), (Cube, (Clan.RED, -1)), (Cube, (9, 3)),
        (Cube, (Clan.RED, 1.0)), (Throw, ((),)), (Throw, ((0, 9),)), (Throw, ((0, 0, 0, 0, 0),)),
    ],
)  # fmt: skip
def test_actions_that_do_not_exist_cannot_be_made(kind: Any, values: tuple[Any, ...]) -> None:
    with pytest.raises(BadNotation, match="does not exist"):
        kind(*values)


def test_a_clan_may_be_a_bare_number() -> None:
    clan: Any = 3
    assert Name(clan) == Name(Clan.BLUE)
    assert repr(Cube(clan, 2)) == "Cube(Clan.BLUE, 2)"


@pytest.mark.parametrize(
    "options",
    [{"players": 2.0}, {"players": True}, {"round_limit": 5.0}, {"round_limit": np.array([1, 2])}, {"dice": 1}],
)
def test_options_of_another_type_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions, match="is not possible"):
        carolus.new(**options)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"carolus 2 {RING} -:r6:12345:-/-:r5:12345:- ----- >01 fill:1 0", "bad-fill"),
        (f"carolus 2 {RING} -:r3:12345:-/-:y3:12345:- ----- 0>1 fill:3 0", "bad-fill"),
        (f"carolus 3 {RING} -:r6:12345:-/-:-:12345:-/-:b:12345:- ----- >012 fill:3 0", "bad-fill"),
        (f"carolus 2+limit=0 {RING} -:r6:12345:-/-:-:12345:- ----- >01 fill:1 0", "bad-option"),
        (f"carolus 5 {RING} -:r6:12345:-/-:-:12345:- ----- >01 fill:1 0", "bad-option"),
        (f"carolus 2 {RING} -:-:12345:-/-:-:12345:- ----- >01 disc 1", "is-over"),
    ],
)
def test_positions_that_cannot_arise_are_refused(text: str, code: str) -> None:
    with pytest.raises(BadPosition) as refused:
        carolus.read(text)
    assert refused.value.code == code


@pytest.mark.parametrize(("options", "phase"), [("2", "crown:1"), ("2+deferred", "joker"), ("2+choose-one", "choose")])
def test_a_seat_is_not_asked_where_nothing_can_be_taken(options: str, phase: str) -> None:
    with pytest.raises(BadPosition, match="no cube of any clan can be taken"):
        position(f"A! B{EVERYTHING}", options=options, phase=phase, reserves=["*"] if phase == "joker" else [])


def test_the_names_and_tags_of_a_record_must_read_back() -> None:
    history = History(carolus.new(players=2, seed=2))
    with pytest.raises(BadRecord, match="1 names are given for 2 seats"):
        history.record(["Anna"])
    for tag in ("Game", "Rules", "Result", "Start", "Seat0", "Seat5", "Option_dice", "My Tag", "", "1st", "Täg"):
        with pytest.raises(BadRecord, match="cannot be a tag"):
            history.record(["Anna", "Bob"], {tag: "x"})
    text = str(history.record(["Anna", "Bob"], {"Event": "Aachen", "Seating": "round"}))
    assert Record.read(text).tags == {"Event": "Aachen", "Seating": "round"}


def test_a_start_that_is_another_game_than_the_options_say_is_noticed() -> None:
    text = str(History(carolus.new(players=2, seed=2)).record(["Anna", "Bob"]))
    assert History.replay(Record.read(text)).state.players == 2
    for said, wrong in (('players "2"', 'players "3"'), ('dice "all"', 'dice "choose-one"')):
        assert said in text
        with pytest.raises(BadRecord, match="the start is another game than the options tell"):
            History.replay(Record.read(text.replace(said, wrong)))


@pytest.mark.parametrize("seat", [-1, 2, 99, 10**9, -(10**9)])
def test_there_is_no_view_for_a_seat_that_does_not_exist(seat: int) -> None:
    state = carolus.new(players=2, seed=2)
    for ask in (state.view, state.side, state.legal_actions):
        with pytest.raises(IllegalAction, match="there is no seat"):
            ask(seat)


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_that_is_not_asked_says_so(name: str) -> None:
    state = carolus.new(players=2, seed=2)
    for view in (state.view(1 - state.actor), state.view(None), carolus.table(2).view(0)):
        with pytest.raises(IllegalAction, match="is not asked now"):
            make(name).choose(view)


def test_a_record_can_be_edited_and_checked() -> None:
    state = carolus.new(players=2, seed=2)
    position = state.position
    position["emperor"] = 3
    assert carolus.of_position(position).text == state.text.replace("Op!", "Op").replace("Dr", "Dr!")
    for field, wrong in (("turn", 200), ("phase", 99), ("emperor", 77), ("players", 9), ("supply", 0), ("stock", 3)):
        broken = state.position
        broken[field] = wrong
        with pytest.raises(BadPosition):
            carolus.of_position(broken)
    for thing in (np.zeros(1), np.zeros(2, state.position.dtype), None, state.text):
        with pytest.raises(BadPosition, match="a position is an array of one record"):
            carolus.of_position(cast(Any, thing))


@pytest.mark.parametrize("kind", [BadNotation, BadOptions, BadPosition, BadRecord, IllegalAction])
def test_errors_travel_between_processes(kind: type[AachenError]) -> None:
    error = kind("some-code", "{what} is wrong", what="this")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert (str(again), again.code, again.params) == ("this is wrong", "some-code", {"what": "this"})
