"""The table as text: it fits the screen, and all that lies on the table can be read from it."""

import random
import re
from typing import Any

import pytest

from aachen import carolus
from aachen.carolus.drawing import counts, draw, fit, region_label, text_width
from aachen.carolus.words import TILE_LETTERS, TILES, Phase

WIDE_NAMES = ("黒田官兵衛さんです", "Zoë\u0301 of the Franks", "\x1b[31mred\x1b[0m\n", "👑👑👑👑👑👑👑")
CODES = re.compile(r"\x1b\[[\d;]*m")
VARIANTS = [{}, {"dice": "choose-one", "crowns": "deferred", "round_limit": 9999}]


def states_of(players: int, seed: int, **options: object) -> list[Any]:
    """The states of a game at random: of a very long one, those of the beginning."""
    rng = random.Random(seed)
    states = [carolus.table(players, **options)]
    while not states[-1].is_over and len(states) < 800:
        state = states[-1]
        chosen = state.draw_action(rng) if state.is_chance else rng.choice(state.legal_actions())
        states.append(state.apply(chosen))
    return states


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_drawing_is_never_wider_than_80_columns(players: int, options: dict[str, object]) -> None:
    phases = set()
    for seed in range(3):
        for state in states_of(players, seed, **options):
            phases.add(int(state.position["phase"][0]))
            for line in draw(state.position, names=WIDE_NAMES).split("\n"):
                assert text_width(line) <= 80, line
    assert phases >= set(Phase) - {Phase.CROWN, Phase.JOKER, Phase.CHOOSE, Phase.OVER}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_frame_is_straight_whatever_the_names(players: int) -> None:
    for state in states_of(players, 5):
        plain, wide = (draw(state.position, names=names) for names in ((), WIDE_NAMES))
        for one, other in zip(plain.split("\n"), wide.split("\n"), strict=True):
            if one.endswith(("│", "║", "┐", "┘", "╗", "╝")):
                assert text_width(one) == text_width(other) == 78, other


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_cube_castle_and_disc_is_shown(players: int) -> None:
    for state in states_of(players, 8, crowns="deferred"):
        s = state.position[0]
        text = draw(state.position)
        rows = {line[5:16].strip(): line for line in text.split("\n") if line[5:11].startswith("Seat ")}
        for seat in range(players):
            court, rest = rows[f"Seat {seat}"][17:42], rows[f"Seat {seat}"][43:]
            assert [int(n) for n in re.findall(r"[rygbp](\d+)", court.replace("·", "x0"))] == [
                int(n) for clan, n in enumerate(s["court"][seat]) if n or int(s["marker"][clan]) == seat
            ]
            assert rest.startswith(counts(s["reserve"][seat], int(s["jokers"][seat])))
            assert f"  {int(s['disc'][seat]) or '-'}   " in rest
        for tile in range(TILES):
            assert (f"─ {TILE_LETTERS[tile]}" in text or f"═ {TILE_LETTERS[tile]}" in text) == bool(s["tiles"][tile])
        supply = "Supply: " + " ".join(f"{letter}{n}" for letter, n in zip("rygbp", s["supply"], strict=True))
        assert supply in text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_region_shows_its_own_cubes_castles_and_the_emperor(players: int) -> None:
    for state in states_of(players, 13):
        s = state.position[0]
        boxes = boxes_of(draw(state.position))
        assert len(boxes) == int((s["tiles"] > 0).sum())
        for tile in range(TILES):
            if not s["tiles"][tile]:
                continue
            cubes, castle = boxes[region_label(s, tile)]
            assert cubes == counts(s["cubes"][tile])
            held = "WBG"[int(s["holder"][tile])] + str(int(s["castles"][tile])) if s["castles"][tile] else ""
            here = ["EMPEROR"] * (int(s["emperor"]) == tile)
            assert castle.split() == [held] * bool(held) + here


