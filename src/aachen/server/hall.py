"""All tables that are open in this process: commands, what follows from them, and who hears of it."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

import orjson
from sqlalchemy import select

from aachen.core.errors import AachenError
from aachen.core.fairness import commitment
from aachen.server import ratings, schema
from aachen.server.entries import Layout
from aachen.server.looks import Look, table_facts
from aachen.server.notices import Postman, notice_rows
from aachen.server.play import Play, Refused
from aachen.server.settings import Settings
from aachen.server.store import Change, Conflict, Store, seat_rows
from aachen.server.thinkers import Thinkers

log = logging.getLogger("aachen.hall")
#: For how long a process takes on what is to be done at a table, and how often it looks for such tables, in seconds. A
#: lease is renewed in time while its process lives; two processes that act for one bot do no harm, one of them is late.
LEASE, LOOK_EVERY = 5.0, 0.5
#: How often a process tells the others that it is alive, and after how long a silence it is taken for dead, in seconds.
ALIVE, SILENT = 2.0, 8.0
#: Tables that are kept in memory although nobody looks at them.
MOST_ROOMS = 5000
#: After how many seconds of absence the others may let a bot play on.
ABSENT = 120.0
TRIES = 8
#: Seconds that a bot waits before each action that it takes for somebody who is away.
PAUSE = 0.7

Command = Callable[[Play, float], None]


class Watcher(Protocol):
    """Somebody who looks at tables, through a connection."""

    player: str

    def tell(self, room: "Room") -> None:
        """The table has changed; its state is asked for when there is time to send it."""

    def push(self, message: bytes) -> None: ...

    def wants_notice(self, table: str) -> bool:
        """Whether it wants to hear that it is its turn at a table that it does not look at."""


class Room:
    """A table in memory, and who looks at it."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.lock = asyncio.Lock()
        self.watchers: set[Watcher] = set()
        self.busy = False  # its bots are being served
        self.elsewhere: dict[str, frozenset[int]] = {}  # seats that are here through other processes
        self.absent = dict.fromkeys(range(len(play.places)), time.time())
        self._table = orjson.Fragment(orjson.dumps(table_facts(play.layout)))
        self.fair_hash = commitment(play.layout.seed)
        self._look: Look | None = None

    @property
    def id(self) -> str:
        return self.play.layout.id

    @property
    def look(self) -> Look:
        if self._look is None:
            self._look = Look(self.play, self._table, self.here())
        return self._look

    def here_now(self) -> frozenset[int]:
        """The seats whose players look at the table through this process."""
        seats = (self.play.seat_of(watcher.player) for watcher in self.watchers)
        return frozenset(seat for seat in seats if seat is not None)

    def here(self) -> frozenset[int]:
        return self.here_now().union(*self.elsewhere.values())

    def changed(self) -> None:
        """Everybody who looks is told."""
        self._look = None
        for watcher in self.watchers:
            watcher.tell(self)

    def note_absences(self) -> None:
        here = self.here()
        for seat in range(len(self.play.places)):
            if seat in here:
                self.absent.pop(seat, None)
            else:
                self.absent.setdefault(seat, time.time())


