"""By which turns a seat's side would gain castles in a region, with as few cubes as possible.

A turn is searched by what matters for one region: a cube at court only if it brings a marker, and a cube in the region
only if its clan is the side's own. So it is enough to try every set of clans to be won, and to count the cubes that are
then missing for the majority. A set of clans and such a number is a plan.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from aachen.carolus.actions import Cube, Move, Name
from aachen.carolus.forecast import steps_from_emperor
from aachen.carolus.game import State
from aachen.carolus.position import RECORD, Position
from aachen.carolus.rules.emperor import strength
from aachen.carolus.rules.supply import returnable
from aachen.carolus.rules.table import cubes_a_turn, cubes_in_reserve, region_after, side_of, sides
from aachen.carolus.words import CLANS, NOBODY, TILES, Clan, Phase
from aachen.core.history import History
from aachen.core.kernel import at, compiled, whole
from aachen.core.schema import Array, Positions, plain
from aachen.core.words import Outcome, Seat

JOKER, CUBE = int(Phase.JOKER), int(Phase.CUBE)
#: A plan's code is the clans to be won, as bits, and above them the number of cubes for the region.
NO_PLAN: Final = -1
#: More cubes than any turn has.
TOO_MANY: Final = 99


@dataclass(frozen=True)
class Attack:
    """A turn, or what is left of it, by which a side gains castles in a region."""

    turn: tuple[str, ...]  # an example in notation, whole and legal: names for jokers, cubes, the move
    needed: tuple[str, ...]  # the cubes of it that matter, as few as possible; the others go to another region
    effect: Literal["build", "take over"]  # C12, C13
    castles: int  # castles that the side puts up
    outcome: Outcome | None  # how the game ends by it, if it does (C22, C23)


def attacks(state: State) -> dict[int, Attack]:
    """What the seat whose turn it is, before its move of the Emperor, can do to each region; by first tiles.

    Only regions where it can make its side build or take over are there. Of all attacks on a region it is one with the
    fewest cubes that matter.
    """
    work = np.zeros(2, RECORD)
    work[0] = state.position[0]
    seat = state.actor
    plans = np.empty(TILES, np.int64)
    find_plans(work, 0, seat, int(work["disc"][0][seat]), plans)
    steps = steps_from_emperor(work[:1])
    return {
        tile: _attack(state, seat, tile, plan, steps[tile])
        for tile, plan in enumerate(plans.tolist())
        if plan != NO_PLAN
    }


def _attack(before: State, seat: Seat, tile: int, plan: int, steps: int) -> Attack:
    """Carries the plan out, with all that the rules ask for besides."""
    cubes, names = _needs(before, seat, tile, plan)
    history = History(before)
    while history.state.phase == Phase.JOKER:
        history.play(Name(names.pop()) if names else history.state.legal_actions()[0])
    for cube in cubes:
        history.play(cube)
    while history.state.phase == Phase.CUBE:
        history.play(_elsewhere(history.state, tile))
    after = history.play(Move(steps))
    old, new, side = plain(before.position), plain(after.position), before.side(seat)
    return Attack(
        turn=tuple(str(step.action) for step in history.steps),
        needed=tuple(map(str, cubes)),
        effect="take over" if old.castles[tile] else "build",
        castles=old.stock[side] - new.stock[side],
        outcome=after.outcome,
    )


def _needs(state: State, seat: Seat, tile: int, plan: int) -> tuple[list[Cube], list[Clan]]:
    """The cubes that a plan needs, and the clans which jokers must be named for them.

    To the region go first cubes of the clans that are won, then others of the side's clans, and jokers last.
    """
    position = state.position
    to_win = {clan: cubes_to_win_at(position, seat, clan) for clan in Clan}
    won = [clan for clan in Clan if plan >> clan & 1]
    own = won + [clan for clan in Clan if to_win[clan] == 0]
    left = dict(state.player(seat).reserve)
    names: list[Clan] = []
    cubes = [Cube(clan) for clan in won for _ in range(to_win[clan])]
    for cube in cubes:
        if left[cube.clan] > 0:
            left[cube.clan] -= 1
        else:
            names.append(cube.clan)
    for _ in range(plan >> CLANS):
        clan = next((clan for clan in own if left[clan] > 0), None)
        if clan is not None:
            left[clan] -= 1
        else:
            clan = next(clan for clan in own if names.count(clan) < most_to_take_at(position, clan))
            names.append(clan)
        cubes.append(Cube(clan, tile))
    return cubes, names


def _elsewhere(state: State, tile: int) -> Cube:
    """A cube that changes nothing for the region of this tile."""
    return next(
        action for action in state.legal_actions() if isinstance(action, Cube) and action.tile not in (None, tile)
    )


@compiled
def cubes_to_win_at(positions: Positions, seat: int, clan: int) -> int:
    return cubes_to_win(at(positions, 0), seat, clan)


@compiled
def most_to_take_at(positions: Positions, clan: int) -> int:
    return most_to_take(at(positions, 0), clan)


@compiled(inline=False)
def find_plans(work: Positions, index: int, seat: int, reach: int, plans: Array) -> None:
    """Writes, by region, the plan with the fewest cubes, or NO_PLAN; the Emperor can take `reach` steps.

    In `work[index]` it is the seat's turn, before the move; the next of `work` is scratch.
    """
    s, t = at(work, index), at(work, index + 1)
    side = side_of(s, seat)
    due = cubes_to_play(s, seat)
    for tile in range(TILES):
        plans[tile] = NO_PLAN
    for won in range(1 << CLANS):
        at_court = cubes_at_court(s, seat, won)
        if at_court > due or not has_cubes(s, seat, won, 0):
            continue
        work[index + 1] = work[index]
        for clan in range(CLANS):
            if (won >> clan) & 1:
                t.marker[clan] = seat
        tile = whole(s.emperor)
        for _ in range(reach):
            tile = region_after(s, tile)
            more = lacking(t, tile, side)
            if s.holder[tile] == side or at_court + more > due or not has_cubes(s, seat, won, more):
                continue
            old = whole(plans[tile])
            if old == NO_PLAN or at_court + more < cubes_at_court(s, seat, old) + (old >> CLANS):
                plans[tile] = won | more << CLANS


@compiled
def cubes_to_win(s: Position, seat: int, clan: int) -> int:
    """C9. How many cubes at court bring the seat the clan's marker; 0 if its side has it."""
    holder = whole(s.marker[clan])
    if holder != NOBODY and side_of(s, holder) == side_of(s, seat):
        return 0
    most = 0
    for other in range(s.players):
        if whole(other) != seat:
            most = max(most, whole(s.court[other, clan]))
    return most - whole(s.court[seat, clan]) + 1


