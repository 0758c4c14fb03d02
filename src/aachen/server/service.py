"""The service as a whole: what one process has open, how it starts, and how it stops."""

import asyncio
import contextlib
import gc
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any, Protocol

import asyncpg
import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from aachen.server import ratings
from aachen.server.hall import Hall
from aachen.server.migrate import check_schema, upgrade
from aachen.server.settings import Settings
from aachen.server.store import CHANNEL, Store
from aachen.server.web import Limits

log = logging.getLogger("aachen.service")


class Client(Protocol):
    """A connected client."""

    def push(self, message: bytes) -> None: ...


class Metrics:
    """What Prometheus can ask for."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter("aachen_requests", "HTTP requests", ["status"], registry=self.registry)
        self.messages = Counter("aachen_messages", "WebSocket messages", registry=self.registry)
        self.seconds = Histogram("aachen_request_seconds", "Duration of HTTP requests", registry=self.registry)
        self.rooms = Gauge("aachen_rooms", "Tables in memory", registry=self.registry)
        self.connections = Gauge("aachen_connections", "Open WebSockets", registry=self.registry)
        self.changes = Gauge("aachen_changes", "Changes of tables written so far", registry=self.registry)
        self.groups = Gauge("aachen_groups", "Commits of such changes so far", registry=self.registry)
        self.bots = Gauge("aachen_bots_waiting", "Bots that think or wait", registry=self.registry)


def tune_python() -> None:
    """For many tables in one process.

    What lives long is many and has no cycles: going through all of it would stop every table for a moment. And the
    thread that writes must not wait long for its turn.
    """
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1000)


class Service:
    """One process of the service."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.engine_url, settings.process)
        self.hall = Hall(self.store, settings)
        self.limits = Limits(on=settings.rate_limits)
        self.metrics = Metrics()
        self.connections: set[Client] = set()
        self.is_ready = False
        self._tasks: list[asyncio.Task[Any]] = []

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """From start to stop: SQLite's schema is brought up to date, PostgreSQL's must be."""
        if self.settings.is_sqlite:
            await upgrade(self.settings)
        await check_schema(self.settings)
        await self.store.open()
        await self.store.release_leases()
        work = [self.hall.run(), self.hall.postman.run(), self._clean()]
        if self.store.is_postgres:
            work.append(self._listen())
        self._tasks = [asyncio.create_task(task) for task in work]
        self.is_ready = True
        tune_python()
        try:
            yield
        finally:
            await self._stop()

    def say_bye(self) -> None:
        """Tells the clients that the server stops; nothing new is taken on from now on."""
        self.is_ready = False
        self.hall.is_closing = True
        for client in self.connections:
            client.push(orjson.dumps({"type": "bye"}))

    async def _stop(self) -> None:
        """Finishes what is under way, and closes."""
        self.say_bye()
        await self.hall.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.store.close()

    async def _clean(self) -> None:
        """Now and then: old sessions are forgotten, and results counted that a crash kept from being counted."""
        while True:
            try:
                await self.store.forget_sessions()
                for table in await self.store.uncounted():
                    await ratings.count(self.store, (await self.hall.room(table)).play)
            except Exception:
                log.exception("cleaning failed; it is tried again")
            await asyncio.sleep(3600)

    async def _listen(self) -> None:
        """Hears of other processes' changes, on a connection of its own.

        After a lost connection all open tables are reread.
        """
        pause = 0.2
        while True:
            try:
                connection = await asyncpg.connect(self.settings.database_url)
                try:
                    lost = asyncio.Event()
                    connection.add_termination_listener(lambda _, lost=lost: lost.set())
                    await connection.add_listener(CHANNEL, self._heard)
                    await self.hall.reread()
                    pause = 0.2
                    await lost.wait()
                finally:
                    connection.terminate()
            except Exception as error:  # whatever it is, this process must not stay deaf
                log.warning("not listening to the database: %s", error)
            await asyncio.sleep(pause)
            pause = min(5.0, 2 * pause)

    def _heard(self, connection: Any, process: int, channel: str, told: object) -> None:
        self.hall.spawn(self.hall.heard(str(told)))

    def measure(self) -> Metrics:
        """The metrics as they are now."""
        metrics = self.metrics
        metrics.rooms.set(len(self.hall.rooms))
        metrics.connections.set(len(self.connections))
        metrics.changes.set(self.store.changes)
        metrics.groups.set(self.store.groups)
        metrics.bots.set(self.hall.thinkers.waiting)
        return metrics
