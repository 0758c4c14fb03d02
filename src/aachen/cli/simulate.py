"""`aachen simulate`: a batch of games on all cores, with a progress bar, and its results as JSON or CSV."""

import argparse
import contextlib
import csv
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from aachen.arena import Played, Tally, simulate
from aachen.carolus.drawing import SIDE_NAMES
from aachen.carolus.words import side_at, sides_at
from aachen.cli.files import written
from aachen.cli.terminal import compiling
from aachen.core import BadOptions


def run(args: argparse.Namespace) -> int:
    """Plays the batch. Interrupted with Ctrl-C it keeps the games that are done."""
    seats = [name.strip() for name in args.seats.split(",")] if args.seats else ["random"] * (args.players or 2)
    if args.players and len(seats) != args.players:
        raise BadOptions(
            "bad-seats", "{number} bots are named for {right} players", number=len(seats), right=args.players
        )
    output = _checked(Path(args.output)) if args.output else None
    options = {"dice": args.dice, "crowns": args.crowns, "round_limit": args.round_limit}
    given = {name: value for name, value in options.items() if value is not None}
    seed = args.seed or 0
    games = simulate(args.games, seats, seed=seed, jobs=args.jobs, **given)
    with compiling():
        list(simulate(1, seats, jobs=1, **given))  # so that the clock measures play, not the compiler
    started = time.perf_counter()
    tally = Tally(seats)
    with _writer(output, seats) as writer:
        for game in _shown(games, args.games):
            tally.add(game)
            writer.add(game)
        writer.finish({"seed": seed, **tally.facts})
    _tell(tally, seed, time.perf_counter() - started, output)
    return 0 if tally.games == args.games else 130


def _checked(output: Path) -> Path:
    """The file for the results. Whether it can be written must be known before the games, not after."""
    if output.suffix not in (".json", ".csv"):
        raise BadOptions("bad-output", "{name} must end in .json or .csv", name=output.name)
    if output.is_dir() or not output.parent.is_dir() or not os.access(output.parent, os.W_OK):
        raise BadOptions("no-output", "{path} cannot be written; choose a file in a folder of yours", path=str(output))
    return output


def _shown(games: Iterator[Played], number: int) -> Iterator[Played]:
    """The games, with a progress bar on a terminal. Ctrl-C ends them early, after one game at least."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with _patient() as asked, Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("games", total=number)
        for done, game in enumerate(games, 1):
            yield game
            if done % 50 == 0 or done == number:
                bar.update(task, completed=done)
            if asked.is_set() and done < number:
                bar.update(task, completed=done)
                console.print("Interrupted: keeping the games that are done.")
                return


@contextlib.contextmanager
def _patient() -> Iterator[threading.Event]:
    """Ctrl-C does not break in, but sets the event; a second one breaks in."""
    asked = threading.Event()

    def hear(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


# The results as files. Games are written as they arrive, so a batch of millions needs no memory.


class Writer(Protocol):
    def add(self, game: Played) -> None: ...
    def finish(self, facts: dict[str, Any]) -> None: ...


class NoWriter:
    def add(self, game: Played) -> None: ...
    def finish(self, facts: dict[str, Any]) -> None: ...


class CsvWriter:
    """A line for each game."""

    def __init__(self, file: IO[str], seats: list[str]) -> None:
        self._rows = csv.writer(file, lineterminator="\n")
        scores = [f"castles_{side}" for side in range(sides_at(len(seats)))]
        self._rows.writerow(
            ["number", "seed", "first", "winners", "reason", *scores, "rounds", "decisions", "position"]
        )

    def add(self, game: Played) -> None:
        won = game.outcome
        self._rows.writerow(
            [game.number, game.seed, game.first, "=".join(map(str, won.winners)), won.reason, *won.scores, game.rounds,
             game.decisions, game.text]
        )  # fmt: skip

    def finish(self, facts: dict[str, Any]) -> None: ...


class JsonWriter:
    """An object with the list of games, one a line, and the summary."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._before = '{"games": [\n'

    def add(self, game: Played) -> None:
        won = {"winners": game.outcome.winners, "reason": game.outcome.reason, "castles": game.outcome.scores}
        facts = {"number": game.number, "seed": game.seed, "first": game.first, **won, "rounds": game.rounds}
        self._file.write(self._before + json.dumps(facts | {"decisions": game.decisions, "position": game.text}))
        self._before = ",\n"

    def finish(self, facts: dict[str, Any]) -> None:
        self._file.write(f'\n],\n"summary": {json.dumps(facts)}}}\n')


@contextlib.contextmanager
def _writer(output: Path | None, seats: list[str]) -> Iterator[Writer]:
    """Writes to the file, which is all there at the end or not at all."""
    if output is None:
        yield NoWriter()
        return
    with written(output) as file:
        yield CsvWriter(file, seats) if output.suffix == ".csv" else JsonWriter(file)


def _tell(tally: Tally, seed: int, seconds: float, output: Path | None) -> None:
    facts, seats = tally.facts, tally.seats
    speed = f"{seconds:.1f} s ({tally.games / seconds:,.0f} a second)"
    print(f"{tally.games} games of {', '.join(seats)} with seed {seed} in {speed}")
    for side, (wins, points) in enumerate(zip(facts["wins"], facts["points"], strict=True)):
        who = " and ".join(name for seat, name in enumerate(seats) if side_at(len(seats), seat) == side)
        print(f"  {SIDE_NAMES[side]} ({who}): {wins} won, {points:g} points ({100 * points / tally.games:.1f} %)")
    reasons = ", ".join(f"{reason} {number}" for reason, number in facts["reasons"].items() if number)
    print(f"  draws: {facts['draws']}, shared out as points; ended by {reasons}")
    print(f"  on average {facts['mean_rounds']:.1f} rounds and {facts['mean_decisions']:.0f} decisions")
    if output:
        print(f"  written to {output}")
