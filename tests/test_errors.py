"""Mistakes: the error says what is wrong and what would be right, and nothing has changed."""

import math
import random
from typing import Any

import pytest

from aachen import carolus
from aachen.core import AachenError, BadNotation, BadOptions, BadPosition, BadRecord, History, IllegalAction, Record
from helpers import full_ring, position, random_game

DEALT = "Ar/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op"
UNSEATED = "-:-:12345:-/-:-:12345:-"

# Illegal actions: a state in each phase, what is tried, and what the error says


def at_phase(name: str) -> carolus.State:
    """A state in the phase of this name."""
    short = "A! BW2 Dg"
    return {
        "deal": lambda: carolus.table().apply("deal:r").apply("deal:r").apply("deal:r"),
        "emperor": lambda: carolus.read(f"carolus 2 {DEALT} {UNSEATED} ----- - emperor 0"),
        "lot": lambda: carolus.read(f"carolus 2 {DEALT}! {UNSEATED} ----- - lot 0"),
        "fill": lambda: carolus.read(f"carolus 2 {DEALT}! {UNSEATED} ----- >01 fill:3 0"),
        "crown": lambda: position("A! Br40", phase="crown:1"),
        "disc": lambda: carolus.read(f"carolus 2 {full_ring('A!')} -:r:124:3/-:r:1235:- ----- 0>1 disc 2"),
        "joker": lambda: position("A! Br40", options="2+deferred", reserves=["*"], phase="joker"),
        "cube": lambda: position(short, reserves=["r2y"], phase="cube:3"),
        "move": lambda: position(short, discs="25"),
        "choose": lambda: position("A! Br40", options="2+choose-one", phase="choose"),
        "throw": lambda: position("A!", phase="throw:3"),
        "over": lambda: position("A! Br DW9", markers="0----").apply("m1"),
    }[name]()


@pytest.mark.parametrize(
    ("phase", "action", "code", "sentence"),
    [
        ("deal", "deal:r", "not-legal", "deal:r is not possible now; chance is to act; possible: deal:y, deal:g"),
        ("deal", "d1", "not-legal", "d1 is not possible now; chance is to act; possible: deal:y"),
        ("emperor", "dice:r", "not-legal", "dice:r is not possible now; chance is to act; possible: emperor:A"),
        ("lot", "first:2", "not-legal", "first:2 is not possible now; chance is to act; possible: first:0, first:1"),
        ("fill", "dice:rr", "not-legal", "dice:rr is not possible now; chance is to act; possible: dice:rrr"),
        ("crown", "=r", "not-takeable", "=r: no cube of this clan can be taken (C19)"),
        ("crown", "d1", "wrong-kind", "d1 is not what is asked: seat 0 is to name a clan for a crown: =y, =g"),
        ("disc", "d3", "disc-taken", "d3: this number has been played this round; seat 1 may play d1, d2, d5 (C5)"),
        ("disc", "d4", "disc-used", "d4: seat 1 has used this disc; it may play d1, d2, d5 (C5)"),
        ("disc", "m1", "wrong-kind", "m1 is not what is asked: seat 1 is to play a disc: d1, d2 or d5"),
        ("joker", "=r", "not-takeable", "=r: no cube of this clan can be taken (C19)"),
        ("joker", "r@", "wrong-kind", "r@ is not what is asked: seat 0 is to name a clan for a joker: =y, =g"),
        ("cube", "gA", "no-cube", "gA: seat 0 has no green cube in reserve (C8)"),
        ("cube", "rC", "inside-region", "rC: tile C is part of the region B; write rB"),
        ("cube", "m1", "wrong-kind", "m1 is not what is asked: seat 0 is to play a cube: rE to region E, r@ to court"),
        ("move", "m3", "too-far", "m3: the Emperor moves 1 to 2 steps, as seat 0 played disc 2 (C10)"),
        ("move", "dice:rrr", "wrong-kind", "dice:rrr is not what is asked: seat 0 is to move the Emperor: m1 or m2"),
        ("choose", "=r", "not-takeable", "=r: no cube of this clan can be taken (C19)"),
        ("choose", "m1", "wrong-kind", "m1 is not what is asked: seat 0 is to choose a die (=y, =g"),
        ("throw", "all", "not-legal", "all is not possible now; chance is to act; possible: dice:rrr, dice:rry"),
        ("throw", "dice:rrrr", "not-legal", "dice:rrrr is not possible now; chance is to act; possible: dice:rrr"),
        ("over", "d1", "not-legal", "d1 is not possible now; the game is over"),
    ],
)  # fmt: skip
def test_an_illegal_action_is_refused_with_what_is_wrong_and_what_is_right(
    phase: str, action: str, code: str, sentence: str
) -> None:
    state = at_phase(phase)
    before = state.text
    with pytest.raises(IllegalAction) as refused:
        state.apply(action)
    assert refused.value.code == code
    assert str(refused.value).startswith(sentence)
    assert state.text == before


