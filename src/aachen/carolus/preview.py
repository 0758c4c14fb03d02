"""What a draft would do: the rest of a turn, tried out before it is played, and compared with the table as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aachen.carolus.actions import Action
from aachen.carolus.forecast import RegionForecast, majority_at, regions_of, side_or_none
from aachen.carolus.game import State
from aachen.carolus.words import DISCS, NOBODY, TILES, Clan, Phase, sides_at
from aachen.core.errors import AachenError
from aachen.core.schema import plain
from aachen.core.words import Outcome, Seat, Side


@dataclass(frozen=True)
class MarkerChange:
    """A clan's marker that changes hands (C9)."""

    clan: Clan
    before: Seat | None
    after: Seat


@dataclass(frozen=True)
class LeaderChange:
    """A region, named by its first tile before the draft, whose majority (C11) is another one after it.

    If the region has been merged, what counts after the draft is the region that it is part of.
    """

    tile: int
    before: Side | None
    after: Side | None


@dataclass(frozen=True)
class Preview:
    """What the actions of a draft do together."""

    after: State
    markers: tuple[MarkerChange, ...]  # in the order of the clans
    leaders: tuple[LeaderChange, ...]  # clockwise from tile A
    castles: tuple[int, ...]  # by side: castles gained, or lost if below 0 (C12, C13)
    merged: tuple[int, ...]  # the regions that become one, by their first tiles before the draft (C14)
    outcome: Outcome | None  # how the game ends with the draft, if it does (C22, C23)
    reach: int  # the most steps that the Emperor can take in the next move; 0 when the game is over
    forecast: tuple[RegionForecast, ...]  # after the draft, the regions in reach, the nearest first


def preview(state: State, actions: Sequence[str | Action]) -> Preview:
    """What these actions of the seat that is asked would do, compared with `state`, which stays as it is.

    The draft is any beginning of what the seat does until chance or another seat acts; it may be empty. The Emperor's
    reach is the seat's own disc until it has moved him, and then that of the next seat in turn; where that disc is not
    laid yet, it may be any, so 5.

    Raises IllegalAction or BadNotation for the first action of the draft that is wrong: as `State.apply` does, with its
    number in the draft, from 1, as the parameter `index`. Raises IllegalAction where no seat is asked.
    """
    seat = state.actor
    after = play_draft(state, seat, actions)
    old, new = plain(state.position), plain(after.position)
    reach = _reach(new, seat)
    near = [region for region in after.forecast() if region.steps <= reach]
    return Preview(
        after=after,
        markers=_markers(old, new),
        leaders=_leaders(state, after),
        castles=tuple(old.stock[side] - new.stock[side] for side in range(sides_at(state.players))),
        merged=_merged(old, new),
        outcome=after.outcome,
        reach=reach,
        forecast=tuple(sorted(near, key=lambda region: region.steps)),
    )


def play_draft(state: State, seat: Seat, actions: Sequence[str | Action]) -> State:
    """The state after these actions of one seat. Raises as `preview` does."""
    for index, action in enumerate(actions, 1):
        try:
            state = state.apply(action, seat)
        except AachenError as error:
            sentence = "action {index} of the draft: " + error.sentence
            raise type(error)(error.code, sentence, **error.params, index=index) from error
    return state


def _markers(old: Any, new: Any) -> tuple[MarkerChange, ...]:
    return tuple(
        MarkerChange(clan, None if before == NOBODY else Seat(before), Seat(after))
        for clan, before, after in zip(Clan, old.marker, new.marker, strict=True)
        if before != after
    )


def _leaders(state: State, after: State) -> tuple[LeaderChange, ...]:
    old, new = state.position, after.position
    tiles = new["tiles"][0].tolist()
    both = (
        (tile, side_or_none(majority_at(old, tile)), side_or_none(majority_at(new, _region_of(tiles, tile))))
        for tile in regions_of(old)
    )
    return tuple(LeaderChange(*change) for change in both if change[1] != change[2])


def _merged(old: Any, new: Any) -> tuple[int, ...]:
    """Only the region where the Emperor has stopped can have been joined to others."""
    parts = [tile for tile in range(TILES) if old.tiles[tile] and _region_of(new.tiles, tile) == new.emperor]
    return tuple(parts) if len(parts) > 1 else ()


def _region_of(tiles: Sequence[int], tile: int) -> int:
    """The first tile of the region in which this tile lies."""
    while not tiles[tile]:
        tile = (tile - 1) % TILES
    return tile


def _reach(s: Any, seat: Seat) -> int:
    phase = Phase(s.phase)
    if phase == Phase.OVER:
        return 0
    has_moved = phase in (Phase.CHOOSE, Phase.THROW, Phase.CROWN)
    to_move = s.order[s.turn + has_moved : s.players]
    if phase == Phase.DISC or seat in to_move:
        return int(s.disc[seat] or DISCS)
    return int(s.disc[to_move[0]] or DISCS) if to_move else DISCS
