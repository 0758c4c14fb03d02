"""How a finished game ended (C21 to C23)."""

from aachen.carolus.forecast import regions_of, winners_at
from aachen.carolus.words import LEAST_REGIONS, castles_at, sides_at
from aachen.core.schema import Positions
from aachen.core.words import Outcome, Side


def outcome_of(position: Positions) -> Outcome:
    """C21 to C23. The reasons are castles, regions, cubes and rounds; the scores are castles in play."""
    players = int(position["players"][0])
    won = winners_at(position)
    stock = position["stock"][0][: sides_at(players)].tolist()
    if 0 in stock:
        reason = "castles"
    elif len(regions_of(position)) < LEAST_REGIONS:
        reason = "regions"
    elif not position["reserve"].any() and not position["jokers"].any():
        reason = "cubes"
    else:
        reason = "rounds"
    winners = tuple(Side(side) for side in range(len(stock)) if won >> side & 1)
    return Outcome(winners, reason, tuple(castles_at(players) - left for left in stock))
