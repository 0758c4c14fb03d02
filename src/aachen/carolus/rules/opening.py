"""The opening of a round: discs and the order of play (C5 to C7), and the end for want of cubes or rounds (C21)."""

from aachen.carolus.codes import DISC
from aachen.carolus.position import Position
from aachen.carolus.rules.cubes import begin_turn
from aachen.carolus.rules.table import cubes_in_reserve
from aachen.carolus.words import ALL_DISCS, DISCS, Phase
from aachen.core.kernel import compiled, whole
from aachen.core.schema import Array

DISC_PHASE, OVER = int(Phase.DISC), int(Phase.OVER)


@compiled
def begin_round(s: Position) -> None:
    """C21. With no cube in any reserve the game ends here."""
    s.turn = 0
    s.due = 0
    s.phase = DISC_PHASE if any_cube_left(s) else OVER


@compiled
def any_cube_left(s: Position) -> bool:
    """C21, C25. Jokers count as cubes."""
    for seat in range(s.players):
        if s.jokers[seat] > 0 or cubes_in_reserve(s, seat) > 0:
            return True
    return False


@compiled
def playable_discs(s: Position, seat: int) -> int:
    """C5. The unused discs that nobody has played this round, or else all unused ones; as bits."""
    taken = 0
    for other in range(s.players):
        if s.disc[other] > 0:
            taken |= 1 << (s.disc[other] - 1)
    unused = whole(s.unused[seat])
    fresh = unused & ~taken
    return fresh if fresh != 0 else unused


@compiled
def list_discs(s: Position, seat: int, out: Array) -> int:
    discs = playable_discs(s, seat)
    n = 0
    for i in range(DISCS):
        out[n] = DISC + i
        n += (discs >> i) & 1
    return n


@compiled
def play_disc(s: Position, seat: int, number: int) -> None:
    """C5. After the last disc the turns begin, in the order of C6."""
    s.disc[seat] = number
    s.unused[seat] &= ALL_DISCS ^ (1 << (number - 1))
    s.turn += 1
    if s.turn == s.players:
        sort_by_disc(s)
        s.turn = 0
        begin_turn(s)


@compiled
def sort_by_disc(s: Position) -> None:
    """C6. Low discs first; of equal discs the one played earlier, which stands first already."""
    for i in range(1, s.players):
        seat = s.order[i]
        place = i
        while place > 0 and s.disc[s.order[place - 1]] > s.disc[seat]:
            s.order[place] = s.order[place - 1]
            place -= 1
        s.order[place] = seat


@compiled
def end_turn(s: Position) -> None:
    """The next seat's turn, or the end of the round."""
    if s.turn + 1 < s.players:
        s.turn += 1
        begin_turn(s)
    else:
        end_round(s)


@compiled
def end_round(s: Position) -> None:
    """C7, C21."""
    for seat in range(s.players):
        s.disc[seat] = 0
        if s.round_number % DISCS == 0:
            s.unused[seat] = ALL_DISCS
    if s.round_number == s.round_limit:
        s.turn = 0
        s.due = 0
        s.phase = OVER
    else:
        s.round_number += 1
        begin_round(s)
