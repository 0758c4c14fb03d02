"""Fair dice: chance that is settled before the game, and that anybody can check after it (see docs/fairness.md)."""

import hashlib
import hmac
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count
from typing import Any, TypeVar

from aachen.core.errors import BadOptions, BadRecord, IllegalAction
from aachen.core.record import Record
from aachen.core.state import State
from aachen.core.words import Action, Seat

A = TypeVar("A", bound=Action)
SEED_BYTES = 32
#: Chance actions have the numbers 0 to this; it has as many digits as records may write.
LAST_DRAW = 10**9 - 1
#: Records name ten seats at most.
LAST_SEAT = 9
_SCHEME = "aachen dice 1"
_ALL_NUMBERS = 2**64
_WORD = re.compile(r"[0-9A-Za-z_-]{1,64}")
_NONCE = re.compile(r"([0-9]):([^,:]*)")
_RANGE = re.compile(r"(0|[1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
_TAGS = ("FairTable", "FairHash", "FairNonces", "FairDraws", "FairSeed")


def commitment(seed: bytes) -> str:
    """What is published before anyone sits down: the SHA-256 of the seed, in hex. Raises BadOptions."""
    _check_seed(seed)
    return hashlib.sha256(seed).hexdigest()


@dataclass(frozen=True)
class FairDice:
    """The dice of one table. They follow from the secret seed, the table's name and the nonces alone.

    `nonces` are pairs (seat, nonce) in the order of the seats, for the seats that added one. Raises BadOptions. The
    `repr` does not tell the seed.
    """

    seed: bytes = field(repr=False)
    table: str
    nonces: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        _check_seed(self.seed)
        _check_word("the table's name", self.table)
        _check_nonces(self.nonces)

    @property
    def nonce_text(self) -> str:
        """The nonces as one text: `0:abc,2:def`."""
        return ",".join(f"{seat}:{nonce}" for seat, nonce in self.nonces)

    def draw(self, k: int, state: State[A]) -> A:
        """Chance action number k of this table, which chance does in this state. No number may be used twice.

        Raises IllegalAction where chance does not act, and BadOptions.
        """
        outcomes = sorted(state.chance_weights().items(), key=lambda outcome: str(outcome[0]))
        if not outcomes:
            raise IllegalAction("not-chance", "chance does not act now; fair dice are drawn where state.is_chance")
        ends = list(accumulate(weight for _, weight in outcomes))
        return outcomes[bisect_right(ends, self.number(k, ends[-1]))][0]

    def number(self, k: int, total: int) -> int:
        """A number from 0 to total - 1, each as likely as the others, for chance action number k. Raises BadOptions."""
        _check_whole("the number of a chance action", k, 0, LAST_DRAW)
        _check_whole("the sum of the weights", total, 1, _ALL_NUMBERS)
        fair = _ALL_NUMBERS - _ALL_NUMBERS % total  # the numbers from here on would make small remainders likelier
        return next(x for attempt in count() if (x := self._hashed(k, attempt)) < fair) % total

    def _hashed(self, k: int, attempt: int) -> int:
        """A number of 64 bits that nobody can tell without the seed."""
        message = "\n".join((_SCHEME, self.table, self.nonce_text, str(k), str(attempt)))
        return int.from_bytes(hmac.digest(self.seed, message.encode(), "sha256")[:8], "big")


# What a record says of its dice


def tags(dice: FairDice, draws: Iterable[int]) -> dict[str, str]:
    """The tags of a game that is over, with the seed: nobody may see them before.

    `draws` are the numbers of the record's chance actions, in order. They rise, but may leave out some: those of
    actions that were taken back. Raises BadOptions.
    """
    return tags_so_far(dice, draws) | {"FairSeed": dice.seed.hex()}


def tags_so_far(dice: FairDice, draws: Iterable[int]) -> dict[str, str]:
    """The tags of a game that goes on: what everybody may know, with the seed's hash alone. Raises BadOptions."""
    return {
        "FairTable": dice.table,
        "FairHash": commitment(dice.seed),
        "FairNonces": dice.nonce_text,
        "FairDraws": _written(draws),
    }


def _written(draws: Iterable[int]) -> str:
    """Numbers as ranges: `0-14,17-40`. Raises BadOptions if they do not rise."""
    runs: list[list[int]] = []
    for k in draws:
        _check_whole("the number of a chance action", k, 0, LAST_DRAW)
        last = runs[-1][-1] if runs else -1
        if k <= last:
            raise BadOptions(
                "draws-fall", "the numbers of chance actions must rise: {number} cannot come after {last}",
                number=k, last=last,
            )  # fmt: skip
        if runs and k == last + 1:
            runs[-1][1:] = [k]
        else:
            runs.append([k])
    return ",".join("-".join(map(str, run)) for run in runs)


# Checking a record


@dataclass(frozen=True)
class Verified:
    """What was found right: so many chance actions, for this hash, table and nonces.

    `skipped` says how many numbers were left out before the last chance action: each takeback must explain its own.
    """

    checked: int
    hash: str
    table: str
    nonces: tuple[tuple[int, str], ...]
    skipped: int

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that added a nonce."""
        return tuple(Seat(seat) for seat, _ in self.nonces)


def verify(record: Record) -> Verified:
    """Checks that every chance action of the record is the one that its seed, table and nonces give.

    Raises BadRecord, naming what is missing, the tag that is wrong, or the first step that differs.
    """
    _check_tags(record)
    dice = _dice_of(record)
    draws = _read_draws(record.tags["FairDraws"], len(record.moves))
    try:
        states, steps = record.replay()
    except BadRecord as broken:
        _check_chance(dice, draws, *_before(record, broken))  # a throw that was changed breaks what comes after it
        raise
    chances = sum(seat is None for seat, _ in steps)
    if len(draws) != chances:
        raise BadRecord(
            "bad-draws", "FairDraws has {said} numbers, but the record has {right} chance actions",
            said=len(draws), right=chances,
        )  # fmt: skip
    _check_chance(dice, draws, states, steps)
    skipped = draws[-1] + 1 - len(draws) if draws else 0
    return Verified(chances, record.tags["FairHash"], dice.table, dice.nonces, skipped)


def _check_tags(record: Record) -> None:
    """Raises BadRecord if a tag is missing."""
    missing = [name for name in _TAGS if name not in record.tags]
    if missing == list(_TAGS):
        raise BadRecord("no-fairness", "this record has no fairness tags: its dice cannot be checked")
    if missing == ["FairSeed"] and record.result == "*":
        raise BadRecord("no-seed-yet", "the seed is not published yet: the game is not over")
    if missing == ["FairSeed"]:
        raise BadRecord("no-seed", "the seed is not published, but the game is over: the tag FairSeed should tell it")
    if missing:
        raise BadRecord("no-fair-tag", "of the fairness tags {names} is missing", names=" and ".join(missing))


def _dice_of(record: Record) -> FairDice:
    """The dice that the tags tell. Raises BadRecord."""
    said, seed = record.tags["FairHash"], record.tags["FairSeed"]
    if not re.fullmatch("[0-9a-f]{64}", seed):
        raise BadRecord("bad-seed", "FairSeed is {seed!r}; it must be 64 digits of 0-9 and a-f", seed=seed[:80])
    try:
        dice = FairDice(bytes.fromhex(seed), record.tags["FairTable"], _read_nonces(record.tags["FairNonces"]))
    except BadOptions as error:
        raise BadRecord("bad-fair-tag", "the fairness tags are wrong: {why}", why=str(error)) from error
    if said != commitment(dice.seed):
        raise BadRecord(
            "bad-hash", "the hash does not fit the seed: FairHash is {said!r}, but the seed's hash is {right!r}",
            said=said[:80], right=commitment(dice.seed),
        )  # fmt: skip
    for seat, _ in dice.nonces:
        if seat >= len(record.names):
            raise BadRecord(
                "bad-nonces", "FairNonces has seat {seat}, but the seats are 0 to {last}",
                seat=seat, last=len(record.names) - 1,
            )  # fmt: skip
    return dice


def _read_nonces(text: str) -> tuple[tuple[int, str], ...]:
    """The nonces that `nonce_text` has written. Raises BadRecord."""
    nonces = []
    for part in text.split(",") if text else []:
        match = _NONCE.fullmatch(part)
        if not match:
            raise BadRecord("bad-nonces", "FairNonces has {part!r}; a nonce looks like 0:abc", part=part[:80])
        nonces.append((int(match[1]), match[2]))
    return tuple(nonces)


def _read_draws(text: str, most: int) -> list[int]:
    """The numbers of chance actions, at most so many. Raises BadRecord if they do not rise."""
    draws: list[int] = []
    for part in text.split(",") if text else []:
        match = _RANGE.fullmatch(part)
        if not match:
            raise BadRecord("bad-draws", "FairDraws has {part!r}; it looks like 0-14,17,20-40", part=part[:80])
        first, last = int(match[1]), int(match[2] or match[1])
        if (draws and first <= draws[-1]) or (match[2] and last <= first):
            raise BadRecord("bad-draws", "FairDraws must rise, but {part!r} does not", part=part)
        if len(draws) + last + 1 - first > most:
            raise BadRecord(
                "bad-draws", "FairDraws has more numbers than the record has actions, at {part!r}", part=part
            )
        draws += range(first, last + 1)
    return draws


def _before(record: Record, broken: BadRecord) -> tuple[list[Any], list[tuple[Seat | None, Any]]]:
    """The states and steps before the one at which the replay broke; marks and result aside."""
    actions = [move for move in record.moves if not move.startswith("#")]
    step = broken.params.get("step")
    if isinstance(step, int):
        actions = actions[: step - (broken.code == "bad-step")]
    elif broken.code != "bad-result":
        actions = []  # the game could not begin: then this breaks in the same way
    return replace(record, moves=tuple(actions), result="*").replay()


def _check_chance(
    dice: FairDice, draws: Sequence[int], states: Sequence[State[Any]], steps: Sequence[tuple[Seat | None, Any]]
) -> None:
    """Raises BadRecord at the first chance action that is not the one that the dice give."""
    places = (place for place, (seat, _) in enumerate(steps) if seat is None)
    for k, place in zip(draws, places, strict=False):
        said, right = steps[place][1], dice.draw(k, states[place])
        if said != right:
            raise BadRecord(
                "unfair", "step {step} is said to be {said}, but seed, table and nonces give {right} (draw {draw})",
                step=place + 1, said=str(said), right=str(right), draw=k,
            )  # fmt: skip


# Checking what is given


def _check_seed(seed: bytes) -> None:
    """Raises BadOptions, which does not tell what was given: it might be a secret."""
    if not isinstance(seed, bytes) or len(seed) != SEED_BYTES:
        given = f"{len(seed)} bytes" if isinstance(seed, bytes) else type(seed).__name__
        raise BadOptions("bad-seed", "a seed is {right} bytes, not {given}", right=SEED_BYTES, given=given)


def _check_word(name: str, text: str) -> None:
    if not isinstance(text, str) or not _WORD.fullmatch(text):
        raise BadOptions(
            "bad-word", "{name} is {text}; it must be 1 to 64 letters of 0-9, A-Z, a-z, _ and -",
            name=name, text=repr(text)[:80],
        )  # fmt: skip


def _check_whole(name: str, number: int, least: int, most: int) -> None:
    if type(number) is not int or not least <= number <= most:
        raise BadOptions(
            "bad-number", "{name} is {number}; it must be a whole number from {least} to {most}",
            name=name, number=repr(number)[:80], least=least, most=most,
        )  # fmt: skip


def _check_nonces(nonces: tuple[tuple[int, str], ...]) -> None:
    if not isinstance(nonces, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in nonces):
        raise BadOptions(
            "bad-nonces", 'nonces are {nonces}; they must be a tuple such as ((0, "abc"), (2, "def"))',
            nonces=repr(nonces)[:80],
        )  # fmt: skip
    for seat, nonce in nonces:
        _check_whole("the seat of a nonce", seat, 0, LAST_SEAT)
        _check_word(f"the nonce of seat {seat}", nonce)
    seats = [seat for seat, _ in nonces]
    if seats != sorted(set(seats)):
        raise BadOptions(
            "bad-nonces", "nonces must stand in the order of their seats, each seat once, not {seats}", seats=seats
        )
