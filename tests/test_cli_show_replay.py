"""`aachen show` and `aachen replay`, on a terminal and in a pipe."""

import random
import re
from pathlib import Path
from typing import Any

import pexpect
import pytest

from aachen import carolus
from aachen.carolus.drawing import draw
from aachen.core import History
from test_cli_play import COMMAND, CUBES, LAST_MOVE, aachen, environment, game_text, leave

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


@pytest.fixture(scope="module")
def game() -> History[Any]:
    """A finished game."""
    rng = random.Random(11)
    history = History(carolus.table(3))
    while not history.draw(rng).is_over:
        history.play(rng.choice(history.state.legal_actions()))
    return history


@pytest.fixture
def record(game: History[Any], tmp_path: Path) -> Path:
    path = tmp_path / "three friends.game"
    path.write_text(str(game.record(("Anna", "Bob", "Cid"))))
    return path


# show


def test_show_draws_a_position_from_the_command_line_a_file_or_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "position").write_text(CUBES + "\n")
    drawing = draw(carolus.read(CUBES).position) + "\n"
    for words, typed in (([CUBES], ""), ([str(tmp_path / "position")], ""), (["-"], CUBES)):
        done = aachen(tmp_path, "show", *words, typed=typed)
        assert (done.returncode, done.stdout, done.stderr) == (0, drawing, "")


def test_show_draws_the_last_position_of_a_record(tmp_path: Path, game: History[Any], record: Path) -> None:
    drawing = draw(game.state.position, names=("Anna", "Bob", "Cid")) + "\n"
    for words, typed in (([str(record)], ""), (["-"], record.read_text())):
        done = aachen(tmp_path, "show", *words, typed=typed)
        assert (done.returncode, done.stdout, done.stderr) == (0, drawing, "")


def test_show_on_a_narrow_terminal_makes_a_list(tmp_path: Path) -> None:
    done = aachen(tmp_path, "show", CUBES, COLUMNS="60")
    assert done.stdout == draw(carolus.read(CUBES).position, width=60) + "\n"


def test_show_in_colour(tmp_path: Path) -> None:
    done = aachen(tmp_path, "show", CUBES, "--colour", "always")
    assert done.stdout == draw(carolus.read(CUBES).position, colour=True) + "\n"


def test_show_on_a_terminal_that_knows_ascii_alone_does_not_crash(tmp_path: Path) -> None:
    done = aachen(tmp_path, "show", CUBES, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "EMPEROR" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", "carolus 2 nonsense"], "a position has 8 parts"),
        (["show", CUBES.replace("cube:3", "cube:9")], "aachen: "),
        (["show", "/nowhere/position.txt"], "/nowhere/position.txt"),
        (["show", "/"], "no such file, and no position"),
        (["show"], "required: POSITION"),
        (["replay"], "required: FILE"),
        (["replay", "/nowhere.game"], "No such file or directory"),
        (["replay", "/"], "Is a directory"),
        (["replay", "-"], "this is no game record"),
        (["replay", "x", "--step", "-1"], "no whole number"),
    ],
)
def test_wrong_arguments_give_one_line(tmp_path: Path, words: list[str], told: str) -> None:
    done = aachen(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"aachen: [^\n]+\n", done.stderr)
    assert told in done.stderr


# replay


def test_replay_in_a_pipe_tells_every_step_and_the_end(tmp_path: Path, game: History[Any], record: Path) -> None:
    done = aachen(tmp_path, "replay", str(record))
    assert (done.returncode, done.stderr) == (0, "")
    told = re.findall(r"^ *(\d+)  (\S+)  ", done.stdout, re.MULTILINE)
    assert told == [(str(number), str(step.action)) for number, step in enumerate(game.steps, 1) if number > 16]
    assert re.search(
        r"Every tile gets a cube. The Emperor begins at \w. By lot \w+ is first", " ".join(done.stdout.split())
    )
    assert draw(game.state.position, names=("Anna", "Bob", "Cid")) in done.stdout
    assert re.search(r"wins: |A draw between", done.stdout.splitlines()[-2] + done.stdout.splitlines()[-1])
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert aachen(tmp_path, "replay", "-", typed=record.read_text()).stdout == done.stdout


def test_replay_in_a_pipe_goes_on_from_a_step(tmp_path: Path, game: History[Any], record: Path) -> None:
    done = aachen(tmp_path, "replay", str(record), "--step", "40")
    assert done.stdout.startswith(draw(game.states[40].position, names=("Anna", "Bob", "Cid")))
    told = re.findall(r"^ *(\d+)  \S+  ", done.stdout, re.MULTILINE)
    assert told == [str(number) for number in range(40, len(game.steps) + 1)]
    wrong = aachen(tmp_path, "replay", str(record), "--step", str(len(game.steps) + 1))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert f"steps are 0 to {len(game.steps)}" in wrong.stderr


def test_replay_of_a_record_that_was_changed_names_the_step(tmp_path: Path, record: Path) -> None:
    text = record.read_text()
    record.write_text(re.sub(r"\bd(\d) d(\d)\b", r"d\1 d\1", text, count=1))
    done = aachen(tmp_path, "replay", str(record))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(r"aachen: step \d+, d\d: ", done.stderr)


def test_replay_on_a_terminal_goes_where_the_reader_wants(tmp_path: Path, game: History[Any], record: Path) -> None:
    last = len(game.steps)
    child = pexpect.spawn(
        COMMAND[0], [*COMMAND[1:], "replay", str(record)], env=environment(tmp_path),
        encoding="utf-8", dimensions=(40, 80), timeout=120,
    )  # fmt: skip
    child.delaybeforesend = None
    child.timeout = 20
    for typed, told in [
        (None, "The table before the deal"),
        ("b", "That is the beginning."),
        ("", "  17  first:"),
        ("16", "  16  emperor:"),
        ("", "  17  first:"),
        ("b", "The table before the deal"),
        ("r", "Round 1 begins"),
        ("t", "the order of play is"),
        ("t", "Now: "),
        ("r", "Round 2 begins"),
        ("x", f"Please: Enter, t, r, e, b, q, or a number from 0 to {last}."),
        ("99999", "Please: Enter"),
        ("40", "  40  "),
        ("e", "Castles on the board:|Castles on the\r\nboard:"),
        ("", "That is the last step."),
    ]:
        if typed is not None:
            child.sendline(typed)
        child.expect(told)
        child.expect(r"q quits: $")
    child.sendline("q")
    leave(child)


def test_a_saved_game_under_way_can_be_replayed_too(tmp_path: Path) -> None:
    (tmp_path / "x.game").write_text(game_text(LAST_MOVE))
    done = aachen(tmp_path, "replay", str(tmp_path / "x.game"))
    assert done.returncode == 0
    assert "Now: Anna moves the Emperor" in done.stdout
