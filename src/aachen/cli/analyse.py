"""`aachen analyse`: what a bot thinks of a position: chances to win, and the best actions with their lines."""

import argparse
from collections.abc import Iterable, Sequence

from aachen.arena.review import Judge, expectation
from aachen.bots.players import THINKERS, ThinkingBot, check_name
from aachen.bots.thinking import Analysis, Budget, Thought
from aachen.carolus import Action, State, read
from aachen.carolus.drawing import SIDE_NAMES
from aachen.carolus.words import side_at
from aachen.cli.files import game_of, is_record
from aachen.cli.show import _text
from aachen.cli.tell import ending, tell
from aachen.cli.terminal import clean, compiling, wrap
from aachen.core import BadOptions, BadRecord, Step
from aachen.core.words import Seat

BAR = 30
#: How many of the best and worst outcomes of chance are told.
OUTCOMES = 2


def run(args: argparse.Namespace) -> int:
    check_thinker(args.level)
    budget = budget_of(args) or THINKERS[args.level].budget
    text = _text(args.position)
    with compiling():
        state, names = _asked(text, args.step)
        if not state.is_over:
            Judge(state.players, THINKERS[args.level].how).value(state, Budget(positions=1))  # the clock is for thought
    if state.outcome is not None:
        print(wrap(ending(state, state.outcome, names)))
    elif state.is_chance:
        _tell_chance(state, args.level, budget, names)
    else:
        analysis = ThinkingBot(args.level, seed=0).analyse(state, budget)
        print("\n".join(told(state, analysis, names, args.level, args.lines)))
    return 0


def check_thinker(level: str) -> None:
    """Raises BadOptions for a bot that does not exist, or does not look ahead."""
    check_name(level)
    if level not in THINKERS:
        raise BadOptions(
            "no-thinker", "{level} does not look ahead; levels that do are: {right}",
            level=level, right=", ".join(THINKERS),
        )  # fmt: skip


def budget_of(args: argparse.Namespace) -> Budget | None:
    """The budget that was given, if one was. Raises BadOptions."""
    if args.seconds is None and args.positions is None:
        return None
    return Budget(seconds=args.seconds, positions=args.positions)


# What is asked


def _asked(text: str, step: int | None) -> tuple[State, list[str]]:
    """The position, and what the seats are called. Raises BadOptions, BadPosition or BadRecord."""
    if not is_record(text):
        if step is not None:
            raise BadOptions("step-of-position", "--step is for game records; a position has no steps")
        state = read(text)
        return state, seat_names(state.players)
    record, history = game_of(text)
    last = len(history.steps)
    if step is not None and step > last:
        raise BadRecord("no-step", "there is no step {step}; steps are 0 to {last}", step=step, last=last)
    names = [clean(name, 40) for name in record.names]
    return history.states[last if step is None else step], names


def seat_names(players: int) -> list[str]:
    """What seats without names are called: by their side, such as `White`, or `White's partner`."""
    sides = [side_at(players, seat) for seat in range(players)]
    return [SIDE_NAMES[side] + "'s partner" * (side != seat) for seat, side in enumerate(sides)]


# What is told


def told(state: State, analysis: Analysis, names: Sequence[str], who: str, most: int) -> list[str]:
    """The analysis of a decision, in lines."""
    effort = f"{who}, {analysis.positions:,} positions in {analysis.seconds:.1f} s"
    lines = [*bars(list(analysis.chances.values())), "", f"{names[state.actor]} is to act ({effort}):"]
    for place, thought in enumerate(analysis.thoughts[:most], 1):
        lines += ["", *_thought(state, thought, place, names)]
    left = len(analysis.thoughts) - most
    return [*lines, "", f"{left} more actions are possible."] if left > 0 else lines


def bars(chances: Sequence[float]) -> list[str]:
    """A bar for each side's chance to win."""
    lines = []
    for side, chance in enumerate(chances):
        full = round(chance * BAR)
        lines.append(f"{SIDE_NAMES[side]:<6} {'█' * full}{'░' * (BAR - full)} {percent(chance):>7}")
    return lines


def percent(chance: float) -> str:
    return f"{100 * chance:.1f} %"


def _thought(state: State, thought: Thought, place: int, names: Sequence[str]) -> list[str]:
    """An action: its chance, and what is expected to follow, in notation and in words."""
    sure = f"{percent(thought.chance)} to win (± {100 * thought.error:.1f})"
    first = f"{place}. {thought.action!s:<4} {sure}, {100 * thought.weight:.0f} % of the search"
    return [first, "   " + notation(thought.line), wrap(f"   {in_words(state, thought.line, names)}", "   ")]


def notation(line: Iterable[Action]) -> str:
    return " ".join(map(str, line))


def in_words(state: State, line: Iterable[Action], names: Sequence[str]) -> str:
    """What would happen, in sentences; it ends where chance acts."""
    sentences = []
    for action in line:
        seat = Seat(state.actor)
        after = state.apply(action)
        sentences.append(tell(state, after, Step(seat, action), names))
        state = after
    return " ".join(sentences)


def _tell_chance(state: State, level: str, budget: Budget, names: Sequence[str]) -> None:
    """The chances where dice (or the deal) come next: the mean over all outcomes, and the best and worst of them."""
    weights = state.chance_weights()
    table = Judge(state.players, THINKERS[level].how).outcomes(state, budget.part(1 / len(weights)))
    means = expectation(table, weights)
    print("\n".join(bars(means)))
    print(f"\nChance is to act; this is the mean over its {len(weights)} outcomes ({level}).")
    for side, mean in enumerate(means):
        order = sorted(table, key=lambda action: -table[action][side])
        some = [order[:OUTCOMES], order[OUTCOMES:][-OUTCOMES:]]
        best, worst = (
            ", ".join(f"{action} {100 * (table[action][side] - mean):+.1f}" for action in actions) for actions in some
        )
        print(wrap(f"{SIDE_NAMES[side]}: best {best}" + f"; worst {worst}" * bool(worst), "  "))
