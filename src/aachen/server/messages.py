"""What goes over the WebSocket: one union of messages to the server, one of messages from it.

The page's TypeScript types are made from these models (`web/src/lib/api.ts`).
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from aachen.server.web import Problem, Strict

TableId = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,32}$")]
Ref = Annotated[
    str,
    Field(
        max_length=64, pattern="^[ -~]*$", description="the client's own name for the message; the answer carries it"
    ),
]
Question = Annotated[int, Field(ge=0, description="the number of the question that is answered, from `questions`")]
ActionText = Annotated[str, Field(min_length=1, max_length=40, description="an action in notation")]


class ToServer(Strict):
    id: Ref = ""
    table: TableId


class Watch(ToServer):
    """From now on the table's state is sent, at once and whenever it changes."""

    type: Literal["watch"]


class Unwatch(ToServer):
    type: Literal["unwatch"]


class Act(ToServer):
    type: Literal["act"]
    question: Question
    action: ActionText


class Confirm(ToServer):
    """The last word at the end of a turn: throw the dice, or end the game."""

    type: Literal["confirm"]
    question: Question


class Undo(ToServer):
    type: Literal["undo"]


class AskTakeback(ToServer):
    """Asks everybody to go back to where so many steps had been played."""

    type: Literal["ask-takeback"]
    step: Annotated[int, Field(ge=0, le=100_000)]


class AnswerTakeback(ToServer):
    type: Literal["answer-takeback"]
    grant: bool


class ComeBack(ToServer):
    """Takes the seat back from the bot that played on."""

    type: Literal["come-back"]


class StandIn(ToServer):
    """Lets a bot play on for somebody who has been away for some minutes."""

    type: Literal["stand-in"]
    seat: Annotated[int, Field(ge=0, le=9)]


class Say(ToServer):
    type: Literal["say"]
    text: Annotated[str, Field(min_length=1, max_length=500)]
    partners: bool = False


class Ping(Strict):
    type: Literal["ping"]
    id: Ref = ""


FromClient = Annotated[
    Watch | Unwatch | Act | Confirm | Undo | AskTakeback | AnswerTakeback | ComeBack | StandIn | Say | Ping,
    Field(discriminator="type"),
]
from_client: TypeAdapter[FromClient] = TypeAdapter(FromClient)


class EventFacts(BaseModel):
    """Something that happened, to be worded by the page; what codes and facts there are is the game's affair."""

    code: str
    params: dict[str, Any]


class StepFacts(BaseModel):
    """A step of the game, as the viewer may know it."""

    seat: int | None  # None is chance
    action: str
    at: float
    events: list[EventFacts]  # the deed and what came of it; none while the game has secrets to keep


class SeatFacts(BaseModel):
    kind: str
    name: str
    player: str
    level: str  # of the bot that decides there now
    away: bool
    left: bool
    here: bool
    side: int


class Clock(BaseModel):
    left: float  # seconds, when it was last stopped
    deadline: float | None  # when the time runs out, if it is running


class TakebackFacts(BaseModel):
    seat: int
    step: int
    granted: list[int]


class OutcomeFacts(BaseModel):
    winners: list[int]
    reason: str
    scores: list[int]


class TableFacts(BaseModel):
    """What never changes about a table."""

    id: str
    game: str
    options: dict[str, Any]
    title: str
    owner: str
    is_public: bool
    rated: bool
    help: bool
    pace: str
    seconds: float
    increment: float
    days: float
    forked_from: str
    rematch_of: str
    opened: float
    hash: str  # of the dice's seed (docs/fairness.md)


class StateMessage(BaseModel):
    """All that a viewer may know of a table. `steps` replace those from number `since` on."""

    type: Literal["state"] = "state"
    table: TableFacts
    status: Literal["open", "playing", "over", "abandoned"]
    you: int | None  # the viewer's seat
    seats: list[SeatFacts]
    since: int
    steps: list[StepFacts]
    board: dict[str, Any]  # the fields of the position
    position: str
    actors: list[int]  # the seats that are asked
    questions: list[int]  # the number of each seat's present question; 0 for what the viewer may not know
    legal: list[str]  # what the seat that is asked may do; for games with secrets, what the viewer may do
    confirming: int | None  # the seat whose last word is awaited
    undo: list[int]  # the seats that may take their last action back
    takeback: TakebackFacts | None
    clocks: list[Clock]
    now: float
    outcome: OutcomeFacts | None
    seed: str  # of the dice, when the table has ended
    restored: bool


class ChatMessage(BaseModel):
    type: Literal["chat"] = "chat"
    table: str
    id: int
    player: str
    name: str
    partners: bool
    text: str
    at: float


class Ack(BaseModel):
    """The message with this id was carried out, and is on disk."""

    type: Literal["ack"] = "ack"
    id: str


class ErrorMessage(BaseModel):
    """The message with this id was not carried out. The table's present state follows where there is one."""

    type: Literal["error"] = "error"
    id: str
    error: Problem


class YourTurn(BaseModel):
    """A notice for somebody who is in, but not at this table."""

    type: Literal["your-turn"] = "your-turn"
    table: str
    title: str


class Rematch(BaseModel):
    """Somebody has opened a rematch; seats are kept for those who played."""

    type: Literal["rematch"] = "rematch"
    table: str
    new: str


class Bye(BaseModel):
    """The server stops; connect again in a moment."""

    type: Literal["bye"] = "bye"


class Pong(BaseModel):
    type: Literal["pong"] = "pong"
    id: str


FromServer = Annotated[
    StateMessage | ChatMessage | Ack | ErrorMessage | YourTurn | Rematch | Bye | Pong, Field(discriminator="type")
]
from_server: TypeAdapter[FromServer] = TypeAdapter(FromServer)