@compiled
def cubes_at_court(s: Position, seat: int, won: int) -> int:
    """How many cubes at court win these clans; TOO_MANY if one of them is not there to be won."""
    total = 0
    for clan in range(CLANS):
        if (won >> clan) & 1:
            number = cubes_to_win(s, seat, clan)
            total += number if number > 0 else TOO_MANY
    return total


@compiled
def lacking(s: Position, tile: int, side: int) -> int:
    """C11. By how much the side must count more to have the majority."""
    most = 0
    for other in range(sides(s)):
        if whole(other) != side:
            most = max(most, strength(s, tile, other))
    return max(0, most + 1 - strength(s, tile, side))


@compiled
def has_cubes(s: Position, seat: int, won: int, more: int) -> bool:
    """Whether the seat has the cubes to win these clans, and so many more of its side's clans. Jokers help (C25)."""
    jokers = whole(s.jokers[seat])
    left = 0
    nameable = 0
    for clan in range(CLANS):
        number = cubes_to_win(s, seat, clan)
        if number > 0 and (won >> clan) & 1 == 0:
            continue
        spare = whole(s.reserve[seat, clan]) - number
        stock = most_to_take(s, clan)
        if spare < 0:
            jokers += spare
            stock += spare
            if jokers < 0 or stock < 0:
                return False
        left += max(0, spare)
        nameable += stock
    return more <= left + min(jokers, nameable)


@compiled
def most_to_take(s: Position, clan: int) -> int:
    """C18, C19. How many cubes of the clan can be taken, with those that the courts would give back."""
    return whole(s.supply[clan]) + returnable(s, clan) * whole(s.players)


@compiled
def cubes_to_play(s: Position, seat: int) -> int:
    """C8, C20. The cubes that the seat, whose turn it is, has still to play; jokers are named before (C25)."""
    if s.phase != JOKER:
        return whole(s.due) if s.phase == CUBE else 0
    stock = 0
    for clan in range(CLANS):
        stock += most_to_take(s, clan)
    return min(cubes_a_turn(s), cubes_in_reserve(s, seat) + min(whole(s.jokers[seat]), stock))
