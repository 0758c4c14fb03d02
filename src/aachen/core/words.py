"""The words that every game shares."""

from dataclasses import dataclass
from typing import NewType, Protocol, TypeAlias

#: A player's place at the table, from 0, clockwise.
Seat = NewType("Seat", int)
#: Who wins together: a seat, or a team of seats.
Side = NewType("Side", int)


class Random(Protocol):
    """What chance draws from: `random.Random` and `numpy.random.Generator` both will do."""

    def random(self) -> float: ...


class Action:
    """What a seat or chance does. Each game has a frozen dataclass for each kind; `str()` is its notation."""

    __slots__ = ()

    @property
    def code(self) -> int:
        """The number by which the compiled rules know this action."""
        raise TypeError(f"{type(self).__name__} has no code")


@dataclass(frozen=True)
class Outcome:
    """How a game ended: the winning sides (several in a draw), why, and each side's score."""

    winners: tuple[Side, ...]
    reason: str
    scores: tuple[int, ...]

    @property
    def is_draw(self) -> bool:
        return len(self.winners) > 1


#: A fact about what happened, as JSON can carry it.
Fact: TypeAlias = int | str | list[int]


@dataclass(frozen=True)
class Event:
    """Something that happened, for a page to tell in its own language.

    `code` names the kind of event and never changes its meaning; `params` are the facts of this case.
    """

    code: str
    params: dict[str, Fact]
