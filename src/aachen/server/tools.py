"""The page's tools: what an action would do, threats, hints and analysis, reviews, edited positions, puzzles.

They are of Carolus Magnus; another game that has such tools brings its own router.
"""

from collections import OrderedDict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from aachen import carolus
from aachen.arena.review import Review, review
from aachen.bots import Analysis, Budget, make
from aachen.bots.players import ThinkingBot
from aachen.carolus.preview import Preview, preview
from aachen.carolus.puzzles import PUZZLES, attempt
from aachen.carolus.threats import Threat, threats
from aachen.core import AachenError, History
from aachen.core.schema import plain
from aachen.server.hall import Room
from aachen.server.tables import PROBLEMS, Id, room_of
from aachen.server.web import (
    Anybody,
    Caller,
    HttpProblem,
    Problem,
    Somebody,
    Strict,
    address_of,
    problem_of,
    service_of,
)

router = APIRouter(prefix="/api", responses=PROBLEMS)

PositionText = Annotated[str, Field(min_length=1, max_length=600, description="a position in notation")]
ActionList = Annotated[list[Annotated[str, Field(max_length=20)]], Field(max_length=20, default_factory=list)]
#: How long the adviser thinks, and how thoroughly a review judges each decision.
HINT, REVIEW = Budget(seconds=1.0), Budget(positions=4000)
#: Reviews that are kept.
KEPT = 100


class Position(Strict):
    position: PositionText


class Draft(Strict):
    position: PositionText
    actions: ActionList


class RegionFacts(BaseModel):
    """What would happen if the Emperor stopped in a region."""

    tile: int
    counts: list[int]
    holder: int | None
    majority: int | None
    effect: str
    castles: int
    merges: list[int]
    steps: int
    ends_game: bool


class ChangeFacts(BaseModel):
    """A marker (by clan) or a region's majority (by tile) that changes hands."""

    what: int
    before: int | None
    after: int | None


class PreviewFacts(BaseModel):
    """What a draft of a turn would do."""

    position: str
    board: dict[str, Any]
    legal: list[str]
    markers: list[ChangeFacts]
    leaders: list[ChangeFacts]
    castles: list[int]  # gained and lost, by side
    merged: list[int]  # regions that become one
    winners: list[int]  # if it ends the game
    reason: str
    reach: int  # how far the Emperor can go
    forecast: list[RegionFacts]  # of the regions in reach


class ThreatFacts(BaseModel):
    """What a seat could do to a region."""

    seat: int
    tile: int
    now: bool  # in its coming turn
    effect: str  # `build` or `take over`
    castles: int
    turn: list[str]  # an example
    needed: int  # the fewest cubes that it takes
    ends_game: bool
    later: float  # the odds in the turn after


class ThoughtFacts(BaseModel):
    action: str
    chance: float
    error: float
    weight: float
    line: list[str]


class AnalysisFacts(BaseModel):
    chances: list[float]  # by side
    thoughts: list[ThoughtFacts]
    positions: int
    seconds: float


class CheckedPosition(BaseModel):
    position: str
    board: dict[str, Any]
    is_over: bool
    actors: list[int]
    legal: list[str]


class PuzzleFacts(BaseModel):
    number: int
    position: str
    seat: int
    players: int


class AttemptFacts(BaseModel):
    solved: bool
    goes_on: bool  # the turn is not over yet
    problem: Problem | None


# Seeing ahead


@router.post("/tools/preview")
async def show_preview(draft: Draft, who: Anybody, request: Request) -> PreviewFacts:
    """What these actions would do, before they are played."""
    limit(request, who)
    return preview_facts(preview(read(draft.position), draft.actions))


@router.post("/tools/forecast")
async def show_forecast(body: Position, who: Anybody, request: Request) -> list[RegionFacts]:
    """For each region, what would happen if the Emperor stopped there."""
    limit(request, who)
    return [region_facts(region) for region in read(body.position).forecast()]


@router.post("/tools/threats")
async def show_threats(body: Position, who: Anybody, request: Request) -> list[ThreatFacts]:
    """What each seat could build or take over in its coming turn, and how likely in the one after."""
    limit(request, who, 5)
    found = await service_of(request).hall.thinkers.run(threats, read(body.position))
    return [threat_facts(threat) for threat in found]


