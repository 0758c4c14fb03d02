"""The golden games in tests/games replay as they were recorded (see tests/make_games.py).

They hold the rules and the record's text where they are: a change that alters either must change these files too.
"""

from pathlib import Path

import pytest

from aachen import carolus
from aachen.core import BadRecord, History, Record
from aachen.core.record import mark_of
from make_games import GAMES, WANTED, find
from oracle.carolus_oracle import Oracle

FILES = sorted(GAMES.glob("*.game"))
all_games = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


@all_games
def test_a_golden_game_replays_to_its_result(path: Path) -> None:
    record = Record.read(text_of(path))
    history = History.replay(record)
    players, ending = path.stem.split("-players-")
    outcome = history.state.outcome
    assert outcome is not None
    assert history.state.players == int(players)
    assert outcome.reason + ("-draw" if outcome.is_draw else "") == ending
    assert record.result == (
        f"{'='.join(map(str, outcome.winners))} {ending.removesuffix('-draw')} {':'.join(map(str, outcome.scores))}"
    )


@all_games
def test_every_mark_of_a_golden_game_is_right_and_a_wrong_one_is_noticed(path: Path) -> None:
    record = Record.read(text_of(path))
    history = History.replay(record)
    marks = [index for index, move in enumerate(record.moves) if move.startswith("#")]
    assert marks[-1] == len(record.moves) - 1
    for number, index in enumerate(marks):
        steps = index - number
        assert record.moves[index] == mark_of(history.states[steps])
        moves = (*record.moves[:index], "#000000", *record.moves[index + 1 :])
        with pytest.raises(BadRecord, match=f"after step {steps} the position is not the recorded one"):
            Record(**{**vars(record), "moves": moves}).replay()


@all_games
def test_writing_a_golden_game_again_gives_the_same_bytes(path: Path) -> None:
    record = Record.read(text_of(path))
    again = History.replay(record).record(record.names, record.tags)
    assert str(record).encode() == str(again).encode() == path.read_bytes()


@all_games
def test_the_oracle_plays_a_golden_game_to_the_same_end(path: Path) -> None:
    record = Record.read(text_of(path))
    state = History.replay(record).start
    options = state.options
    oracle = Oracle(
        state.players,
        dice=str(options["dice"]),
        crowns=str(options["crowns"]),
        round_limit=int(str(options["round_limit"])),
    )
    for move in record.moves:
        if not move.startswith("#"):
            assert move in oracle.legal() or move in oracle.chance()
            oracle.apply(move)
    end = oracle.dump()
    winners, reason, scores = record.result.split()
    left = [carolus.GAME.start(options)["stock"][0][side] - int(n) for side, n in enumerate(scores.split(":"))]
    assert (end["over"], end["reason"], end["castles_left"]) == (True, reason, left)
    assert end["winners"] == [int(side) for side in winners.split("=")]


def test_there_is_a_golden_game_for_each_ending_with_each_number_of_players_and_draws() -> None:
    names = {path.stem for path in FILES}
    for players in (2, 3, 4):
        for ending in ("castles", "regions", "cubes", "rounds"):
            assert f"{players}-players-{ending}" in names
        assert any(name.startswith(f"{players}-") and name.endswith("-draw") for name in names)
    options = [Record.read(text_of(path)).options for path in FILES]
    for name, value in (("dice", "choose-one"), ("crowns", "deferred"), ("talk", "none")):
        assert any(given[name] == value for given in options)


def test_make_games_makes_just_these_games() -> None:
    assert {wanted.name for wanted in WANTED} == {path.stem for path in FILES}
    first = WANTED[0]
    assert str(find(first)) == text_of(GAMES / f"{first.name}.game")
