"""The whole table as text: the ring of regions in 80 columns, or a line for each region where there are fewer."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from aachen.carolus.options import OPTIONS
from aachen.carolus.words import (
    CLAN_LETTERS,
    CLANS,
    DISCS,
    NOBODY,
    SIDE_LETTERS,
    TILE_LETTERS,
    TILES,
    Clan,
    Phase,
    side_at,
    sides_at,
)  # fmt: skip
from aachen.core.schema import Positions

#: From so many columns on the ring is drawn; below it is told line by line, in LEAST columns at least.
FULL = 80
LEAST = 40
WIDTH = 78
INNER = 11
BOX = INNER + 2
BOX_HEIGHT = 5
NAME = 11
SIDE_NAMES = ("White", "Black", "Grey")

_CLAN_CODES = {"r": "91", "y": "93", "g": "92", "b": "94", "p": "95"}
_SIDE_CODES = {"W": "1;30;107", "B": "1;97;40", "G": "1;97;100"}
_CLAN_WORD = re.compile(r"\[?(?<![A-Za-z])([rygbp])\d*(?![A-Za-z])\]?")
_SIDE_WORD = re.compile(r"(?<![A-Za-z])([WBG])\d*(?![A-Za-z])")

#: What is asked of a seat, or done by chance, in each phase; {name} is the seat, {due} how much is to come.
#: With the longest name a line must fit between the side columns: 49 columns, "Now: " included.
_ASKED = {
    Phase.DEAL: "chance deals a cube to each tile",
    Phase.EMPEROR: "chance places the Emperor",
    Phase.LOT: "the lot decides who is first",
    Phase.FILL: "{name} throws for the first reserve",
    Phase.CROWN: "{name} names a crown's clan ({due} left)",
    Phase.DISC: "{name} lays a disc",
    Phase.JOKER: "{name} names a clan for a joker",
    Phase.CUBE: "{name} plays a cube ({due} to play)",
    Phase.MOVE: "{name} moves the Emperor",
    Phase.CHOOSE: "{name} may choose a die or throw all",
    Phase.THROW: "{name} throws the dice ({due})",
    Phase.OVER: "the game is over",
}


def draw(position: Positions, *, colour: bool = False, names: Sequence[str] = (), width: int = FULL) -> str:
    """The table. Everything can be read without colour; `names` are those of the seats, in their order.

    With a width of fewer than 80 columns the ring becomes a list; fewer than 40 are not possible.
    """
    s = position[0]
    players = int(s["players"])
    shown = [fit(names[seat] if seat < len(names) else f"Seat {seat}", NAME).rstrip() for seat in range(players)]
    ink = _ink if colour else _plain
    if width < FULL:
        lines = _narrow(s, shown, ink, max(width, LEAST))
    else:
        lines = [*_ring(s, _middle(s, shown, ink), ink), "", *_seats(s, shown, ink), "", *_foot(s, shown, ink)]
    return "\n".join(line.rstrip() for line in lines)


# Words that others use too


def region_label(s: Any, tile: int) -> str:
    """The tiles of a region, such as `C` or `C-E`."""
    return label(tile, int(s["tiles"][tile]))


def label(tile: int, size: int = 1) -> str:
    """The same of a region that begins here and has so many tiles."""
    return TILE_LETTERS[tile] + (f"-{TILE_LETTERS[(tile + size - 1) % TILES]}" if size > 1 else "")


def seat_to_act(s: Any) -> int | None:
    """The seat whose decision or dice come next; None before the lot and at the end."""
    phase = Phase(int(s["phase"]))
    return None if phase <= Phase.LOT or phase == Phase.OVER else int(s["order"][int(s["turn"])])


def counts(numbers: Any, jokers: int = 0) -> str:
    """Cubes by clan, such as `r3 y g2`; jokers are `*`."""
    words = [CLAN_LETTERS[clan] + _many(int(numbers[clan])) for clan in range(CLANS) if numbers[clan]]
    return " ".join(words + ["*" + _many(jokers)] * (jokers > 0))


def text_width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return sum(_columns(letter) for letter in text)


def fit(text: str, width: int) -> str:
    """The text in exactly so many columns: cut, or filled with spaces; control characters are left out."""
    kept, used = "", 0
    for letter in text:
        if not letter.isprintable():
            continue
        if used + _columns(letter) > width:
            break
        kept, used = kept + letter, used + _columns(letter)
    return kept + " " * (width - used)


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _many(number: int) -> str:
    return str(number) if number > 1 else ""


# Colour


def _plain(text: str) -> str:
    return text


def _ink(text: str) -> str:
    """Colours the clans and sides in a text that tells nothing else by these letters alone."""
    text = _CLAN_WORD.sub(lambda word: f"\x1b[{_CLAN_CODES[word[1]]}m{word[0]}\x1b[0m", text)
    return _SIDE_WORD.sub(lambda word: f"\x1b[{_SIDE_CODES[word[1]]}m{word[0]}\x1b[0m", text)


# The ring


def _ring(s: Any, middle: list[str], ink: Any) -> list[str]:
    """The regions clockwise around a rectangle, with the middle inside."""
    boxes = [_box(s, tile, ink) for tile in range(TILES) if s["tiles"][tile]]
    side = 2 if len(boxes) >= 12 else 1 if len(boxes) >= 8 else 0
    top = -(-(len(boxes) - 2 * side) // 2)
    right, rest = boxes[top : top + side], boxes[top + side :]
    left = rest[len(rest) - side :][::-1]
    bottom = rest[: len(rest) - side][::-1]
    return [*_row(boxes[:top], "→"), *_between(left, right, middle), *_row(bottom, "←")]


def _row(boxes: list[list[str]], arrow: str) -> list[str]:
    """Boxes side by side over the whole width; gaps show the way the Emperor goes."""
    if not boxes:
        return []
    if len(boxes) == 1:
        return boxes[0]
    room = WIDTH - BOX * len(boxes)
    gaps = len(boxes) - 1
    starts = [room * gap // gaps for gap in range(gaps + 1)]
    widths = [after - before for before, after in pairwise(starts)]
    lines = []
    for height in range(BOX_HEIGHT):
        line = boxes[0][height]
        for width, box in zip(widths, boxes[1:], strict=True):
            line += (_arrow(width, arrow) if height == BOX_HEIGHT // 2 else " " * width) + box[height]
        lines.append(line)
    return lines


def _arrow(width: int, arrow: str) -> str:
    if width < 3:
        return " " * width
    return f" {'─' * (width - 3)}{arrow} " if arrow == "→" else f" {arrow}{'─' * (width - 3)} "


def _between(left: list[list[str]], right: list[list[str]], middle: list[str]) -> list[str]:
    """The side columns, with the text centred between them."""
    if not left:
        first, *others = middle
        return ["", f"      ↑   {_padded(first, WIDTH - 17)}↓", *(f"          {line}" for line in others), ""]
    height = BOX_HEIGHT * len(left)
    above = (height - len(middle)) // 2
    text = [""] * above + middle + [""] * (height - above - len(middle))
    room = WIDTH - 2 * BOX
    lefts = [line for box in left for line in box]
    rights = [line for box in right for line in box]
    return [f"{a}   {_padded(line, room - 3)}{b}" for a, line, b in zip(lefts, text, rights, strict=True)]


def _padded(line: str, width: int) -> str:
    return line + " " * (width - _seen_width(line))


def _seen_width(line: str) -> int:
    """Columns of a text that may be coloured already."""
    return text_width(re.sub(r"\x1b\[[\d;]*m", "", line))


def _castles(s: Any, tile: int) -> str:
    return SIDE_LETTERS[int(s["holder"][tile])] + str(int(s["castles"][tile])) if s["castles"][tile] else ""


def _box(s: Any, tile: int, ink: Any) -> list[str]:
    """A region: its tiles in the frame, cubes, castles and the Emperor (who also doubles the frame)."""
    here = int(s["emperor"]) == tile
    nw, n, ne, w, sw, se = "╔═╗║╚╝" if here else "┌─┐│└┘"
    label = f"{nw}{n} {region_label(s, tile)} "
    words = counts(s["cubes"][tile]).split()
    castles = _castles(s, tile)
    inner = [" ".join(words[:3]), " ".join(words[3:]), castles]
    if here:
        inner[2] = f"{castles:<{INNER - 7}}EMPEROR"
    rows = [w + ink(f"{line:<{INNER}}") + w for line in inner]
    return [label + n * (BOX - 1 - len(label)) + ne, *rows, sw + n * INNER + se]


# The middle


def _middle(s: Any, names: list[str], ink: Any) -> list[str]:
    limit = int(s["round_limit"])
    last = f" of {limit}" if limit != OPTIONS["round_limit"][0] else ""
    number = int(s["round_number"])
    start = f"Round {number}{last}" if number else "Set-up"
    return [
        f"{start}   The Emperor goes clockwise →",
        f"Now: {asked(s, names)}",
        "Supply: " + ink(" ".join(CLAN_LETTERS[clan] + str(int(s["supply"][clan])) for clan in range(CLANS))),
    ]


def asked(s: Any, names: Sequence[str]) -> str:
    """What happens next and who does it, in a few words; at the end, who won."""
    phase = Phase(int(s["phase"]))
    if phase == Phase.OVER:
        stock = [int(left) for left in s["stock"][: sides_at(int(s["players"]))]]
        best = [SIDE_NAMES[side] for side, left in enumerate(stock) if left == min(stock)]
        *others, last = best
        return "the game is over, " + (f"{', '.join(others)} and {last} draw" if others else f"{last} wins")
    seat = seat_to_act(s)
    return _ASKED[phase].format(name="" if seat is None else names[seat], due=int(s["due"]))


# The seats


def _seats(s: Any, names: list[str], ink: Any) -> list[str]:
    clans = "".join(f" {letter}   " for letter in CLAN_LETTERS)
    head = f"     {'court:':>{NAME}} {ink(clans)} {'reserve':<15} disc unused castles"
    return [head, *(_seat(s, seat, names[seat], ink) for seat in range(int(s["players"])))]


def _seat(s: Any, seat: int, name: str, ink: Any) -> str:
    side = side_at(int(s["players"]), seat)
    reserve = counts(s["reserve"][seat], int(s["jokers"][seat])) or "-"
    return "".join((
        "►" if seat_to_act(s) == seat else " ",
        f" {ink(SIDE_LETTERS[side])}  ",
        fit(name, NAME) + " ",
        ink(_court(s, seat)),
        " ",
        ink(f"{reserve:<15}"),
        f"  {int(s['disc'][seat]) or '-'}   {_unused(s, seat)}  {_stock(s, seat):>8}",
    ))  # fmt: skip


def _unused(s: Any, seat: int) -> str:
    return "".join(str(n + 1) if int(s["unused"][seat]) >> n & 1 else "·" for n in range(DISCS))


def _stock(s: Any, seat: int) -> str:
    """A side's castles stand with its first seat; its partner shares them."""
    side = side_at(int(s["players"]), seat)
    return f"{int(s['stock'][side])} left" if side == seat else "(shared)"


