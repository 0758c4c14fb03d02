"""The players of `make bench-server`: one process that plays at many tables of a running service.

    python benchmarks/load.py PORT PID --tables 100 --seconds 10 [--every 2] [--games 3] [--before 30]

Each player has a WebSocket of its own. What is measured is printed as a line of JSON. Times are from sending a move (or
from when it was due, with `--every`) to its new state at the other player's connection. A move is done when the other
player and the mover have the new state and the mover has the `ack`; then comes the next one.
"""

import argparse
import asyncio
import gc
import os
import random
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

#: The beginnings of what the server sends, and what is looked for in states. The watching player reads no more of them.
STATE, ACK, NOTICE = b'{"type":"state"', b'{"type":"ack"', b'{"type":"your-turn"'
QUESTIONS, PLAYING = b'"questions":', b'"status":"playing"'
#: What makes a move done.
MOVER_SAW, OTHER_SAW, ACKNOWLEDGED = 1, 2, 4
#: Requests over HTTP at the same time, to open tables.
DOORS = 16
PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")


class Broken(Exception):
    """The service did something that the players do not expect."""


class Door:
    """An HTTP connection that is kept: no more than opening tables needs."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def __aenter__(self) -> "Door":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.writer.close()

    async def post(self, path: str, cookie: str = "", **facts: Any) -> tuple[Any, str]:
        """The answer, and the cookie that came with it."""
        body = orjson.dumps(facts)
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nOrigin: http://127.0.0.1:{self.port}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nCookie: {cookie}\r\n\r\n"
        self.writer.write(head.encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        answer = await self.reader.readexactly(int(headers["content-length"]))
        if not lines[0].split()[1].startswith("2"):
            raise Broken(f"{path}: {lines[0]} {answer.decode()}")
        return orjson.loads(answer), headers.get("set-cookie", "").partition(";")[0]


class Player(WSListener):
    """One end of a table."""

    def __init__(self, pair: "Pair", seat: int, cookie: str) -> None:
        self.pair, self.seat, self.cookie = pair, seat, cookie
        self.transport: WSTransport
        self.watching: asyncio.Future[None] | None = None
        self.last = b""  # the state that it knows

    async def connect(self, port: int) -> None:
        headers = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{port}"}
        url = f"ws://127.0.0.1:{port}/api/socket"
        self.transport, _ = await ws_connect(lambda: self, url, extra_headers=headers, websocket_handshake_timeout=60)

    async def watch(self, table: str) -> None:
        self.watching = asyncio.get_running_loop().create_future()
        self.send({"type": "watch", "table": table, "id": "watch"})
        await self.watching

    def send(self, facts: dict[str, Any]) -> None:
        self.transport.send(WSMsgType.TEXT, orjson.dumps(facts))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type != WSMsgType.TEXT:
            return
        message = frame.get_payload_as_bytes()
        if message.startswith(STATE):
            self.pair.on_state(self, message)
        elif message.startswith(NOTICE):
            return
        elif not message.startswith(ACK):
            self.pair.load.fail(Broken(message.decode()))
        elif self.watching:
            self.watching.set_result(None)
            self.watching = None
        else:
            self.pair.on_part(ACKNOWLEDGED)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self.pair.load.fail(Broken("the service closed a connection"))


class Pair:
    """Two players, the table where they sit now and those where they play next."""

    def __init__(self, load: "Load", number: int) -> None:
        self.load, self.number = load, number
        self.rng = random.Random(number)
        self.players: list[Player] = []
        self.tables: list[str] = []
        self.table = b""
        self.state: dict[str, Any] = {}
        self.mark = b""  # of the state before the move
        self.mover: Player | None = None
        self.missing = 0  # what the move still needs to be done
        self.due = 0.0
        self.sent = 0
        self.quota = 0  # moves until it pauses, below 0 for ever

    async def open(self, games: int) -> None:
        """Comes in as two guests, who sit down at so many tables."""
        async with Door(self.load.port) as door:
            for seat in (0, 1):
                _, cookie = await door.post("/api/guest", name=f"Player {self.number}{'ab'[seat]}")
                self.players.append(Player(self, seat, cookie))
            for _ in range(games):
                await self.open_table(door)
        for player in self.players:
            await player.connect(self.load.port)
        await self.go_to_next_table()

    async def open_table(self, door: Door) -> None:
        first, second = self.players
        seats = [{"kind": "owner"}, {"kind": "open"}]
        opened, _ = await door.post("/api/tables", first.cookie, options={"players": 2}, seats=seats)
        for player in (first, second):
            await door.post(f"/api/tables/{opened['id']}/sit", player.cookie, seat=player.seat, nonce="bench")
        self.tables.append(opened["id"])

    async def go_to_next_table(self) -> None:
        if not self.tables:
            self.load.opened_late += 1
            async with Door(self.load.port) as door:
                await self.open_table(door)
        table = self.tables.pop()
        self.table = table.encode()
        first, second = self.players
        for player in (first, second):
            await player.watch(table)
        while self.table not in first.last:
            await asyncio.sleep(0.01)
        self.state, self.mark = orjson.loads(first.last), mark_of(first.last)

    def on_state(self, player: Player, message: bytes) -> None:
        """A state may come twice, for instance when the other player comes in; only a new one is seen."""
        if self.table not in message:
            return
        if not self.missing:
            player.last = message
        elif mark_of(message) == self.mark:
            self.load.strays += 1
        elif player is self.mover:
            self.state, player.last = orjson.loads(message), message
            self.on_part(MOVER_SAW)
        else:
            if self.missing & OTHER_SAW:
                self.load.seen(self.due, len(message))
            self.on_part(OTHER_SAW)

    def on_part(self, part: int) -> None:
        if not self.missing & part:
            return
        self.missing -= part
        if self.missing == 0:
            self.load.moved()
            self.quota -= 1
            self.mark = mark_of(self.mover.last) if self.mover else b""
            if self.state["status"] == "playing":
                self.plan_next()
            else:
                self.load.spawn(self._play_elsewhere())

    async def _play_elsewhere(self) -> None:
        await self.go_to_next_table()
        self.plan_next()

    def begin(self, quota: int) -> None:
        self.quota = quota
        self.due = time.perf_counter() + self.rng.random() * (self.load.every or 0.05)
        self.load.loop.call_later(self.due - time.perf_counter(), self.move)

    def plan_next(self) -> None:
        """At once; or when the next move is due, which may have been a while ago."""
        if self.quota == 0:
            self.load.rest(self)
            return
        if not self.load.every:
            self.due = time.perf_counter()
            self.move()
            return
        self.due += self.load.every
        self.load.loop.call_later(max(0.0, self.due - time.perf_counter()), self.move)

    def move(self) -> None:
        state = self.state
        if self.load.is_over:
            return
        self.sent += 1
        facts = {"type": "confirm", "table": self.table.decode(), "id": str(self.sent)}
        seat = state["confirming"]
        if seat is None:
            seat = state["actors"][0]
            facts |= {"type": "act", "action": self.rng.choice(state["legal"])}
        self.mover = self.players[seat]
        self.missing = MOVER_SAW | OTHER_SAW | ACKNOWLEDGED
        self.mover.send(facts | {"question": state["questions"][seat]})


def mark_of(state: bytes) -> bytes:
    """Differs from state to state: each move is the answer to a question, and asks a new one or ends the game."""
    if PLAYING not in state:
        return b"over"
    begin = state.index(QUESTIONS)
    return state[begin : state.index(b"]", begin)]


class Plan(NamedTuple):
    """How much is played, and how."""

    tables: int
    seconds: float
    every: float = 0.0  # seconds from move to move; 0 for as quickly as possible
    games: int = 1  # that each pair opens beforehand
    before: int = 0  # moves at each table before anything is measured
    warm: float = 2.0  # seconds of play that are not counted


class Load:
    """All players, and what they measure."""

    def __init__(self, port: int, pid: int, plan: Plan) -> None:
        self.port, self.pid, self.plan = port, pid, plan
        self.loop = asyncio.get_running_loop()
        self.pairs = [Pair(self, number) for number in range(plan.tables)]
        self.every = 0.0
        self.is_over = False
        self.failed: asyncio.Future[None] = self.loop.create_future()
        self.strays = self.opened_late = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._resting = 0
        self.forget()

    def forget(self) -> None:
        self.moves, self.bytes, self.times = 0, 0, list[float]()

    def seen(self, due: float, size: int) -> None:
        self.times.append(time.perf_counter() - due)
        self.bytes += size

    def moved(self) -> None:
        self.moves += 1

    def rest(self, pair: Pair) -> None:
        self._resting += 1

    def fail(self, error: Exception) -> None:
        if not self.is_over and not self.failed.done():
            self.failed.set_exception(error)

    def spawn(self, work: Any) -> None:
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.fail(error)

    async def open_all(self) -> None:
        turn = asyncio.Semaphore(DOORS)

        async def open_one(pair: Pair) -> None:
            async with turn:
                await pair.open(self.plan.games)

        await asyncio.gather(*map(open_one, self.pairs))

    async def pause(self, seconds: float) -> None:
        """Lets the players play. Raises Broken if something goes wrong."""
        done, _ = await asyncio.wait([self.failed], timeout=seconds)
        if done:
            self.failed.result()

    async def run(self) -> dict[str, float]:
        rss = memory(self.pid)
        await self.open_all()
        gc.collect()
        gc.disable()
        if self.plan.before:
            self.begin(self.plan.before)
            while self._resting < len(self.pairs):
                await self.pause(0.1)
        self.every = self.plan.every
        self.begin(-1)
        await self.pause(self.plan.warm)
        self.forget()
        began, own, server = time.perf_counter(), time.process_time(), cpu_time(self.pid)
        await self.pause(self.plan.seconds)
        took = time.perf_counter() - began
        return self._result(took, time.process_time() - own, cpu_time(self.pid) - server, memory(self.pid) - rss)

    def begin(self, quota: int) -> None:
        for pair in self.pairs:
            pair.begin(quota)

    def _result(self, took: float, own: float, server: float, grown: int) -> dict[str, float]:
        self.is_over = True
        times = sorted(self.times)
        if not times:
            raise Broken("no move was seen")
        return {
            "moves": self.moves / took,
            "p50": 1000 * times[len(times) // 2],
            "p99": 1000 * times[len(times) * 99 // 100],
            "bytes": self.bytes / len(times),
            "memory": grown / len(self.pairs),
            "load": own / took,
            "server": server / took,
            "strays": self.strays,
            "late": self.opened_late,
        }


def memory(pid: int) -> int:
    """What the process has in memory, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def cpu_time(pid: int) -> float:
    """The processor time of all threads of the process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


async def measure(port: int, pid: int, plan: Plan) -> dict[str, float]:
    return await Load(port, pid, plan).run()


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays at many tables of a running service.")
    parser.add_argument("port", type=int)
    parser.add_argument("pid", type=int, help="the process of the service, to see its memory and processor time")
    for name, kind in Plan.__annotations__.items():
        parser.add_argument(f"--{name}", type=kind, default=Plan._field_defaults.get(name))
    chosen = parser.parse_args()
    plan = Plan(**{name: getattr(chosen, name) for name in Plan._fields})
    try:
        found = uvloop.run(measure(chosen.port, chosen.pid, plan))
    except Broken as problem:
        print(f"the load stopped: {problem}", file=sys.stderr)
        return 1
    print(orjson.dumps(found).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
