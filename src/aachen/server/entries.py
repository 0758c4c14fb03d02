"""What a table is made of: how it was laid out, who sits where, and an append-only list of entries."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

#: The level that plays on for a person who is away.
STAND_IN = "knight"
MINUTE, DAY = 60.0, 86400.0


class Kind(StrEnum):
    """What an entry says."""

    SIT = "sit"  # a person takes a seat
    STAND_UP = "stand-up"  # a person gives a seat back, before the game
    START = "start"  # all seats are taken
    ACT = "act"  # a seat acts
    CONFIRM = "confirm"  # a seat lets the dice roll, or the game end
    CHANCE = "chance"  # chance acts
    UNDO = "undo"  # a seat takes its last action back
    ASK = "ask"  # a seat asks for a takeback to a step
    GRANT = "grant"
    REFUSE = "refuse"
    TAKEBACK = "takeback"  # the game goes back to a step
    STAND_IN = "stand-in"  # a bot plays on for a seat
    BACK = "back"  # its player has taken it over again
    LEAVE = "leave"  # a player has left for good; a bot plays on
    OVER = "over"
    ABANDON = "abandon"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a table's log. (table, version) is its key: who writes a version first has won it."""

    version: int
    kind: Kind
    at: float  # seconds since 1970
    seat: int | None = None
    text: str = ""  # an action in notation, a step, a result
    draw: int | None = None  # the number of a chance action (see docs/fairness.md)
    player: str = ""  # who did it; empty for bots and the server
    ref: str = ""  # the client's name for its message, so that the same message twice is one
    check: str = ""  # the position after it, from which a later version of the rules could go on
    facts: dict[str, Any] = field(default_factory=dict)


class Pace(StrEnum):
    UNTIMED = "untimed"
    LIVE = "live"  # a clock for each seat, with an increment a turn
    DAYS = "days"  # so many days for each turn


class SeatKind(StrEnum):
    OPEN = "open"  # for anybody
    OWNER = "owner"  # kept for the one who opened the table
    INVITED = "invited"  # for who has the link of the seat
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Place:
    """A seat at a table and who has it."""

    kind: SeatKind
    level: str = ""  # of a bot
    player: str = ""  # the person's id, when the seat is taken
    name: str = ""
    kept_for: str = ""  # the id of the person that it is kept for, after a rematch
    nonce: str = ""  # the person's part of the dice
    away: bool = False  # a bot plays on for the person
    left: bool = False  # for good

    @property
    def is_taken(self) -> bool:
        return self.kind == SeatKind.BOT or bool(self.player)

    @property
    def is_person(self) -> bool:
        """Whether a person decides there now."""
        return bool(self.player) and not self.away

    @property
    def bot(self) -> str:
        """The level of the bot that decides there now; empty if it is a person."""
        return self.level if self.kind == SeatKind.BOT else "stand-in" if self.away else ""

    def with_(self, **changes: Any) -> "Place":
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Layout:
    """What never changes about a table after it was opened."""

    id: str
    game: str
    options: dict[str, Any]
    owner: str
    places: tuple[Place, ...]
    seed: bytes  # of the dice: secret until the table is over
    pace: Pace = Pace.UNTIMED
    seconds: float = 0.0  # of a live clock at the start
    increment: float = 0.0
    days: float = 0.0
    is_public: bool = False
    rated: bool = True
    help: bool = True  # hints, threats and analysis may be asked for during the game
    title: str = ""
    start: str = ""  # the position where a fork begins
    forked_from: str = ""  # `table/step`
    rematch_of: str = ""
    opened: float = 0.0
