"""The WebSocket: one connection for all tables that a client looks at."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from aachen.core.errors import AachenError
from aachen.server import messages as m
from aachen.server.accounts import same_origin, whoami
from aachen.server.hall import Hall, Room
from aachen.server.play import Refused
from aachen.server.service import Service
from aachen.server.tables import say
from aachen.server.web import Caller, address_of, problem_of, service_of

router = APIRouter()
log = logging.getLogger("aachen.socket")
#: The longest message that is read, in bytes; the tables that one connection may look at; what may wait to be sent.
LONGEST, MOST_TABLES, MOST_WAITING = 4096, 100, 500
#: Messages a second that a connection may send, and how many at once.
A_SECOND, BURST = 50.0, 200.0
#: Errors of broken messages before the connection is closed.
MOST_BROKEN = 50


@router.websocket("/api/socket")
async def socket(websocket: WebSocket) -> None:
    """Everything that happens at tables. Anybody may watch; who is not in cannot act."""
    service = service_of(websocket)
    if not same_origin(websocket):
        await websocket.close(4403)
        return
    caller = await whoami(websocket)
    await websocket.accept()
    connection = Connection(websocket, service, caller)
    service.connections.add(connection)
    try:
        await connection.run()
    finally:
        service.connections.discard(connection)


class Connection:
    """A client. What is to be sent of a table is made when there is time to send it, so a slow client gets the newest
    state and not all that came before."""

    def __init__(self, websocket: WebSocket, service: Service, caller: Caller | None) -> None:
        self.websocket, self.service, self.caller = websocket, service, caller
        self.player = caller.id if caller else ""
        self.muted = tuple(caller.settings.get("muted", ())) if caller else ()
        self._rooms: dict[str, Room] = {}
        self._sent: dict[str, tuple[int, int, int]] = {}  # of each table: steps and rewinds that the client knows
        self._changed: dict[str, Room] = {}
        self._waiting: list[bytes] = []
        self._wake = asyncio.Event()
        self._last: dict[str, bytes] = {}
        self._broken = 0

    @property
    def hall(self) -> Hall:
        return self.service.hall

    # Sending

    def tell(self, room: Room) -> None:
        self._changed[room.id] = room
        self._wake.set()

    def push(self, message: bytes) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(message)
            self._wake.set()

    def wants_notice(self, table: str) -> bool:
        settings = self.caller.settings if self.caller else {}
        return bool(
            settings.get("notices", {}).get("browser", True) and settings.get("table_notices", {}).get(table, True)
        )

    def send_facts(self, **facts: Any) -> None:
        self.push(orjson.dumps(facts))

    async def _send_all(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._changed or self._waiting:
                waiting, self._waiting = self._waiting, []
                for message in waiting:
                    await self.websocket.send_text(message.decode())
                changed, self._changed = self._changed, {}
                for room in changed.values():
                    if room.id in self._rooms and (state := self._state(room)):
                        await self.websocket.send_text(state.decode())

    def _state(self, room: Room) -> bytes | None:
        """The state, with the steps that the client does not know; None if it can see no change."""
        look, play = room.look, room.play
        seat = play.seat_of(self.player)
        steps, rewinds, restored = self._sent.get(room.id, (0, play.rewinds, play.restored))
        known = steps if (rewinds, restored) == (play.rewinds, play.restored) else 0
        seen = look.steps_seen(seat)
        known = min(known, seen)
        self._sent[room.id] = (seen, play.rewinds, int(play.restored))
        message = look.message(seat, known)
        if play.hides:  # what others do in secret must not be told by a message that says nothing new
            plain = look.without_time(seat, known)
            if self._last.get(room.id) == plain:
                return None
            self._last[room.id] = look.without_time(seat, seen)
        return message

    # Receiving

    async def run(self) -> None:
        """Serves the client until it goes."""
        sender = asyncio.create_task(self._send_all())
        self.hall.people.setdefault(self.player, set()).add(self)
        try:
            while True:
                text = await self._receive()
                if not self.service.limits.allow(f"socket {id(self)}", BURST, A_SECOND):
                    self.send_facts(type="error", id="", error=TOO_FAST)
                    await asyncio.sleep(0.5)
                    continue
                await self._handle(text)
                if self._broken > MOST_BROKEN or sender.done():
                    await self.websocket.close(4400)
                    return
        except (WebSocketDisconnect, RuntimeError):  # RuntimeError: it went while something was sent
            pass
        finally:
            sender.cancel()
            people = self.hall.people.get(self.player, set())
            people.discard(self)
            if not people:
                self.hall.people.pop(self.player, None)
            for room in self._rooms.values():
                await self.hall.unwatch(room, self)

    async def _receive(self) -> str | bytes:
        message = await self.websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text: str | bytes = message.get("text") or message.get("bytes") or ""
        return text

    async def _handle(self, text: str | bytes) -> None:
        ref = ""
        try:
            if len(text) > LONGEST:
                raise Refused("too-long", "a message has at most {most} bytes", most=LONGEST)
            message = m.from_client.validate_json(text)
            ref = message.id
            self.service.metrics.messages.inc()
            await self._carry_out(message)
        except ValidationError as error:
            self._broken += 1
            self._fail(ref, Refused("bad-message", "this is no message that is known: {why}", why=_why(error)))
        except AachenError as error:
            self._fail(ref, error, getattr(message, "table", "") if ref or "message" in locals() else "")
        except Exception:
            log.exception("a message failed")
            self._fail(ref, Refused("failed", "something went wrong here; it has been noted"))

    def _fail(self, ref: str, error: AachenError, table: str = "") -> None:
        self.send_facts(type="error", id=ref, error=problem_of(error).model_dump())
        if table in self._rooms:  # the current state, whole
            self._sent.pop(table, None)
            self._last.pop(table, None)
            self.tell(self._rooms[table])

    async def _carry_out(self, message: m.FromClient) -> None:
        if isinstance(message, m.Ping):
            self.send_facts(type="pong", id=message.id)
            return
        if isinstance(message, m.Watch):
            await self._watch(message.table)
        elif isinstance(message, m.Unwatch):
            if room := self._rooms.pop(message.table, None):
                await self.hall.unwatch(room, self)
        else:
            await self._command(message)
        self.send_facts(type="ack", id=message.id)

    async def _watch(self, table: str) -> None:
        if len(self._rooms) >= MOST_TABLES and table not in self._rooms:
            raise Refused("too-many-tables", "a connection can look at {most} tables at most", most=MOST_TABLES)
        self._sent.pop(table, None)
        self._last.pop(table, None)
        room = self._rooms[table] = await self.hall.room(table)
        await self.hall.watch(room, self)

    async def _command(self, message: Any) -> None:
        self.caller = await whoami(self.websocket)  # the session may have ended since, or settings changed
        if self.caller is None or self.caller.id != self.player:
            raise Refused("not-in", "come in first: as a guest with a name, or with an account")
        self.muted = tuple(self.caller.settings.get("muted", ()))
        room = await self.hall.room(message.table)
        if isinstance(message, m.Say):
            address = address_of(self.websocket)
            await say(self.service, self.caller, room, message.text, message.partners, address)
            return
        if isinstance(message, m.StandIn):
            check_absent(self.hall, room, self.player, message.seat)
        command = COMMANDS[type(message)]
        await self.hall.change(room, command(message, self.caller), self.player, message.id)


def check_absent(hall: Hall, room: Room, player: str, seat: int) -> None:
    """Raises Refused unless a player at the table asks about one who has been away for long."""
    if room.play.seat_of(player) is None:
        raise Refused("not-seated", "you have no seat at this table")
    if not hall.may_replace(room, seat):
        raise Refused("not-absent", "this player has not been away for long enough")


Maker = Callable[[Any, Caller], Callable[[Any, float], None]]
COMMANDS: dict[type, Maker] = {
    m.Act: lambda x, who: (
        lambda play, now: play.act(
            now, who.id, x.question, x.action, x.id, at_once=bool(who.settings.get("auto_confirm"))
        )
    ),
    m.Confirm: lambda x, who: lambda play, now: play.confirm(now, who.id, x.question, x.id),
    m.Undo: lambda x, who: lambda play, now: play.undo(now, who.id, x.id),
    m.AskTakeback: lambda x, who: lambda play, now: play.ask_takeback(now, who.id, x.step, x.id),
    m.AnswerTakeback: lambda x, who: lambda play, now: play.answer_takeback(now, who.id, x.grant, x.id),
    m.ComeBack: lambda x, who: lambda play, now: play.come_back(now, who.id),
    m.StandIn: lambda x, who: lambda play, now: play.replace_absent(now, x.seat),
}
TOO_FAST = {"code": "too-fast", "params": {}, "text": "too many messages; wait a little"}


def _why(error: ValidationError) -> str:
    """The first thing that is wrong, without what was sent."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}"[:200] if place else str(first["msg"])[:200]
