"""Actions, positions and records are text that reads back: what is written is what is read."""

import random
from typing import Any

import pytest

from aachen import carolus
from aachen.carolus import Clan, Cube, Deal, Disc, Emperor, First, Move, Name, Throw, ThrowAll
from aachen.core import AachenError, BadNotation, BadRecord, History, Record
from helpers import position, random_game, random_games, told

# Actions


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("d3", Disc(3)),
        ("m5", Move(5)),
        ("rE", Cube(Clan.RED, 4)),
        ("p@", Cube(Clan.PINK)),
        ("bA", Cube(Clan.BLUE, 0)),
        ("bB", Cube(Clan.BLUE, 1)),
        ("gO", Cube(Clan.GREEN, 14)),
        ("=y", Name(Clan.YELLOW)),
        ("all", ThrowAll()),
        ("deal:g", Deal(Clan.GREEN)),
        ("emperor:O", Emperor(14)),
        ("first:3", First(3)),
        ("dice:ryg", Throw((0, 1, 2))),
        ("dice:r**", Throw((0, 5, 5))),
        ("dice:*", Throw((5,))),
    ],
)
def test_an_action_has_a_short_notation(text: str, action: carolus.Action) -> None:
    assert str(action) == text
    assert carolus.parse(text) == action


def test_every_action_reads_back() -> None:
    for action in carolus.GAME.actions:
        assert carolus.parse(str(action)) == action


def test_every_action_has_a_notation_of_its_own() -> None:
    texts = [str(action).lower() for action in carolus.GAME.actions]
    assert len(set(texts)) == len(texts) == 5 + 5 + 5 + 1 + 5 * 16 + 5 + 15 + 4 + (6 + 21 + 56 + 126)


def test_every_action_stands_at_the_index_of_its_code() -> None:
    assert [action.code for action in carolus.GAME.actions] == list(range(len(carolus.GAME.actions)))


def test_capitals_and_small_letters_mean_the_same_action() -> None:
    for action in carolus.GAME.actions:
        assert carolus.parse(str(action).upper()) == action
        assert carolus.parse(str(action).lower()) == action


def test_blanks_around_an_action_do_not_matter() -> None:
    assert carolus.parse("  rE\n") == Cube(Clan.RED, 4)


def test_the_dice_of_a_throw_may_be_told_in_any_order() -> None:
    assert carolus.parse("dice:*rg") == carolus.parse("dice:gr*") == Throw((0, 2, 5))
    assert Throw((5, 2, 0)) == Throw((0, 2, 5))
    assert str(Throw((5, 2, 0))) == "dice:rg*"


def test_a_throw_tells_its_clans_and_crowns() -> None:
    throw = carolus.parse("dice:rrb*")
    assert isinstance(throw, Throw)
    assert throw.clans == (Clan.RED, Clan.RED, Clan.BLUE)
    assert throw.crowns == 1


def test_the_repr_of_an_action_evaluates_to_it() -> None:
    words = {name: getattr(carolus, name) for name in carolus.__all__}
    for action in carolus.GAME.actions:
        assert eval(repr(action), words) == action


# Positions


def test_every_position_of_random_games_reads_back() -> None:
    """With every number of players and every variant; equal positions are equal bytes."""
    for history in random_games(0, 36, round_limit=30):
        for state in history.states[::3]:
            again = carolus.read(state.text)
            assert again == state
            assert again.text == state.text
            assert again.position.tobytes() == state.position.tobytes()
            assert hash(again) == hash(state)


def test_a_position_that_was_read_plays_on_in_the_same_way() -> None:
    history = random_game(7, players=3, crowns="deferred")
    middle = len(history.steps) // 2
    state = carolus.read(history.states[middle].text)
    for step in history.steps[middle:]:
        state = state.apply(step.action, step.seat)
    assert state == history.state
    assert state.outcome == history.state.outcome


