"""Simple players of Carolus Magnus, in compiled code: at random, one action ahead, or a whole turn ahead."""

import numpy as np

from aachen.carolus.codes import COURT, CUBE, DISC, MOVE, NAME, THROW_ALL
from aachen.carolus.position import RECORD, Position
from aachen.carolus.rules.cubes import begin_cubes, play_cube
from aachen.carolus.rules.doors import apply, legal
from aachen.carolus.rules.emperor import majority, move_emperor, winners
from aachen.carolus.rules.table import region_after, side_of, sides
from aachen.carolus.words import CLANS, NOBODY, TILES, Phase
from aachen.core.kernel import at, compiled, whole
from aachen.core.playout import below
from aachen.core.schema import Array, Positions

RANDOM, GREEDY, SHORT_SIGHTED = 0, 1, 2
#: Scratch positions that a choice needs: one for each action of a turn, and one more.
SCRATCH = 8
CUBE_PHASE, MOVE_PHASE = int(Phase.CUBE), int(Phase.MOVE)
LOST = -1_000_000


def scratch() -> Positions:
    return np.zeros(SCRATCH, RECORD)


@compiled
def choose(policy: int, work: Positions, seat: int, out: Array, rng: Array) -> int:
    """The action code that the policy plays in `work[0]`; the rest of `work` is scratch."""
    s = at(work, 0)
    count = legal(s, seat, out)
    if policy == RANDOM or count == 1:
        return whole(out[below(rng, count)])
    best = LOST - 1
    chosen = whole(out[0])
    equal = 0
    for i in range(count):
        if policy == GREEDY:
            value = worth(work, seat, whole(out[i]))
        else:
            value = worth_at_once(work, seat, whole(out[i]))
        if value > best:
            best, chosen, equal = value, whole(out[i]), 1
        elif value == best:  # equally good: each as likely as the others
            equal += 1
            if below(rng, equal) == 0:
                chosen = whole(out[i])
    return chosen


@compiled(inline=False)
def worth_at_once(work: Positions, seat: int, action: int) -> int:
    """The value of the position right after the action: short sight, that plans no turn."""
    if action == THROW_ALL or NAME <= action < NAME + CLANS:
        return worth(work, seat, action)
    work[1] = work[0]
    apply(at(work, 1), seat, action)
    return evaluate(at(work, 1), seat)


@compiled(inline=False)
def worth(work: Positions, seat: int, action: int) -> int:
    """The value of the best end of this turn after the action."""
    s = at(work, 0)
    if action == THROW_ALL:
        return 0
    if NAME <= action < NAME + CLANS:
        return need(s, seat, action - NAME)
    work[1] = work[0]
    t = at(work, 1)
    lowest = 0
    if action >= CUBE:
        lowest = action - CUBE
        if not is_sensible(s, seat, lowest >> 4, lowest & 15):
            return LOST
        play_cube(t, seat, lowest >> 4, lowest & 15)
    elif action >= MOVE:
        move_emperor(t, action - MOVE + 1)
        return evaluate(t, seat)
    else:
        imagine_turn(t, seat, action - DISC + 1)
    return best_turn(work, 1, seat, lowest)


@compiled
def imagine_turn(s: Position, seat: int, disc: int) -> None:
    """As if the seat's turn were now, with this disc."""
    s.disc[seat] = disc
    for place in range(s.players):
        if s.order[place] == seat:
            s.turn = place
    begin_cubes(s, seat)


@compiled
def within_reach(s: Position, seat: int, region: int) -> bool:
    """Whether the seat's disc lets the Emperor stop there."""
    tile = whole(s.emperor)
    for _ in range(s.disc[seat]):
        tile = region_after(s, tile)
        if tile == region:
            return True
    return False


