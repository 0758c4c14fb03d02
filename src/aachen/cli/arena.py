"""`aachen arena`: matches and round robins between bots, with a live table, ratings, files and a plot."""

import argparse
import contextlib
import csv
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from aachen.arena import cluster, match
from aachen.arena.match import Result, Scoreboard, Settings
from aachen.arena.ratings import Sprt, summary
from aachen.carolus.words import sides_at
from aachen.cli.files import written
from aachen.cli.terminal import compiling
from aachen.core import BadOptions

try:
    import fcntl
except ImportError:  # Windows: two arenas with one file are the user's own risk
    fcntl = None  # type: ignore[assignment]

INTERRUPTED = 130
#: What the lists of a game look like in a CSV file.
LISTS = {"seats": str, "winners": int, "scores": int}


def run(args: argparse.Namespace) -> int:
    """Plays the tournament, or what is left of it. Interrupted with Ctrl-C it tells how it stands."""
    options = {"dice": args.dice, "crowns": args.crowns, "round_limit": args.round_limit}
    given = {name: value for name, value in options.items() if value is not None}
    settings = Settings.of(args.bots, args.players, args.seed or 0, **given)
    sprt = _sprt(args.sprt, settings)
    output = _writable(args.output, (".json", ".csv")) if args.output else None
    plot = _writable(args.plot, (".svg", ".png")) if args.plot else None
    with _journal(output, settings) as journal:
        play = _player(settings, args)
        tournament = Tournament(settings, settings.total(args.games), sprt, journal)
        finished = tournament.run(play)
        facts = tournament.facts
        if finished and output:
            journal.finish(output, facts)
    _tell(tournament, facts)
    drawn = plot if facts["pairings"] else None
    if drawn:
        _draw(drawn, facts)
    kept = journal.path if journal.results else None
    _tell_files(output if finished else kept, drawn, finished)
    return 0 if finished else INTERRUPTED


def _sprt(bounds: list[float] | None, settings: Settings) -> Sprt | None:
    if bounds is None:
        return None
    if len(settings.bots) != 2:
        raise BadOptions("sprt-bots", "--sprt compares two bots, not {number}", number=len(settings.bots))
    if len(bounds) not in (0, 2):
        raise BadOptions("sprt-bounds", "--sprt takes two numbers of Elo, or none (0 50), not {number}",
                         number=len(bounds))  # fmt: skip
    low, high = bounds or (0.0, 50.0)
    return Sprt(low, high, settings.players)


def _writable(name: str, endings: tuple[str, ...]) -> Path:
    """The file of this name. Whether it can be written must be known before the games, not after. Raises BadOptions."""
    path = Path(os.path.expanduser(name))
    if path.suffix not in endings:
        raise BadOptions("bad-output", "{name} must end in {right}", name=path.name, right=" or ".join(endings))
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise BadOptions("no-output", "{path} cannot be written; choose a file in a folder of yours", path=str(path))
    return path


class Player:
    """Who plays the games: threads of this process, or Ray."""

    def __init__(self, settings: Settings, args: argparse.Namespace) -> None:
        self.settings, self.jobs, self.ray = settings, args.jobs, args.ray

    def __call__(self, numbers: range) -> Iterator[Result]:
        if self.ray is not None:
            return cluster.run(self.settings, numbers, self.ray or None, self.jobs)
        return match.run(self.settings, numbers, self.jobs)


def _player(settings: Settings, args: argparse.Namespace) -> Player:
    """A player that is ready: connected, and with everything compiled."""
    if args.ray is not None:
        cluster.connected(args.ray or None, args.jobs)
    with compiling():
        match.warm_up(settings)
    return Player(settings, args)


# The games that are kept on disk


