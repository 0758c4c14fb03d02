"""Throws of dice, in the set-up and at the end of a turn: C3, C16, and the variants C24 and C25."""

from aachen.carolus.codes import FACES, FIRST_THROW, NAME, THROW, THROW_ALL, WAYS
from aachen.carolus.position import Position
from aachen.carolus.rules.opening import end_turn
from aachen.carolus.rules.setup import begin_fill
from aachen.carolus.rules.supply import any_takeable, list_names, take_cube
from aachen.carolus.rules.table import cubes_a_turn, seat_at_turn
from aachen.carolus.words import CLANS, CROWN, Phase
from aachen.core.kernel import compiled, whole
from aachen.core.schema import Array

CROWN_PHASE, CHOOSE, THROW_PHASE = int(Phase.CROWN), int(Phase.CHOOSE), int(Phase.THROW)


@compiled
def begin_throw(s: Position) -> None:
    """C16; C24 asks first, if there is anything to choose."""
    if s.choose_one == 1 and any_takeable(s):
        s.due = 0
        s.phase = CHOOSE
    else:
        s.due = cubes_a_turn(s)
        s.phase = THROW_PHASE


@compiled
def list_choices(s: Position, out: Array) -> int:
    """C24."""
    n = list_names(s, out)
    out[n] = THROW_ALL
    return n + 1


@compiled
def choose_die(s: Position, seat: int, action: int) -> None:
    """C24. A named die gives its cube at once and is not thrown."""
    s.due = cubes_a_turn(s)
    if action != THROW_ALL:
        take_cube(s, seat, action - NAME)
        s.due -= 1
    s.phase = THROW_PHASE


@compiled
def list_throws(s: Position, out: Array, weights: Array) -> int:
    """C4. Every throw of so many dice, with the number of ways to throw it."""
    first = whole(FIRST_THROW[s.due])
    count = whole(FIRST_THROW[s.due + 1]) - first
    ways = WAYS[first : first + count]
    for i in range(count):
        out[i] = THROW + first + i
        weights[i] = ways[i]
    return count


@compiled
def serve_throw(s: Position, throw: int) -> None:
    """C16. Dice that show a clan first; what they cannot get counts as a crown (C19)."""
    seat = seat_at_turn(s)
    crowns = whole(FACES[throw, CROWN])
    for clan in range(CLANS):
        for _ in range(FACES[throw, clan]):
            if not take_cube(s, seat, clan):
                crowns += 1
    if s.deferred == 1:
        s.jokers[seat] += crowns
        crowns = 0
    s.due = crowns
    serve_crowns(s)


@compiled
def serve_crowns(s: Position) -> None:
    """C16, C20. The next crown, if there is one and anything can be taken for it."""
    if s.due > 0 and any_takeable(s):
        s.phase = CROWN_PHASE
        return
    s.due = 0
    if s.round_number == 0:
        begin_fill(s)
    else:
        end_turn(s)


@compiled
def name_crown(s: Position, seat: int, clan: int) -> None:
    """C16. One crown at a time, each cube taken before the next is named."""
    take_cube(s, seat, clan)
    s.due -= 1
    serve_crowns(s)