class Hall:
    """All rooms, and what the server does by itself."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self.thinkers = Thinkers(settings)
        self.postman = Postman(store, settings)
        self.rooms: OrderedDict[str, Room] = OrderedDict()
        self.people: dict[str, set[Watcher]] = {}
        self.moves = 0
        self._loading: dict[str, asyncio.Future[Room | None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._served: set[str] = set()
        self._others: dict[str, float] = {}  # other processes, and when each was heard of last
        self.is_closing = False

    # Rooms

    async def room(self, table: str) -> Room:
        """The room of this table. Raises Refused if there is none."""
        room = self.rooms.get(table)
        if room is None:
            room = await self._load(table)
        if room is None:
            raise Refused("no-table", "there is no table {table}", table=table)
        self.rooms.move_to_end(table)
        return room

    async def _load(self, table: str) -> Room | None:
        """Loads a table once, however many ask for it."""
        if table in self._loading:
            return await asyncio.shield(self._loading[table])
        loading = self._loading[table] = asyncio.ensure_future(self._load_now(table))
        try:
            return await asyncio.shield(loading)
        finally:
            self._loading.pop(table, None)

    async def _load_now(self, table: str) -> Room | None:
        play = await self.store.load(table)
        if play is None:
            return None
        if self.store.is_postgres:
            self.spawn(self._try_to(self.store.notify(f"{table} {self.store.process} who")))
        return self.rooms.setdefault(table, Room(play))

    async def open(self, layout: Layout) -> Room:
        """A new table."""
        play = Play(layout)
        await self.store.commit(Change(layout.id, opened=layout, seats=seat_rows(play)))
        room = self.rooms[layout.id] = Room(play)
        return room

    def _forget_idle(self) -> None:
        for table, room in list(self.rooms.items()):
            if len(self.rooms) <= MOST_ROOMS:
                return
            if not room.watchers and not room.busy and not room.lock.locked():
                del self.rooms[table]

    # Commands

    async def change(self, room: Room, command: Command, player: str = "", ref: str = "") -> None:
        """Carries a command out; when this returns it is on disk and everybody is being told.

        Raises Refused or another AachenError, and then nothing has changed. The same message twice is carried out once.
        """
        if self.is_closing:
            raise Refused("closing", "the server is stopping; connect again in a moment")
        async with room.lock:
            before = room.play
            if not await self._try(room, command, player, ref):
                return
            self.moves += 1
        room.changed()
        self._after(room, before)

    async def _try(self, room: Room, command: Command, player: str, ref: str) -> bool:
        """Whether something has changed. When another process was first, the command is tried on what it did."""
        for _ in range(TRIES):
            if ref and (player, ref) in room.play.refs:
                return False
            draft = room.play.draft()
            try:
                command(draft, time.time())
            except AachenError:
                if self.store.is_postgres and await self._catch_up(room):  # it may be right by what others wrote
                    continue
                raise
            if not draft.new:
                return False
            try:
                await self.store.commit(await self._change_of(room, draft))
            except Conflict:
                await self._catch_up(room)
                continue
            room.play = draft
            return True
        raise Refused("busy", "the table is busy; try again")

    async def _change_of(self, room: Room, draft: Play) -> Change:
        old = room.play
        before = seat_rows(old)
        seats = [row for row in seat_rows(draft) if row not in before]
        columns: dict[str, Any] = {}
        if seats or draft.status != old.status:
            columns = {"status": draft.status, "result": draft.result, "changed": time.time()}
        due = draft.due()
        if due != old.due():
            mine = due == 0 and self.thinkers.room > 0
            columns |= {"due": due, "lease": time.time() + LEASE if mine else 0.0}
            columns["lease_by"] = self.store.process if mine else ""
        rows = await self._notices(room, draft)
        return Change(draft.layout.id, draft.new, columns=columns, seats=seats, rows=rows)

    async def _notices(self, room: Room, draft: Play) -> Sequence[tuple[Any, dict[str, Any]]]:
        """Notices for people who are not here."""
        asked = [seat for seat in draft.waiting_for() if seat not in room.play.asked]
        ended = draft.status == "over" != room.play.status
        here = room.here()
        seats = range(len(draft.places)) if ended else asked
        absent = [draft.places[seat].player for seat in seats if seat not in here and draft.places[seat].player]
        if not absent:
            return []
        p = schema.players.c
        found = await self.store.fetch(select(p.id, p.email, p.settings).where(p.id.in_(absent)))
        people = {row["id"]: row for row in found}
        return notice_rows(draft, asked, people, here, time.time())

    async def _catch_up(self, room: Room) -> bool:
        """Adds what other processes wrote; whether there was something."""
        entries = await self.store.entries_after(room.id, room.play.version)
        if entries:
            draft = room.play.draft()
            draft.follow(entries)
            room.play = draft
            room.changed()
        return bool(entries)

    # What follows

    def _after(self, room: Room, before: Play) -> None:
        play = room.play
        if play.due() == 0:
            self._serve_soon(room)
        if play.status != before.status:
            log.info("table", extra={"facts": {"table": room.id, "status": play.status, "result": play.result}})
            if play.status == "over":
                self.spawn(self._count(play))
        newly = [seat for seat in play.waiting_for() if seat not in before.asked]
        for seat in newly:
            self._tell_elsewhere(room, play.places[seat].player)
        self.postman.wake()

    def _tell_elsewhere(self, room: Room, player: str) -> None:
        """A notice in the browser, for somebody who is in but looks at something else."""
        facts = {"type": "your-turn", "table": room.id, "title": room.play.layout.title}
        for watcher in self.people.get(player, ()):
            if watcher not in room.watchers and watcher.wants_notice(room.id):
                watcher.push(orjson.dumps(facts))

    async def _count(self, play: Play) -> None:
        await ratings.count(self.store, play)

    async def _try_to(self, work: Awaitable[None]) -> None:
        """What is not worth failing for."""
        try:
            await work
        except Exception as error:
            log.warning("the database does not answer: %s", error)

    def spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task failed", exc_info=task.exception())

    def _serve_soon(self, room: Room) -> None:
        if not room.busy and not self.is_closing and self.thinkers.room > 0:
            room.busy = True
            self.spawn(self._serve(room))

    async def _serve(self, room: Room) -> None:
        """Lets the table's bots act, and chance where nobody is waited for, until a person is asked."""
        self._served.add(room.id)
        try:
            while not self.is_closing and room.play.due() == 0:
                play = room.play
                bots = play.bots_to_act()
                if not bots:
                    await self.change(room, lambda draft, now: draft.settle(now))
                    if room.play is play:
                        return
                    continue
                await self._bot_acts(room, play, bots[0])
        finally:
            room.busy = False
            self._served.discard(room.id)

    async def _bot_acts(self, room: Room, play: Play, seat: int) -> None:
        if play.confirming is not None:
            await self.change(room, lambda draft, now: draft.settle(now))
            return
        question = play.questions[seat]
        if play.places[seat].away:  # its player may want to come back
            await asyncio.sleep(PAUSE)
        text = await self.thinkers.choose(room.id, play.state, seat, play.places[seat].bot)
        try:
            await self.change(room, lambda draft, now: draft.bot_acts(now, seat, question, text))
        except AachenError as late:
            if late.code not in ("stale", "closing"):
                raise

    # What the server does by itself

    async def run(self) -> None:
        """Looks for tables where time has run out or bots are waiting, until it is cancelled."""
        renewed = told = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self._look_after_tables()
                if self._served and time.monotonic() - renewed > LEASE / 4:
                    renewed = time.monotonic()
                    await self.store.renew_leases(list(self._served), time.time() + LEASE)
                if self.store.is_postgres and time.monotonic() - told > ALIVE:
                    told = time.monotonic()
                    await self.store.notify(f"* {self.store.process} alive")
                    self._forget_silent()
            except Exception:
                log.exception("looking after tables failed; it is tried again")

    async def _look_after_tables(self) -> None:
        self._forget_idle()
        if self.thinkers.room == 0:
            return
        for table in await self.store.claim_due(time.time(), LEASE, self.thinkers.room):
            try:
                await self._look_after(table)
            except AachenError as error:
                log.warning("table %s: %s", table, error)
            except Exception:
                log.exception("looking after table %s failed; it is tried again", table)

    async def _look_after(self, table: str) -> None:
        room = await self.room(table)
        async with room.lock:
            await self._catch_up(room)
        if room.play.due() != 0:
            await self.change(room, lambda draft, now: draft.expire(now))
        if room.play.due() == 0:
            self._serve_soon(room)

    # Other processes

    async def heard(self, told: str) -> None:
        """What another process told: `TABLE PROCESS [WHAT]`, of a change if nothing else; or `* PROCESS WHAT`."""
        table, process, *what = told.split(" ")
        if process == self.store.process:
            return
        self._others[process] = time.monotonic()
        if table == "*":
            if what == ["who"]:
                await self._tell_who(list(self.rooms.values()))
            return
        room = self.rooms.get(table)
        if room is None and table in self._loading:  # it may have been read before this was written
            room = await self._load(table)
        if room is None:
            return
        word, _, more = what[0].partition(":") if what else ("", "", "")
        if word == "who":
            await self._tell_who([room])
        elif word == "here":
            room.elsewhere[process] = frozenset(int(seat) for seat in more.split(",") if seat)
            room.note_absences()
            room.changed()
        elif word == "chat":
            await self._tell_chat(room, int(more))
        elif word == "rematch":
            self._push_rematch(room, more)
        else:
            before = room.play
            async with room.lock:
                await self._catch_up(room)
            for seat in room.play.waiting_for():
                if seat not in before.asked:
                    self._tell_elsewhere(room, room.play.places[seat].player)

    async def _tell_who(self, rooms: Iterable[Room], *more: str) -> None:
        """Tells the other processes who is here."""
        await self.store.notify(*more, *(self._who(room) for room in rooms if room.here_now()))

    def _who(self, room: Room) -> str:
        return f"{room.id} {self.store.process} here:{','.join(map(str, sorted(room.here_now())))}"

    def _forget_silent(self) -> None:
        """Who was here through a process that is dead is not here any more."""
        dead = [name for name, last in self._others.items() if time.monotonic() - last > SILENT]
        for name in dead:
            del self._others[name]
            for room in self.rooms.values():
                if room.elsewhere.pop(name, None):
                    room.note_absences()
                    room.changed()

    async def reread(self) -> None:
        """After a lost connection to the database: what was told in the meantime."""
        for room in list(self.rooms.values()):
            async with room.lock:
                await self._catch_up(room)
            room.elsewhere.clear()
            room.changed()
        await self._tell_who(self.rooms.values(), f"* {self.store.process} who")

    # Looking on

    async def watch(self, room: Room, watcher: Watcher) -> None:
        before = room.here_now()
        room.watchers.add(watcher)
        watcher.tell(room)
        await self._presence(room, before)

    async def unwatch(self, room: Room, watcher: Watcher) -> None:
        before = room.here_now()
        room.watchers.discard(watcher)
        await self._presence(room, before)

    async def _presence(self, room: Room, before: Iterable[int]) -> None:
        room.note_absences()
        if room.here_now() != before:
            room.changed()
            await self._try_to(self.store.notify(self._who(room)))  # else it is told when the database is back

    def may_replace(self, room: Room, seat: int) -> bool:
        """Whether this player has been away for so long that a bot may play on."""
        since = room.absent.get(seat)
        return since is not None and time.time() - since >= ABSENT

    # Talking

    async def say(self, room: Room, player: str, name: str, text: str, side: int | None) -> None:
        row = {"table": room.id, "player": player, "name": name, "text": text, "side": side, "at": time.time()}
        number = await self.store.insert_chat(row)
        self._push_chat(room, row | {"id": number})

    async def _tell_chat(self, room: Room, number: int) -> None:
        row = await self.store.one(select(schema.chat).where(schema.chat.c.id == number))
        if row:
            self._push_chat(room, row)

    def _push_chat(self, room: Room, row: dict[str, Any]) -> None:
        message = orjson.dumps({"type": "chat", **chat_facts(row)})
        for watcher in room.watchers:
            if may_hear(room.play, watcher.player, row) and row["player"] not in muted(watcher):
                watcher.push(message)

    async def tell_rematch(self, room: Room, new: str) -> None:
        """Tells everybody who looks at a table, through whichever process, that a rematch has been opened."""
        self._push_rematch(room, new)
        await self.store.notify(f"{room.id} {self.store.process} rematch:{new}")

    def _push_rematch(self, room: Room, new: str) -> None:
        for watcher in room.watchers:
            watcher.push(orjson.dumps({"type": "rematch", "table": room.id, "new": new}))

    async def close(self) -> None:
        """Finishes what is under way and takes nothing new."""
        self.is_closing = True
        tasks = list(self._tasks)
        for room in list(self.rooms.values()):
            async with room.lock:
                pass
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._try_to(self.store.release_leases())  # else they run out
        self.thinkers.close()


def chat_facts(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "table": row["table"], "id": row["id"], "player": row["player"], "name": row["name"],
        "partners": row["side"] is not None, "text": row["text"], "at": row["at"],
    }  # fmt: skip


def may_hear(play: Play, player: str, row: dict[str, Any]) -> bool:
    """Partners' talk is for partners alone."""
    if row["side"] is None:
        return True
    seat = play.seat_of(player)
    return seat is not None and int(play.state.side(seat)) == row["side"]


def muted(watcher: Watcher) -> Sequence[str]:
    found: Sequence[str] = getattr(watcher, "muted", ())
    return found
