"""The words of Carolus Magnus, and its numbers by players (see docs/rules/carolus.md)."""

from enum import IntEnum

TILES = 15
CLANS = 5
CUBES_A_CLAN = 40
DEALT_A_CLAN = 3
LEAST_REGIONS = 4
DISCS = 5
#: A die's sixth face, after the five clans.
CROWN = 5
ALL_DISCS = (1 << DISCS) - 1
CLAN_LETTERS = "rygbp"
#: Tiles by their letters; a region has the letter of its first tile.
TILE_LETTERS = "ABCDEFGHIJKLMNO"
SIDE_LETTERS = "WBG"
#: No seat, no side, no tile: a marker on the table, a region without castles, an Emperor not yet placed.
NOBODY = 255


class Clan(IntEnum):
    """One of the five colours of paladins."""

    RED = 0
    YELLOW = 1
    GREEN = 2
    BLUE = 3
    PINK = 4

    @property
    def letter(self) -> str:
        return CLAN_LETTERS[self]

    def __repr__(self) -> str:
        return f"Clan.{self.name}"


class Phase(IntEnum):
    """What happens next. Chance acts in DEAL, EMPEROR, LOT, FILL and THROW; a seat in the others, until OVER."""

    DEAL = 0  # C1: a cube for the next tile
    EMPEROR = 1  # C1: the Emperor's first tile
    LOT = 2  # C2: the first seat
    FILL = 3  # C3: a throw for the first reserve
    CROWN = 4  # C3, C16: a seat names a clan for a crown
    DISC = 5  # C5: a seat plays a disc
    JOKER = 6  # C25: a seat names a clan for a joker
    CUBE = 7  # C8: a seat plays a cube
    MOVE = 8  # C10: a seat moves the Emperor
    CHOOSE = 9  # C24: a seat may choose one die
    THROW = 10  # C16: the dice
    OVER = 11  # C21 to C23


# The numbers by players. Compiled rules have their own view of these, in rules/table.py, over the position.


def sides_at(players: int) -> int:
    return 3 if players == 3 else 2


def side_at(players: int, seat: int) -> int:
    """The side of a seat; with four, partners sit opposite each other."""
    return seat % sides_at(players)


def castles_at(players: int) -> int:
    """Castles a side."""
    return 8 if players == 3 else 10


def reserve_at(players: int) -> int:
    """Cubes in a full reserve."""
    return 9 if players == 3 else 7


def cubes_at(players: int) -> int:
    """Cubes played in a turn, and dice thrown at its end."""
    return 4 if players == 3 else 3
