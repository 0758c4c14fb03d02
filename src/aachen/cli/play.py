"""`aachen play`: begins a game, or goes on with the one under way."""

import argparse
from typing import Any

from aachen.bots.players import make
from aachen.carolus import State, new, table
from aachen.carolus.refusals import asked
from aachen.cli.files import Autosave, keep_aside, os_reason, read_game
from aachen.cli.match import Match
from aachen.cli.questions import Leave, agree, ask_seating, ask_variants
from aachen.cli.seating import Seating, seat_people, seating_of, usual_kinds
from aachen.cli.terminal import clean, compiling, edit_lines, use_colour, wrap
from aachen.core import BadOptions, BadRecord, History

VARIANTS = ("dice", "crowns", "talk", "round_limit")
OPTIONS = ("players", "seats", "seed", "new", *VARIANTS)


def run(args: argparse.Namespace) -> int:
    """Plays a game. The exit code is 0, also if the player leaves it for later; 130 after Ctrl-C."""
    edit_lines()
    try:
        match = _begin(args, Autosave())
    except (EOFError, Leave) as reason:
        print("\n" * isinstance(reason, EOFError) + "No game was begun.")
        return 0
    return match.play()


def _begin(args: argparse.Namespace, autosave: Autosave) -> Match:
    asking = not any(getattr(args, name) for name in OPTIONS if name != "seed") and args.seed is None
    # Wrong options must be noticed before the saved game is touched.
    seating, options = (None, {}) if asking else _from_options(args)
    colour = use_colour(args.colour)
    with compiling():
        _warm_up()
    under_way = _under_way(autosave)
    if asking and under_way and agree(_offer(*under_way)):
        return Match(*under_way, autosave, colour, args.seed)
    if seating is None:
        seating = ask_seating()
        options = ask_variants(len(seating.names))
    history = History(table(len(seating.names), **options))
    if under_way and seating.people:
        _put_aside(autosave, "unfinished", "The game that was under way")
    return Match(history, seating, autosave, colour, args.seed)


def _from_options(args: argparse.Namespace) -> tuple[Seating, dict[str, Any]]:
    """Who plays by which rules. Raises BadOptions."""
    seating = seat_people(args.seats.split(",") if args.seats else usual_kinds(args.players or 2))
    number = len(seating.names)
    if args.players and number != args.players:
        raise BadOptions(
            "bad-seats", "--seats names {number}, but --players says {right}", number=number, right=args.players
        )
    given = {name: getattr(args, name) for name in VARIANTS}
    options = {name: value for name, value in given.items() if value is not None}
    table(number, **options)
    return seating, options


def _under_way(autosave: Autosave) -> tuple[History[State], Seating] | None:
    """The saved game. A broken one is put aside: it must not keep anybody from playing."""
    try:
        record, history = read_game(autosave.path)
        return history, seating_of(record)
    except FileNotFoundError:
        return None
    except OSError as error:
        print(wrap(f"The game under way cannot be read ({os_reason(error)}); this is a new one."))
    except BadRecord as error:
        print(wrap(f"The saved game is broken ({clean(str(error), 200)}); a new one begins."))
        _put_aside(autosave, "broken", "The broken one")
    return None


def _warm_up() -> None:
    """Has the rules compiled, if they are not yet: so the waiting is where it is announced."""
    state = new(2, seed=1)
    state.apply(make("greedy", 1).choose(state.view(state.actor)))
    state.forecast()
    asked(state.position, state.actor)


def _offer(history: History[State], seating: Seating) -> str:
    number = int(history.state.position["round_number"][0])
    when = f"round {number}" if number else "set-up"
    return f"A game is under way ({', '.join(seating.names)}; {when}). Go on with it"


def _put_aside(autosave: Autosave, stem: str, subject: str) -> None:
    try:
        print(wrap(f"{subject} is kept as {keep_aside(autosave.path, stem)}."))
    except OSError as error:
        print(wrap(f"The saved game cannot be renamed ({os_reason(error)})."))
