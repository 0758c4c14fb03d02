"""`aachen verify`: whether a game's deals and throws are those that its fair dice give (see docs/fairness.md)."""

import argparse
import sys

import aachen.carolus  # noqa: F401  (makes the game known to records)
from aachen.cli.files import read_text
from aachen.cli.terminal import clean, compiling, wrap
from aachen.core import BadRecord, Record
from aachen.core.fairness import Verified, verify

#: The record can be read, but its dice are not shown to be fair.
EXIT_WRONG = 1
WIDTH = 12


def run(args: argparse.Namespace) -> int:
    record = Record.read(read_text(args.file))
    try:
        with compiling():
            found = verify(record)
    except BadRecord as error:
        print(f"aachen: not verified: {clean(str(error))}", file=sys.stderr)
        return EXIT_WRONG
    print("\n".join([*facts(record, found), "", *verdict(record, found)]))
    return 0


def facts(record: Record, found: Verified) -> list[str]:
    """What the check rests on, in lines."""
    names = [clean(name, 40) for name in record.names]
    told = {
        "Table": found.table,
        "Hash": found.hash,
        "Nonces": ", ".join(f"{names[seat]}: {nonce}" for seat, nonce in found.nonces) or "none",
        "Draws": record.tags["FairDraws"].replace(",", ", ") or "none",
        "Recomputed": f"{found.checked} deals and throws",
    }
    return [wrap(f"{label:<{WIDTH}}{text}", " " * WIDTH) for label, text in told.items()]


def verdict(record: Record, found: Verified) -> list[str]:
    """That all is right, and what the reader must still look at."""
    lines = ["Right: every deal and throw is the one that seed, table and nonces give."]
    if found.skipped:
        lines.append(f"Draws that were skipped: {found.skipped}. All players should have agreed to take them back.")
    if record.start:
        lines.append("The game began from a given position. How that came about is not checked.")
    if record.result == "*":
        lines.append("The record ends before the game is over.")
    lines.append("Compare the hash with the one that you saw before the game, and your nonce with your own.")
    return [wrap(line) for line in lines]