def _court(s: Any, seat: int) -> str:
    """A column for each clan; the ones that the seat controls stand in brackets."""
    cells = []
    for clan in range(CLANS):
        number = int(s["court"][seat][clan])
        word = f"{CLAN_LETTERS[clan]}{number}"
        held = int(s["marker"][clan]) == seat
        cells.append(f"[{word}]" if held else f" {word} " if number else " · ")
    return "".join(f"{cell:<5}" for cell in cells)


def _foot(s: Any, names: list[str], ink: Any) -> list[str]:
    """The order of play, and what the letters mean."""
    phase = Phase(int(s["phase"]))
    free = [CLAN_LETTERS[clan] for clan in range(CLANS) if int(s["marker"][clan]) == NOBODY]
    order = "not drawn yet"
    if phase > Phase.LOT:
        order = ", ".join(names[int(seat)] for seat in s["order"][: int(s["players"])])
    clans = "  ".join(f"{ink(clan.letter)} {clan.name.lower()}" for clan in Clan)
    markers = f"   free: {ink(' '.join(free))}" if free else ""
    word = "Order of discs" if phase == Phase.DISC else "Order of play"
    lines = [f"{word}: {order}", f"{clans}   [ ] has control{markers}"]
    if int(s["players"]) == 4:
        lines.insert(0, f"Partners: White {names[0]} and {names[2]}, Black {names[1]} and {names[3]}")
    if s["deferred"]:
        lines.append("* joker: a crown whose clan is named when its owner's next turn begins")
    return lines


