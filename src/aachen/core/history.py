"""A game from its start: every state and every action so far, with undo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from aachen.core.errors import IllegalAction
from aachen.core.record import Record
from aachen.core.state import State
from aachen.core.words import Action, Event, Random, Seat

A = TypeVar("A", bound=Action)
S = TypeVar("S", bound=State[Any])


@dataclass(frozen=True)
class Step:
    """An action and who did it; None is chance."""

    seat: Seat | None
    action: Any


class History(Generic[S]):
    """A game as it is played: `state` is where it stands. The states themselves are never changed."""

    def __init__(self, start: S) -> None:
        self._states: list[S] = [start]
        self._steps: list[Step] = []

    @property
    def start(self) -> S:
        return self._states[0]

    @property
    def state(self) -> S:
        return self._states[-1]

    @property
    def states(self) -> Sequence[S]:
        return tuple(self._states)

    @property
    def steps(self) -> Sequence[Step]:
        return tuple(self._steps)

    def steps_from(self, first: int) -> Sequence[Step]:
        """The steps from this one on."""
        return tuple(self._steps[first:])

    def events(self, number: int) -> Sequence[Event]:
        """What happened in the step of this number, from 0; with all secrets, as `Game.events` tells it."""
        before, after, step = self._states[number], self._states[number + 1], self._steps[number]
        return before.game.events(before._position, after._position, step.seat, step.action)

    def play(self, action: Action | str, seat: int | None = None) -> S:
        """Carries out an action of a seat, or of chance. Raises IllegalAction or BadNotation, and changes nothing."""
        before = self.state
        after = before.apply(action, seat)
        if isinstance(action, str):
            action = before.game.parse(action)
        if seat is None and before.actors:
            seat = before.actor
        self._states.append(after)
        self._steps.append(Step(None if seat is None else Seat(seat), action))
        return after

    def draw(self, rng: Random) -> S:
        """Lets chance act until a seat is asked or the game is over."""
        while self.state.is_chance:
            self.play(self.state.draw_action(rng))
        return self.state

    def undo(self, seat: int | None = None) -> S:
        """Takes back the seat's last action (without a seat: that of whoever acted last).

        That is free until chance was asked, or another seat acted in a way that this one could notice. Sealed
        actions of others, which it could not, stay played.
        """
        index = self._undoable(seat)
        if isinstance(index, IllegalAction):
            raise index
        kept = self._steps[index + 1 :]
        states, steps = self._states[: index + 1], self._steps[:index]
        for step in kept:
            states.append(states[-1].apply(step.action, step.seat))
            steps.append(step)
        self._states, self._steps = states, steps
        return self.state

    def back_to(self, step: int) -> S:
        """Goes back to where so many steps had been played, whoever acted since."""
        if not 0 <= step <= len(self._steps):
            raise IllegalAction(
                "no-step", "there is no step {step}; there are {last}", step=step, last=len(self._steps)
            )
        del self._states[step + 1 :], self._steps[step:]
        return self.state

    def copy(self) -> "History[S]":
        """The same game, to be played on independently."""
        copy: History[S] = History(self.start)
        copy._states, copy._steps = list(self._states), list(self._steps)
        return copy

    def can_undo(self, seat: int | None = None) -> bool:
        return not isinstance(self._undoable(seat), IllegalAction)

    def _undoable(self, seat: int | None) -> int | IllegalAction:
        """The place of the step that may be taken back, or why there is none."""
        for index in range(len(self._steps) - 1, -1, -1):
            step = self._steps[index]
            if step.seat is None:
                return IllegalAction("undo-chance", "nothing can be taken back: chance has acted since")
            if seat is None or step.seat == seat:
                return index
            before = self._states[index]
            if before.game.seen(before.position, step.seat, step.action, Seat(seat)) is not None:
                return IllegalAction(
                    "undo-others", "nothing can be taken back: seat {other} acted last", other=step.seat
                )
        return IllegalAction("undo-nothing", "nothing can be taken back: nothing has been played")

    def seen(self, seat: int | None) -> list[Step]:
        """The steps as this seat may know them (None: a spectator)."""
        steps = []
        viewer = None if seat is None else Seat(seat)
        for before, step in zip(self._states, self._steps, strict=False):
            action = before.game.seen(before.position, step.seat, step.action, viewer)
            if action is not None:
                steps.append(Step(step.seat, action))
        return steps

    def record(
        self, names: Sequence[str] = (), tags: Mapping[str, str] | None = None, *, secrets: bool = False
    ) -> Record:
        """The game as a record. Of a game with secrets that is not over, only `secrets=True` gives one: for storage."""
        if self.state.game.has_secrets and not self.state.is_over and not secrets:
            raise IllegalAction("secret-record", "this game has secrets: its record can be had when it is over")
        return Record.of(self._states, [(step.seat, step.action) for step in self._steps], names, tags or {})

    @classmethod
    def replay(cls, record: Record) -> "History[Any]":
        """Plays a record again. Raises BadRecord, naming the first step that does not go as written."""
        states, steps = record.replay()
        history: History[Any] = cls.__new__(cls)
        history._states = states
        history._steps = [Step(seat, action) for seat, action in steps]
        return history