def test_the_repr_of_a_state_evaluates_to_it() -> None:
    for history in random_games(0, 3):
        for state in history.states[::25]:
            assert repr(state).startswith("carolus.read('carolus ")
            assert eval(repr(state), {"carolus": carolus}) == state


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "2"),
        ({"players": 3}, "3"),
        ({"players": 4, "talk": "none"}, "4+silent"),
        ({"dice": "choose-one"}, "2+choose-one"),
        ({"crowns": "deferred"}, "2+deferred"),
        ({"round_limit": 7}, "2+limit=7"),
        ({"players": 3, "dice": "choose-one", "crowns": "deferred", "talk": "none", "round_limit": 9999},
         "3+choose-one+deferred+silent+limit=9999"),
    ],
)  # fmt: skip
def test_the_options_of_a_game_stand_in_its_position(options: dict[str, Any], text: str) -> None:
    state = carolus.table(**options)
    assert told(state).options == text
    assert carolus.read(state.text).options == state.options
    assert state.options == {
        "players": 2, "dice": "all", "crowns": "at-once", "talk": "open", "round_limit": 100,
    } | options  # fmt: skip


def test_a_whole_position_in_text() -> None:
    """Three players: a merged region around the first tile, all five markers, a throw to come."""
    text = (
        "carolus 3+deferred BrG/Cy!/Dg2/E/F/G/H/IbW2/K/L/M/N/OpB2 "
        "r2y:g3*:1245:3/b:p4:1345:2/p3:-:1234:5 00-12 >102 throw:4 6"
    )
    state = carolus.read(text)
    assert state.text == text
    s = state.position[0]
    assert s["tiles"].tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1, 1, 1, 2]
    assert (int(s["emperor"]), int(s["round_number"]), int(s["due"])) == (2, 6, 4)
    assert s["stock"].tolist() == [6, 6, 7]
    assert s["supply"].tolist() == [37, 38, 35, 38, 32]
    assert s["jokers"].tolist() == [1, 0, 0, 0]


def test_a_number_of_one_may_be_written_and_cubes_may_stand_in_any_order() -> None:
    short = position("A! Bryb2W", reserves=["rg"])
    long = carolus.read(short.text.replace("Bryb2W", "Bb2y1r1W1").replace(":rg:", ":g1r1:"))
    assert long == short
    assert long.text == short.text


def test_more_blanks_between_the_parts_do_not_matter() -> None:
    state = position("A! BrW")
    assert carolus.read("  " + state.text.replace(" ", "   ") + "\n") == state


def test_states_that_differ_are_not_equal() -> None:
    assert position("A! Br") != position("A! By")
    assert position("A! Br") != position("A! Br").text


# Records


def test_a_record_reads_back_and_replays() -> None:
    for history in random_games(0, 12, round_limit=30):
        record = history.record(names=[f"Player {one}" for one in range(history.state.players)])
        again = Record.read(str(record))
        assert again == record
        assert str(again) == str(record)
        replayed = History.replay(again)
        assert replayed.state == history.state
        assert replayed.states == history.states
        assert replayed.steps == history.steps


def test_a_record_tells_game_options_names_tags_and_result() -> None:
    history = random_game(3, players=3, dice="choose-one")
    record = history.record(names=["Anna", "Bob", "Cleo"], tags={"Date": "2024-05-01", "Event": "Sunday table"})
    headers = str(record).split("\n\n")[0].splitlines()
    assert headers[:2] == ['[Game "carolus"]', '[Rules "1"]']
    assert '[Option_players "3"]' in headers
    assert '[Option_dice "choose-one"]' in headers
    assert headers[-6:-1] == [
        '[Seat0 "Anna"]', '[Seat1 "Bob"]', '[Seat2 "Cleo"]', '[Date "2024-05-01"]', '[Event "Sunday table"]'
    ]  # fmt: skip
    outcome = history.state.outcome
    assert outcome is not None
    winners = "=".join(map(str, outcome.winners))
    scores = ":".join(map(str, outcome.scores))
    assert headers[-1] == f'[Result "{winners} {outcome.reason} {scores}"]'
    assert Record.read(str(record)).tags == {"Date": "2024-05-01", "Event": "Sunday table"}


def test_a_game_that_goes_on_has_the_result_star() -> None:
    record = random_game(3, steps=60).record()
    assert record.result == "*"
    assert '[Result "*"]' in str(record)
    assert History.replay(record).state == random_game(3, steps=60).state


def test_a_record_of_no_moves_replays_to_its_start() -> None:
    record = History(carolus.table(4)).record()
    assert record.moves == ()
    assert History.replay(Record.read(str(record))).state == carolus.table(4)


def test_a_record_may_begin_with_any_position() -> None:
    start = position("A! Br", markers="0----", reserves=["-", "r3"])
    history = History(start)
    history.play("m1")
    record = history.record()
    assert record.start == start.text
    assert History.replay(Record.read(str(record))).states == history.states


