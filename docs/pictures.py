"""Draws the pictures of the README from the program's real output: `make pictures`.

Each is what a command prints on a terminal that shows colours, as an SVG file without links to anything.
"""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from aachen import carolus
from aachen.core import History

WIDTH = 80
MIDDLE_OF_A_GAME = (
    "carolus 2 Aygb/BrB/Cg/DrbB/Er/Fr2gbpW2/HbpB2!/JyW/Kg2pB2/MyW/Nrygb/OpB "
    "r4yg3b2p3:rygbp3:123:4/r6yg2b3p4:rg3b2p:135:2 10011 1>0 cube:3 7"
)
COLOURS = TerminalTheme(
    (30, 32, 38),
    (214, 216, 220),
    [(30, 32, 38), (205, 70, 70), (90, 170, 90), (200, 160, 50), (80, 130, 220), (200, 110, 190), (80, 170, 180),
     (214, 216, 220)],
    [(110, 114, 122), (240, 100, 100), (120, 205, 120), (235, 205, 90), (110, 165, 255), (240, 150, 220),
     (120, 205, 215), (255, 255, 255)],
)  # fmt: skip
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>
{lines}
</defs>
<rect fill="#1e2026" width="{width}" height="{height}" rx="8"/>
<g transform="translate(16, 12)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture(file: Path, printed: str) -> None:
    """Writes what was printed, colours and all, as an SVG file."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(printed.rstrip()))
    svg = console.export_svg(theme=COLOURS, code_format=FRAME, unique_id=file.stem)
    file.write_text(svg, encoding="utf-8")


def output(*arguments: str, typed: str = "") -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "aachen.cli", *arguments]
    run = subprocess.run(command, input=typed, capture_output=True, text=True, check=True, env=os.environ)
    return run.stdout


def turn() -> str:
    """A turn in the middle of a game, from the forecast to the question about the dice."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AACHEN_STATE_DIR"] = folder
        saved = Path(folder) / "middle.game"
        record = History(carolus.read(MIDDLE_OF_A_GAME)).record(["Anna", "Greedy"], {"Players": "human,greedy"})
        saved.write_text(str(record), encoding="utf-8")
        typed = f"load {saved}\np@ p@ gK\nforecast\nm2\nquit\n"
        printed = output("play", "--seats", "human:Anna,greedy", "--seed", "1", "--colour", "always", typed=typed)
    return printed[printed.index("Anna> forecast") : printed.rindex("quit")]


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    picture(folder / "board.svg", output("show", "--colour", "always", MIDDLE_OF_A_GAME))
    picture(folder / "turn.svg", turn())


if __name__ == "__main__":
    main(Path(__file__).parent / "pictures")