@pytest.mark.parametrize("phase", [phase.name.lower() for phase in carolus.Phase])
def test_in_every_phase_just_the_listed_actions_are_possible(phase: str) -> None:
    state = at_phase(phase)
    before = state.text
    possible = {*state.legal_actions(), *state.chance_weights()}
    for action in carolus.GAME.actions:
        if action in possible:
            assert state.apply(action) != state
        else:
            with pytest.raises(IllegalAction, match=r".{15}"):
                state.apply(action)
    assert state.text == before


def test_a_cube_inside_a_region_around_the_first_tile_is_told_its_name() -> None:
    state = position("D! NW4", reserves=["r3"], phase="cube:3")
    for inside in ("rO", "rA", "rB"):
        with pytest.raises(IllegalAction, match="is part of the region N; write rN"):
            state.apply(inside)


@pytest.mark.parametrize("seat", [-1, -2, 2, 4, 63, 64, 65, 128, 2**31, 2**40, 2**64, 1.0, "0"])
def test_a_seat_that_does_not_exist_is_refused(seat: Any) -> None:
    """It must not reach the compiled rules, which trust their caller."""
    history = History(carolus.new(players=2, seed=2))
    with pytest.raises(IllegalAction, match=r"there is no seat .*; the seats are 0 to 1"):
        history.play("d3", seat)
    with pytest.raises(IllegalAction, match="there is no seat"):
        carolus.table(2).apply("deal:r", seat)
    assert not history.steps


def test_a_seat_that_is_not_asked_is_refused() -> None:
    state = at_phase("move")
    with pytest.raises(IllegalAction, match="m1: seat 1 is not asked now; seat 0 to act") as refused:
        state.apply("m1", 1)
    assert refused.value.code == "not-your-turn"
    assert state.legal_actions(1) == []
    assert state.apply("m1", 0) == state.apply("m1")


def test_no_seat_can_act_for_chance() -> None:
    with pytest.raises(IllegalAction, match="dice:rrr: seat 0 is not asked now; chance is to act"):
        at_phase("throw").apply("dice:rrr", 0)


def test_chance_is_not_drawn_where_a_seat_is_asked() -> None:
    with pytest.raises(IllegalAction, match="chance does not act now; seat 0 to act"):
        at_phase("move").draw(random.Random(1))


def test_there_is_no_single_actor_where_chance_acts() -> None:
    with pytest.raises(IllegalAction, match="0 seats are asked now"):
        _ = at_phase("throw").actor


@pytest.mark.parametrize("thing", [None, 5, b"d1", [], object(), carolus.Disc])
def test_what_is_no_action_is_refused(thing: object) -> None:
    with pytest.raises(IllegalAction, match="is no action of carolus"):
        at_phase("disc").apply(thing)  # type: ignore[arg-type]


def test_a_refused_action_leaves_the_history_as_it_was() -> None:
    history = History(at_phase("move"))
    for wrong in ("m5", "nonsense"):
        with pytest.raises(AachenError):
            history.play(wrong)
    assert (len(history.states), len(history.steps)) == (1, 0)


