"""Who sits where: people and bots, their names, and how a record tells it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aachen.bots.players import NAMES as BOTS
from aachen.cli.terminal import clean
from aachen.core import BadOptions, BadRecord, Record

HUMAN = "human"
KINDS = (HUMAN, *BOTS)
LONGEST_NAME = 20
#: The header of a record that tells who sits where, such as `human,greedy`.
TAG = "Players"


@dataclass(frozen=True)
class Seating:
    """For each seat what plays there (`human` or a bot's name), and what it is called."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def people(self) -> tuple[int, ...]:
        return tuple(seat for seat, kind in enumerate(self.kinds) if kind == HUMAN)

    @property
    def tags(self) -> dict[str, str]:
        return {TAG: ",".join(self.kinds)}


def usual_kinds(players: int) -> list[str]:
    """You against greedy bots."""
    return [HUMAN] + ["greedy"] * (players - 1)


def usual_name(kinds: Sequence[str], seat: int) -> str:
    """`Player 1`, `Greedy`, or with several greedy ones `Greedy 2`."""
    kind = kinds[seat]
    if kind == HUMAN:
        return f"Player {seat + 1}"
    return kind.capitalize() + (f" {seat + 1}" if Counter(kinds)[kind] > 1 else "")


def seat_people(words: Sequence[str]) -> Seating:
    """The seating that words such as `human:Anna` and `greedy` tell. Raises BadOptions."""
    parts = [word.strip().partition(":") for word in words]
    kinds = [kind.strip().lower() for kind, _, _ in parts]
    for kind, (_, _, name) in zip(kinds, parts, strict=True):
        if kind not in KINDS:
            raise BadOptions(
                "bad-seat", "{kind!r} cannot sit at the table; a seat is {right}",
                kind=clean(kind, 40), right="human, human:NAME, " + " or ".join(BOTS),
            )  # fmt: skip
        if name and kind != HUMAN:
            raise BadOptions("bot-name", "{kind} is a bot and takes no name; write {kind} alone", kind=kind)
    names = [clean(name, LONGEST_NAME) or usual_name(kinds, seat) for seat, (_, _, name) in enumerate(parts)]
    for name, number in Counter(names).items():
        if number > 1:
            raise BadOptions(
                "same-name", "{number} seats are called {name}; names must differ", number=number, name=name
            )
    return Seating(tuple(kinds), tuple(names))


def seating_of(record: Record) -> Seating:
    """The seating of a saved game; without a word about it, people play all seats. Raises BadRecord."""
    kinds = tuple(record.tags.get(TAG, ",".join([HUMAN] * len(record.names))).split(","))
    if len(kinds) != len(record.names) or any(kind not in KINDS for kind in kinds):
        raise BadRecord(
            "bad-players", "the header {tag} says {said!r}; for each of the {number} seats it must name one of {right}",
            tag=TAG, said=clean(",".join(kinds), 60), number=len(record.names), right=", ".join(KINDS),
        )  # fmt: skip
    return Seating(kinds, tuple(clean(name, LONGEST_NAME) or f"Seat {i}" for i, name in enumerate(record.names)))
