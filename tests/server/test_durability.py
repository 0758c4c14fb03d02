"""What was acknowledged is on disk, and the database has the schema that the code believes in."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, event, insert, text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from aachen.server import schema
from aachen.server.entries import Entry, Kind, Layout, Place, SeatKind
from aachen.server.migrate import upgrade
from aachen.server.settings import Settings
from aachen.server.store import Change, Store
from server.kit import Postgres, Server, Socket, free_port, look_up

WAL, FULL = "wal", 2


def settings_of(database_url: str) -> Settings:
    return Settings(database_url=database_url, bot_threads=1)


# The settings of the connections


@contextlib.asynccontextmanager
async def store_at(database_url: str) -> AsyncIterator[Store]:
    settings = settings_of(database_url)
    await upgrade(settings)
    store = Store(settings.engine_url, settings.process)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def setting(connection: AsyncConnection, question: str) -> Any:
    return (await connection.execute(text(question))).scalar_one()


@contextlib.contextmanager
def all_commits() -> Iterator[list[tuple[str, int, int]]]:
    """The settings of SQLite that hold at every commit, whichever connection it is on."""
    found: list[tuple[str, int, int]] = []

    def look(connection: Connection) -> None:
        cursor = connection.connection.cursor()
        told: list[Any] = []
        for name in ("journal_mode", "synchronous", "foreign_keys"):
            cursor.execute(f"PRAGMA {name}")
            told += cursor.fetchone() or ()
        found.append((told[0], told[1], told[2]))
        cursor.close()

    event.listen(Engine, "commit", look)
    yield found
    event.remove(Engine, "commit", look)


def test_every_way_of_writing_to_sqlite_writes_ahead_and_waits_for_the_disk(tmp_path: Path) -> None:
    layout = Layout("table", "carolus", {}, "anna", (Place(SeatKind.OPEN),), bytes(32))
    said = {"table": "table", "player": "anna", "name": "Anna", "text": "hello", "side": None, "at": 0.0}
    player = {"id": "anna", "name": "Anna", "settings": {}, "created": 0.0}

    async def write_everything() -> list[tuple[str, int, int]]:
        async with store_at(f"sqlite:///{tmp_path / 'aachen.db'}") as store:
            with all_commits() as found:
                await store.commit(Change("table", opened=layout))
                await store.commit(Change("table", [Entry(1, Kind.START, 0.0)], columns={"due": 0.0}))
                await store.insert_chat(said)
                await store.execute(insert(schema.players).values(**player))
                await store.put(schema.players, player)
                await store.claim_due(1.0, 1.0, 10)
            return found

    assert asyncio.run(write_everything()) == [(WAL, FULL, 1)] * 6


def test_every_connection_for_reading_sqlite_has_the_same_settings(tmp_path: Path) -> None:
    async def settings_found() -> list[tuple[Any, ...]]:
        async with store_at(f"sqlite:///{tmp_path / 'aachen.db'}") as store, contextlib.AsyncExitStack() as stack:
            connections = [await stack.enter_async_context(store.engine.connect()) for _ in range(8)]
            pragmas = ("journal_mode", "synchronous", "foreign_keys")
            return [tuple([await setting(one, f"PRAGMA {name}") for name in pragmas]) for one in connections]

    assert asyncio.run(settings_found()) == [(WAL, FULL, 1)] * 8


def test_commits_to_postgresql_wait_for_the_disk(postgres: Postgres) -> None:
    url = postgres.new_database()

    async def settings_found() -> list[str]:
        async with store_at(url) as store, store.engine.begin() as connection:
            return [await setting(connection, f"SHOW {name}") for name in ("synchronous_commit", "fsync")]

    assert asyncio.run(settings_found()) == ["on", "on"]


# Acknowledged means written


def seated(server: Server, **options: Any) -> tuple[str, Any, Any]:
    anna, bert = server.guest("Anna"), server.guest("Bert")
    table = anna.open("owner", "open", options={"players": 2, "round_limit": 12, **options})
    anna.sit(table, 0)
    bert.sit(table, 1)
    return table, anna, bert


def written(server: Server, table: str) -> list[tuple[str, str, str]]:
    """The entries that somebody else finds in the database now."""
    query = f"SELECT kind, text, ref FROM entries WHERE \"table\" = '{table}' ORDER BY version"
    return [(str(kind), str(said), str(ref)) for kind, said, ref in look_up(server.database_url, query)]


def next_message(state: dict[str, Any], seat: int) -> dict[str, Any]:
    question = state["questions"][seat]
    if state["confirming"] == seat:
        return {"type": "confirm", "question": question}
    return {"type": "act", "question": question, "action": state["legal"][0]}


def test_a_move_is_in_the_database_when_it_is_acknowledged(server: Server) -> None:
    table, anna, bert = seated(server)
    with anna.socket(table) as first, bert.socket(table) as second:
        for number in range(40):
            state = anna.state(table)
            seat = state["actors"][0]
            message = next_message(state, seat)
            answer = (first, second)[seat].ask(**message, table=table, id=f"move-{number}")
            assert answer["type"] == "ack"
            assert (message["type"], message.get("action", ""), f"move-{number}") in written(server, table)


@contextlib.contextmanager
def nobody_else_can_write(server: Server) -> Iterator[None]:
    """Holds the database's lock on entries, as a long transaction of somebody else would."""
    if server.database_url.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(server.database_url.removeprefix("sqlite:///"))) as file:
            file.execute("BEGIN IMMEDIATE")
            yield
        return
    with asyncio.Runner() as runner:
        other = runner.run(asyncpg.connect(server.database_url))
        try:
            runner.run(other.execute("BEGIN; LOCK TABLE entries IN EXCLUSIVE MODE"))
            yield
        finally:
            runner.run(other.close())


