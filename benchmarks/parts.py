"""The report has three parts, each written by a command of its own that leaves the others alone."""

from pathlib import Path

SPEED, BOTS, SERVER = 0, 1, 2
#: The first line of each part.
HEADS = ("# Benchmarks", "# How strong the bots are", "# How fast the service is")
DIVIDE = HEADS[BOTS]


def write_part(path: Path, part: int, text: str) -> None:
    """Writes this part of the report."""
    parts = split(path.read_text("utf-8")) if path.exists() else [""] * len(HEADS)
    parts[part] = text
    path.write_text("\n\n".join(filter(None, map(str.strip, parts))) + "\n", encoding="utf-8")


def split(text: str) -> list[str]:
    """The parts of a report; those that are missing are empty."""
    parts = [""] * len(HEADS)
    current = SPEED
    for line in text.splitlines():
        if line in HEADS:
            current = HEADS.index(line)
        parts[current] += line + "\n"
    return parts