class Journal:
    """The games of a tournament as they arrive, a line each, in a file beside the one for the results.

    It begins with the games that are known from before: from a journal that was left behind, or from the results of a
    tournament that is to be extended. Raises BadOptions if they are of another one.
    """

    def __init__(self, output: Path | None, settings: Settings) -> None:
        self.settings = settings
        self.results: list[Result] = []
        self.path = output and output.with_name(f"{output.name}.journal")
        self._file: IO[str] | None = None
        if self.path and output:
            self._file = _locked(self.path)
            try:
                self._begin(self._file, self.path, output)
            except BaseException:
                self._file.close()
                if self.path.stat().st_size == 0:
                    self.path.unlink()
                raise

    def _begin(self, file: IO[str], path: Path, output: Path) -> None:
        file.seek(0)
        with _results_expected(path):
            before = file.read()
            known = [_journalled(before)]
        with _results_expected(output):
            known.append(_stored(output))
        for facts, games in known:
            if facts is not None:
                _check(output, self.settings, facts, games)
                self.results = max(self.results, games, key=len)
        rows = (self.settings.facts, *(result.facts for result in self.results))
        text = "".join(json.dumps(row) + "\n" for row in rows)
        if text != before:
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()

    def add(self, result: Result) -> None:
        self.results.append(result)
        if self._file:
            self._file.write(json.dumps(result.facts) + "\n")
            self._file.flush()

    def finish(self, output: Path, facts: dict[str, Any]) -> None:
        """Writes the results, all or nothing; then the journal is not needed any more."""
        with written(output) as file:
            write = _write_csv if output.suffix == ".csv" else _write_json
            write(file, self.settings, self.results, facts)
        if self.path:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Lets others have the journal. One without games is not left behind."""
        if self.path and not self.results:
            self.path.unlink(missing_ok=True)
        if self._file:
            self._file.close()


@contextlib.contextmanager
def _journal(output: Path | None, settings: Settings) -> Iterator[Journal]:
    journal = Journal(output, settings)
    try:
        yield journal
    finally:
        journal.close()


def _locked(path: Path) -> IO[str]:
    """The journal, which no other process may write to now. Raises BadOptions."""
    file = path.open("a+", encoding="utf-8")
    try:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise BadOptions("in-use", "another arena is writing to {path}", path=str(path)) from None
    return file


Known = tuple[dict[str, Any] | None, list[Result]]


@contextlib.contextmanager
def _results_expected(path: Path) -> Iterator[None]:
    """For reading a file. Raises BadOptions if it turns out to be something else than results."""
    try:
        yield
    except (ValueError, KeyError, TypeError, IndexError):
        raise BadOptions("no-results", "{path} exists and has no results of an arena; choose another name",
                         path=str(path)) from None  # fmt: skip


def _journalled(text: str) -> Known:
    """Settings and games of a journal; none without games. A last line that was cut off does not count."""
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    games = [_result(row) for row in rows[1:]]
    return (dict(rows[0]), games) if games else (None, [])


def _stored(output: Path) -> Known:
    """Settings and games of a file of results."""
    if not output.exists():
        return None, []
    text = output.read_text(encoding="utf-8")
    if output.suffix == ".json":
        stored = json.loads(text)
        return dict(stored["settings"]), [_result(row) for row in stored["games"]]
    rows = list(csv.DictReader(io.StringIO(text)))
    return rows[0], [_result(row) for row in rows]


def _result(row: dict[str, Any]) -> Result:
    read: dict[str, Any] = {name: tuple(map(kind, _parts(row[name]))) for name, kind in LISTS.items()}
    read |= {name: int(row[name]) for name in ("number", "pair", "rounds")}
    return Result(reason=row["reason"], **read)


def _parts(value: Any) -> list[Any]:
    return value.split() if isinstance(value, str) else value


def _check(output: Path, settings: Settings, facts: dict[str, Any], games: list[Result]) -> None:
    """Raises BadOptions unless these are the first games of this tournament."""
    for name, value in settings.facts.items():
        if str(facts.get(name)) != str(value):
            raise BadOptions(
                "other-settings", "{path} has games with other settings: {name} {there}, not {here}; name another file",
                path=str(output), name=name, there=facts.get(name), here=value,
            )  # fmt: skip
    for number, game in enumerate(games):
        todo = match.fixture(settings, number)
        right = game.winners and set(game.winners) <= set(range(sides_at(settings.players)))
        if not right or (game.number, game.pair, game.seats) != (number, todo.pair, todo.seats):
            raise BadOptions("bad-results", "{path} is damaged: game {number} is not there as it should be; "
                             "name another file", path=str(output), number=number)  # fmt: skip


def _write_json(file: IO[str], settings: Settings, results: list[Result], facts: dict[str, Any]) -> None:
    games = ",\n".join(json.dumps(result.facts) for result in results)
    settled, told = json.dumps(settings.facts), json.dumps(facts)
    file.write(f'{{"settings": {settled},\n"games": [\n{games}\n],\n"summary": {told}}}\n')


def _write_csv(file: IO[str], settings: Settings, results: list[Result], facts: dict[str, Any]) -> None:
    """A row for each game, with the settings in each, so that files can be put together."""
    rows = csv.writer(file, lineterminator="\n")
    for number, result in enumerate(results):
        row = {name: " ".join(map(str, x)) if name in LISTS else x for name, x in result.facts.items()}
        row |= settings.facts
        if number == 0:
            rows.writerow(row)
        rows.writerow(row.values())


# The games that are played


class Tournament:
    """Games as they arrive: counted, kept, shown, until there are enough or the answer is clear."""

    def __init__(self, settings: Settings, total: int, sprt: Sprt | None, journal: Journal) -> None:
        self.settings, self.sprt, self._journal = settings, sprt, journal
        self.board = Scoreboard(settings)
        for result in journal.results:
            self._count(result)
        self.before = self.board.games
        self.total = max(total, self.before)

    @property
    def facts(self) -> dict[str, Any]:
        sprt = self.sprt
        if sprt is None:
            return summary(self.board)
        told = {"low": sprt.low, "high": sprt.high, "answer": sprt.answer}
        return {**summary(self.board), "sprt": {**told, "llr": round(sprt.llr, 4), "sets": sprt.after}}

    def _count(self, result: Result) -> None:
        score = self.board.add(result)
        if score is not None and self.sprt:
            self.sprt.add(score)

    @property
    def is_decided(self) -> bool:
        return self.sprt is not None and self.sprt.answer is not None

    def run(self, play: Player) -> bool:
        """Plays what is left; False if that was interrupted."""
        numbers = range(self.before, self.before if self.is_decided else self.total)
        games = play(numbers)
        try:
            with _display(self) as show:
                for result in games:
                    self._journal.add(result)
                    self._count(result)
                    show()
                    if self.is_decided:
                        break
            return True
        except KeyboardInterrupt:
            return False
        finally:
            games.close()  # type: ignore[attr-defined]


# What is shown


@contextlib.contextmanager
def _display(tournament: Tournament) -> Iterator[Any]:
    """Gives a function that is to be called after each game: a live table on a terminal, else a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda: _line(tournament)
        return
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns)
    task = bar.add_task("games", total=tournament.total, completed=tournament.before)
    with Live(bar, console=console, refresh_per_second=4, transient=True) as live:
        shown = 0.0

        def show() -> None:
            nonlocal shown
            bar.update(task, completed=tournament.board.games)
            if time.monotonic() - shown > 0.25:
                live.update(Group(*_tables(tournament.settings, tournament.facts), bar))
                shown = time.monotonic()

        yield show


