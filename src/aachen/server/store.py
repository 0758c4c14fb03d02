"""Reading and writing the database: SQLite in one file, or PostgreSQL. A commit that has returned is on disk."""

import asyncio
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Engine, Table, bindparam, create_engine, delete, event, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from aachen.core.errors import AachenError
from aachen.server import schema
from aachen.server.entries import Entry, Kind, Layout, Pace, Place, SeatKind
from aachen.server.play import Play, facts_text

#: Changes that are written together at most.
GROUP = 400
#: The channel over which processes tell each other of changes.
CHANNEL = "aachen"
NOTIFY = text(f"SELECT pg_notify('{CHANNEL}', :told)")
#: Statements, each with its rows.
Work = list[tuple[Any, list[dict[str, Any]]]]


class Conflict(AachenError):
    """Somebody else has written this version of the table first."""


@dataclass
class Change:
    """What one command adds to a table; all of it is written, or nothing."""

    table: str
    entries: Sequence[Entry] = ()
    opened: Layout | None = None
    columns: dict[str, Any] = field(default_factory=dict)  # of the table's row
    seats: Sequence[dict[str, Any]] = ()
    rows: Sequence[tuple[Table, dict[str, Any]]] = ()  # anything else to insert


class Store:
    """The database."""

    def __init__(self, url: str, process: str) -> None:
        self.process = process
        self.is_postgres = url.startswith("postgresql")
        self.engine = _engine(url)
        self._sync_engine = None if self.is_postgres else _sync_engine(url)
        self._thread = None if self.is_postgres else ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._seat_upsert = self._upsert(schema.seats)
        self.groups = self.changes = 0  # written so far
        self._queue: list[tuple[Change, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    async def open(self) -> None:
        self._writer = asyncio.create_task(self._write_groups())

    async def close(self) -> None:
        """Writes what is under way, then closes."""
        if self._writer:
            while self._queue:
                await asyncio.sleep(0.01)
            self._writer.cancel()
        await self.engine.dispose()
        if self._thread is not None and self._sync_engine is not None:
            self._thread.submit(self._sync_engine.dispose).result()
            self._thread.shutdown()

    # Writing, many changes with one commit

    async def commit(self, change: Change) -> None:
        """Writes the change; when this returns it is on disk. Raises Conflict."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((change, done))
        self._wake.set()
        await done

    async def _write_groups(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                group, self._queue = self._queue[:GROUP], self._queue[GROUP:]
                await self._write_group(group)

    async def _write_group(self, group: list[tuple[Change, "asyncio.Future[None]"]]) -> None:
        try:
            await self._write([change for change, _ in group])
        except DBAPIError as error:
            was_first = isinstance(error, IntegrityError)
            if not was_first and not _is_deadlock(error):
                _fail(group, error)
            elif len(group) > 1 or not was_first:  # somebody lost a race: each on its own tells who
                for one in group:
                    await self._write_group([one])
            else:
                _fail(group, Conflict("conflict", "somebody else was first"), error)
        except Exception as error:
            _fail(group, error)
        else:
            self.groups += 1
            self.changes += len(group)
            for _, done in group:
                if not done.done():
                    done.set_result(None)

    async def _write(self, changes: Sequence[Change]) -> None:
        """All changes in one transaction. SQLite is written by a thread of its own, in one go."""
        work = self._statements(sorted(changes, key=lambda change: change.table))  # in the same order everywhere
        if self._thread is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._write_now, work)
            return
        async with self.engine.begin() as connection:
            for statement, values in work:
                await connection.execute(statement, values)

    def _write_now(self, work: "Work") -> None:
        assert self._sync_engine is not None
        with self._sync_engine.begin() as connection:
            for statement, values in work:
                connection.execute(statement, values)

    def _statements(self, changes: Sequence[Change]) -> "Work":
        """What is to be executed for these changes, each statement with its rows."""
        work: Work = [
            (insert(schema.tables), [_table_row(change.opened) for change in changes if change.opened]),
            (insert(schema.entries), [_entry_row(change.table, e) for change in changes for e in change.entries]),
            *((insert(where), [row]) for change in changes for where, row in change.rows),
            *_table_updates(changes),
            (self._seat_upsert, [seat for change in changes for seat in change.seats]),
        ]
        if self.is_postgres:
            work.append((NOTIFY, [{"told": f"{change.table} {self.process}"} for change in changes]))
        return [(statement, rows) for statement, rows in work if rows]

    def _upsert(self, where: Table) -> Any:
        keys = [column.name for column in where.primary_key]
        statement: Any = (postgresql if self.is_postgres else sqlite).insert(where)
        new = {column.name: statement.excluded[column.name] for column in where.c if column.name not in keys}
        return statement.on_conflict_do_update(index_elements=keys, set_=new)

    async def put(self, where: Table, row: dict[str, Any]) -> None:
        """Inserts a row, or replaces the one with the same key."""
        async with self.engine.begin() as connection:
            await connection.execute(self._upsert(where).values(**row))

    async def execute(self, statement: Any, values: Any = None) -> int:
        """One statement in a transaction of its own; the number of rows that it changed."""
        async with self.engine.begin() as connection:
            result = await connection.execute(statement, values)
            return int(result.rowcount)

    # Reading

    async def fetch(self, statement: Any) -> list[dict[str, Any]]:
        async with self.engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(statement)).mappings()]

    async def one(self, statement: Any) -> dict[str, Any] | None:
        rows = await self.fetch(statement)
        return rows[0] if rows else None

    async def load(self, table: str) -> Play | None:
        """The table as its log tells it; None if there is none."""
        row = await self.one(select(schema.tables).where(schema.tables.c.id == table))
        if row is None:
            return None
        return Play.of(_layout(row), await self.entries_after(table, 0))

    async def entries_after(self, table: str, version: int) -> list[Entry]:
        """The log from behind this version on."""
        e = schema.entries.c
        rows = await self.fetch(select(schema.entries).where(e.table == table, e.version > version).order_by(e.version))
        return [_entry(row) for row in rows]

    async def insert_chat(self, row: dict[str, Any]) -> int:
        """Keeps what somebody said; its number."""
        async with self.engine.begin() as connection:
            result = await connection.execute(insert(schema.chat).values(**row).returning(schema.chat.c.id))
            number = int(result.scalar_one())
            if self.is_postgres:
                await self._notify(connection, [f"{row['table']} {self.process} chat:{number}"])
        return number

    async def notify(self, *told: str) -> None:
        """Tells other processes something that is not kept."""
        if self.is_postgres and told:
            async with self.engine.begin() as connection:
                await self._notify(connection, told)

    async def _notify(self, connection: AsyncConnection, told: Sequence[str]) -> None:
        values = [{"told": one} for one in told]
        await connection.execute(NOTIFY, values)

    # Leases: what has to be done at a table is done by one process at a time

    async def claim_due(self, now: float, lease: float, most: int) -> list[str]:
        """Tables where something is to be done, and which no living process has taken on: now this one has."""
        t = schema.tables.c
        due = select(t.id).where(t.due <= now, t.lease < now).order_by(t.due).limit(most)
        statement = (
            update(schema.tables)
            .where(t.id.in_(due), t.lease < now)
            .values(lease=now + lease, lease_by=self.process)
            .returning(t.id)
        )
        async with self.engine.begin() as connection:
            return [row.id for row in await connection.execute(statement)]

    async def renew_leases(self, ids: Sequence[str], until: float) -> None:
        t = schema.tables.c
        await self.execute(update(schema.tables).where(t.id.in_(ids), t.lease_by == self.process).values(lease=until))

    async def release_leases(self) -> None:
        """This process does nothing more at any table. With SQLite there is no other one whose leases could count."""
        t = schema.tables.c
        mine = t.lease_by == self.process if self.is_postgres else t.lease > 0
        await self.execute(update(schema.tables).where(t.due <= time.time(), mine).values(lease=0.0))

    async def uncounted(self) -> list[str]:
        """Tables that ended in the last day and whose result may not be in the ratings."""
        t = schema.tables.c
        recent = time.time() - 86400
        counted = select(schema.rated.c.table)
        query = select(t.id).where(t.status == "over", t.changed > recent, t.id.not_in(counted)).limit(1000)
        return [row["id"] for row in await self.fetch(query)]

    async def forget_sessions(self) -> None:
        await self.execute(delete(schema.sessions).where(schema.sessions.c.expires < time.time()))


def _table_updates(changes: Sequence[Change]) -> "Work":
    """The rows of tables, grouped by the columns that change."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for change in changes:
        if change.columns:
            values = {f"new_{name}": value for name, value in change.columns.items()}
            groups.setdefault(tuple(change.columns), []).append({"which": change.table, **values})
    return [(_table_update(names), rows) for names, rows in groups.items()]


@cache
def _table_update(names: tuple[str, ...]) -> Any:
    new: dict[str, Any] = {name: bindparam(f"new_{name}") for name in names}
    return update(schema.tables).where(schema.tables.c.id == bindparam("which")).values(**new)


def _fail(group: list[tuple[Change, "asyncio.Future[None]"]], error: Exception, cause: Exception | None = None) -> None:
    for _, done in group:
        if not done.done():
            error.__cause__ = cause
            done.set_exception(error)


def _is_deadlock(error: DBAPIError) -> bool:
    """Whether the database has given this transaction up because it and another one waited for each other."""
    return getattr(error.orig, "sqlstate", "") == "40P01"


def _engine(url: str) -> AsyncEngine:
    if url.startswith("postgresql"):
        return create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True, hide_parameters=True)
    engine = create_async_engine(url, pool_size=4, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    return engine


def _sync_engine(url: str) -> Engine:
    """The same SQLite file for the thread that writes."""
    engine = create_engine(url.replace("sqlite+aiosqlite://", "sqlite://", 1), pool_size=1, hide_parameters=True)
    event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: Any) -> None:
    """WAL lets readers go on while somebody writes; FULL means that what was answered is on disk."""
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


# Rows and what they mean


def _entry_row(table: str, entry: Entry) -> dict[str, Any]:
    return {
        "table": table, "version": entry.version, "kind": entry.kind.value, "at": entry.at, "seat": entry.seat,
        "text": entry.text, "draw": entry.draw, "player": entry.player, "ref": entry.ref, "check": entry.check,
        "facts": facts_text(entry.facts),
    }  # fmt: skip


def _entry(row: dict[str, Any]) -> Entry:
    facts = json.loads(row["facts"]) if row["facts"] else {}
    return Entry(
        row["version"], Kind(row["kind"]), row["at"], row["seat"], row["text"], row["draw"], row["player"], row["ref"],
        row["check"], facts,
    )  # fmt: skip


def _table_row(layout: Layout) -> dict[str, Any]:
    facts = asdict(layout)
    del facts["seed"]
    return {
        "id": layout.id, "game": layout.game, "layout": facts, "seed": layout.seed, "owner": layout.owner,
        "is_public": layout.is_public, "status": "open", "result": "", "opened": layout.opened,
        "changed": layout.opened, "due": None, "lease": 0.0, "lease_by": "",
    }  # fmt: skip


def _layout(row: dict[str, Any]) -> Layout:
    facts = dict(row["layout"])
    places = tuple(Place(**{**place, "kind": SeatKind(place["kind"])}) for place in facts.pop("places"))
    return Layout(**{**facts, "pace": Pace(facts["pace"])}, places=places, seed=bytes(row["seed"]))


def seat_rows(play: Play) -> list[dict[str, Any]]:
    """The look-up rows of a table's seats."""
    waiting = set(play.waiting_for())
    return [
        {"table": play.layout.id, "seat": seat,
         "player": place.player or place.kept_for or None,
         "name": place.name, "bot": place.bot, "is_asked": seat in waiting}
        for seat, place in enumerate(play.places)
    ]  # fmt: skip
