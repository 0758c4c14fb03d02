"""Puzzles come with the package; an attempt at one is solved, or has a reason why not."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from aachen.carolus import parse, read
from aachen.carolus.puzzles import PUZZLES, Attempt, Puzzle, attempt
from aachen.carolus.threats import threats
from aachen.core import Seat
from helpers import position

TOP = Path(__file__).parents[1]
#: White takes C over with two yellow cubes, and has ten castles.
TWO_YELLOW = Puzzle(
    0,
    position("A! Cy3B DW9", courts=["r", "y"], reserves=["r2y2"], markers="01---", discs="25", phase="cube:3").text,
    Seat(0),
    2,
)


def code(found: Attempt) -> str | None:
    return None if found.reason is None else found.reason.code


def winning_turn(puzzle: Puzzle) -> tuple[str, ...] | None:
    """A turn that wins by castles of its own."""
    for threat in threats(puzzle.state, samples=1):
        if threat.seat == puzzle.seat and threat.now is not None and threat.now.outcome is not None:
            return threat.now.turn
    return None


def test_puzzles_are_numbered_positions_at_the_beginning_of_a_turn() -> None:
    assert [puzzle.number for puzzle in PUZZLES] == list(range(1, len(PUZZLES) + 1))
    for puzzle in PUZZLES:
        state = read(puzzle.position)
        assert state == puzzle.state
        assert (state.actor, state.players) == (puzzle.seat, puzzle.players)
        assert " cube:" in puzzle.position


def test_there_are_puzzles_for_every_number_of_players_and_every_one_is_there_once() -> None:
    assert {puzzle.players for puzzle in PUZZLES} == {2, 3, 4}
    assert len({puzzle.position for puzzle in PUZZLES}) == len(PUZZLES)


def test_every_puzzle_that_is_won_by_castles_of_its_own_is_solved_by_a_threat_to_win() -> None:
    turns = {puzzle: winning_turn(puzzle) for puzzle in PUZZLES}
    assert sum(turn is not None for turn in turns.values()) > 50
    for puzzle, turn in turns.items():
        if turn is not None:
            assert attempt(puzzle, turn) == Attempt(solved=True, reason=None, needs_more=False)
            assert attempt(puzzle, [parse(action) for action in turn]).solved
            for end in range(len(turn)):
                unfinished = attempt(puzzle, turn[:end])
                assert (unfinished.solved, code(unfinished), unfinished.needs_more) == (False, "unfinished", True)


def test_a_turn_that_does_not_win_is_over_without_a_win() -> None:
    assert attempt(TWO_YELLOW, ["y@", "y@", "rA", "m2"]).solved
    found = attempt(TWO_YELLOW, ["y@", "y@", "rA", "m1"])
    assert (found.solved, code(found), found.needs_more) == (False, "no-win", False)
    assert str(found.reason) == "the turn is over, and the game goes on"


@pytest.mark.parametrize(
    ("actions", "wrong", "index"),
    [("g@", "no-cube", 1), ("y@ y@ y@", "no-cube", 3), ("y@ m1", "wrong-kind", 2), ("y@ r9", "no-action", 2)],
)
def test_an_action_that_is_not_possible_is_told_with_its_number(actions: str, wrong: str, index: int) -> None:
    found = attempt(TWO_YELLOW, actions.split())
    assert (found.solved, code(found), found.needs_more) == (False, wrong, False)
    assert found.reason is not None
    assert found.reason.params["index"] == index


def test_nothing_can_be_played_after_the_win_nor_after_the_turn() -> None:
    assert code(attempt(TWO_YELLOW, ["y@", "y@", "rA", "m2", "m1"])) == "not-your-turn"
    assert code(attempt(TWO_YELLOW, ["y@", "y@", "rA", "m1", "dice:rrr"])) == "not-your-turn"


def test_C23_a_draw_is_not_a_win() -> None:
    drawn = position("AW6 Gr HB7 O!", markers="0----", discs="25")
    found = attempt(Puzzle(0, drawn.text, Seat(0), 2), ["m2"])
    assert (found.solved, code(found), str(found.reason)) == (False, "drawn", "the game ends in a draw, 7:7")


def test_C22_a_win_of_another_side_is_a_loss() -> None:
    lost = position("A! Br DB9", markers="1----")
    found = attempt(Puzzle(0, lost.text, Seat(0), 2), ["m1"])
    assert (found.solved, code(found), found.needs_more) == (False, "lost", False)


def test_the_package_that_is_built_has_the_puzzles(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=TOP, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as package:
        text = package.read("aachen/carolus/puzzles/wins.txt").decode()
    assert text.splitlines() == [puzzle.position for puzzle in PUZZLES]
