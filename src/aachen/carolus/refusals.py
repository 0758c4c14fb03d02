"""Why an action is not legal now, in the words of the game."""

from collections.abc import Sequence
from typing import Any

from aachen.carolus.actions import Action, Cube, Disc, Move, Name, ThrowAll
from aachen.carolus.rules.opening import playable_discs
from aachen.carolus.rules.supply import takeable
from aachen.carolus.words import DISCS, TILE_LETTERS, TILES, Clan, Phase
from aachen.core.errors import IllegalAction
from aachen.core.kernel import at, compiled
from aachen.core.schema import Positions
from aachen.core.words import Seat

#: The kinds of action that answer what a seat is asked in each phase.
KINDS: dict[Phase, tuple[type[Action], ...]] = {
    Phase.CROWN: (Name,),
    Phase.DISC: (Disc,),
    Phase.JOKER: (Name,),
    Phase.CUBE: (Cube,),
    Phase.MOVE: (Move,),
    Phase.CHOOSE: (Name, ThrowAll),
}


@compiled
def playable_discs_of(positions: Positions, seat: int) -> int:
    return playable_discs(at(positions, 0), seat)


@compiled
def takeable_of(positions: Positions, clan: int) -> bool:
    return takeable(at(positions, 0), clan)


def one_of(words: Sequence[str]) -> str:
    """`m1`, `m1 or m2`, `m1 to m4`, `d1, d2 or d5`: exactly these words."""
    numbers = [int(word[1:]) for word in words if word[1:].isdigit()]
    if len(words) > 2 and len(numbers) == len(words) == numbers[-1] - numbers[0] + 1:
        return f"{words[0]} to {words[-1]}"
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last


def answers(position: Positions, seat: Seat) -> list[str]:
    """What the seat may answer now, except cubes, which are too many to tell."""
    s = at(position, 0)
    match Phase(s.phase):
        case Phase.DISC:
            playable = playable_discs_of(position, seat)
            return [f"d{n + 1}" for n in range(DISCS) if playable >> n & 1]
        case Phase.MOVE:
            return [f"m{steps}" for steps in range(1, int(s.disc[seat]) + 1)]
        case Phase.CROWN | Phase.JOKER | Phase.CHOOSE:
            return [f"={clan.letter}" for clan in Clan if takeable_of(position, clan)]
    return []


def asked(position: Positions, seat: Seat) -> str:
    """What the seat is to do now, with the words for it."""
    right = answers(position, seat)
    match Phase(at(position, 0).phase):
        case Phase.DISC:
            return f"play a disc: {one_of(right)}"
        case Phase.MOVE:
            return f"move the Emperor: {one_of(right)}"
        case Phase.CUBE:
            return "play a cube: rE to region E, r@ to court"
        case Phase.CHOOSE:
            die = f"choose a die ({one_of(right)}) or " if right else ""
            return die + "throw them all (all)"
        case phase:
            return f"name a clan for a {phase.name.lower()}: {one_of(right)}"


def why(position: Positions, seat: Seat | None, action: Action) -> IllegalAction | None:
    """The reason; None where the general sentence says it all."""
    s = at(position, 0)
    phase = Phase(s.phase)
    if seat is None or phase not in KINDS:
        return None
    if not isinstance(action, KINDS[phase]):
        return IllegalAction(
            "wrong-kind", "{action} is not what is asked: seat {seat} is to {asked}",
            action=str(action), seat=seat, asked=asked(position, seat),
        )  # fmt: skip
    match action:
        case Disc():
            return _disc(position, s, seat, action)
        case Cube():
            return _cube(s, seat, action)
        case Move():
            reach = "1 step" if s.disc[seat] == 1 else "1 to {most} steps"
            return IllegalAction(
                "too-far", "{action}: the Emperor moves " + reach + ", as seat {seat} played disc {most} (C10)",
                action=str(action), seat=seat, most=int(s.disc[seat]),
            )  # fmt: skip
        case Name():
            return IllegalAction(
                "not-takeable", "{action}: no cube of this clan can be taken (C19); possible: {right}",
                action=str(action), right=", ".join(answers(position, seat)),
            )  # fmt: skip
    return None


def _disc(position: Positions, s: Any, seat: Seat, action: Disc) -> IllegalAction:
    right = ", ".join(answers(position, seat))
    if not s.unused[seat] >> (action.number - 1) & 1:
        return IllegalAction(
            "disc-used", "{action}: seat {seat} has used this disc; it may play {right} (C5)",
            action=str(action), seat=seat, right=right,
        )  # fmt: skip
    return IllegalAction(
        "disc-taken", "{action}: this number has been played this round; seat {seat} may play {right} (C5)",
        action=str(action), seat=seat, right=right,
    )  # fmt: skip


def _cube(s: Any, seat: Seat, action: Cube) -> IllegalAction:
    if not s.reserve[seat, action.clan]:
        return IllegalAction(
            "no-cube", "{action}: seat {seat} has no {clan} cube in reserve (C8), but {right}",
            action=str(action), seat=seat, clan=action.clan.name.lower(),
            right=", ".join(clan.name.lower() for clan in Clan if s.reserve[seat, clan]),
        )  # fmt: skip
    tile = action.tile or 0
    while not s.tiles[tile]:
        tile -= 1
    right = str(Cube(action.clan, tile % TILES))
    return IllegalAction(
        "inside-region", "{action}: tile {tile} is part of the region {region}; write {right}",
        action=str(action), tile=TILE_LETTERS[action.tile or 0], region=TILE_LETTERS[tile % TILES], right=right,
    )  # fmt: skip
