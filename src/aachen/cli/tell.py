"""What happened, in words."""

from collections.abc import Iterable, Sequence
from typing import Any

from aachen.carolus import Clan, Deal, Phase, RegionForecast, State
from aachen.carolus.drawing import SIDE_NAMES, label, region_label
from aachen.carolus.events import events
from aachen.carolus.words import CROWN, TILES, side_at
from aachen.core import Event, Outcome, Step

REASONS = {
    "castles": "all of its castles are on the board",
    "regions": "fewer than 4 regions are left, and it has the most castles",
    "cubes": "no reserve has a cube left, and it has the most castles",
    "rounds": "the last round has been played, and it has the most castles",
}
#: The events in English, each as the next part of its sentence. The end is told by `ending`.
PARTS = {
    "deal": "A {clan} cube is dealt to {region}",
    "emperor-begins": "The Emperor begins at {region}",
    "lot": "By lot {seat} is first",
    "throw": "{seat} throws {faces}",
    "disc": "{seat} lays disc {number}",
    "cube-to-court": "{seat} plays a {clan} cube to court",
    "cube-to-region": "{seat} plays a {clan} cube to {region}",
    "names-crown": "{seat} uses a crown for a {clan} cube",
    "names-joker": "{seat} turns a joker into a {clan} cube",
    "chooses-die": "{seat} chooses a {clan} cube",
    "throws-all": "{seat} chooses no die",
    "moves": "The Emperor moves {steps} to {region}: ",
    "takes-marker": " and takes the {clan} marker",
    "takes-marker-from": " and takes the {clan} marker from {from_seat}",
    "no-majority": "nothing changes, nobody has a majority",
    "keeps": "nothing changes, {side} keeps it",
    "builds": "{side} builds a castle",
    "takes-over": "{side} takes over {castles} from {from_side}",
    "joins": ", which joins {regions}",
    "dice-as-crowns": " ({number} of the dice {count}, as that clan is out)",
    "crowns-lost": ", and no cube can be had for crowns",
    "courts-give-back": "; every court gives back {cubes}, as the supply has run out",
    "order": "; the order of play is {seats}",
    "round": ". Round {number} begins",
    "discs-back": ". All discs come back",
}
#: What dice did not bring is told right behind them, and only there.
LOST = ("dice-as-crowns", "crowns-lost")
EFFECTS = {"nothing": "keeps", "build": "builds", "take over": "takes-over"}


def tell(before: State, after: State, step: Step, names: Sequence[str]) -> str:
    """A sentence about a step, such as `Anna plays a red cube to court and takes the red marker.`"""
    deed, *more = events(before, after, step)
    lost = [event for event in more if event.code in LOST and deed.code == "throw"]
    others = [event for event in more if event.code not in LOST]
    return "".join(_part(event, names) for event in (deed, *lost, *others)) + "."


def _part(event: Event, names: Sequence[str]) -> str:
    words: dict[str, Any] = {}
    for name, fact in event.params.items():
        words |= _worded(name, fact, event.params, names)
    return PARTS.get(event.code, "").format(**words)


def _worded(name: str, fact: Any, facts: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A fact of an event, as the words that stand for it in PARTS."""
    match name:
        case "seat" | "from_seat":
            return {name: names[fact]}
        case "seats":
            return {name: ", ".join(names[seat] for seat in fact)}
        case "side" | "from_side":
            return {name: SIDE_NAMES[fact]}
        case "clan":
            return {name: _word(Clan(fact))}
        case "faces":
            return {name: _faces(fact)}
        case "cubes":
            return {name: listed(f"{number} {_word(Clan(clan))}" for clan, number in enumerate(fact) if number)}
        case "tile":
            return {"region": label(fact, facts.get("size", 1))}
        case "tiles":
            return {"regions": listed(map(label, fact, facts["sizes"]))}
        case "number":
            count = "counts as a crown" if fact == 1 else "count as crowns"
            return {name: fact, "castles": castles(fact), "count": count}
    return {name: fact}


def _word(clan: Clan) -> str:
    return clan.name.lower()


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *some, end = words
    return f"{', '.join(some)} {last} {end}" if some else end


def _faces(faces: Sequence[int]) -> str:
    crowns = faces.count(CROWN)
    words = [_times(faces.count(clan), _word(clan)) for clan in Clan if clan in faces]
    return listed(words + [_times(crowns, "crown")] * (crowns > 0))


def _times(number: int, word: str) -> str:
    if word == "crown":
        return "a crown" if number == 1 else f"{number} crowns"
    return word if number == 1 else f"{number} {word}"


def effect(state: State, there: RegionForecast) -> str:
    """What the Emperor's halt would bring, from a region's forecast, in the words for what has happened."""
    if there.majority is None:
        return PARTS["no-majority"]
    side, holder = SIDE_NAMES[there.majority], "" if there.holder is None else SIDE_NAMES[there.holder]
    words = PARTS[EFFECTS[there.effect]].format(side=side, castles=castles(there.castles), from_side=holder)
    if there.merges:
        words += PARTS["joins"].format(regions=listed(region_label(state.position[0], tile) for tile in there.merges))
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
