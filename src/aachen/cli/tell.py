"""What happened, in words."""

from collections.abc import Iterable, Sequence
from typing import Any

from aachen.carolus import Clan, Cube, Deal, Disc, Emperor, First, Move, Name, Phase, State, Throw, ThrowAll
from aachen.carolus.drawing import SIDE_NAMES, region_label
from aachen.carolus.words import CROWN, NOBODY, TILES, side_at
from aachen.core import Outcome, Step

REASONS = {
    "castles": "all of its castles are on the board",
    "regions": "fewer than 4 regions are left, and it has the most castles",
    "cubes": "no reserve has a cube left, and it has the most castles",
    "rounds": "the last round has been played, and it has the most castles",
}


def tell(before: State, after: State, step: Step, names: Sequence[str]) -> str:
    """A sentence about a step, such as `Anna plays a red cube to court and takes the red marker.`"""
    old, new = before.position[0], after.position[0]
    sentence = _deed(before, after, step, names) + _given_back(old, new) + "."
    return sentence + _new_round(old, new)


def _deed(before: State, after: State, step: Step, names: Sequence[str]) -> str:
    old, new = before.position[0], after.position[0]
    seat = step.seat
    who = names[int(old["order"][int(old["turn"])])] if seat is None else names[seat]
    match step.action:
        case Deal(clan=clan):
            return f"A {_word(clan)} cube is dealt to {region_label(old, TILES - int(old['due']))}"
        case Emperor(tile=tile):
            return f"The Emperor begins at {region_label(old, tile)}"
        case First(seat=first):
            return f"By lot {names[first]} is first"
        case Throw() as throw:
            return f"{who} throws {_faces(throw)}" + _lost_dice(old, new, throw)
        case Disc(number=number):
            return f"{who} lays disc {number}" + _turn_order(old, new, names)
        case Cube(clan=clan, tile=None):
            return f"{who} plays a {_word(clan)} cube to court" + _marker(old, new, clan, names)
        case Cube(clan=clan, tile=int(tile)):
            return f"{who} plays a {_word(clan)} cube to {region_label(old, tile)}"
        case Name(clan=clan):
            return f"{who} {_naming(old)} a {_word(clan)} cube"
        case ThrowAll():
            return f"{who} chooses no die"
        case Move(steps=steps):
            return _move(before, steps)
    return f"{who}: {step.action}"


def _word(clan: Clan) -> str:
    return clan.name.lower()


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *some, end = words
    return f"{', '.join(some)} {last} {end}" if some else end


def _faces(throw: Throw) -> str:
    crowns = throw.faces.count(CROWN)
    words = [_times(throw.faces.count(clan), _word(clan)) for clan in Clan if clan in throw.faces]
    return listed(words + [_times(crowns, "crown")] * (crowns > 0))


def _times(number: int, word: str) -> str:
    if word == "crown":
        return "a crown" if number == 1 else f"{number} crowns"
    return word if number == 1 else f"{number} {word}"


def _lost_dice(old: Any, new: Any, throw: Throw) -> str:
    """C19, C20: dice whose clan cannot be had, and crowns that bring nothing."""
    seat = int(old["order"][int(old["turn"])])
    cubes = int(new["reserve"][seat].sum()) - int(old["reserve"][seat].sum())
    crowns = len(throw.faces) - cubes
    words = ""
    if crowns > throw.crowns:
        number = crowns - throw.crowns
        words += (
            f" ({number} of the dice {'counts as a crown' if number == 1 else 'count as crowns'}, as that clan is out)"
        )
    if crowns and int(new["phase"]) != Phase.CROWN and not old["deferred"]:
        words += ", and no cube can be had for crowns"
    return words


def _naming(old: Any) -> str:
    return {Phase.JOKER: "turns a joker into", Phase.CHOOSE: "chooses"}.get(
        Phase(int(old["phase"])), "uses a crown for"
    )


def _marker(old: Any, new: Any, clan: Clan, names: Sequence[str]) -> str:
    holder = int(old["marker"][clan])
    if int(new["marker"][clan]) == holder:
        return ""
    return f" and takes the {_word(clan)} marker" + ("" if holder == NOBODY else f" from {names[holder]}")