def test_undo_says_why_nothing_can_be_taken_back() -> None:
    history = History(at_phase("move"))
    with pytest.raises(IllegalAction, match="nothing has been played"):
        history.undo()
    history.play("m1")
    history.play("dice:rrr")
    with pytest.raises(IllegalAction, match="chance has acted since"):
        history.undo()
    assert not history.can_undo()


# Notation of actions


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "d", "d0", "d6", "d10", "d-1", "m0", "m6", "r", "rP", "xA", "r@@", "r @", "@r", "=", "=x", "==r",
        "All!", "deal:", "deal:x", "deal:*", "emperor:P", "emperor:", "first:4", "first:", "dice:", "dice:x",
        "dice:rrrrr", "dice:r r", "dice", "d1 d2", "\x00", "d１", "é", "d" * 100_000, "1.d1", "#abcdef",
        "dice:" + "r" * 100_000,
    ],
)  # fmt: skip
def test_a_text_that_is_no_action_is_refused_with_examples(text: str) -> None:
    with pytest.raises(BadNotation, match=r"is no action; actions look like d3 \(disc\), rE \(red cube") as refused:
        carolus.parse(text)
    assert refused.value.code == "no-action"
    assert len(str(refused.value)) < 400
    state = at_phase("disc")
    with pytest.raises(BadNotation):
        state.apply(text)


@pytest.mark.parametrize("number", [0, 6, -1, 99])
def test_an_action_that_does_not_exist_cannot_be_made(number: int) -> None:
    for make in (carolus.Disc, carolus.Move):
        with pytest.raises(BadNotation, match="does not exist"):
            make(number)


def test_no_throw_has_five_dice_or_none_or_a_seventh_face() -> None:
    for faces in ((), (0, 0, 0, 0, 0), (6,), (-1,)):
        with pytest.raises(BadNotation, match="does not exist"):
            carolus.Throw(faces)


# Options


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        ({"colour": 1}, "unknown-option", "there is no option 'colour'; the options are: players, dice, crowns, talk"),
        ({"Players": 2}, "unknown-option", "there is no option 'Players'"),
        ({"": 2}, "unknown-option", "there is no option ''"),
        ({"players": 1}, "bad-option", "players = 1 is not possible; players is 2 or 3 or 4"),
        ({"players": 5}, "bad-option", "players = 5 is not possible"),
        ({"players": 0}, "bad-option", "players = 0 is not possible"),
        ({"players": -2}, "bad-option", "players = -2 is not possible"),
        ({"players": True}, "bad-option", "players = True is not possible"),
        ({"players": "2"}, "bad-option", "players = '2' is not possible"),
        ({"players": None}, "bad-option", "players = None is not possible"),
        ({"players": [2]}, "bad-option", "players = [2] is not possible"),
        ({"players": 10**100}, "bad-option", "is not possible; players is 2 or 3 or 4"),
        ({"dice": "some"}, "bad-option", "dice = 'some' is not possible; dice is 'all' or 'choose-one'"),
        ({"dice": "ALL"}, "bad-option", "dice = 'ALL' is not possible"),
        ({"dice": True}, "bad-option", "dice = True is not possible"),
        ({"dice": 0}, "bad-option", "dice = 0 is not possible"),
        ({"crowns": "later"}, "bad-option", "crowns = 'later' is not possible; crowns is 'at-once' or 'deferred'"),
        ({"talk": ""}, "bad-option", "talk = '' is not possible; talk is 'open' or 'none'"),
        ({"talk": None}, "bad-option", "talk = None is not possible"),
        ({"round_limit": 0}, "bad-option", "round_limit = 0 is not possible; round_limit is 1 to 9999"),
        ({"round_limit": -1}, "bad-option", "round_limit = -1 is not possible"),
        ({"round_limit": 10_000}, "bad-option", "round_limit = 10000 is not possible"),
        ({"round_limit": 10**30}, "bad-option", "is not possible; round_limit is 1 to 9999"),
        ({"round_limit": "5"}, "bad-option", "round_limit = '5' is not possible"),
        ({"round_limit": 2.5}, "bad-option", "round_limit = 2.5 is not possible"),
        ({"round_limit": math.nan}, "bad-option", "round_limit = nan is not possible"),
        ({"round_limit": False}, "bad-option", "round_limit = False is not possible"),
    ],
)
def test_wrong_options_are_refused_with_the_right_ones(options: dict[str, Any], code: str, sentence: str) -> None:
    for begin in (carolus.table, carolus.new):
        with pytest.raises(BadOptions) as refused:
            begin(**options)
        assert refused.value.code == code
        assert sentence in str(refused.value)


