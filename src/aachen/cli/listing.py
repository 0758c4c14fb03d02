"""Lists for a player: what may be done now, and what the Emperor's halt would bring."""

from collections.abc import Sequence

from aachen.carolus import Action, Clan, Cube, Disc, Move, Name, Phase, RegionForecast, State, ThrowAll
from aachen.carolus.drawing import FULL, SIDE_NAMES, region_label
from aachen.carolus.refusals import one_of
from aachen.carolus.words import SIDE_LETTERS
from aachen.cli.tell import effect
from aachen.cli.terminal import columns, wrap
from aachen.core import Outcome


def hint(state: State, seat: int) -> str:
    """What a person is told at the prompt: exactly what is possible."""
    right = [str(action) for action in state.legal_actions(seat)]
    clans = [word for word in right if word.startswith("=")]
    match Phase(int(state.position["phase"][0])):
        case Phase.DISC:
            return f"Lay a disc, {one_of(right)}: the lowest goes first, the highest moves farthest."
        case Phase.CUBE:
            return "Play a cube: r@ puts a red one to your court, rE into region E. Several: r@ gE"
        case Phase.MOVE:
            return f"Move the Emperor clockwise: {one_of(right)} (list tells what each halt brings)."
        case Phase.CHOOSE if not clans:
            return "No die can be chosen; throw all: all"
        case Phase.CHOOSE:
            return f"Choose a die ({one_of(clans)}; you take that cube and throw one die fewer), or throw all: all"
        case phase:
            return f"Name a clan for the {phase.name.lower()}: {one_of(clans)}. You take a cube of it."


def numbered(state: State, seat: int) -> list[Action]:
    """The seat's actions in the order of their numbers: to court first, then by region."""
    actions = state.legal_actions(seat)
    return sorted(actions, key=_rank)


def _rank(action: Action) -> tuple[int, int]:
    if isinstance(action, Cube):
        return int(action.clan), -1 if action.tile is None else action.tile
    return 0, action.code


def list_actions(state: State, seat: int) -> str:
    """The actions with their numbers, a line for each, or for each clan."""
    actions = numbered(state, seat)
    if any(isinstance(action, Cube) for action in actions):
        return _list_cubes(actions)
    forecasts = state.forecast()
    return "\n".join(
        wrap(f"  #{i:<3}{action!s:<4} {_meaning(state, action, forecasts)}", " " * 11)
        for i, action in enumerate(actions, 1)
    )


def _list_cubes(actions: Sequence[Action]) -> str:
    lines = []
    for clan in Clan:
        own = [f"{f'#{i}':>3} {a}" for i, a in enumerate(actions, 1) if isinstance(a, Cube) and a.clan == clan]
        if own:
            # Number and action must not be parted at the end of a line.
            text = "  ".join(word.replace(" ", "\0") for word in own)
            lines.append(wrap(f"  {clan.name.lower():<8}{text}", " " * 10).replace("\0", " "))
    return "\n".join([*lines, "  (@ is your court, a capital letter is a region)"])


def _meaning(state: State, action: Action, forecasts: Sequence[RegionForecast]) -> str:
    match action:
        case Disc(number=number):
            return f"lay disc {number}"
        case Name(clan=clan):
            return f"take a {clan.name.lower()} cube"
        case ThrowAll():
            return "throw all dice"
        case Move(steps=steps):
            there = next(f for f in forecasts if f.steps % len(forecasts) == steps % len(forecasts))
            return f"to {region_label(state.position[0], there.tile)}: {effect(state, there)}{_end(there.outcome)}"
    return ""


def _end(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    if outcome.is_draw:
        return "; the game ends in a draw"
    return f"; {SIDE_NAMES[outcome.winners[0]]} wins the game"


def forecast_table(state: State, seat: int | None) -> str:
    """What would happen now at each region, in the order in which the Emperor reaches them."""
    s = state.position[0]
    reach = 0 if seat is None else int(s["disc"][seat])
    rows = sorted(state.forecast(), key=lambda row: row.steps)
    sides = "".join(f"{letter:>4}" for letter in SIDE_LETTERS[: len(rows[0].counts)])
    wide = columns() >= FULL
    lines = [f"  region steps{sides}   {'if the Emperor halted there now' if wide else 'a halt now'}"]
    for row in rows:
        mark = "*" if row.steps <= reach else " "
        counts = "".join(f"{count:>4}" for count in row.counts)
        what = effect(state, row) + _end(row.outcome)
        facts = f"{mark} {region_label(s, row.tile):<6} {row.steps:>5}{counts}   "
        lines.append(wrap(facts + what, " " * (len(facts) if wide else 4)))
    note = f"\n* within your disc's reach ({reach})" if reach else ""
    return "\n".join(lines) + note
