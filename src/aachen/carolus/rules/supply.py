"""Taking cubes from the middle, and what happens when they run out (C16, C18 to C20)."""

from aachen.carolus.codes import NAME
from aachen.carolus.position import Position
from aachen.carolus.words import CLANS
from aachen.core.kernel import compiled, whole
from aachen.core.schema import Array


@compiled
def returnable(s: Position, clan: int) -> int:
    """C18. The largest number that every court can give back."""
    least = whole(s.court[0, clan])
    for seat in range(1, s.players):
        least = min(least, whole(s.court[seat, clan]))
    return least


@compiled
def takeable(s: Position, clan: int) -> bool:
    """C19."""
    return s.supply[clan] > 0 or returnable(s, clan) > 0


@compiled
def any_takeable(s: Position) -> bool:
    """C20."""
    for clan in range(CLANS):
        if takeable(s, clan):
            return True
    return False


@compiled
def list_names(s: Position, out: Array) -> int:
    """C19. A crown may only name a clan that can be taken."""
    n = 0
    for clan in range(CLANS):
        if takeable(s, clan):
            out[n] = NAME + clan
            n += 1
    return n


@compiled
def return_from_courts(s: Position, clan: int) -> None:
    """C18. Every court gives back the same number, so differences and control stay as they are."""
    number = returnable(s, clan)
    for seat in range(s.players):
        s.court[seat, clan] -= number
    s.supply[clan] += number * s.players


@compiled
def take_cube(s: Position, seat: int, clan: int) -> bool:
    """C18. One cube into the reserve; False if none can be had (C19)."""
    if s.supply[clan] == 0:
        return_from_courts(s, clan)
    if s.supply[clan] == 0:
        return False
    s.supply[clan] -= 1
    s.reserve[seat, clan] += 1
    return True
