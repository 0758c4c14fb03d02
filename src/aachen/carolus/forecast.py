"""What would happen if the Emperor stopped in a region: counts, castles, mergers, the end."""

from dataclasses import dataclass
from typing import Literal

from aachen.carolus.rules.emperor import majority, strength, visit, winners
from aachen.carolus.words import NOBODY, TILES
from aachen.core.kernel import at, compiled
from aachen.core.schema import Positions
from aachen.core.words import Outcome, Side


@dataclass(frozen=True)
class RegionForecast:
    """One region, named by its first tile, if the Emperor stopped there now."""

    tile: int
    counts: tuple[int, ...]  # what each side counts there (C11)
    holder: Side | None  # whose castles stand there
    majority: Side | None
    effect: Literal["nothing", "build", "take over"]  # C12, C13
    castles: int  # castles that the majority's side would put up
    merges: tuple[int, ...]  # the other regions that would become one with it (C14)
    outcome: Outcome | None  # how the game would end, if it would (C22, C23)
    steps: int  # steps from the Emperor, 1 to the number of regions


@compiled
def strength_at(positions: Positions, tile: int, side: int) -> int:
    return strength(at(positions, 0), tile, side)


@compiled
def majority_at(positions: Positions, tile: int) -> int:
    return majority(at(positions, 0), tile)


@compiled
def winners_at(positions: Positions) -> int:
    return winners(at(positions, 0))


@compiled
def visit_at(positions: Positions, tile: int) -> None:
    """The Emperor stops at this region, however he came there."""
    s = at(positions, 0)
    s.emperor = tile
    visit(s, tile)


def regions_of(position: Positions) -> list[int]:
    """The regions' first tiles, clockwise."""
    size = position["tiles"][0]
    return [tile for tile in range(TILES) if size[tile]]


def steps_from_emperor(position: Positions) -> dict[int, int]:
    """How many steps away each region is; the Emperor's own is a full lap."""
    tiles = regions_of(position)
    start = int(position["emperor"][0])
    place = tiles.index(start) if start in tiles else -1
    return {tile: (i - place - 1) % len(tiles) + 1 for i, tile in enumerate(tiles)}


def side_or_none(value: int) -> Side | None:
    return None if value == NOBODY else Side(int(value))
