"""Positions as one line of text, like chess's FEN (see docs/notation.md), and the check of what is read."""

import re
from functools import lru_cache

import numpy as np

from aachen.carolus.actions import FACE_LETTERS
from aachen.carolus.invariants import check
from aachen.carolus.options import OPTIONS, blank_table
from aachen.carolus.position import Position
from aachen.carolus.words import (
    CLAN_LETTERS,
    CLANS,
    CUBES_A_CLAN,
    DISCS,
    NOBODY,
    SIDE_LETTERS,
    TILE_LETTERS,
    TILES,
    Phase,
    castles_at,
    sides_at,
)  # fmt: skip
from aachen.core.errors import BadOptions, BadPosition
from aachen.core.kernel import at
from aachen.core.schema import Positions, plain

#: Phases whose `due` is part of the text; for the others it is 0.
COUNTED = (Phase.DEAL, Phase.FILL, Phase.CROWN, Phase.CUBE, Phase.THROW)
_REGION = re.compile(r"([A-O])((?:[rygbp]\d*)*)(?:([WBG])(\d*))?(!?)")
_COUNTS = re.compile(r"-|(?:[rygbp*]\d*)+")


def write(position: Positions) -> str:
    """game, options, regions, seats, markers, order, phase, round."""
    s: Position = plain(position)
    players = range(s.players)
    order = "".join((">" if place == s.turn else "") + str(s.order[place]) for place in players)
    phase = Phase(s.phase)
    return " ".join((
        "carolus",
        _write_options(s),
        "/".join(_write_region(s, tile) for tile in range(TILES) if s.tiles[tile]),
        "/".join(_write_seat(s, seat) for seat in players),
        "".join("-" if s.marker[clan] == NOBODY else str(s.marker[clan]) for clan in range(CLANS)),
        order if phase > Phase.LOT else "-",
        phase.name.lower() + (f":{s.due}" if phase in COUNTED else ""),
        str(s.round_number),
    ))  # fmt: skip


def _write_options(s: Position) -> str:
    words = [str(s.players)]
    words += ["choose-one"] * int(s.choose_one) + ["deferred"] * int(s.deferred) + ["silent"] * int(s.silent)
    words += [f"limit={s.round_limit}"] if s.round_limit != OPTIONS["round_limit"][0] else []
    return "+".join(words)


def _write_region(s: Position, tile: int) -> str:
    castles = SIDE_LETTERS[s.holder[tile]] + _number(s.castles[tile]) if s.castles[tile] else ""
    emperor = "!" if s.emperor == tile else ""
    return TILE_LETTERS[tile] + _write_counts(tuple(s.cubes[tile]), 0) + castles + emperor


def _write_seat(s: Position, seat: int) -> str:
    court = _write_counts(tuple(s.court[seat]), 0) or "-"
    reserve = _write_counts(tuple(s.reserve[seat]), s.jokers[seat]) or "-"
    unused = "".join(str(n + 1) for n in range(DISCS) if s.unused[seat] >> n & 1) or "-"
    return f"{court}:{reserve}:{unused}:{s.disc[seat] or '-'}"


@lru_cache(1 << 14)
def _write_counts(counts: tuple[int, ...], jokers: int) -> str:
    numbers = [*counts, jokers]
    return "".join(FACE_LETTERS[face] + _number(n) for face, n in enumerate(numbers) if n)


def _number(n: int) -> str:
    return str(n) if n > 1 else ""


def read(text: str) -> Positions:
    """The position that this text tells. Raises BadPosition if it is none, or breaks an invariant of the game."""
    parts = text.split()
    if len(parts) != 8 or parts[0] != "carolus":
        raise BadPosition(
            "not-a-position",
            "a position has 8 parts: carolus, options, regions, seats, markers, order, phase, round; this has {number}",
            number=len(parts),
        )
    _, options, regions, seats, markers, order, phase, number = parts
    try:
        position = blank_table(_read_options(options))
    except BadOptions as error:
        raise BadPosition(error.code, error.sentence, **error.params) from None
    s = at(position, 0)
    _read_regions(s, regions)
    _read_seats(s, seats)
    _read_markers(s, markers)
    _read_phase(s, phase)
    _read_order(s, order)
    s.round_number = _whole(number, "the round", 65535)
    _fill_supply(s)
    _fill_stock(s)
    check(position)
    return position


def _read_options(text: str) -> dict[str, object]:
    options: dict[str, object] = {}
    players, *words = text.split("+")
    options["players"] = _whole(players, "the number of players", 9)
    for word in words:
        if word == "choose-one":
            options["dice"] = word
        elif word == "deferred":
            options["crowns"] = word
        elif word == "silent":
            options["talk"] = "none"
        elif word.startswith("limit="):
            options["round_limit"] = _whole(word[6:], "the round limit", 65535)
        else:
            raise BadPosition(
                "bad-option", "{word!r} is no option; options are choose-one, deferred, silent, limit=N", word=word
            )
    return options


