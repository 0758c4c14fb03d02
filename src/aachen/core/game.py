"""What a game is, as far as `State`, records, bots and tables need to know."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from aachen.core.errors import BadOptions, IllegalAction
from aachen.core.kernel import NO_DATA, Rules
from aachen.core.schema import Positions
from aachen.core.words import Action, Event, Outcome, Seat, Side

A = TypeVar("A", bound=Action)


class Game(ABC, Generic[A]):
    """One game: its compiled rules, and all that people and programs need around them."""

    name: ClassVar[str]
    #: Rises with every change that makes some old record play differently.
    rules_version: ClassVar[str]
    #: Whether seats know things that others don't.
    has_secrets: ClassVar[bool] = False
    #: A position's type, and the compiled rules over it.
    record: ClassVar[np.dtype[np.void]]
    rules: ClassVar[Rules]
    #: What never changes (a map, cards): one read-only record, passed to the rules beside every position.
    data: ClassVar[Positions] = NO_DATA
    #: The class of all its actions.
    action_type: ClassVar[type[Action]]
    #: Every action, at the index of its code.
    actions: ClassVar[Sequence[Any]]

    # Options: given and told by name; on the position they are fields.

    @abstractmethod
    def start(self, options: Mapping[str, object]) -> Positions:
        """The table before the first chance action. Raises BadOptions; an option that is not given has its default."""

    @abstractmethod
    def options(self, position: Positions) -> dict[str, object]:
        """All options of this game."""

    @abstractmethod
    def seats(self, position: Positions) -> int: ...

    def side(self, position: Positions, seat: Seat) -> Side:
        """The side a seat belongs to."""
        return Side(int(seat))

    @abstractmethod
    def outcome(self, position: Positions) -> Outcome:
        """How the game ended; only asked of a finished game."""

    # Text

    @abstractmethod
    def parse(self, text: str) -> A:
        """The action that this notation means: one word that does not begin with `#` or with a digit and a point, as
        records use these. Raises BadNotation."""

    @abstractmethod
    def write(self, position: Positions) -> str:
        """The position as one line of text."""

    @abstractmethod
    def read(self, text: str) -> Positions:
        """The position that this text tells. Raises BadPosition."""

    @abstractmethod
    def draw(self, position: Positions) -> str:
        """A picture of the position in plain text."""

    def refusal(self, position: Positions, seat: Seat | None, action: A) -> IllegalAction | None:
        """Why this action is not legal now, in the game's own words; None leaves it to the general sentence."""
        return None

    def events(self, before: Positions, after: Positions, actor: Seat | None, action: A) -> Sequence[Event]:
        """What happened in a step: the deed, then all that came of it, for a page to tell in its own words.

        A game with secrets may tell them here, so nobody is given these events while the game hides anything.
        """
        return ()

    # Secrets. A game without secrets leaves these as they are.

    def view(self, position: Positions, seat: Seat | None) -> Positions:
        """The position as the seat may know it (None: a spectator); what is hidden is blanked.

        The given position stays as it is. `actors` of the view says who is asked, as far as the seat may know.
        """
        return position

    def seen(self, position: Positions, actor: Seat | None, action: A, seat: Seat | None) -> A | None:
        """The action, made in this position by `actor`, as `seat` may know it; None if it must not even notice it.

        What may be noticed but not known (a card that is dealt face down) is an action that is never legal. Mind that
        chance's `actor` and a spectator's `seat` are both None.
        """
        return action


def check_options(given: Mapping[str, object], allowed: Mapping[str, Sequence[object] | range]) -> None:
    """Raises BadOptions for a name or value that is not allowed."""
    for name, value in given.items():
        if name not in allowed:
            raise BadOptions(
                "unknown-option",
                "there is no option {name!r}; the options are: {right}",
                name=name,
                right=", ".join(allowed),
            )
        values = allowed[name]
        kinds = {int} if isinstance(values, range) else {type(right) for right in values}
        if type(value) not in kinds or value not in values:
            right = (
                f"{values.start} to {values.stop - 1}" if isinstance(values, range) else " or ".join(map(repr, values))
            )
            raise BadOptions(
                "bad-option",
                "{name} = {value!r} is not possible; {name} is {right}",
                name=name,
                value=value,
                right=right,
            )
