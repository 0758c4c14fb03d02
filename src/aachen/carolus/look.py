"""What lies on the table, in words: regions and seats, for people's programs (the rules use the record itself)."""

from dataclasses import dataclass
from typing import Any

from aachen.carolus.words import DISCS, NOBODY, TILES, Clan, side_at
from aachen.core.schema import Positions, plain
from aachen.core.words import Seat, Side


@dataclass(frozen=True)
class Region:
    """A region of the circle."""

    tile: int  # its first tile, clockwise; 0 is A
    tiles: int  # how many tiles it has
    cubes: dict[Clan, int]
    castles: int
    holder: Side | None  # whose castles they are
    has_emperor: bool


@dataclass(frozen=True)
class Player:
    """A seat with all that it has."""

    seat: Seat
    side: Side
    court: dict[Clan, int]
    reserve: dict[Clan, int]
    jokers: int  # crowns kept for the next turn (C25)
    controls: frozenset[Clan]  # the clans whose markers it has
    unused: tuple[int, ...]  # discs not yet played
    disc: int | None  # the disc of this round
    castles_left: int  # of its side


def regions_of(position: Positions) -> tuple[Region, ...]:
    """All regions, clockwise from tile A."""
    s = plain(position)
    return tuple(
        Region(
            tile=tile,
            tiles=s.tiles[tile],
            cubes=_cubes(s.cubes[tile]),
            castles=s.castles[tile],
            holder=None if s.holder[tile] == NOBODY else Side(s.holder[tile]),
            has_emperor=s.emperor == tile,
        )
        for tile in range(TILES)
        if s.tiles[tile]
    )


def player_of(position: Positions, seat: Seat) -> Player:
    s = plain(position)
    side = side_at(s.players, seat)
    return Player(
        seat=seat,
        side=Side(side),
        court=_cubes(s.court[seat]),
        reserve=_cubes(s.reserve[seat]),
        jokers=s.jokers[seat],
        controls=frozenset(clan for clan in Clan if s.marker[clan] == seat),
        unused=tuple(n + 1 for n in range(DISCS) if s.unused[seat] >> n & 1),
        disc=s.disc[seat] or None,
        castles_left=s.stock[side],
    )


def supply_of(position: Positions) -> dict[Clan, int]:
    return _cubes(plain(position).supply)


def _cubes(counts: Any) -> dict[Clan, int]:
    return {clan: counts[clan] for clan in Clan}