# Positions


GOOD = f"carolus 2 {DEALT} -:r3y:2345:1/r:g3:1345:2 1---- >01 cube:3 1".replace("Ar", "Ar!")


def test_the_position_that_the_bad_ones_are_made_of_is_good() -> None:
    assert carolus.read(GOOD).text == GOOD


@pytest.mark.parametrize(
    ("good", "bad", "code"),
    [
        # Parts and words
        ("carolus ", "", "not-a-position"), ("carolus", "chess", "not-a-position"), (" 1", " 1 1", "not-a-position"),
        (" 2 ", " 2+sometimes ", "bad-option"), (" 2 ", " x ", "bad-number"), (" 2 ", " 2+limit=many ", "bad-number"),
        (" 2 ", " 3 ", "bad-seats"), ("By/", "Bx/", "bad-region"), ("By/", "/", "bad-region"),
        ("By/", "b/", "bad-region"), ("By/", "ByW2B/", "bad-region"), ("By/Cg/", "Cg/By/", "region-order"),
        ("By/", "By/B/", "region-order"), ("By/", "Byy/", "bad-cubes"), ("By/", "By0/", "bad-cubes"),
        ("By/", "By41/", "bad-number"), ("By/", "By99999999999999999999/", "bad-number"), ("By/", "By٣/", "bad-number"),
        ("By/", "ByW0/", "no-castles"), ("By/", "By!/", "two-emperors"), ("Ar!", "Ar", "no-emperor"),
        (":2345:1/", ":2346:1/", "bad-seat"), (":2345:1/", ":2345/", "bad-seat"), ("-:r3y:", ":r3y:", "bad-seat"),
        ("-:r3y:", "*:r3y:", "no-joker"), ("1---- ", "1--- ", "bad-markers"), ("1---- ", "2---- ", "bad-markers"),
        (">01", "01", "bad-order"), (">01", "01>", "bad-order"), (">01", ">00", "bad-order"), (">01", "-", "bad-order"),
        ("cube:3", "sleep", "bad-phase"), ("cube:3", "cube", "bad-due"), ("cube:3", "cube:4", "bad-due"),
        ("cube:3", "cube:0", "bad-due"), ("cube:3", "cube:x", "bad-number"), ("cube:3", "move:1", "bad-due"),
        ("cube:3 1", "cube:3 one", "bad-number"), ("cube:3 1", "cube:3 65536", "bad-number"),
        # What cannot be on the table
        ("cube:3 1", "cube:3 0", "bad-round"), ("cube:3 1", "cube:3 101", "late-round"),
        ("cube:3 1", "cube:3 2", "bad-discs"), ("cube:3 1", "fill:3 0", "bad-set-up"),
        ("cube:3", "choose", "no-choice"), ("cube:3", "joker", "no-joker"), ("cube:3", "throw:2", "bad-due"),
        ("cube:3", "over", "not-over"), ("cube:3", "disc", "bad-disc"), ("By/", "ByG/", "no-such-side"),
        ("By/Cg/", "By/", "merged-empty"), ("By/Cg/", "ByW/CgW/", "unmerged"), ("By/", "ByW2/", "castles-of-region"),
        ("By/", "ByW11/", "too-many-castles"), ("By/", "ByW10/", "already-won"),
        ("By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op", "ByW6/HB8", "few-regions"), ("By/", "By38/", "too-many-cubes"),
        ("1---- ", "0---- ", "wrong-marker"), ("1---- ", "----- ", "free-marker"), ("r3y:", "r3y5:", "full-reserve"),
        ("r3y:", "r3y*:", "no-jokers"), (":2345:1/", ":1345:1/", "disc-twice"), (":2345:1/", ":345:1/", "bad-discs"),
        (":2345:1/", ":1245:3/", "bad-order"), (":2345:1/", ":2345:-/", "bad-disc"),
    ],
)  # fmt: skip
def test_a_bad_position_is_refused_and_its_error_tells_which_mistake(good: str, bad: str, code: str) -> None:
    assert GOOD.count(good) >= 1
    with pytest.raises(BadPosition, match=r"\w+ \w+ \w+") as refused:
        carolus.read(GOOD.replace(good, bad, 1))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"carolus 2 Ar/B/Cg/D/E/F/G/H/I/J/K/L/M/N/O {UNSEATED} ----- - deal:13 0", "bad-deal"),
        (f"carolus 2 {DEALT} {UNSEATED} ----- - deal:16 0", "bad-number"),
        (f"carolus 2 {DEALT.replace('By', 'Br')} {UNSEATED} ----- - emperor 0", "bad-deal"),
        (f"carolus 2 {DEALT}! {UNSEATED} ----- - emperor 0", "early-emperor"),
        (f"carolus 2 {DEALT}! {UNSEATED} ----- >01 lot 0", "bad-order"),
        (f"carolus 2 {DEALT}! {UNSEATED} 0---- - lot 0", "early-marker"),
        (f"carolus 2 {DEALT}! {UNSEATED} ----- >01 fill:1 0", "bad-fill"),
        (f"carolus 2 {DEALT}! {UNSEATED.replace('-:-', '-:r', 1)} ----- - lot 0", "bad-set-up"),
        (f"carolus 2+deferred {DEALT}! {UNSEATED} ----- >01 crown:1 0", "no-crown"),
        (GOOD.replace(" 2 ", " 2+deferred ").replace("r3y:", "r3*:"), "jokers-first"),
        ("", "not-a-position"),
        ("carolus", "not-a-position"),
        ("x" * 1_000_000, "not-a-position"),
        ("\x00 \xff\ufffe 🏰 1 2 3 4 5", "not-a-position"),
        ("carolus 2 " + "/" * 100_000 + f" {UNSEATED} ----- >01 disc 1", "bad-region"),
    ],
)
def test_a_bad_set_up_or_a_text_of_another_kind_is_no_position(text: str, code: str) -> None:
    with pytest.raises(BadPosition) as refused:
        carolus.read(text)
    assert refused.value.code == code