@router.post("/tools/analyse")
async def analyse(body: Position, who: Somebody, request: Request) -> AnalysisFacts:
    """What the strongest bot thinks of any position, in a second. For positions outside of games under way."""
    limit(request, who, 50)
    return await advised(request, read(body.position))


@router.post("/tools/position")
async def check_position(body: Position, who: Anybody, request: Request) -> CheckedPosition:
    """Whether an edited position is possible; if not, the problem says why."""
    limit(request, who)
    state = read(body.position)
    legal = [str(action) for action in state.legal_actions()]
    actors = [int(seat) for seat in state.actors]
    board = board_of(state)
    return CheckedPosition(position=state.text, board=board, is_over=state.is_over, actors=actors, legal=legal)


# At a table


@router.get("/tables/{table}/threats")
async def table_threats(table: Id, request: Request, who: Anybody) -> list[ThreatFacts]:
    limit(request, who, 5)
    state = helped(await room_of(service_of(request), table))
    found = await service_of(request).hall.thinkers.run(threats, state)
    return [threat_facts(threat) for threat in found]


@router.post("/tables/{table}/hint")
async def hint(table: Id, who: Somebody, request: Request) -> AnalysisFacts:
    """What the strongest bot would do in your place, where the table allows help."""
    limit(request, who, 50)
    room = await room_of(service_of(request), table)
    state = helped(room)
    if room.play.seat_of(who.id) not in room.play.asked:
        raise HttpProblem(409, "not-asked", "you are not asked now")
    return await advised(request, state)


class StepReview(BaseModel):
    number: int
    round: int
    seat: int | None
    action: str
    is_chance: bool
    before: list[float]
    after: list[float]
    loss: float
    best: str


class MistakeFacts(BaseModel):
    step: int
    loss: float
    line: list[str]


class AccountFacts(BaseModel):
    start: float
    luck: float
    own: float
    others: float
    second_thoughts: float
    end: float


class ReviewFacts(BaseModel):
    """A whole game judged; the parts of each side's account add up."""

    steps: list[StepReview]
    mistakes: list[MistakeFacts]
    accounts: list[AccountFacts]
    is_over: bool


@router.get("/tables/{table}/review")
async def review_table(table: Id, who: Somebody, request: Request) -> ReviewFacts:
    """The judgement of a finished game."""
    service = service_of(request)
    room = await room_of(service, table)
    if not room.play.has_ended:
        raise HttpProblem(409, "not-over", "a game is judged when it is over")
    kept = request.app.state.__dict__.setdefault("reviews", OrderedDict())
    key = (table, room.play.version)
    if key not in kept:
        limit(request, who, 100)
        kept[key] = review_facts(await service.hall.thinkers.run(review, carolus_history(room), REVIEW))
        while len(kept) > KEPT:
            kept.popitem(last=False)
    facts: ReviewFacts = kept[key]
    return facts


# Puzzles


@router.get("/puzzles")
async def list_puzzles() -> list[PuzzleFacts]:
    """Positions in which a turn wins, but hardly any does."""
    return [PuzzleFacts(number=p.number, position=p.position, seat=p.seat, players=p.players) for p in PUZZLES]


class PuzzleTry(Strict):
    actions: ActionList


@router.post("/puzzles/{number}")
async def try_puzzle(
    number: Annotated[int, Path(ge=0, le=10_000)], body: PuzzleTry, who: Anybody, request: Request
) -> AttemptFacts:
    """Whether these actions solve the puzzle."""
    limit(request, who)
    puzzle = next((puzzle for puzzle in PUZZLES if puzzle.number == number), None)
    if puzzle is None:
        raise HttpProblem(404, "no-puzzle", "there is no puzzle {number}", number=number)
    found = attempt(puzzle, body.actions)
    problem = problem_of(found.reason) if found.reason else None
    return AttemptFacts(solved=found.solved, goes_on=found.needs_more, problem=problem)


# Helpers