@pytest.mark.parametrize(
    "name",
    [
        'Anna "the Fox"', "back\\slash", '\\"', "\\\\", 'ends with \\', '"', "", "  blanks  ", "[Seat1 \"x\"]",
        "Łukasz Ærø", "Анна", "안나", "安娜", "🏰", "O'Neil; {x} %s {0}", "Seat 1", "#abcdef", "*",
    ],
)  # fmt: skip
def test_a_name_may_contain_anything_that_can_be_printed(name: str) -> None:
    history = random_game(5, steps=40)
    record = history.record(names=[name, "Bob"], tags={"Note": name})
    again = Record.read(str(record))
    assert again.names == (name, "Bob")
    assert again.tags == {"Note": name}
    assert again == record


@pytest.mark.parametrize("name", ["two\nlines", "tab\there", "bell\x07", "line\u2028break", "\x1c\x85"])
def test_what_cannot_be_printed_in_a_name_is_refused(name: str) -> None:
    with pytest.raises(BadRecord, match="cannot stand in a record"):
        random_game(5, steps=40).record(names=[name, "Bob"])


def test_a_record_survives_other_line_ends_and_wrapped_lines() -> None:
    text = str(random_game(5, steps=120).record())
    record = Record.read(text)
    assert Record.read(text.replace("\n", "\r\n")) == record
    head, _, moves = text.partition("\n\n")
    assert Record.read(head + "\n\n" + "\n".join(moves.split())) == record


def test_a_record_marks_the_positions_that_were_reached() -> None:
    record = random_game(5, steps=120).record()
    lines = str(record).split("\n\n")[1].splitlines()
    assert len(lines) > 3
    assert all(line.split()[-1].startswith("#") for line in lines)
    assert max(map(len, lines)) <= 100


# Fuzzing: only an AachenError comes out, or something that reads back

ALPHABET = 'ABCDEFGHIJKLMNOrygbpWBG!/:*->0123456789 +=@#."[]\\\n\x00é٣cubemovdiscthal'


def mutated(rng: random.Random, text: str, others: list[str]) -> str:
    """The text with one to three small changes, or a part of it exchanged for that of another."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        start = rng.randrange(len(text) + 1)
        match rng.randrange(4):
            case 0:
                text = text[:start] + text[start + rng.choice((1, 1, 5)) :]
            case 1:
                text = text[:start] + rng.choice(ALPHABET) + text[start:]
            case 2:
                text = text[:start] + rng.choice(ALPHABET) + text[start + 1 :]
            case _:
                parts, theirs = text.split(" "), rng.choice(others).split(" ")
                place = rng.randrange(min(len(parts), len(theirs)))
                text = " ".join([*parts[:place], theirs[place], *parts[place + 1 :]])
    return text


def test_fuzzed_positions_are_refused_or_read_back() -> None:
    rng = random.Random(1)
    texts = [state.text for history in random_games(0, 12, round_limit=12) for state in history.states[::5]]
    good = 0
    for _ in range(4000):
        try:
            state = carolus.read(mutated(rng, rng.choice(texts), texts))
        except AachenError:
            continue
        good += 1
        assert carolus.read(state.text) == state
        assert state.is_over == (state.outcome is not None)
        assert len(str(state)) > 100
        assert len(state.forecast()) == len(state.text.split()[2].split("/"))
    assert 100 < good < 3900


def test_fuzzed_actions_are_refused_or_read_back() -> None:
    rng = random.Random(2)
    texts = [str(action) for action in carolus.GAME.actions]
    good = 0
    for _ in range(4000):
        try:
            action = carolus.parse(mutated(rng, rng.choice(texts), texts))
        except BadNotation:
            continue
        good += 1
        assert carolus.parse(str(action)) == action
    assert 100 < good < 3900


def test_fuzzed_records_are_refused_or_replay() -> None:
    rng = random.Random(3)
    texts = [str(history.record()) for history in random_games(0, 12, round_limit=2)]
    good = 0
    for _ in range(1500):
        try:
            record = Record.read(mutated(rng, rng.choice(texts), texts))
            history = History.replay(record)
        except AachenError:
            continue
        good += 1
        assert Record.read(str(record)) == record
        assert History.replay(Record.read(str(record))).state == history.state
    assert 20 < good < 1480
