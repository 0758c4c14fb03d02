"""`aachen review`: a whole game judged, as a table, a plot and JSON."""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from aachen.arena.review import QUICK, Judge, Mistake, Review, Turn, review
from aachen.bots.thinking import Budget
from aachen.carolus import State
from aachen.carolus.drawing import SIDE_NAMES
from aachen.cli.analyse import budget_of, in_words, notation, percent
from aachen.cli.files import game_of, read_text, write
from aachen.cli.tell import side_name
from aachen.cli.terminal import clean, compiling, wrap
from aachen.core import BadOptions, History

NAME = 14
INKS = ("#ffffff", "#1a1a1a", "#8a8f98")


def run(args: argparse.Namespace) -> int:
    plot = _checked(args.plot, (".svg", ".png"))
    output = _checked(args.output, (".json",))
    budget = budget_of(args) or QUICK
    text = read_text(args.file)
    with compiling():
        record, history = game_of(text)
        start = history.start
        if not start.is_over:
            Judge(start.players).value(start, Budget(positions=1))
    names = [clean(name, NAME) for name in record.names]
    with _progress(len(history.steps)) as told:
        judged = review(history, budget, told=told)
    print("\n".join(report(judged, history, names)))
    if output:
        write(output, json.dumps(facts(judged, names), indent=1) + "\n")
        print(f"Written to {output}.")
    if plot:
        draw(judged, names, plot)
        print(f"The chances to win are drawn in {plot}.")
    return 0


def _checked(name: str | None, suffixes: Sequence[str]) -> Path | None:
    """The file to write. Whether that is possible must be known before the work, not after. Raises BadOptions."""
    if name is None:
        return None
    path = Path(os.path.expanduser(name))
    if path.suffix.lower() not in suffixes:
        raise BadOptions("bad-output", "{name} must end in {right}", name=path.name, right=" or ".join(suffixes))
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise BadOptions("no-output", "{path} cannot be written; choose a file in a folder of yours", path=str(path))
    return path


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, which is told how many steps are done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("steps", total=steps)
        yield lambda done: bar.update(task, completed=done)


# The report


def report(judged: Review, history: History[State], names: Sequence[str]) -> list[str]:
    """The whole review, in lines."""
    return [
        *_table(judged, names), "", *_worst(judged, history, names), "", *_seats(judged, names), "",
        *_accounts(judged, history.start, names),
    ]  # fmt: skip


def _table(judged: Review, names: Sequence[str]) -> list[str]:
    """A line for each turn. Loss and luck are those of the seat whose turn it is, in points of 100."""
    sides = "".join(f"{SIDE_NAMES[side]:>7}" for side in range(len(judged.start)))
    lines = ["After each turn: chances to win in %, what the turn lost, and its luck.", ""]
    lines.append(f"{'round':>5}  {'who':<{NAME}}{sides}{'loss':>7}{'luck':>7}  played")
    lines.append(f"{'':>5}  {'':<{NAME}}{_points(judged.start, '.1f')}{'':>14}  start")
    return lines + [_row(turn, names) for turn in judged.turns]


def _row(turn: Turn, names: Sequence[str]) -> str:
    chances = _points(turn.chances, ".1f")
    if turn.seat is None or turn.side is None:
        return f"{'':>5}  {'':<{NAME}}{chances}{'':>14}  {turn.played}"
    loss = f"{100 * turn.loss:.1f}" if turn.loss >= 0.0005 else ""
    luck = f"{100 * turn.luck[turn.side]:+.1f}" if any(step.is_chance for step in turn.steps) else ""
    return f"{turn.round:>5}  {names[turn.seat]:<{NAME}}{chances}{loss:>7}{luck:>7}  {turn.played}"


def _points(chances: Sequence[float], how: str) -> str:
    return "".join(f"{format(100 * chance, how):>7}" for chance in chances)


def _worst(judged: Review, history: History[State], names: Sequence[str]) -> list[str]:
    if not judged.mistakes:
        return ["No mistakes were found."]
    lines = ["The worst mistakes:"]
    for place, mistake in enumerate(judged.mistakes, 1):
        lines += _mistake(place, mistake, history.states[mistake.step.number], names)
    return lines


def _mistake(place: int, mistake: Mistake, state: State, names: Sequence[str]) -> list[str]:
    step = mistake.step
    assert step.seat is not None
    assert step.side is not None
    chances = f"{percent(step.before[step.side])} to win instead of {percent(step.after[step.side])}"
    who = f"Round {step.round}, step {step.number + 1}, {names[step.seat]}"
    first = f"{place}. {who}: {step.action} lost {100 * step.loss:.1f}; better {notation(mistake.line)} ({chances})."
    return [wrap(first, "   "), wrap(f"   {in_words(state, mistake.line, names)}", "   ")]


def _seats(judged: Review, names: Sequence[str]) -> list[str]:
    """How well each seat played, and its luck with the dice."""
    lines = [f"{'':<{NAME}}{'mistakes':>10}{'loss a turn':>13}{'luck':>7}   (in points of 100)"]
    for seat, name in enumerate(names):
        fact = _seat_facts(judged, seat)
        mean, luck = f"{100 * fact['mean_loss']:.2f}", f"{100 * fact['luck']:+.1f}"
        lines.append(f"{name:<{NAME}}{fact['mistakes']:>10}{mean:>13}{luck:>7}")
    return lines