def boxes_of(text: str) -> dict[str, tuple[str, str]]:
    """What stands in each box, by its label: cubes, and the line of castles."""
    lines = text.split("\n")
    boxes = {}
    for row, line in enumerate(lines):
        for head in re.finditer(r"[┌╔][─═] ([A-O](?:-[A-O])?) ", line):
            left = head.start() + 1
            inner = [lines[row + down][left : left + 11].strip() for down in (1, 2, 3)]
            boxes[head[1]] = (f"{inner[0]} {inner[1]}".strip(), inner[2])
    return boxes


@pytest.mark.parametrize("width", [10, 40, 60, 79])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_narrow_drawing_fits_and_tells_every_region(players: int, width: int) -> None:
    for state in states_of(players, 13, crowns="deferred")[::5]:
        s = state.position[0]
        text = draw(state.position, names=WIDE_NAMES, width=width)
        assert max(text_width(line) for line in text.split("\n")) <= max(width, 40)
        lines = text.split("\n")
        for tile in range(TILES):
            if s["tiles"][tile]:
                held = "WBG"[int(s["holder"][tile])] + str(int(s["castles"][tile])) if s["castles"][tile] else ""
                here = "  EMPEROR" * (int(s["emperor"]) == tile)
                line = f"  {region_label(s, tile):<4}{held:<4}{counts(s['cubes'][tile])}{here}".rstrip()
                assert line in lines
        coloured = draw(state.position, names=WIDE_NAMES, width=width, colour=True)
        assert CODES.sub("", coloured) == text


def test_partners_and_jokers_are_explained_where_they_are_in_play() -> None:
    names = ("Anna", "Bea", "Cid", "Dan")
    four = draw(carolus.new(4, seed=3, crowns="deferred").position, names=names)
    assert "Partners: White Anna and Cid, Black Bea and Dan" in four
    assert "* joker: " in four
    assert [line.split()[-1] for line in four.split("\n") if re.match(r"..[WB]  ", line)] == [
        "left", "left", "(shared)", "(shared)",
    ]  # fmt: skip
    two = draw(carolus.new(2, seed=3).position)
    assert "court:  r    y    g    b    p    reserve" in two
    assert "joker" not in two
    assert "Partners" not in two


def test_colour_adds_codes_and_changes_no_letter() -> None:
    for state in states_of(3, 21)[::7]:
        plain = draw(state.position, names=WIDE_NAMES)
        assert "\x1b" not in plain
        coloured = draw(state.position, colour=True, names=WIDE_NAMES)
        assert "\x1b[9" in coloured
        assert CODES.sub("", coloured) == plain


def test_the_longest_round_number_fits() -> None:
    position = carolus.new(2, seed=1, round_limit=9999).position
    position["round_number"] = 9999
    text = draw(position)
    assert "Round 9999 of 9999" in text
    assert max(text_width(line) for line in text.split("\n")) <= 80


def test_str_of_a_state_is_its_drawing() -> None:
    state = carolus.new(2, seed=1)
    assert str(state) == draw(state.position)


@pytest.mark.parametrize(
    ("text", "width", "columns"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 5, "abcde"),
        ("黒田官", 5, "黒田 "),
        ("e\u0301x", 2, "e\u0301x"),
        ("a\nb\x1b", 3, "ab "),
    ],
)
def test_fit_fills_and_cuts_by_columns(text: str, width: int, columns: str) -> None:
    assert fit(text, width) == columns
    assert text_width(fit(text, width)) == width


def test_the_end_names_the_winner_or_the_draw() -> None:
    won = "carolus 2 AgW9/Jr!/Kr/Ly/Mg/Nb/Op r:r2y2:145:2/g:rygb3p:235:4 0-1-- >01 move 2"
    assert "Now: the game is over, White wins" in str(carolus.read(won).apply("m1"))
    for players, words in ((2, "White and Black draw"), (3, "White, Black and Grey draw")):
        state = carolus.table(players, round_limit=1)
        position = state.position
        position["phase"] = Phase.OVER
        text = draw(position, names=WIDE_NAMES)
        assert words in text
        assert max(text_width(line) for line in text.split("\n")) <= 80
