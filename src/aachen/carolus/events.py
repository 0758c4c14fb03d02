"""What happened in a step, as codes and facts: first the deed, then all that came of it, as a player would tell it.

Each program words them for its readers: `aachen.cli.tell` does it in English.
"""

from collections.abc import Mapping
from typing import Any

from aachen.carolus.actions import Action, Cube, Deal, Disc, Emperor, First, Move, Name, Throw
from aachen.carolus.forecast import majority_at
from aachen.carolus.outcome import outcome_of
from aachen.carolus.words import CLANS, CROWN, DISCS, NOBODY, TILES, Phase
from aachen.core.history import Step
from aachen.core.schema import Positions
from aachen.core.state import State
from aachen.core.words import Event, Seat

#: Every code with the names of its parameters. Clans, seats, sides and tiles are numbers from 0. A region is told by
#: the `tile` with which it begins and its `size` in tiles, as it was before the step; only "joins" tells a new one.
CODES: Mapping[str, tuple[str, ...]] = {
    # Deeds
    "deal": ("clan", "tile"),
    "emperor-begins": ("tile",),
    "lot": ("seat",),
    "throw": ("seat", "faces"),  # a face is a clan, or 5 for a crown
    "disc": ("seat", "number"),
    "cube-to-court": ("seat", "clan"),
    "cube-to-region": ("seat", "clan", "tile", "size"),
    "names-crown": ("seat", "clan"),
    "names-joker": ("seat", "clan"),
    "chooses-die": ("seat", "clan"),
    "throws-all": ("seat",),
    "moves": ("seat", "steps", "tile", "size"),
    # What came of them
    "takes-marker": ("seat", "clan"),  # C9: a free one
    "takes-marker-from": ("seat", "clan", "from_seat"),
    "no-majority": (),  # C11: nothing changes where the Emperor halts
    "keeps": ("side",),  # C13: nor does it here, as the majority is that of the holder
    "builds": ("side", "number"),  # C12
    "takes-over": ("side", "number", "from_side"),  # C13, C15: the castles that the side puts up
    "joins": ("tiles", "sizes", "tile", "size"),  # C14: the other regions; then what all became
    "courts-give-back": ("cubes",),  # C18: by clan, from each court
    "dice-as-crowns": ("number", "clans"),  # C19: a clan for each die
    "crowns-lost": ("seat", "number"),  # C20
    "jokers-lost": ("seat", "number"),  # C25
    "order": ("seats",),  # C6
    "round": ("number",),
    "discs-back": (),  # C7
    "game-over": ("winners", "reason", "scores"),  # sides; castles, regions, cubes or rounds; castles by side
}
NAMING = {Phase.CROWN: "names-crown", Phase.JOKER: "names-joker", Phase.CHOOSE: "chooses-die"}


def events(before: State[Any], after: State[Any], step: Step) -> tuple[Event, ...]:
    """What happened in this step of a game of Carolus Magnus."""
    return tuple(events_of(before._position, after._position, step.seat, step.action))


def events_of(before: Positions, after: Positions, actor: Seat | None, action: Action) -> list[Event]:
    """The same from positions; chance has no actor, and its dice are told of the seat whose turn it is."""
    seat = int(before["order"][0, before["turn"][0]]) if actor is None else int(actor)
    match action:
        case Cube(tile=None):
            return _to_court(before, after, seat, int(action.clan))
        case Cube(tile=int(tile)):
            size = int(before["tiles"][0, tile])
            return [Event("cube-to-region", {"seat": seat, "clan": int(action.clan), "tile": tile, "size": size})]
        case Move():
            return _move(before, after, seat, action.steps)
        case Throw():
            return _throw(before, after, seat, action)
        case Name():
            return _name(before, after, seat, int(action.clan))
        case Disc():
            disc = Event("disc", {"seat": seat, "number": action.number})
            return [disc, *_order(after), *_lost_jokers(before, after)]
        case Deal():
            return [Event("deal", {"clan": int(action.clan), "tile": TILES - int(before["due"][0])})]
        case Emperor():
            return [Event("emperor-begins", {"tile": action.tile})]
        case First():
            return [Event("lot", {"seat": action.seat})]
    return [Event("throws-all", {"seat": seat})]


# A turn


def _to_court(before: Positions, after: Positions, seat: int, clan: int) -> list[Event]:
    """C8, C9."""
    found = [Event("cube-to-court", {"seat": seat, "clan": clan})]
    holder = int(before["marker"][0, clan])
    if after["marker"][0, clan] != holder:
        if holder == NOBODY:
            found.append(Event("takes-marker", {"seat": seat, "clan": clan}))
        else:
            found.append(Event("takes-marker-from", {"seat": seat, "clan": clan, "from_seat": holder}))
    return found


