"""Puzzles: positions at the beginning of a turn that wins at once, if it is one of very few (see wins.txt).

`PUZZLES` are all of them, read when they are first asked for. `tests/make_puzzles.py` has found them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from aachen.carolus.actions import Action
from aachen.carolus.game import GAME, State
from aachen.carolus.preview import play_draft
from aachen.core.errors import AachenError
from aachen.core.words import Seat

if TYPE_CHECKING:
    PUZZLES: tuple["Puzzle", ...]


@dataclass(frozen=True)
class Puzzle:
    """A position in which the seat that is asked can win in this turn, before the dice."""

    number: int  # counted from 1
    position: str  # its text
    seat: Seat
    players: int

    @property
    def state(self) -> State:
        return State(GAME.read(self.position))


@dataclass(frozen=True)
class Attempt:
    """What came of an attempt at a puzzle."""

    solved: bool
    reason: AachenError | None  # why it is not solved, with a code for programs and a sentence for people
    needs_more: bool  # legal so far, but the turn asks for more actions


def attempt(puzzle: Puzzle, actions: Sequence[str | Action]) -> Attempt:
    """Tries these actions of the puzzle's seat. It is solved if all are legal and its side alone has won with them.

    Otherwise the reason says what was wrong: an action that is no action or not legal (the code and parameters are
    those of `State.apply`, with the action's number, from 1, as `index`), a turn that is not finished ("unfinished"),
    or one that ends without a win ("no-win", "drawn", "lost"). Raises nothing.
    """
    try:
        after = play_draft(puzzle.state, puzzle.seat, actions)
    except AachenError as error:
        return Attempt(False, error, False)
    if after.outcome is not None and after.outcome.winners == (after.side(puzzle.seat),):
        return Attempt(True, None, False)
    reason = _why(puzzle, after)
    return Attempt(False, reason, reason.code == "unfinished")


def _why(puzzle: Puzzle, after: State) -> AachenError:
    """Why legal actions have not won."""
    outcome, side = after.outcome, after.side(puzzle.seat)
    if outcome is None:
        if puzzle.seat in after.actors:
            return AachenError("unfinished", "seat {seat} is to act: the turn is not over yet", seat=puzzle.seat)
        return AachenError("no-win", "the turn is over, and the game goes on")
    if side in outcome.winners:
        return AachenError("drawn", "the game ends in a draw, {scores}", scores=_scores(outcome.scores))
    return AachenError("lost", "the game ends, and another side wins, {scores}", scores=_scores(outcome.scores))


def _scores(scores: Sequence[int]) -> str:
    return ":".join(map(str, scores))


@cache
def _all() -> tuple[Puzzle, ...]:
    texts = (files(__package__) / "wins.txt").read_text("utf-8").splitlines()
    states = [State(GAME.read(text)) for text in texts]
    return tuple(Puzzle(number, state.text, state.actor, state.players) for number, state in enumerate(states, 1))


def __getattr__(name: str) -> object:
    if name == "PUZZLES":
        return _all()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