def _seat_facts(judged: Review, seat: int) -> dict[str, Any]:
    own = [turn for turn in judged.turns if turn.seat == seat]
    losses = judged.losses(seat)
    return {
        "mistakes": judged.mistakes_of(seat),
        "mean_loss": sum(losses) / len(losses) if losses else 0.0,
        "luck": sum(turn.luck[turn.side] for turn in own if turn.side is not None),
    }


def _accounts(judged: Review, state: State, names: Sequence[str]) -> list[str]:
    """For each side the parts that add up to the result."""
    heads = ("start", "luck", "own", "others", "later", "end" if judged.is_over else "now")
    lines = [f"{'':<30}" + "".join(f"{head:>8}" for head in heads)]
    for side, account in enumerate(judged.accounts):
        parts = (account.luck, account.own, account.others, account.second_thoughts)
        told = "".join(f"{100 * part:>+8.1f}" for part in parts)
        name = side_name(state, side, names)[:30]
        lines.append(f"{name:<30}{100 * account.start:>8.1f}{told}{100 * account.end:>8.1f}")
    note = (
        "The parts add up: start, luck of deal and dice, what own decisions lost, what those of others gave, and what "
        "was judged otherwise later. All but luck is skill."
    )
    return [*lines, wrap(note)]


# The same for programs


def facts(judged: Review, names: Sequence[str]) -> dict[str, Any]:
    """Everything, for JSON. Chances are by side, from 0 to 1."""
    accounts = [vars(account) | {"skill": account.skill} for account in judged.accounts]
    return {
        "is_over": judged.is_over,
        "start": judged.start,
        "end": judged.end,
        "seats": [{"name": name} | _seat_facts(judged, seat) for seat, name in enumerate(names)],
        "sides": [{"name": SIDE_NAMES[side]} | account for side, account in enumerate(accounts)],
        "turns": [_turn_facts(turn) for turn in judged.turns],
        "mistakes": [
            {"step": mistake.step.number + 1, "loss": mistake.step.loss, "better": list(map(str, mistake.line))}
            for mistake in judged.mistakes
        ],
    }


def _turn_facts(turn: Turn) -> dict[str, Any]:
    steps = [
        {
            "step": step.number + 1,
            "action": None if step.action is None else str(step.action),
            "best": None if step.best is None else str(step.best),
            "is_chance": step.is_chance,
            "before": step.before,
            "after": step.after,
            "loss": step.loss,
        }
        for step in turn.steps
    ]
    return {
        "round": turn.round, "seat": turn.seat, "played": turn.played, "chances": turn.chances, "loss": turn.loss,
        "luck": turn.luck, "steps": steps,
    }  # fmt: skip


# The plot


def draw(judged: Review, names: Sequence[str], path: Path) -> None:
    """Draws the chances to win after each turn, with the worst mistakes, as SVG or PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5), layout="constrained")
    axes: Any = figure.add_subplot()
    axes.set_facecolor("#dde6ea")
    _curves(axes, judged)
    _marks(axes, judged, names)
    _rounds(axes, judged.turns)
    part = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        figure.savefig(part, format=path.suffix[1:].lower(), dpi=150)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _curves(axes: Any, judged: Review) -> None:
    from matplotlib import patheffects

    outline = [patheffects.Stroke(linewidth=3.6, foreground="#44505a"), patheffects.Normal()]
    for side, start in enumerate(judged.start):
        curve = [100 * chance for chance in (start, *(turn.chances[side] for turn in judged.turns))]
        label = SIDE_NAMES[side]
        axes.plot(range(len(curve)), curve, color=INKS[side], linewidth=2.2, label=label, path_effects=outline)
    axes.set_ylim(0, 100)
    axes.set_ylabel("chance to win in %")
    axes.grid(axis="y", color="white", linewidth=0.8)
    axes.set_axisbelow(True)


def _marks(axes: Any, judged: Review, names: Sequence[str]) -> None:
    """Numbers at the worst mistakes, in the order of their size."""
    for place, mistake in enumerate(judged.mistakes, 1):
        step = mistake.step
        turn = next(number for number, turn in enumerate(judged.turns, 1) if step in turn.steps)
        assert step.side is not None
        assert step.seat is not None
        height = 100 * judged.turns[turn - 1].chances[step.side]
        label = f"{place}: {names[step.seat]}, round {step.round}, {step.action} (−{100 * step.loss:.0f})"
        axes.plot([turn], [height], "o", color="#c0392b", markersize=12, label=label, clip_on=False, zorder=5)
        axes.text(turn, height, str(place), color="white", ha="center", va="center", fontsize=8, zorder=6)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)


def _rounds(axes: Any, turns: Sequence[Turn]) -> None:
    """The rounds along the lower edge, at most about twenty of them."""
    firsts: dict[int, int] = {}
    for place, turn in enumerate(turns):
        firsts.setdefault(turn.round, place)
    rounds = [number for number in firsts if number > 0]
    shown = rounds[:: max(1, len(rounds) // 20 + 1 if len(rounds) > 20 else 1)]
    axes.set_xticks([firsts[number] for number in shown], [str(number) for number in shown])
    axes.set_xlim(0, max(1, len(turns)))
    axes.set_xlabel("round")