# The list, for narrow terminals


def _narrow(s: Any, names: list[str], ink: Any, width: int) -> list[str]:
    start, now, supply = _middle(s, names, ink)
    regions = [_region(s, tile, ink) for tile in range(TILES) if s["tiles"][tile]]
    seats = [line for seat in range(int(s["players"])) for line in _seat_lines(s, seat, names[seat], ink)]
    lines = [start.replace("→", "↓"), *regions, "", now, supply, "", *seats, "", *_foot(s, names, ink)]
    return [part for line in lines for part in _broken(line, width)]


def _region(s: Any, tile: int, ink: Any) -> str:
    """A region in at most 40 columns: tiles, castles, cubes, and whether the Emperor is there."""
    here = "  EMPEROR" if int(s["emperor"]) == tile else ""
    return f"  {region_label(s, tile):<4}{_padded(ink(_castles(s, tile)), 4)}{ink(counts(s['cubes'][tile]))}{here}"


def _seat_lines(s: Any, seat: int, name: str, ink: Any) -> list[str]:
    side = side_at(int(s["players"]), seat)
    mark = "►" if seat_to_act(s) == seat else " "
    reserve = counts(s["reserve"][seat], int(s["jokers"][seat])) or "-"
    return [
        f"{mark} {ink(SIDE_LETTERS[side])} {name}: castles {_stock(s, seat)}",
        f"    court   {ink(_court(s, seat))}",
        f"    reserve {ink(reserve)}",
        f"    disc    {int(s['disc'][seat]) or '-'}   unused {_unused(s, seat)}",
    ]


def _broken(line: str, width: int) -> list[str]:
    """The line in parts that fit; only one that is too long loses its wide gaps."""
    if _seen_width(line) <= width:
        return [line]
    first, *words = line.split()
    parts = [first]
    for word in words:
        if _seen_width(f"{parts[-1]} {word}") <= width:
            parts[-1] += f" {word}"
        else:
            parts.append(f"  {word}")
    return parts
