"""What each seat threatens: where it can build or take over in its coming turn, and how likely in the one after.

The rulebook tells players to watch the others' reserves and discs; this does it.
"""

from dataclasses import dataclass

import numpy as np

from aachen.carolus.attacks import NO_PLAN, Attack, attacks, cubes_to_play, find_plans
from aachen.carolus.forecast import regions_of
from aachen.carolus.game import State
from aachen.carolus.position import RECORD, Position
from aachen.carolus.rules.cubes import begin_turn
from aachen.carolus.rules.opening import playable_discs
from aachen.carolus.rules.supply import any_takeable, take_cube
from aachen.carolus.rules.table import cubes_a_turn, cubes_in_reserve, seat_at_turn
from aachen.carolus.words import ALL_DISCS, CLANS, CROWN, DISCS, TILES, Phase
from aachen.core.errors import BadOptions
from aachen.core.kernel import at, compiled, whole
from aachen.core.playout import below
from aachen.core.schema import Array, Positions
from aachen.core.words import Seat

DISC, JOKER, MOVE = int(Phase.DISC), int(Phase.JOKER), int(Phase.MOVE)
CROWN_PHASE, THROW = int(Phase.CROWN), int(Phase.THROW)


@dataclass(frozen=True)
class Threat:
    """What a seat can do to one region, named by its first tile."""

    seat: Seat
    tile: int
    now: Attack | None  # in its turn of this round, with the disc that it has laid
    later: float  # the odds, from 0 to 1, that it can in the first turn for which it has no disc yet


def threats(state: State, samples: int = 200, seed: int = 0) -> list[Threat]:
    """For every seat, and every region clockwise from tile A: can the seat make its side build or take over there?

    `now` is about its turn of this round, if its disc is laid and its move of the Emperor still to come: whether it can
    with the cubes that it has, and the Emperor's steps that its disc allows. The position is taken as it is, as if the
    seat's turn came next (or, for the seat whose turn it is, as the turn goes on). None for a region out of reach, and
    for one that its side holds.

    `later` is about the first turn for which the seat has no disc yet: that of the next round, or of this round while
    its disc is still to be laid. It is the share of `samples` imagined reserves with which the seat could do so. It is
    assumed that

    - nothing else changes: courts, regions, markers and the Emperor are as now, also after the cubes which the seat or
      others have still to play this round;
    - the seat plays just any cubes in its turn of this round, names any clans for its jokers before (C25), throws all
      its dice at the end (C16, also with C24), and names any clans that can be taken for its crowns, all at random;
    - jokers that it throws for its later turn (C25) it names as it needs them, since it does that in that turn;
    - it may choose any disc that it will have (C5, C7), so no other seat lays the same number before it.

    A seat that gets no more cubes before that turn has a known reserve, so the odds are 0 or 1. They are 0 where the
    last round has no next one (C21). In the set-up and after the end of the game there are no threats: the list is
    empty. The same state, samples and seed give the same threats. Raises BadOptions if `samples` is below 1.
    """
    if samples < 1:
        raise BadOptions("no-samples", "the odds need at least 1 sample, not {samples}", samples=samples)
    if state.round == 0 or state.is_over:
        return []
    work = np.zeros(3, RECORD)
    work[0] = state.position[0]
    hits = np.zeros((state.seats, TILES), np.int64)
    count_hits(work, samples, np.array([seed % 2**64], np.uint64), hits)
    now = [_attacks_of(state, seat) for seat in range(state.seats)]
    return [
        Threat(Seat(seat), tile, now[seat].get(tile), int(hits[seat, tile]) / samples)
        for seat in range(state.seats)
        for tile in regions_of(work[:1])
    ]


def _attacks_of(state: State, seat: int) -> dict[int, Attack]:
    """The seat's attacks in its turn of this round."""
    position = state.position
    return attacks(State(position)) if turn_to_at(position, seat) else {}


@compiled
def turn_to_at(positions: Positions, seat: int) -> bool:
    return turn_to(at(positions, 0), seat)


