"""Carolus Magnus for `aachen.core`: options, outcome, notation and reasons in one place."""

from collections.abc import Mapping, Sequence
from typing import Any

from aachen.carolus import events, look, notation, refusals
from aachen.carolus.actions import ACTIONS, Action, parse
from aachen.carolus.drawing import draw
from aachen.carolus.forecast import (
    RegionForecast,
    majority_at,
    regions_of,
    side_or_none,
    steps_from_emperor,
    strength_at,
    visit_at,
    winners_at,
)
from aachen.carolus.look import Player, Region
from aachen.carolus.options import blank_table, options_of
from aachen.carolus.outcome import outcome_of
from aachen.carolus.position import RECORD
from aachen.carolus.rules.doors import RULES
from aachen.carolus.words import Clan, Phase, side_at, sides_at
from aachen.core.errors import IllegalAction
from aachen.core.game import Game
from aachen.core.schema import Positions
from aachen.core.state import State as CoreState
from aachen.core.state import register
from aachen.core.words import Event, Outcome, Seat, Side


class Carolus(Game[Action]):
    name = "carolus"
    rules_version = "1"
    record = RECORD
    rules = RULES
    action_type = Action
    actions = ACTIONS

    def start(self, options: Mapping[str, object]) -> Positions:
        return blank_table(options)

    def options(self, position: Positions) -> dict[str, object]:
        return options_of(position)

    def seats(self, position: Positions) -> int:
        return int(position["players"][0])

    def side(self, position: Positions, seat: Seat) -> Side:
        return Side(side_at(self.seats(position), int(seat)))

    def outcome(self, position: Positions) -> Outcome:
        return outcome_of(position)

    def parse(self, text: str) -> Action:
        return parse(text)

    def write(self, position: Positions) -> str:
        return notation.write(position)

    def read(self, text: str) -> Positions:
        return notation.read(text)

    def draw(self, position: Positions) -> str:
        return draw(position)

    def refusal(self, position: Positions, seat: Seat | None, action: Action) -> IllegalAction | None:
        return refusals.why(position, seat, action)

    def events(self, before: Positions, after: Positions, actor: Seat | None, action: Action) -> Sequence[Event]:
        return events.events_of(before, after, actor, action)


GAME = Carolus()


class State(CoreState[Action]):
    """A state of Carolus Magnus."""

    __slots__ = ()
    game = GAME

    @property
    def players(self) -> int:
        return self.seats

    @property
    def phase(self) -> Phase:
        """What happens next."""
        return Phase(int(self._position["phase"][0]))

    @property
    def round(self) -> int:
        """Counted from 1; 0 is the set-up."""
        return int(self._position["round_number"][0])

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions, clockwise from tile A."""
        return look.regions_of(self._position)

    @property
    def supply(self) -> dict[Clan, int]:
        """The cubes in the middle."""
        return look.supply_of(self._position)

    @property
    def order(self) -> tuple[Seat, ...]:
        """The seats in the order of play."""
        return tuple(Seat(int(seat)) for seat in self._position["order"][0][: self.seats])

    def player(self, seat: int) -> Player:
        """A seat with its court, reserve, discs and markers."""
        return look.player_of(self._position, self._seat(seat))

    def forecast(self) -> list[RegionForecast]:
        """For each region, clockwise from tile A: what would happen if the Emperor stopped there now."""
        steps = steps_from_emperor(self._position)
        return [self._forecast(tile, steps[tile]) for tile in regions_of(self._position)]

    def _forecast(self, tile: int, steps: int) -> RegionForecast:
        before: Any = self._position[0]
        after = self.position
        if not self.is_over:
            visit_at(after, tile)
        changed = after["stock"].tobytes() != self._position["stock"].tobytes()
        leader = side_or_none(majority_at(self._position, tile))
        castles = int(before["stock"][leader] - after["stock"][0][leader]) if changed and leader is not None else 0
        left = set(regions_of(after))
        gone = [other for other in regions_of(self._position) if other not in left]
        home = int(after["emperor"][0])
        merges = tuple(sorted({*gone, home} - {tile})) if gone else ()
        return RegionForecast(
            tile=tile,
            counts=tuple(strength_at(self._position, tile, side) for side in range(sides_at(self.seats))),
            holder=side_or_none(before["holder"][tile]),
            majority=leader,
            effect="nothing" if not changed else "take over" if before["castles"][tile] else "build",
            castles=castles,
            merges=merges,
            outcome=GAME.outcome(after) if winners_at(after) and not self.is_over else None,
            steps=steps,
        )


register(State)
