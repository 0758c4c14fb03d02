"""Tables over HTTP: opening, joining, playing, talking, looking back."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field
from sqlalchemy import desc, select

from aachen.core import AachenError, BadOptions
from aachen.core.schema import plain
from aachen.core.state import known
from aachen.server import messages as m
from aachen.server import schema
from aachen.server.entries import Layout, Pace, Place, SeatKind
from aachen.server.hall import Command, Room, chat_facts, may_hear
from aachen.server.play import Refused
from aachen.server.service import Service
from aachen.server.thinkers import levels_of
from aachen.server.web import Anybody, Caller, HttpProblem, Problem, Somebody, Strict, address_of, service_of

PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem} for code in (400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
}
router = APIRouter(prefix="/api/tables", responses=PROBLEMS)

Id = Annotated[str, Path(pattern=r"^[0-9A-Za-z_-]{1,32}$")]
Nonce = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,64}$")]


class NewSeat(Strict):
    kind: SeatKind
    level: Annotated[str, Field(max_length=20, description="of a bot")] = ""


class NewPace(Strict):
    kind: Pace = Pace.UNTIMED
    seconds: Annotated[float, Field(ge=10, le=36_000, allow_inf_nan=False)] = 600
    increment: Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)] = 10
    days: Annotated[float, Field(ge=0.01, le=30, allow_inf_nan=False)] = 3


class NewTable(Strict):
    """A table to be opened. With it comes the hash of its dice; then people sit down, each with a nonce."""

    game: Annotated[str, Field(max_length=40)] = "carolus"
    options: Annotated[dict[str, str | int | bool], Field(max_length=20, default_factory=dict)]
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=10)]
    pace: NewPace = NewPace()
    is_public: bool = False
    rated: bool = True
    help: bool = True
    title: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class Opened(BaseModel):
    id: str
    hash: str
    invites: dict[int, str]  # by seat: who has this code may sit there


class Sit(Strict):
    seat: Annotated[int, Field(ge=0, le=9)]
    nonce: Nonce | None = None  # your own part of the dice; one made by the server would prove nothing
    invite: Annotated[str, Field(max_length=64)] = ""


class HttpAct(Strict):
    question: m.Question
    action: m.ActionText
    id: m.Ref = ""


class HttpConfirm(Strict):
    question: m.Question
    id: m.Ref = ""


class HttpStep(Strict):
    step: Annotated[int, Field(ge=0, le=100_000)]


class HttpAnswer(Strict):
    grant: bool


class HttpSay(Strict):
    text: Annotated[str, Field(min_length=1, max_length=500)]
    partners: bool = False


class ListedSeat(BaseModel):
    seat: int
    name: str
    player: str | None
    bot: str
    is_asked: bool


class Listed(BaseModel):
    """A table in a list."""

    id: str
    game: str
    title: str
    options: dict[str, Any]
    pace: str
    status: str
    result: str
    opened: float
    changed: float
    is_public: bool
    forked_from: str
    seats: list[ListedSeat]


# Opening


@router.post("", status_code=201)
async def open_table(new: NewTable, who: Somebody, request: Request) -> Opened:
    """Opens a table. Nobody sits there yet, you neither: the hash of the dice is published first."""
    service = service_of(request)
    service.limits.check(f"open {who.id}", 30, 0.1)
    layout = layout_of(new, who)
    room = await service.hall.open(layout)
    return opened(room)


def opened(room: Room) -> Opened:
    layout = room.play.layout
    kept = [seat for seat, place in enumerate(layout.places) if place.kind == SeatKind.INVITED]
    return Opened(id=layout.id, hash=room.fair_hash, invites={seat: invite_code(layout, seat) for seat in kept})


def invite_code(layout: Layout, seat: int) -> str:
    """Who has it may take the seat. It tells nothing of the seed that it is made from."""
    return hmac.new(layout.seed, f"invite {seat}".encode(), hashlib.sha256).hexdigest()[:20]


def layout_of(new: NewTable, who: Caller, **more: Any) -> Layout:
    """Raises BadOptions."""
    kind = known_game(new.game)
    start = kind.game.start(new.options)
    return make_layout(new, who, kind.game.options(start), kind.game.seats(start), more)


def known_game(name: str) -> Any:
    try:
        return known(name)
    except AachenError as error:
        raise BadOptions("unknown-game", "there is no game called {name!r}", name=name) from error


def make_layout(new: NewTable, who: Caller, options: dict[str, Any], seats: int, more: dict[str, Any]) -> Layout:
    if len(new.seats) != seats:
        raise BadOptions("bad-seats", "{number} seats are described, but the game has {right}",
                         number=len(new.seats), right=seats)  # fmt: skip
    if sum(seat.kind == SeatKind.OWNER for seat in new.seats) > 1:
        raise BadOptions("two-owners", "you can keep one seat for yourself")
    if all(seat.kind == SeatKind.BOT for seat in new.seats):
        raise BadOptions("no-person", "at least one seat must be for a person")
    right = levels_of(new.game)
    for seat in new.seats:
        if seat.kind == SeatKind.BOT and seat.level not in right:
            raise BadOptions("unknown-level", "there is no bot {level!r}; there are: {right}",
                             level=seat.level, right=", ".join(right))  # fmt: skip
    names = bot_names([seat.level if seat.kind == SeatKind.BOT else "" for seat in new.seats])
    places = tuple(
        Place(seat.kind, seat.level if seat.kind == SeatKind.BOT else "", name=name)
        for seat, name in zip(new.seats, names, strict=True)
    )
    pace = new.pace
    return Layout(
        id=secrets.token_urlsafe(9), game=new.game, options=options, owner=who.id, places=places,
        seed=secrets.token_bytes(32), pace=pace.kind, is_public=new.is_public, rated=new.rated, help=new.help,
        seconds=pace.seconds if pace.kind == Pace.LIVE else 0.0,
        increment=pace.increment if pace.kind == Pace.LIVE else 0.0,
        days=pace.days if pace.kind == Pace.DAYS else 0.0, title=new.title, opened=time.time(), **more,
    )  # fmt: skip


def bot_names(levels: Sequence[str]) -> list[str]:
    """`Squire`, or `Squire 1` and `Squire 2`."""
    names = []
    for place, level in enumerate(levels):
        number = f" {levels[:place].count(level) + 1}" if levels.count(level) > 1 else ""
        names.append(level.capitalize() + number if level else "")
    return names


# Lists


@router.get("")
async def list_tables(
    who: Anybody, request: Request,
    which: Literal["open", "playing", "over", "mine"] = "open",
    game: Annotated[str | None, Query(max_length=40)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    before: Annotated[float | None, Query(allow_inf_nan=False)] = None,
) -> list[Listed]:  # fmt: skip
    """Public tables, the newest first; or all of my own, those that wait for me first."""
    service = service_of(request)
    t, s = schema.tables.c, schema.seats.c
    query = select(schema.tables).limit(limit)
    if which == "mine":
        if who is None:
            raise HttpProblem(401, "not-in", "come in first")
        mine = select(s.table).where(s.player == who.id)
        waiting = select(s.table).where(s.player == who.id, s.is_asked)
        query = query.where(t.id.in_(mine)).order_by(desc(t.id.in_(waiting)), desc(t.changed))
    else:
        query = query.where(t.is_public, t.status == which).order_by(desc(t.changed))
    if game is not None:
        query = query.where(t.game == clean(game))
    if before is not None:
        query = query.where(t.changed < before)
    rows = await service.store.fetch(query)
    seats = await service.store.fetch(
        select(schema.seats).where(s.table.in_([row["id"] for row in rows])).order_by(s.table, s.seat)
    )
    return [listed(row, [seat for seat in seats if seat["table"] == row["id"]]) for row in rows]


def clean(text: str) -> str:
    """Raises HttpProblem for what no database can look up."""
    if "\0" in text or not text.isprintable():
        raise HttpProblem(422, "bad-text", "only printable text can be looked up")
    return text


def listed(row: dict[str, Any], seats: Sequence[dict[str, Any]]) -> Listed:
    layout = row["layout"]
    return Listed(
        id=row["id"], game=row["game"], title=layout["title"], options=layout["options"], pace=layout["pace"],
        status=row["status"], result=row["result"], opened=row["opened"], changed=row["changed"],
        is_public=row["is_public"], forked_from=layout["forked_from"],
        seats=[ListedSeat(**{name: seat[name] for name in ListedSeat.model_fields}) for seat in seats],
    )  # fmt: skip


# One table


async def room_of(service: Service, table: str) -> Room:
    try:
        return await service.hall.room(table)
    except Refused as error:
        raise HttpProblem(404, error.code, error.sentence, **error.params) from None


def state_of(room: Room, who: Caller | None) -> Response:
    """The table as this person may see it."""
    seat = room.play.seat_of(who.id) if who else None
    return Response(room.look.message(seat, 0), media_type="application/json")


STATE: dict[str, Any] = {"response_model": m.StateMessage, "responses": PROBLEMS}


@router.get("/{table}", **STATE)
async def get_table(table: Id, who: Anybody, request: Request) -> Any:
    """The table as you may see it."""
    return state_of(await room_of(service_of(request), table), who)


async def do(request: Request, table: str, who: Caller, command: Command, ref: str = "") -> Response:
    """Carries a command out. What cannot be done is a problem with status 409."""
    service = service_of(request)
    service.limits.check(f"act {who.id}", 200, 50)
    room = await room_of(service, table)
    try:
        await service.hall.change(room, command, who.id, ref)
    except AachenError as error:
        status = 503 if error.code in ("closing", "busy") else 409
        raise HttpProblem(status, error.code, error.sentence, **error.params) from None
    return state_of(room, who)


@router.post("/{table}/sit", **STATE)
async def sit(table: Id, body: Sit, who: Somebody, request: Request) -> Any:
    """Takes a seat, with a nonce for the dice. With the last seat the game starts."""
    room = await room_of(service_of(request), table)
    code = invite_code(room.play.layout, body.seat)
    invited = hmac.compare_digest(code.encode(), body.invite.encode())
    return await do(
        request, table, who, lambda play, now: play.sit(now, who.id, who.name, body.seat, body.nonce or "", invited)
    )


@router.post("/{table}/leave", **STATE)
async def leave(table: Id, who: Somebody, request: Request) -> Any:
    """Gives the seat up: before the game it is free again, later a bot plays on."""
    return await do(request, table, who, lambda play, now: play.leave(now, who.id))


@router.post("/{table}/act", **STATE)
async def act(table: Id, body: HttpAct, who: Somebody, request: Request) -> Any:
    at_once = bool(who.settings.get("auto_confirm"))
    return await do(
        request, table, who,
        lambda play, now: play.act(now, who.id, body.question, body.action, body.id, at_once=at_once), body.id,
    )  # fmt: skip


@router.post("/{table}/confirm", **STATE)
async def confirm(table: Id, body: HttpConfirm, who: Somebody, request: Request) -> Any:
    return await do(request, table, who, lambda play, now: play.confirm(now, who.id, body.question, body.id), body.id)


@router.post("/{table}/undo", **STATE)
async def undo(table: Id, who: Somebody, request: Request) -> Any:
    return await do(request, table, who, lambda play, now: play.undo(now, who.id))


@router.post("/{table}/takeback", **STATE)
async def takeback(table: Id, body: HttpStep, who: Somebody, request: Request) -> Any:
    """Asks everybody to go back to where so many steps had been played."""
    return await do(request, table, who, lambda play, now: play.ask_takeback(now, who.id, body.step))


@router.post("/{table}/takeback/answer", **STATE)
async def answer(table: Id, body: HttpAnswer, who: Somebody, request: Request) -> Any:
    return await do(request, table, who, lambda play, now: play.answer_takeback(now, who.id, body.grant))


@router.post("/{table}/come-back", **STATE)
async def come_back(table: Id, who: Somebody, request: Request) -> Any:
    """Takes the seat back from the bot that played on."""
    return await do(request, table, who, lambda play, now: play.come_back(now, who.id))


# Talking


@router.get("/{table}/chat")
async def get_chat(table: Id, who: Anybody, request: Request) -> list[m.ChatMessage]:
    """The last hundred things that were said, as far as you may hear them."""
    service = service_of(request)
    room = await room_of(service, table)
    c = schema.chat.c
    rows = await service.store.fetch(select(schema.chat).where(c.table == table).order_by(desc(c.id)).limit(100))
    silent = who.settings.get("muted", ()) if who else ()
    heard = [row for row in reversed(rows) if may_hear(room.play, who.id if who else "", row)]
    return [m.ChatMessage(**chat_facts(row)) for row in heard if row["player"] not in silent]


@router.post("/{table}/chat", status_code=204)
async def post_chat(table: Id, body: HttpSay, who: Somebody, request: Request) -> None:
    service = service_of(request)
    room = await room_of(service, table)
    try:
        await say(service, who, room, body.text, body.partners, address_of(request))
    except Refused as error:
        status = 429 if error.code == "too-fast" else 409
        raise HttpProblem(status, error.code, error.sentence, **error.params) from None


async def say(service: Service, who: Caller, room: Room, text: str, partners: bool, address: str) -> None:
    """Says something at a table. Raises Refused."""
    play = room.play
    seat = play.seat_of(who.id)
    if seat is None:
        raise Refused("not-seated", "you have no seat at this table")
    if not text.replace("\n", " ").isprintable():
        raise Refused("bad-text", "only printable text can be said")
    side = int(play.state.side(seat)) if partners else None
    if partners:
        together = [int(play.state.side(other)) for other in range(len(play.places))].count(side or 0)
        if together < 2:
            raise Refused("no-partner", "nobody plays with you in this game")
        if play.layout.options.get("talk") == "none":
            raise Refused("no-talk", "partners may not talk in this game")
    if not service.limits.allow(f"chat {who.id}", 8, 0.5) or not service.limits.allow(f"chat {address}", 30, 2):
        raise Refused("too-fast", "wait a little before you say more")
    await service.hall.say(room, who.id, who.name, text, side)


# Looking back, and going on elsewhere


@router.get("/{table}/record", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def record(table: Id, request: Request) -> Any:
    """The record. Of a game with secrets it can be had when it is over."""
    room = await room_of(service_of(request), table)
    try:
        text = str(room.play.record())
    except AachenError as error:
        raise HttpProblem(409, error.code, error.sentence, **error.params) from None
    name = f'attachment; filename="{table}.game"'
    return Response(text, media_type="text/plain; charset=utf-8", headers={"Content-Disposition": name})


class AtStep(BaseModel):
    """The table as it was after so many steps."""

    step: int
    steps: int
    position: str
    board: dict[str, Any]
    action: str  # the last one
    seat: int | None


@router.get("/{table}/steps/{step}", response_model=AtStep)
async def at_step(table: Id, step: Annotated[int, Path(ge=0, le=100_000)], who: Anybody, request: Request) -> Any:
    """Any earlier step, as you may know it."""
    play = (await room_of(service_of(request), table)).play
    viewer = play.seat_of(who.id) if who else None
    seen = play.seen_steps(viewer)
    if step > len(seen):
        raise HttpProblem(404, "no-step", "there are {last} steps", last=len(seen))
    number, last = seen[step - 1] if step else (-1, None)
    state = play.history.states[number + 1]
    view = state.view(viewer) if play.hides else state
    facts = {
        "step": step, "steps": len(seen), "position": view.text, "board": vars(plain(view.position)),
        "action": str(last.action) if last else "", "seat": last.seat if last else None,
    }  # fmt: skip
    return Response(orjson.dumps(facts), media_type="application/json")


class Fork(Strict):
    step: Annotated[int, Field(ge=0, le=100_000)]
    table: NewTable


@router.post("/{table}/fork", status_code=201)
async def fork(table: Id, body: Fork, who: Somebody, request: Request) -> Opened:
    """A new table that begins where this one stood after so many steps. It is marked as a fork, and not rated."""
    service = service_of(request)
    service.limits.check(f"open {who.id}", 30, 0.1)
    play = (await room_of(service, table)).play
    if play.hides:
        raise HttpProblem(409, "secret-record", "this game has secrets: it can be forked when it is over")
    if body.step > len(play.history.steps):
        raise HttpProblem(404, "no-step", "there are {last} steps", last=len(play.history.steps))
    if body.table.game != play.layout.game:
        raise HttpProblem(409, "other-game", "a fork is of the same game: {game}", game=play.layout.game)
    state = play.history.states[body.step]
    if state.is_over:
        raise HttpProblem(409, "over", "the game is over there")
    more = {"start": state.text, "forked_from": f"{table}/{body.step}"}
    new = body.table.model_copy(update={"rated": False})
    layout = make_layout(new, who, state.options, state.seats, more)
    return opened(await service.hall.open(layout))


@router.post("/{table}/rematch", status_code=201)
async def rematch(table: Id, who: Somebody, request: Request) -> Opened:
    """The same again with the seats rotated: everybody sits one seat further. Seats of people are open to them."""
    service = service_of(request)
    service.limits.check(f"open {who.id}", 30, 0.1)
    room = await room_of(service, table)
    play = room.play
    if play.seat_of(who.id) is None:
        raise HttpProblem(403, "not-seated", "you had no seat at this table")
    if not play.has_ended:
        raise HttpProblem(409, "not-over", "the game is not over")
    new = await service.hall.open(rematch_layout(play.layout, play.places, who))
    await service.hall.tell_rematch(room, new.id)
    return opened(new)


def rematch_layout(old: Layout, places: Sequence[Place], who: Caller) -> Layout:
    rotated = [*places[-1:], *places[:-1]]
    new = tuple(
        Place(SeatKind.BOT, place.level, name=place.name) if place.kind == SeatKind.BOT
        else Place(SeatKind.INVITED, kept_for=place.player)
        for place in rotated
    )  # fmt: skip
    return Layout(
        id=secrets.token_urlsafe(9), game=old.game, options=old.options, owner=who.id, places=new,
        seed=secrets.token_bytes(32), pace=old.pace, seconds=old.seconds, increment=old.increment, days=old.days,
        is_public=old.is_public, rated=old.rated and not old.forked_from, help=old.help, title=old.title,
        rematch_of=old.id, opened=time.time(),
    )  # fmt: skip