# Whose turn it is, and will be


@compiled
def is_to_throw(s: Position, seat: int) -> bool:
    """Whether the seat's disc of this round is laid, and its turn not over."""
    if s.disc[seat] == 0:
        return False
    return s.phase == DISC or place_of(s, seat) >= whole(s.turn)


@compiled
def turn_to(s: Position, seat: int) -> bool:
    """Makes it the seat's turn of this round; False, with nothing done, if its move of the Emperor is not to come."""
    if not is_to_throw(s, seat):
        return False
    if s.phase != DISC and seat_at_turn(s) == seat:
        return JOKER <= s.phase <= MOVE
    begin_turn_of(s, seat)
    return True


@compiled
def place_of(s: Position, seat: int) -> int:
    place = 0
    while whole(s.order[place]) != seat:
        place += 1
    return place


@compiled
def begin_turn_of(s: Position, seat: int) -> None:
    """As if the seat's turn came now."""
    s.turn = place_of(s, seat)
    begin_turn(s)


@compiled
def later_reach(s: Position, seat: int) -> int:
    """C5, C7. The largest disc for the first turn for which the seat has none yet; 0 if there is no such turn (C21)."""
    discs = whole(s.unused[seat])
    if s.disc[seat] == 0:
        discs = playable_discs(s, seat)
    elif s.round_number == s.round_limit:
        discs = 0
    elif s.round_number % DISCS == 0:
        discs = ALL_DISCS
    largest = 0
    while discs >> largest != 0:
        largest += 1
    return largest


# Chance


@compiled(arrays=True)
def count_hits(work: Positions, samples: int, rng: Array, hits: Array) -> None:
    """Counts, by seat and region, the imagined reserves with which the seat can gain castles in its later turn.

    `work[0]` is the position as it is, the rest of `work` scratch.
    """
    plans = np.empty(TILES, np.int64)
    for seat in range(at(work, 0).players):
        reach = later_reach(at(work, 0), seat)
        for _ in range(samples):
            work[1] = work[0]
            s = at(work, 1)
            if is_to_throw(s, seat):
                refill_at_random(s, seat, rng)
            begin_turn_of(s, seat)
            find_plans(work, 1, seat, reach, plans)
            for tile in range(TILES):
                hits[seat, tile] += plans[tile] != NO_PLAN


@compiled(inline=False)
def refill_at_random(s: Position, seat: int, rng: Array) -> None:
    """The rest of the seat's turn of this round, as far as its reserve goes: cubes leave it, and dice fill it."""
    dice, crowns = cubes_a_turn(s), 0
    if turn_to(s, seat):
        due = cubes_to_play(s, seat)
        name_at_random(s, seat, whole(s.jokers[seat]), rng)
        s.jokers[seat] = 0
        for _ in range(due):
            drop_at_random(s, seat, rng)
    elif s.phase == THROW:
        dice = whole(s.due)
    elif s.phase == CROWN_PHASE:
        dice, crowns = 0, whole(s.due)
    for _ in range(dice):
        face = below(rng, CROWN + 1)
        if face == CROWN or not take_cube(s, seat, face):
            crowns += 1
    if s.deferred == 1:
        s.jokers[seat] += crowns
    else:
        name_at_random(s, seat, crowns, rng)


@compiled
def name_at_random(s: Position, seat: int, crowns: int, rng: Array) -> None:
    """C19, C20. A cube for each crown, of any clan that can be taken."""
    for _ in range(crowns):
        if any_takeable(s):
            while not take_cube(s, seat, below(rng, CLANS)):
                pass


@compiled
def drop_at_random(s: Position, seat: int, rng: Array) -> None:
    """Any cube of the reserve is played, each as likely as the others."""
    mark = below(rng, cubes_in_reserve(s, seat))
    for clan in range(CLANS):
        mark -= whole(s.reserve[seat, clan])
        if mark < 0:
            s.reserve[seat, clan] -= 1
            return
