"""What the terminal can do, and text that is safe to print on it."""

import contextlib
import io
import os
import re
import shutil
import sys
import textwrap
import threading
from collections.abc import Iterator

from aachen import cache

MOST_WIDTH = 78
LEAST_WIDTH = 40


def columns() -> int:
    """How wide the terminal is; 80 where there is none."""
    return shutil.get_terminal_size().columns


def text_columns() -> int:
    """How wide text is printed."""
    return max(LEAST_WIDTH, min(MOST_WIDTH, columns()))


def command(words: str) -> str:
    """What to type to run `aachen` with these words: `make play` runs it where no PATH leads to it."""
    return f"{os.environ.get('AACHEN_COMMAND') or 'aachen'} {words}"


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Tells a person that it takes its time, at once where nothing is compiled yet, and else if it does."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    spinner = console.status("compiling")

    def tell() -> None:
        console.print("Compiling the rules. That is done once, and takes half a minute ...")
        spinner.start()

    timer = threading.Timer(2, tell)
    if cache.is_empty():
        tell()
    else:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        spinner.stop()


def use_colour(choice: str) -> bool:
    """Whether to print colours: as told, or (auto) if the output is a terminal that wants them."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask(prompt: str) -> str:
    """A line that the player types, without the spaces around it. Raises EOFError where there is none."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)  # nobody saw it being typed: what is printed should read like the game
    return line.strip()


def edit_lines() -> None:
    """Lets the player edit what is typed with the arrow keys."""
    if is_interactive():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() uses it from now on)


def accept_any_text() -> None:
    """Bytes that are no text, and letters that the terminal lacks, become question marks: no reason to crash."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def clean(text: str, most: int = 2000) -> str:
    """The text as one line without control characters, and not endless."""
    one_line = " ".join(text.split())
    safe = "".join(letter if letter.isprintable() else "?" for letter in one_line)
    return safe if len(safe) <= most else safe[: most - 3] + "..."


def without_rule(sentence: str) -> str:
    """The sentence without the number of the rule that it cites, such as (C10): that is for programmers."""
    return re.sub(r" \(C\d+(?:[,-] ?C\d+)*\)", "", sentence)


def wrap(text: str, indent: str = "") -> str:
    """The text in lines that fit the screen."""
    return textwrap.fill(text, text_columns(), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