def _turn_order(old: Any, new: Any, names: Sequence[str]) -> str:
    if int(new["phase"]) == Phase.DISC:
        return ""
    return "; the order of play is " + ", ".join(names[int(seat)] for seat in new["order"][: int(new["players"])])


def _given_back(old: Any, new: Any) -> str:
    """C18: cubes that all courts gave back."""
    lost = {clan: int(old["court"][0][clan]) - int(new["court"][0][clan]) for clan in Clan}
    words = [f"{number} {_word(clan)}" for clan, number in lost.items() if number > 0]
    return f"; every court gives back {listed(words)}, as the supply has run out" if words else ""


def _new_round(old: Any, new: Any) -> str:
    number = int(new["round_number"])
    if number == int(old["round_number"]):
        return ""
    discs = " All discs come back." if number > 1 and number % 5 == 1 else ""
    return f" Round {number} begins.{discs}"


def _move(before: State, steps: int) -> str:
    forecasts = before.forecast()
    there = next(f for f in forecasts if f.steps % len(forecasts) == steps % len(forecasts))
    words = f"The Emperor moves {steps} to {region_label(before.position[0], there.tile)}"
    return f"{words}: {effect(before, there)}"


def effect(state: State, there: Any) -> str:
    """What the Emperor's halt brings, from a region's forecast."""
    if there.majority is None or there.effect == "nothing":
        leads = "nobody has a majority" if there.majority is None else f"{SIDE_NAMES[there.majority]} keeps it"
        return f"nothing changes, {leads}"
    side = SIDE_NAMES[there.majority]
    if there.effect == "build":
        words = f"{side} builds a castle"
    else:
        words = f"{side} takes over {castles(there.castles)} from {SIDE_NAMES[there.holder]}"
    if there.merges:
        words += f", which joins {listed(region_label(state.position[0], tile) for tile in there.merges)}"
    return words


def castles(number: int) -> str:
    return f"{number} castle" + ("s" if number != 1 else "")


def story(states: Sequence[State], steps: Sequence[Step], first: int, names: Sequence[str]) -> list[str]:
    """What happened since the step `first`: a paragraph for each turn; the deal is told in one sentence."""
    paragraphs: list[str] = []
    turn: object = None
    for index in range(first, len(steps)):
        step, state = steps[index], states[index]
        if isinstance(step.action, Deal):
            sentence = "Every tile gets a cube." if int(state.position["due"][0]) == TILES else ""
        else:
            sentence = tell(state, states[index + 1], step, names)
        now = whose(state)
        if sentence and paragraphs and now == turn:
            paragraphs[-1] += " " + sentence
        elif sentence:
            paragraphs.append(sentence)
        turn = now
    return paragraphs


def whose(state: State) -> tuple[int, int, bool]:
    """Whose turn a step belongs to; discs of all seats are one paragraph, and so is the set-up before the dice."""
    s = state.position[0]
    phase = int(s["phase"])
    shared = phase <= Phase.LOT or phase == Phase.DISC
    return int(s["round_number"]), -1 if shared else int(s["turn"]), shared


def ending(state: State, outcome: Outcome, names: Sequence[str]) -> str:
    """Who won and why, and everybody's castles."""
    winners = [side_name(state, side, names) for side in outcome.winners]
    if outcome.is_draw:
        reason = REASONS[outcome.reason].partition(", and it has")[0]
        first = f"A draw between {listed(winners)}: {reason}."
    else:
        first = f"{winners[0]} wins: {REASONS[outcome.reason]}."
    scores = [f"{SIDE_NAMES[side]} {score}" for side, score in enumerate(outcome.scores)]
    return f"{first} Castles on the board: {', '.join(scores)}."


def side_name(state: State, side: int, names: Sequence[str]) -> str:
    """`White (Anna and Cid)`."""
    seats = [names[seat] for seat in range(state.players) if side_at(state.players, seat) == side]
    return f"{SIDE_NAMES[side]} ({listed(seats)})"