# Records


RECORD = str(random_game(3, steps=60).record(names=["Anna", "Bob"]))
FINISHED = str(random_game(3).record())


@pytest.mark.parametrize(
    ("good", "bad", "code", "sentence"),
    [
        ('[Game "carolus"]\n', "", "no-header", "this is no game record: the header Game is missing"),
        ('[Rules "1"]\n', "", "no-header", "this is no game record: the header Rules is missing"),
        ('"carolus"', '"chess"', "unknown-game", "there is no game called 'chess'; known are: "),
        ('[Seat1 "Bob"]', '[Seat0 "Bob"]', "twice", "line 9: the header Seat0 stands twice"),
        ('[Seat1 "Bob"]\n', "", "bad-names", "1 seats are named, but the game has 2"),
        ('[Seat1 "Bob"]', '[Seat1 "Bob"]\n[Seat2 "C"]', "bad-names", "3 seats are named, but the game has 2"),
        ("Seat0", "Seat2", "bad-seats", "the headers must name Seat0, Seat1, ... in order"),
        ('[Seat1 "Bob"]', "[Seat1 Bob]", "bad-header", "line 9: '[Seat1 Bob]' is no header; one looks like [Name"),
        ('players "2"', 'players "7"', "bad-start", "the game cannot begin: players = 7 is not possible"),
        ('players "2"', 'players "' + "9" * 5000 + '"', "bad-start", "the game cannot begin: players = '999"),
        ("Option_dice", "Option_die", "bad-start", "the game cannot begin: there is no option 'die'"),
        ('[Result "*"]', '[Start "x"]', "bad-start", "the game cannot begin: a position has 8 parts"),
        ('[Result "*"]', '[Result "0 castles 10:3"]', "bad-result", "the result is said to be '0 castles 10:3', but"),
        (" #", " d9 #", "bad-step", "d9: 'd9' is no action"),
        (" #", " m1 #", "bad-step", "m1: m1 is not possible now; chance is to act"),
        (" #", " [ #", "bad-step", "[: '[' is no action"),
        (" #", " #000000 #", "bad-mark", "the position is not the recorded one (mark #000000, now #"),
        ("\n\ndeal", "\n\n1.deal", "bad-step", "step 1, 1.deal:"),
    ],
)
def test_a_broken_record_is_refused_with_the_place_and_the_mistake(
    good: str, bad: str, code: str, sentence: str
) -> None:
    assert RECORD.count(good) >= 1
    text = RECORD.replace(good, bad, 1)
    with pytest.raises(BadRecord) as refused:
        History.replay(Record.read(text))
    assert refused.value.code == code
    assert sentence in str(refused.value)


