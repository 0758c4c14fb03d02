"""A state of a game: a value that is never changed. Applying an action gives a new one."""

from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from aachen.core import kernel
from aachen.core.errors import AachenError, BadRecord, IllegalAction
from aachen.core.game import Game
from aachen.core.schema import Positions, copy_of, room_for
from aachen.core.words import Action, Outcome, Random, Seat, Side

A = TypeVar("A", bound=Action)
#: Action codes are whole numbers of 16 bits.
MOST_CODES = 2**15


class State(Generic[A]):
    """A position with the rules that go with it. Each game has a subclass that sets `game`."""

    __slots__ = ("_position",)
    game: ClassVar[Game[Any]]
    _position: Positions

    def __init__(self, position: Positions) -> None:
        """Takes the position over, unchecked: the caller must not change it any more. Each game has a checked way in,
        such as `carolus.read` and `carolus.of_position`."""
        self._position = position

    # Who is asked

    @property
    def actors(self) -> tuple[Seat, ...]:
        """The seats that are asked now; none where chance acts, and at the end."""
        return _seats_in(kernel.actors_of(self._position, self.game.data))

    @property
    def actor(self) -> Seat:
        """The only seat that is asked now."""
        actors = self.actors
        if len(actors) != 1:
            raise IllegalAction(
                "not-one-actor", "{number} seats are asked now, not one; see state.actors", number=len(actors)
            )
        return actors[0]

    @property
    def is_chance(self) -> bool:
        return kernel.actors_of(self._position, self.game.data) == 0 and not self.is_over

    @property
    def is_over(self) -> bool:
        return kernel.winners_of(self._position, self.game.data) != 0

    @property
    def outcome(self) -> Outcome | None:
        """Who won and why; None while the game goes on."""
        return self.game.outcome(self._position) if self.is_over else None

    # What can be done

    def legal_actions(self, seat: int | None = None) -> list[A]:
        """What the seat may do now: the one that is asked, if none is named. Empty for a seat that is not asked."""
        asked = kernel.actors_of(self._position, self.game.data)
        if seat is None:
            seat = self.actor if asked & (asked - 1) else asked.bit_length() - 1
            if seat < 0:
                return []
        elif not asked >> self._seat(seat) & 1:
            return []
        out = np.empty(kernel.MOST_ACTIONS, np.int16)
        count = kernel.legal_of(self._position, self.game.data, seat, out)
        actions = self.game.actions
        return [actions[code] for code in out[:count].tolist()]

    def chance_weights(self) -> dict[A, int]:
        """What chance may do now, each with its whole-number weight. Empty where a seat is asked, and at the end."""
        if kernel.actors_of(self._position, self.game.data):
            return {}
        out = np.empty(kernel.MOST_ACTIONS, np.int16)
        weights = np.empty(kernel.MOST_ACTIONS, np.int32)
        count = kernel.chance_of(self._position, self.game.data, out, weights)
        actions = self.game.actions
        return {actions[out[i]]: int(weights[i]) for i in range(count)}

    # Doing it

    def apply(self, action: A | str, seat: int | None = None) -> Self:
        """The state after this action (or its notation). Raises IllegalAction or BadNotation; this state stays."""
        if isinstance(action, str):
            action = self.game.parse(action)
        elif not isinstance(action, self.game.action_type):
            raise IllegalAction("no-action", "{action!r} is no action of {game}", action=action, game=self.game.name)
        wanted: Any = action
        after = room_for(self.game.record)
        who = kernel.NO_SEAT if seat is None else self._seat(seat)
        if not kernel.step(self._position, after, self.game.data, who, wanted.code):
            raise self._refusal(wanted, None if seat is None else Seat(seat))
        return type(self)(after)

    def draw(self, rng: Random) -> Self:
        """Lets chance act once: the state after an outcome drawn by the weights."""
        return self.apply(self.draw_action(rng))

    def draw_action(self, rng: Random) -> A:
        """An outcome of chance, drawn by the weights."""
        if not self.is_chance:
            raise IllegalAction("not-chance", "chance does not act now; {now}", now=self._whose_turn())
        action: A = self.game.actions[kernel.draw_of(self._position, self.game.data, rng.random())]
        return action

    def _seat(self, seat: int) -> Seat:
        """The seat of this number. Raises IllegalAction: compiled code must never see another one."""
        if not isinstance(seat, (int, np.integer)) or not 0 <= seat < self.seats:
            raise IllegalAction(
                "no-seat", "there is no seat {seat!r}; the seats are 0 to {last}", seat=seat, last=self.seats - 1
            )
        return Seat(int(seat))

    def _refusal(self, action: A, seat: Seat | None) -> AachenError:
        """Says why the action is not possible, and what is."""
        actors = self.actors
        if seat is None and len(actors) > 1:
            return IllegalAction(
                "which-seat", "{action}: several seats are asked now ({right}); say whose action it is",
                action=str(action), right=", ".join(map(str, actors)),
            )  # fmt: skip
        if seat is not None and seat not in actors:
            return IllegalAction(
                "not-your-turn", "{action}: seat {seat} is not asked now; {now}",
                action=str(action), seat=seat, now=self._whose_turn(seat),
            )  # fmt: skip
        asked = seat if seat is not None else actors[0] if actors else None
        own = self.game.refusal(self._position, asked, action)
        if own is not None:
            return own
        right = self.legal_actions(asked) if actors else list(self.chance_weights())
        listed = ", ".join(map(str, right[:12])) + (", ..." if len(right) > 12 else "")
        return IllegalAction(
            "not-legal", "{action} is not possible now; {now}" + ("; possible: {right}" if right else ""),
            action=str(action), now=self._whose_turn(seat), right=listed,
        )  # fmt: skip

    def _whose_turn(self, seat: Seat | None = None) -> str:
        """Who is asked, as far as the seat may know."""
        if self.is_over:
            return "the game is over"
        actors = self.actors if seat is None else self.view(seat).actors
        if not actors:
            return "chance is to act"
        return ("seat " if len(actors) == 1 else "seats ") + ", ".join(map(str, actors)) + " to act"

    # What it is

    @property
    def options(self) -> dict[str, object]:
        return self.game.options(self._position)

    @property
    def seats(self) -> int:
        return self.game.seats(self._position)

    def side(self, seat: int) -> Side:
        return self.game.side(self._position, self._seat(seat))

    @property
    def position(self) -> Positions:
        """A copy of the record, as an array of one."""
        return copy_of(self._position)

    def view(self, seat: int | None) -> "View[A]":
        """What this seat may know of the state; None for a spectator."""
        return View(self, None if seat is None else self._seat(seat))

    @property
    def text(self) -> str:
        """The position as one line of text, which `read` takes back."""
        return self.game.write(self._position)

    def __str__(self) -> str:
        return self.game.draw(self._position)

    def __repr__(self) -> str:
        return f"{self.game.name}.read({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._position.tobytes() == other._position.tobytes()

    def __hash__(self) -> int:
        return hash(self._position.tobytes())