def _move(before: Positions, after: Positions, seat: int, steps: int) -> list[Event]:
    """C10."""
    sizes = before["tiles"][0].tolist()
    tile = int(before["emperor"][0])
    for _ in range(steps):
        tile = (tile + sizes[tile]) % TILES
    moves = Event("moves", {"seat": seat, "steps": steps, "tile": tile, "size": sizes[tile]})
    return [moves, _castles(before, after, tile), *_joined(sizes, after, tile), *_end(after)]


def _castles(before: Positions, after: Positions, tile: int) -> Event:
    """C11 to C13, C15. What the Emperor's halt brings in the region itself."""
    stocks = zip(before["stock"][0].tolist(), after["stock"][0].tolist(), strict=True)
    holder = int(before["holder"][0, tile])
    for side, (had, has) in enumerate(stocks):
        if has < had and holder == NOBODY:
            return Event("builds", {"side": side, "number": had - has})
        if has < had:
            return Event("takes-over", {"side": side, "number": had - has, "from_side": holder})
    side = int(majority_at(before, tile))
    return Event("no-majority", {}) if side == NOBODY else Event("keeps", {"side": side})


def _joined(sizes: list[int], after: Positions, tile: int) -> list[Event]:
    """C14."""
    new = after["tiles"][0].tolist()
    gone = {other for other in range(TILES) if sizes[other] and not new[other]}
    if not gone:
        return []
    home = int(after["emperor"][0])
    others = sorted((gone | {home}) - {tile})
    parts = [sizes[other] for other in others]
    return [Event("joins", {"tiles": others, "sizes": parts, "tile": home, "size": new[home]})]


# Dice and crowns


def _throw(before: Positions, after: Positions, seat: int, throw: Throw) -> list[Event]:
    """C16. The clans that the dice show first, then the crowns."""
    faces = [int(face) for face in throw.faces]
    found = [Event("throw", {"seat": seat, "faces": faces}), *_given_back(before, after)]
    had, has = before["reserve"][0, seat].tolist(), after["reserve"][0, seat].tolist()
    out = [clan for clan in range(CLANS) for _ in range(faces.count(clan) - has[clan] + had[clan])]
    if out:
        found.append(Event("dice-as-crowns", {"number": len(out), "clans": out}))
    crowns = 0 if before["deferred"][0] else faces.count(CROWN) + len(out)
    return [*found, *_lost_crowns(after, seat, crowns), *_lost_jokers(before, after), *_turned(before, after)]


def _name(before: Positions, after: Positions, seat: int, clan: int) -> list[Event]:
    """C16, C24, C25."""
    phase = Phase(int(before["phase"][0]))
    found = [Event(NAMING[phase], {"seat": seat, "clan": clan}), *_given_back(before, after)]
    if phase == Phase.CROWN:
        found += _lost_crowns(after, seat, int(before["due"][0]) - 1)
    return [*found, *_lost_jokers(before, after, phase == Phase.JOKER), *_turned(before, after)]


def _given_back(before: Positions, after: Positions) -> list[Event]:
    """C18. Every court gives the same, so the first one tells it."""
    courts = zip(before["court"][0, 0].tolist(), after["court"][0, 0].tolist(), strict=True)
    given = [had - has for had, has in courts]
    return [Event("courts-give-back", {"cubes": given})] if any(given) else []


def _lost_crowns(after: Positions, seat: int, crowns: int) -> list[Event]:
    """C20. The seat is asked for a clan as long as a crown can bring a cube."""
    if not crowns or after["phase"][0] == Phase.CROWN:
        return []
    return [Event("crowns-lost", {"seat": seat, "number": crowns})]


def _lost_jokers(before: Positions, after: Positions, named: int = 0) -> list[Event]:
    """C25. The jokers of the seat whose turn begins, less the one that it has just named, if nothing can be taken."""
    if not before["deferred"][0]:
        return []
    seat = int(after["order"][0, after["turn"][0]])
    lost = int(before["jokers"][0, seat]) - int(after["jokers"][0, seat]) - named
    return [Event("jokers-lost", {"seat": seat, "number": lost})] if lost > 0 else []


# Rounds, and the end


def _order(after: Positions) -> list[Event]:
    """C6. The order of turns, when all discs are laid."""
    if after["phase"][0] == Phase.DISC:
        return []
    return [Event("order", {"seats": after["order"][0, : after["players"][0]].tolist()})]


def _turned(before: Positions, after: Positions) -> list[Event]:
    """C7, C21. A new round, and the end for want of cubes or rounds."""
    number = int(after["round_number"][0])
    if number == before["round_number"][0]:
        return _end(after)
    discs = [Event("discs-back", {})] if number > 1 and number % DISCS == 1 else []
    return [Event("round", {"number": number}), *discs, *_end(after)]


def _end(after: Positions) -> list[Event]:
    """C21 to C23."""
    if after["phase"][0] != Phase.OVER:
        return []
    outcome = outcome_of(after)
    winners, scores = list(map(int, outcome.winners)), list(outcome.scores)
    return [Event("game-over", {"winners": winners, "reason": outcome.reason, "scores": scores})]