def limit(request: Request, who: Caller | None, cost: float = 1.0) -> None:
    """Heavier tools count more. Raises HttpProblem."""
    key = f"tools {who.id if who else address_of(request)}"
    if not service_of(request).limits.allow(key, 300, 30, cost):
        raise HttpProblem(429, "too-fast", "too many requests; wait a little")
    if service_of(request).hall.thinkers.room == 0 and cost > 1:
        raise HttpProblem(503, "busy", "all thinkers are busy; try again in a moment")


def read(text: str) -> carolus.State:
    """Raises BadPosition."""
    return carolus.read(text)


def helped(room: Room) -> carolus.State:
    """The state of a table where help is allowed. Raises HttpProblem."""
    if not room.play.layout.help:
        raise HttpProblem(403, "no-help", "this table is played without help")
    state = room.play.state
    if not isinstance(state, carolus.State):
        raise HttpProblem(409, "other-game", "there is no such help for this game")
    if not room.play.is_live:
        raise HttpProblem(409, "over", "the game is not being played")
    return state


def carolus_history(room: Room) -> History[carolus.State]:
    history: Any = room.play.history
    if not isinstance(history.state, carolus.State):
        raise HttpProblem(409, "other-game", "there is no review for this game")
    return history.copy()  # type: ignore[no-any-return]


async def advised(request: Request, state: carolus.State) -> AnalysisFacts:
    bot = make("emperor")
    assert isinstance(bot, ThinkingBot)
    try:
        found: Analysis = await service_of(request).hall.thinkers.run(bot.analyse, state, HINT)
    except AachenError as error:
        raise HttpProblem(409, error.code, error.sentence, **error.params) from None
    thoughts = [
        ThoughtFacts(action=str(t.action), chance=t.chance, error=t.error, weight=t.weight, line=list(map(str, t.line)))
        for t in found.thoughts[:10]
    ]
    chances = [found.chances[side] for side in sorted(found.chances)]
    return AnalysisFacts(chances=chances, thoughts=thoughts, positions=found.positions, seconds=found.seconds)


def region_facts(region: carolus.RegionForecast) -> RegionFacts:
    return RegionFacts(
        tile=region.tile, counts=list(region.counts), holder=region.holder, majority=region.majority,
        effect=region.effect, castles=region.castles, merges=list(region.merges), steps=region.steps,
        ends_game=region.outcome is not None,
    )  # fmt: skip


def preview_facts(found: Preview) -> PreviewFacts:
    after, outcome = found.after, found.outcome
    return PreviewFacts(
        position=after.text, board=board_of(after), legal=[str(action) for action in after.legal_actions()],
        markers=[ChangeFacts(what=int(m.clan), before=m.before, after=m.after) for m in found.markers],
        leaders=[ChangeFacts(what=m.tile, before=m.before, after=m.after) for m in found.leaders],
        castles=list(found.castles), merged=list(found.merged), winners=list(outcome.winners) if outcome else [],
        reason=outcome.reason if outcome else "", reach=found.reach,
        forecast=[region_facts(region) for region in found.forecast],
    )  # fmt: skip


def threat_facts(threat: Threat) -> ThreatFacts:
    now = threat.now
    return ThreatFacts(
        seat=threat.seat, tile=threat.tile, now=now is not None, effect=now.effect if now else "",
        castles=now.castles if now else 0, turn=list(now.turn) if now else [], needed=len(now.needed) if now else 0,
        ends_game=now is not None and now.outcome is not None, later=threat.later,
    )  # fmt: skip


def board_of(state: carolus.State) -> dict[str, Any]:
    """The fields of the position."""
    fields: dict[str, Any] = vars(plain(state.position))
    return fields


def review_facts(found: Review) -> ReviewFacts:
    steps = [
        StepReview(
            number=s.number, round=s.round, seat=s.seat, action=str(s.action or ""), is_chance=s.is_chance,
            before=list(s.before), after=list(s.after), loss=s.loss, best=str(s.best or ""),
        )
        for s in found.steps
    ]  # fmt: skip
    mistakes = [
        MistakeFacts(step=mistake.step.number, loss=mistake.step.loss, line=list(map(str, mistake.line)))
        for mistake in found.mistakes
    ]
    accounts = [AccountFacts(**vars(account)) for account in found.accounts]
    return ReviewFacts(steps=steps, mistakes=mistakes, accounts=accounts, is_over=found.is_over)
