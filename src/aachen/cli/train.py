"""`aachen train`: teaches the network by self-play; the run is kept in a folder and goes on after an interruption."""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from aachen.arena import cluster
from aachen.arena.training import BATCH, Run, Settings
from aachen.core import BadOptions

#: Seconds between two savings.
SAVE_EVERY = 20.0


def run(args: argparse.Namespace) -> int:
    """Trains to the end, or until Ctrl-C; the same command goes on."""
    folder = Path(args.folder)
    training = _begin(folder, args)
    try:
        _advance(training, folder, args)
    except KeyboardInterrupt:
        training.save(folder)
        print(f"Interrupted after {training.games} games; the same command goes on.", file=sys.stderr)
        return 130
    training.save(folder)
    np.save(folder / "weights.npy", training.weights)
    plot_curve(training, folder / "curve.svg")
    last = training.curve[-1].loss if training.curve else float("nan")
    print(f"{training.games} games in {training.seconds:.0f} s, loss {last:.4f}")
    print(f"The weights are {folder / 'weights.npy'}, the learning curve is {folder / 'curve.svg'}")
    return 0


def _begin(folder: Path, args: argparse.Namespace) -> Run:
    """The run in the folder, or a new one. Raises BadOptions if the folder's run is another than was asked for."""
    settings = Settings(args.players or 2, args.games, args.seed or 1)
    if not (folder / "state.npz").exists():
        return Run(settings)
    training = Run.load(folder)
    if training.settings != settings:
        raise BadOptions(
            "other-run", "{folder} has a run with {players} players, {games} games and seed {seed}; name another",
            folder=folder, players=training.settings.players, games=training.settings.games,
            seed=training.settings.seed,
        )  # fmt: skip
    print(f"Going on after {training.games} games.")
    return training


def _advance(training: Run, folder: Path, args: argparse.Namespace) -> None:
    columns = (
        TextColumn("games"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    run = None if args.ray is None else cluster.mapper(args.ray or None, args.jobs)
    saved = time.monotonic()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=training.settings.games, completed=training.games)
        for games in training.advance(args.jobs, run):
            loss = f"loss {training.curve[-1].loss:.4f}" if training.curve else ""
            bar.update(task, completed=min(games, training.settings.games), description=loss)
            if time.monotonic() - saved > SAVE_EVERY:
                training.save(folder)
                saved = time.monotonic()


def plot_curve(training: Run, path: Path) -> None:
    """The loss by games, as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([entry.games for entry in training.curve], [entry.loss for entry in training.curve], color="#2b5d8a")
    axes.set_xlabel("games")
    axes.set_ylabel("loss (cross-entropy)")
    axes.set_title(f"Self-play with {training.settings.players} players, batches of {BATCH}")
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