def _line(tournament: Tournament) -> None:
    """A line after each tenth of the games."""
    games, total = tournament.board.games, tournament.total
    if games * 10 // total == (games - 1) * 10 // total or games == total:
        return
    rows = [row for row in tournament.facts["standings"] if "rate" in row]
    stand = ", ".join(f"{row['bot']} {_percent(row['rate'], row['rate_error'])}" for row in rows)
    print(f"{games} of {total} games" + (f": {stand}" if stand else ""), file=sys.stderr, flush=True)


def _percent(rate: float, error: float) -> str:
    return f"{100 * rate:.1f} % ± {100 * error:.1f}"


def _tables(settings: Settings, facts: dict[str, Any]) -> list[Table]:
    standings = _table("bot", "Elo", "points", "games", "won")
    for row in facts["standings"]:
        if "elo" in row:
            elo, won = f"{row['elo']:+.0f} ± {row['elo_error']:.0f}", _percent(row["rate"], row["rate_error"])
            standings.add_row(row["bot"], elo, f"{row['points']:.6g}", str(row["games"]), won)
    alone = ("alone against two", "the other way") if settings.players == 3 else ()
    pairings = _table("pairing", "won", "Elo", *alone)
    for row in facts["pairings"]:
        cells = [f"{row['first']} - {row['second']}", _percent(row["rate"], row["rate_error"])]
        cells.append(f"{row['elo']:+.0f} ± {row['elo_error']:.0f}")
        if alone:
            cells.append(_percent(row["first_alone"], row["first_alone_error"]))
            cells.append(_percent(row["second_alone"], row["second_alone_error"]))
        pairings.add_row(*cells)
    return [standings, pairings] if len(settings.bots) > 2 or alone else [standings]


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _tell(tournament: Tournament, facts: dict[str, Any]) -> None:
    """The end: tables, and in words what two bots' match says."""
    settings = tournament.settings
    before = f", {tournament.before} of them from before" if tournament.before else ""
    print(f"{tournament.board.games} games, {settings.players} players, seed {settings.seed}{before}")
    if not facts["pairings"]:
        print("too few games to tell anything")
        return
    console = Console(width=max(100, Console().width))
    for table in _tables(settings, facts):
        console.print(table)
        print()
    if len(settings.bots) == 2:
        row = facts["pairings"][0]
        print(f"{row['first']} against {row['second']}: {row['elo']:+.0f} ± {row['elo_error']:.0f} Elo")
    print(f"± is 95 %, from sets of {settings.games_a_set} games on the same dice with seats swapped")
    if tournament.sprt:
        print(_verdict(settings, tournament.sprt))