def heard(socket: Socket) -> list[str]:
    """The types of all messages that come within a second."""
    types = []
    with contextlib.suppress(TimeoutError):
        while True:
            types.append(socket.receive(1)["type"])
    return types


def test_nobody_hears_of_a_move_that_is_not_written_yet(server: Server) -> None:
    table, anna, bert = seated(server)
    state = anna.state(table)
    mover, other = (anna, bert) if state["actors"] == [0] else (bert, anna)
    with mover.socket(table) as acting, other.socket(table) as watching:
        for socket in (acting, watching):
            heard(socket)
        with nobody_else_can_write(server):
            acting.send(**next_message(state, state["actors"][0]), table=table, id="held")
            assert watching.ask("watch", table=table)["type"] == "ack"
            assert watching.states[table]["steps"] == state["steps"]
            assert heard(acting) == []
            assert "held" not in {ref for _, _, ref in written(server, table)}
            assert other.state(table)["steps"] == state["steps"]
        acting.until(lambda message: message == {"type": "ack", "id": "held"})
        assert "held" in {ref for _, _, ref in written(server, table)}
        watching.until(lambda message: message["type"] == "state" and len(message["steps"]) > len(state["steps"]))


# The schema


def difference(connection: Connection) -> Any:
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    return compare_metadata(context, schema.metadata)


def test_the_migrations_make_exactly_the_tables_of_the_code(database_url: str) -> None:
    async def found() -> Any:
        await upgrade(settings_of(database_url))
        engine = create_async_engine(settings_of(database_url).engine_url)
        async with engine.connect() as connection:
            differences = await connection.run_sync(difference)
        await engine.dispose()
        return differences

    assert asyncio.run(found()) == []


def test_a_missing_column_would_be_noticed(tmp_path: Path) -> None:
    """The comparison above can fail."""

    async def found() -> Any:
        async with store_at(f"sqlite:///{tmp_path / 'aachen.db'}") as store, store.engine.begin() as connection:
            await connection.execute(text("ALTER TABLE chat DROP COLUMN name"))
            return await connection.run_sync(difference)

    [(change, _, table, column)] = asyncio.run(found())
    assert (change, table, column.name) == ("add_column", "chat", "name")


@pytest.mark.parametrize("version", ["", "0000"])
def test_a_postgresql_with_an_old_schema_is_refused_with_what_to_do(postgres: Postgres, version: str) -> None:
    with contextlib.closing(Server(postgres.new_database())) as server:
        if version:
            look_up(server.database_url, "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
            look_up(server.database_url, f"INSERT INTO alembic_version VALUES ('{version}')")
        refused = server.run("serve", "--port", str(server.port), "--no-browser")
        assert (refused.returncode, refused.stdout) == (2, "")
        [line] = refused.stderr.splitlines()
        assert line.startswith(f"aachen: the database's schema is {version or 'empty'}, and ")
        assert line.endswith("; run `aachen migrate`")


def test_after_the_migration_the_same_postgresql_is_served(postgres: Postgres) -> None:
    with contextlib.closing(Server(postgres.new_database())) as server:
        assert server.run("serve", "--port", str(server.port), "--no-browser").returncode == 2
        assert server.run("migrate").returncode == 0
        server.start()
        assert server.client().get("/readyz").text == "ready"
        server.kill()


def test_a_postgresql_that_cannot_be_reached_is_told_in_one_line() -> None:
    with contextlib.closing(Server(f"postgresql://aachen@127.0.0.1:{free_port()}/aachen")) as server:
        refused = server.run("serve", "--port", str(server.port), "--no-browser")
        assert refused.returncode == 2
        [line] = refused.stderr.splitlines()
        assert line.startswith("aachen: the database cannot be reached: ")