class View(Generic[A]):
    """A state as one seat may know it. It has no secrets of others, so it can be sent to that seat, or to its bot."""

    def __init__(self, state: State[A], seat: Seat | None) -> None:
        self.seat = seat
        self.position = state.game.view(state.position, seat)
        self.actors = _seats_in(kernel.actors_of(self.position, state.game.data))
        self.outcome = state.outcome
        self.options = state.options
        self.seats = state.seats
        self._game = state.game
        self._legal = state.legal_actions(seat) if seat is not None else []

    @property
    def is_over(self) -> bool:
        return self.outcome is not None

    def side(self, seat: int) -> Side:
        return self._game.side(self.position, Seat(seat))

    def legal_actions(self) -> list[A]:
        """What the viewing seat itself may do now."""
        return list(self._legal)

    @property
    def text(self) -> str:
        return self._game.write(self.position)

    def __str__(self) -> str:
        return self._game.draw(self.position)


def _seats_in(bits: int) -> tuple[Seat, ...]:
    return tuple(Seat(seat) for seat in range(bits.bit_length()) if bits >> seat & 1)


_known: dict[str, type[State[Any]]] = {}


def register(state: type[State[Any]]) -> None:
    """Makes a game known by its state: to compiled code by the record's type, to records by the game's name."""
    game = state.game
    if len(game.actions) > MOST_CODES:
        raise TypeError(f"{game.name} has {len(game.actions)} actions; at most {MOST_CODES} have codes")
    if game.has_secrets and (type(game).view is Game.view or type(game).seen is Game.seen):
        raise TypeError(f"{game.name} has secrets, so it must say in `view` and `seen` what each seat may know")
    kernel.install(game.record, game.rules)
    _known[game.name] = state


def known(name: str) -> type[State[Any]]:
    """The states of the game of this name. Raises BadRecord."""
    if name not in _known:
        raise BadRecord(
            "unknown-game", "there is no game called {name!r}; known are: {right}", name=name, right=", ".join(_known)
        )
    return _known[name]
