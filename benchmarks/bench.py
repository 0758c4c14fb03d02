"""Measures Aachen: random play against the same rules in C, the Python loop against other libraries, and start-up.

    python benchmarks/bench.py [--quick] [--output benchmarks/results.md]

What is compared is measured in turns, in the same run, so that whatever else the computer does meets both alike.
"""

import argparse
import ctypes
import importlib.util
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from parts import SPEED, write_part

from aachen import carolus
from aachen.core import playout
from aachen.core.kernel import NO_DATA

HERE = Path(__file__).resolve().parent
FLAGS = ("-O3", "-march=native", "-std=c11", "-shared", "-fPIC")
PLAYERS = (2, 3, 4)
VARIANTS = [{"dice": d, "crowns": c} for d, c in product(("all", "choose-one"), ("at-once", "deferred"))]

Batch = tuple[NDArray[np.void], NDArray[np.uint64]]
#: Plays a batch of positions to their ends, in place; the number of decisions.
Player = Callable[[NDArray[np.void], NDArray[np.uint64]], int]


class Scale(NamedTuple):
    """How much is measured."""

    rounds: int
    games: int  # a batch of kernel games
    checked: int  # games compared with C, for each number of players and each variant
    python: float  # seconds of the Python loop, each time
    starts: int


FULL = Scale(rounds=7, games=10_000, checked=2_500, python=1.5, starts=5)
QUICK = Scale(rounds=3, games=2_000, checked=2_000, python=0.3, starts=2)


class Different(Exception):
    """Two programs that must play the same games do not."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def play_out_all(positions: NDArray[np.void], seeds: NDArray[np.uint64]) -> int:
    return playout.play_out_all(positions, NO_DATA, seeds)


# The yardstick


def find_compiler() -> str | None:
    return next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)


def compiler_version(compiler: str | None) -> str:
    if compiler is None:
        return "no C compiler found"
    told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return f"{told.splitlines()[0]}, `{' '.join(FLAGS[:3])}`"


def build_yardstick(compiler: str, folder: Path) -> Player:
    library = folder / "yardstick.so"
    subprocess.run([compiler, *FLAGS, "-o", str(library), str(HERE / "yardstick.c")], check=True)
    function = ctypes.CDLL(str(library)).play_out_all
    function.restype = ctypes.c_int64
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]

    def play(positions: NDArray[np.void], seeds: NDArray[np.uint64]) -> int:
        return int(function(positions.ctypes.data, seeds.ctypes.data, len(positions)))

    return play


def batch(games: int, players: int, **options: object) -> Batch:
    """So many tables before the deal, each with a seed of its own."""
    seeds = np.random.default_rng(1).integers(0, 2**64, games, dtype=np.uint64)
    return np.repeat(carolus.table(players, **options).position, games), seeds


def check_yardstick(yardstick: Player, games: int) -> int:
    """The number of games that ended alike. Raises Different."""
    for players, options in product(PLAYERS, VARIANTS):
        ours, seeds = batch(games, players, **options)
        theirs = ours.copy()
        if play_out_all(ours, seeds) != yardstick(theirs, seeds) or ours.tobytes() != theirs.tobytes():
            raise Different(f"C and the kernel end differently with {players} players and {options}")
    return games * len(PLAYERS) * len(VARIANTS)


# Random play inside the kernel


def speed(play: Player, positions: NDArray[np.void], seeds: NDArray[np.uint64]) -> tuple[float, float]:
    """Decisions and games a second."""
    fresh = positions.copy()
    began = time.perf_counter()
    decisions = play(fresh, seeds)
    took = time.perf_counter() - began
    return decisions / took, len(fresh) / took


def kernel_row(players: int, yardstick: Player | None, scale: Scale) -> list[str]:
    positions, seeds = batch(scale.games, players)
    play_out_all(positions[:1].copy(), seeds[:1])
    ours, theirs = [], []
    for _ in range(scale.rounds):
        ours.append(speed(play_out_all, positions, seeds))
        if yardstick:
            theirs.append(speed(yardstick, positions, seeds))
    best = max(ours)
    row = [str(players), f"{best[0] / 1e6:.1f} million", f"{best[1]:,.0f}"]
    if not theirs:
        return [*row, "not measured", "not measured"]
    ratio = median(a[0] / b[0] for a, b in zip(ours, theirs, strict=True))
    return [*row, f"{max(theirs)[0] / 1e6:.1f} million", f"{ratio:.2f}"]


def measure_kernel(yardstick: Player | None, scale: Scale) -> list[list[str]]:
    rows = [["players", "Aachen, decisions/s", "Aachen, games/s", "C, decisions/s", "Aachen / C"]]
    for players in PLAYERS:
        say(f"random play inside the kernel, {players} players ...")
        rows.append(kernel_row(players, yardstick, scale))
    return rows


# The plain Python loop. Each of these plays random games for ever, and gives the number of decisions of each.


def aachen_games(rng: random.Random) -> Iterator[int]:
    while True:
        state = carolus.table(2)
        decisions = 0
        while True:
            actions = state.legal_actions()
            if actions:
                state = state.apply(rng.choice(actions))
                decisions += 1
            elif state.is_chance:
                state = state.draw(rng)
            else:
                break
        yield decisions


def backgammon_games(rng: random.Random) -> Iterator[int]:
    import pyspiel

    game = pyspiel.load_game("backgammon")
    while True:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        yield decisions


def catan_games(rng: random.Random) -> Iterator[int]:
    from catanatron import Color, Game, RandomPlayer

    while True:
        game = Game([RandomPlayer(color) for color in Color], seed=rng.randrange(2**32))
        game.play()
        yield len(game.state.actions)


def python_speed(games: Iterator[int], seconds: float) -> float:
    """Decisions a second, over whole games."""
    decisions = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        decisions += next(games)
    return decisions / (time.perf_counter() - began)


def missing(package: str) -> bool:
    return importlib.util.find_spec(package) is None


def measure_python(scale: Scale) -> list[list[str]]:
    say("the plain Python loop ...")
    loops = {"Aachen, Carolus Magnus, 2 players": aachen_games(random.Random(1))}
    if not missing("pyspiel"):
        loops["OpenSpiel, backgammon"] = backgammon_games(random.Random(1))
    if not missing("catanatron"):
        loops["Catanatron, 4 random players"] = catan_games(random.Random(1))
    for games in loops.values():
        next(games)
    speeds = [[python_speed(games, scale.python) for games in loops.values()] for _ in range(scale.rounds)]
    rows = [["library and game", "decisions/s", "Aachen / this"]]
    for i, name in enumerate(loops):
        ratio = median(row[0] / row[i] for row in speeds)
        rows.append([name, f"{max(row[i] for row in speeds):,.0f}", f"{ratio:.2f}" if i else ""])
    absent = [name for name, package in (("OpenSpiel", "pyspiel"), ("Catanatron", "catanatron")) if missing(package)]
    return rows + [[name, "not installed", ""] for name in absent]


# Start-up


def wall_time(arguments: list[str], starts: int) -> str:
    """The shortest time of several runs in new processes, after one that fills the caches."""
    times = []
    for _ in range(starts + 1):
        began = time.perf_counter()
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
        times.append(time.perf_counter() - began)
        if done.returncode != 0:
            return "not available"
    return f"{min(times[1:]):.2f} s"


def measure_starts(scale: Scale) -> list[list[str]]:
    say("start-up ...")
    new = "from aachen import carolus; carolus.new(seed=7)"
    simulate = ["simulate", "--games", "10000"]
    return [
        ["in a new process, compiled rules in the cache", "time"],
        ["`aachen --help`", wall_time(["-m", "aachen.cli", "--help"], scale.starts)],
        ["`import` and `carolus.new(seed=7)`", wall_time(["-c", new], scale.starts)],
        ["`aachen simulate --games 10000`", wall_time(["-m", "aachen.cli", *simulate], scale.starts)],
    ]


# The report


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def facts(compiler: str | None) -> list[list[str]]:
    return [
        ["fact", "value"],
        ["Python", f"{platform.python_version()}, {platform.system()}"],
        ["Numba, NumPy", f"{numba.__version__}, {np.__version__}"],
        ["CPU", f"{cpu_model()}, {os.cpu_count()} cores"],
        ["C compiler", compiler_version(compiler)],
    ]


def table_of(rows: list[list[str]]) -> str:
    head, *body = rows
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])


TEXT = """# Benchmarks