def _read_regions(s: Position, text: str) -> None:
    s.tiles[:] = 0
    s.emperor = NOBODY
    heads: list[int] = []
    for word in text.split("/"):
        match = _REGION.fullmatch(word)
        if match is None:
            raise BadPosition(
                "bad-region",
                "{word!r} is no region; one looks like C, Cr2g, CrW2! (tile, cubes, castles, Emperor)",
                word=word,
            )
        tile = TILE_LETTERS.index(match[1])
        if heads and tile <= heads[-1]:
            raise BadPosition("region-order", "region {tile} is out of order: from A to O, each once", tile=match[1])
        heads.append(tile)
        s.cubes[tile] = _read_counts(match[2], CLANS)
        if match[3]:
            s.holder[tile] = SIDE_LETTERS.index(match[3])
            s.castles[tile] = _whole(match[4] or "1", f"the castles on {match[1]}", 99)
            if s.castles[tile] == 0:
                raise BadPosition("no-castles", "region {tile}: 0 castles are written as none", tile=match[1])
        if match[5]:
            if s.emperor != NOBODY:
                raise BadPosition("two-emperors", "there is only one Emperor (the mark !)")
            s.emperor = tile
    for i, tile in enumerate(heads):
        s.tiles[tile] = (heads[(i + 1) % len(heads)] - tile - 1) % TILES + 1


def _read_seats(s: Position, text: str) -> None:
    words = text.split("/")
    if len(words) != s.players:
        raise BadPosition(
            "bad-seats", "{number} seats are told, but {right} play", number=len(words), right=int(s.players)
        )
    for seat, word in enumerate(words):
        match = re.fullmatch(r"([^:]*):([^:]*):(-|[1-5]{1,5}):(-|[1-5])", word)
        if not match or not _COUNTS.fullmatch(match[1]) or not _COUNTS.fullmatch(match[2]):
            raise BadPosition(
                "bad-seat",
                "seat {seat}: {word!r} is none; a seat looks like r2y:g3b*:1245:3 (court:reserve:unused discs:disc)",
                seat=seat,
                word=word,
            )
        s.court[seat] = _read_counts(match[1], CLANS)
        *s.reserve[seat], s.jokers[seat] = _read_counts(match[2], CLANS + 1)
        s.unused[seat] = sum({1 << int(n) - 1 for n in match[3].replace("-", "")})
        s.disc[seat] = int(match[4].replace("-", "0"))


def _read_counts(text: str, faces: int) -> list[int]:
    counts = [0] * faces
    for letter, number in re.findall(r"([rygbp*])(\d*)", text):
        face = FACE_LETTERS.index(letter)
        if face >= faces:
            raise BadPosition("no-joker", "{text!r}: jokers (*) are only in reserves", text=text)
        if counts[face] or number.startswith("0"):
            raise BadPosition("bad-cubes", "{text!r}: each clan stands once, with its number", text=text)
        counts[face] = _whole(number or "1", f"{letter} in {text!r}", CUBES_A_CLAN)
    return counts


def _read_markers(s: Position, text: str) -> None:
    if not re.fullmatch(rf"[-0-{s.players - 1}]{{5}}", text):
        raise BadPosition(
            "bad-markers", "{text!r}: markers are 5 seats (or -) in the order {clans}", text=text, clans=CLAN_LETTERS
        )
    s.marker[:] = [NOBODY if holder == "-" else int(holder) for holder in text]


def _read_phase(s: Position, text: str) -> None:
    name, _, due = text.partition(":")
    phases = {phase.name.lower(): phase for phase in Phase}
    if name not in phases:
        raise BadPosition(
            "bad-phase", "{text!r} is no phase; phases are {right}",
            text=text, right=", ".join(phases),
        )  # fmt: skip
    s.phase = phases[name]
    counted = s.phase in COUNTED
    if counted != bool(due):
        raise BadPosition(
            "bad-due", "{text!r}: write {name}" + (":N" if counted else "") + " (the number still to come)",
            text=text, name=name,
        )  # fmt: skip
    s.due = _whole(due, f"{name}:N", TILES) if due else 0


def _read_order(s: Position, text: str) -> None:
    if s.phase <= Phase.LOT:
        if text != "-":
            raise BadPosition("bad-order", "before the lot the order is written -")
        return
    seats = text.replace(">", "")
    if sorted(seats) != [str(seat) for seat in range(s.players)] or text.count(">") != 1 or text.endswith(">"):
        raise BadPosition(
            "bad-order", "{text!r}: the order names every seat once, with > before the one whose turn it is", text=text
        )
    s.order[: s.players] = [int(seat) for seat in seats]
    s.turn = text.index(">")


def _fill_supply(s: Position) -> None:
    """What is nowhere else lies in the middle."""
    for clan in range(CLANS):
        elsewhere = sum(int(part[:, clan].sum(dtype=np.int64)) for part in (s.cubes, s.court, s.reserve))
        if elsewhere > CUBES_A_CLAN:
            raise BadPosition(
                "too-many-cubes", "there are {number} cubes of {clan}; the game has {right}",
                number=elsewhere, clan=CLAN_LETTERS[clan], right=CUBES_A_CLAN,
            )  # fmt: skip
        s.supply[clan] = CUBES_A_CLAN - elsewhere


def _fill_stock(s: Position) -> None:
    """Castles that are not in play are the side's to build."""
    for side in range(sides_at(s.players)):
        placed = int(s.castles[s.holder == side].sum())
        if placed > castles_at(s.players):
            raise BadPosition(
                "too-many-castles", "side {side} has {number} castles in play; it owns {right}",
                side=SIDE_LETTERS[side], number=placed, right=castles_at(s.players),
            )  # fmt: skip
        s.stock[side] = castles_at(s.players) - placed


def _whole(text: str, what: str, most: int) -> int:
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII) or int(text) > most:
        raise BadPosition("bad-number", "{what} must be a whole number up to {most}, not {text!r}",
                          what=what, most=most, text=text)  # fmt: skip
    return int(text)