def test_an_illegal_step_is_named_by_its_number() -> None:
    head, _, moves = RECORD.partition("\n\n")
    steps = [token for token in moves.split() if not token.startswith("#")]
    for number in (1, 16, 40):
        broken = [*steps[: number - 1], "m5", *steps[number - 1 :]]
        with pytest.raises(BadRecord, match=f"^step {number}, m5: m5 is not"):
            History.replay(Record.read(head + "\n\n" + " ".join(broken)))


def test_an_old_records_error_tells_the_version_of_its_rules() -> None:
    text = RECORD.replace('[Rules "1"]', '[Rules "0"]').replace(" #", " #000000 #", 1)
    with pytest.raises(BadRecord, match=r"\(recorded with rules 0, replayed with rules 1\)"):
        History.replay(Record.read(text))


def test_a_wrong_result_of_a_finished_game_is_noticed() -> None:
    right = Record.read(FINISHED).result
    assert History.replay(Record.read(FINISHED)).state.is_over
    with pytest.raises(BadRecord, match=f"but the moves give '{right}'"):
        History.replay(Record.read(FINISHED.replace(f'"{right}"', '"0=1 rounds 9:9"')))


def test_a_step_after_the_end_is_refused() -> None:
    with pytest.raises(BadRecord, match="m1 is not possible now; the game is over"):
        History.replay(Record.read(FINISHED + " m1"))


@pytest.mark.parametrize(
    "text", ["", "\n", "hello", "[", '["]', "[x", "{}", "\x00\x01\xff", "[" * 100_000, "d1 " * 100_000, GOOD]
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        Record.read(text)


# Errors themselves


@pytest.mark.parametrize("kind", [IllegalAction, BadNotation, BadPosition, BadRecord, BadOptions])
def test_every_error_is_an_AachenError_and_a_ValueError(kind: type[AachenError]) -> None:
    assert issubclass(kind, AachenError)
    assert issubclass(kind, ValueError)


def test_an_error_carries_its_code_and_its_facts() -> None:
    with pytest.raises(IllegalAction) as refused:
        at_phase("move").apply("m3")
    assert refused.value.code == "too-far"
    assert refused.value.params == {"action": "m3", "seat": 0, "most": 2}


def test_braces_in_a_wrong_text_do_no_harm() -> None:
    with pytest.raises(BadNotation, match=r"^'\{x\} \{0\}' is no action"):
        carolus.parse("{x} {0}")