The first part is written by `{command}`, the second by `make bench-bots`, the third by `make bench-server`.

{facts}

## Random play inside the kernel

Whole games from the empty table, one core, every choice drawn from the full list of legal actions
(`aachen.core.playout`). The yardstick is `benchmarks/yardstick.c`: the same rules in C, with the same random numbers.
{checked}
The speeds are the best of {rounds} rounds, the ratio is the median over the rounds; Aachen and C take turns.
A throw of dice is no decision, but its time counts.

{kernel}

## The plain Python loop

One action at a time from Python: `legal_actions`, a random choice, `apply`; chance is drawn by its weights. Different
games do different work for a decision, so the ratios say how quick a loop feels, not which code is better. Aachen and
OpenSpiel count decisions without chance; Catanatron counts all actions of its random players, rolls included, and
plays whole games with its own loop. Aachen's `apply` makes a new state and checks the action; the others change the
state in place. The libraries take turns: best of {rounds} rounds, median of ratios.

{python}

## Start-up

The shortest of {starts} runs, process start and imports included.

{starts_table}
"""


def report(command: str, compiler: str | None, scale: Scale) -> str:
    """Measures everything. Raises Different if C and the kernel do not play the same games."""
    with tempfile.TemporaryDirectory() as folder:
        yardstick = build_yardstick(compiler, Path(folder)) if compiler else None
        checked = "No C compiler was found, so there is nothing to compare with."
        if yardstick:
            say("comparing final positions with C ...")
            games = check_yardstick(yardstick, scale.checked)
            checked = f"In this run the final positions of {games:,} games, all variants, were the same bytes in both."
        return TEXT.format(
            command=command,
            facts=table_of(facts(compiler)),
            checked=checked,
            kernel=table_of(measure_kernel(yardstick, scale)),
            python=table_of(measure_python(scale)),
            starts_table=table_of(measure_starts(scale)),
            rounds=scale.rounds,
            starts=scale.starts,
        )


def arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measures Aachen and writes the results.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--output", type=Path, default=HERE / "results.md", help="the file to write")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    command = "python benchmarks/bench.py --quick" if chosen.quick else "make bench"
    try:
        text = report(command, find_compiler(), QUICK if chosen.quick else FULL)
    except Different as problem:
        say(f"nothing written: {problem}")
        return 1
    write_part(chosen.output, SPEED, text)
    say(f"written: {chosen.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
