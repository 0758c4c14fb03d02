"""`aachen show`: draws a position, or the one in which a game record ends."""

import argparse
from pathlib import Path

from aachen.carolus import State, read
from aachen.carolus.drawing import draw
from aachen.cli.files import game_of, is_record, read_text
from aachen.cli.terminal import clean, columns, use_colour


def run(args: argparse.Namespace) -> int:
    state, names = _shown(_text(args.position))
    print(draw(state.position, colour=use_colour(args.colour), names=names, width=columns()))
    return 0


def _shown(text: str) -> tuple[State, list[str]]:
    """The position and the names of the seats, if there are any. Raises BadPosition or BadRecord."""
    if not is_record(text):
        return read(text), []
    record, history = game_of(text)
    return history.state, [clean(name, 40) for name in record.names]


def _text(argument: str) -> str:
    """The position itself, or what stands in the file or on standard input."""
    if argument == "-" or (not argument.startswith("carolus ") and Path(argument).is_file()):
        return read_text(argument)
    if not argument.startswith("carolus ") and ("/" in argument or "." in argument) and " " not in argument:
        raise FileNotFoundError(2, "no such file, and no position", argument)
    return argument
