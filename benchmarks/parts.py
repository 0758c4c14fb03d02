"""The report has two parts, speed and bots, each written by a command of its own that leaves the other part alone."""

from pathlib import Path

SPEED, BOTS = 0, 1
#: The first line of the second part.
DIVIDE = "# How strong the bots are"


def write_part(path: Path, part: int, text: str) -> None:
    """Writes this part of the report."""
    before, _, after = path.read_text("utf-8").partition(DIVIDE) if path.exists() else ("", "", "")
    parts = [before.strip(), (DIVIDE + after).strip() if after else ""]
    parts[part] = text.strip()
    path.write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")