def _verdict(settings: Settings, sprt: Sprt) -> str:
    first, second = settings.bots
    games = sprt.after * settings.games_a_set
    if sprt.answer is None:
        return f"SPRT: not clear after {games} games (LLR {sprt.llr:.2f}; {sprt.bound:.2f} to either side decides)"
    other = sprt.low if sprt.answer == sprt.high else sprt.high
    which = f"{first} is {sprt.answer:+g} Elo against {second} rather than {other:+g}"
    return f"SPRT: clear after {games} games: {which} (LLR {sprt.llr:.2f})"


def _tell_files(results: Path | None, plot: Path | None, finished: bool) -> None:
    if results and finished:
        print(f"written to {results}")
    if plot:
        print(f"drawn to {plot}")
    if not finished:
        kept = f" The games are kept in {results}; the same command goes on." if results else ""
        print(f"Interrupted.{kept}", file=sys.stderr)


def _draw(path: Path, facts: dict[str, Any]) -> None:
    """The ratings with their error bars, best on top."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows = [row for row in reversed(facts["standings"]) if "elo" in row]
    with rc_context({"svg.hashsalt": "aachen", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 1.2 + 0.4 * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        places = range(len(rows))
        axes.errorbar([row["elo"] for row in rows], places, xerr=[row["elo_error"] for row in rows], fmt="o", capsize=4)
        axes.set_yticks(places, [row["bot"] for row in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.set_xlabel(f"Elo, 0 on average (bars: 95 %, {facts['games']} games)")
        axes.grid(axis="x", alpha=0.3)
        data = io.BytesIO()
        figure.savefig(data, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None)
    path.write_bytes(data.getvalue())