@compiled
def best_turn(work: Positions, first: int, seat: int, code: int) -> int:
    """The best value that the rest of the turn can reach from `work[first]`.

    Every set of cubes is tried once, in rising order of codes (16 x clan + target) from `code` on. The codes of the
    cubes already laid are kept in `path`, 7 bits each.
    """
    if at(work, first).phase != CUBE_PHASE:
        return best_move(work, first, seat)
    best = LOST
    depth = first
    path = 0
    while True:
        if code == 16 * CLANS:  # all tried here: back to the cube before
            if depth == first:
                return best
            depth -= 1
            code = (path & 127) + 1
            path >>= 7
        elif not is_sensible(at(work, depth), seat, code >> 4, code & 15):
            code += 1
        else:
            work[depth + 1] = work[depth]
            play_cube(at(work, depth + 1), seat, code >> 4, code & 15)
            if at(work, depth + 1).phase == CUBE_PHASE:
                depth += 1
                path = path << 7 | code
            else:
                best = max(best, best_move(work, depth + 1, seat))
                code += 1


@compiled
def is_sensible(s: Position, seat: int, clan: int, target: int) -> bool:
    """A cube that the seat has, to its court or to where the Emperor can stop this turn."""
    return s.reserve[seat, clan] > 0 and (target == COURT or within_reach(s, seat, target))


@compiled
def best_move(work: Positions, last: int, seat: int) -> int:
    """The best value that a move of the Emperor gives."""
    best = LOST
    for steps in range(1, whole(at(work, last).disc[seat]) + 1):
        work[last + 1] = work[last]
        move_emperor(at(work, last + 1), steps)
        best = max(best, evaluate(at(work, last + 1), seat))
    return best


@compiled(inline=False)
def evaluate(s: Position, seat: int) -> int:
    """How good a position is for the seat's side, after its Emperor's move: castles, regions in hand, clans."""
    side = side_of(s, seat)
    won = winners(s)
    if won != 0:
        return (1 if (won >> side) & 1 else -1) * 100_000
    value = 0
    for other in range(sides(s)):
        value += whole(s.stock[other]) * (-120 if other == side else 120 // (sides(s) - 1))
    for tile in range(TILES):
        if s.tiles[tile] > 0:
            leader = majority(s, tile)
            if leader != NOBODY:
                stake = 10 + 8 * whole(s.castles[tile])
                value += stake if leader == side else -stake
    for clan in range(CLANS):
        if s.marker[clan] != NOBODY:
            lead = lead_of(s, whole(s.marker[clan]), clan)
            value += (6 + 2 * min(lead, 3)) * (1 if side_of(s, whole(s.marker[clan])) == side else -1)
    return value


@compiled(inline=False)
def likely(s: Position, seat: int, out: Array, count: int, rng: Array) -> int:
    """A quick player: the Emperor goes where it helps most at once, cubes go to court or to where he can stop."""
    if s.phase == MOVE_PHASE:
        return MOVE + best_step(s, seat, rng) - 1
    action = whole(out[below(rng, count)])
    if s.phase == CUBE_PHASE:
        target = (action - CUBE) & 15
        if target != COURT and (below(rng, 2) == 0 or not within_reach(s, seat, target)):
            return action - target + COURT
    return action


@compiled
def best_step(s: Position, seat: int, rng: Array) -> int:
    """The steps to the region where a halt gains the side most, or costs it least."""
    side = side_of(s, seat)
    tile = whole(s.emperor)
    best, chosen, equal = LOST, 1, 0
    for steps in range(1, whole(s.disc[seat]) + 1):
        tile = region_after(s, tile)
        leader = majority(s, tile)
        gain = 0
        if leader != NOBODY and leader != s.holder[tile]:
            castles = 1 + 2 * whole(s.castles[tile])
            gain = castles if leader == side else -castles
        if gain > best:
            best, chosen, equal = gain, steps, 1
        elif gain == best:
            equal += 1
            if below(rng, equal) == 0:
                chosen = steps
    return chosen


@compiled
def lead_of(s: Position, seat: int, clan: int) -> int:
    """By how many cubes at court the seat leads the strongest other seat that is not of its side."""
    most = 0
    for other in range(s.players):
        if side_of(s, other) != side_of(s, seat):
            most = max(most, whole(s.court[other, clan]))
    return whole(s.court[seat, clan]) - most


@compiled
def need(s: Position, seat: int, clan: int) -> int:
    """How much a cube of this clan is wanted: most where the clan matters and the courts are close."""
    matters = 3
    for tile in range(TILES):
        matters += whole(s.cubes[tile, clan])
    gap = lead_of(s, seat, clan) + whole(s.reserve[seat, clan])
    return matters * max(1, 6 - abs(gap - 1))
