"""Carolus Magnus, for 2 to 4 players. The rules are told in docs/rules/carolus.md."""

import random

import numpy as np

from aachen.carolus.actions import Action, Cube, Deal, Disc, Emperor, First, Move, Name, Throw, ThrowAll, parse
from aachen.carolus.forecast import RegionForecast
from aachen.carolus.game import GAME, State
from aachen.carolus.look import Player, Region
from aachen.carolus.words import Clan, Phase
from aachen.core.errors import BadPosition
from aachen.core.schema import Positions

__all__ = [
    "GAME", "Action", "Clan", "Cube", "Deal", "Disc", "Emperor", "First", "Move", "Name", "Phase", "Player",
    "Region", "RegionForecast", "State", "Throw", "ThrowAll", "new", "of_position", "parse", "read", "table",
]  # fmt: skip


def table(players: int = 2, **options: object) -> State:
    """The table before the deal: chance is to act. Raises BadOptions."""
    return State(GAME.start({"players": players, **options}))


def new(players: int = 2, seed: int | None = None, **options: object) -> State:
    """A game that is dealt, up to the first decision. Without a seed each game is another one.

    The options are dice, crowns, talk and round_limit; see docs/rules/carolus.md, C21 to C26. Raises BadOptions.
    """
    rng = random.Random(seed)
    state = table(players, **options)
    while state.is_chance:
        state = state.draw(rng)
    return state


def of_position(position: Positions) -> State:
    """The state with this record, an array of one such as `state.position` gives, which is checked and copied.

    Raises BadPosition.
    """
    if not isinstance(position, np.ndarray) or position.dtype != GAME.record or position.shape != (1,):
        raise BadPosition("not-a-record", "a position is an array of one record, such as state.position gives")
    try:
        text = GAME.write(position)
    except (IndexError, ValueError):
        raise BadPosition("bad-record", "some field of the record is out of its range") from None
    state = read(text)
    if state.position.tobytes() != position.tobytes():
        raise BadPosition("bad-record", "the record is none that the rules could make; near it is: {text}", text=text)
    return state


def read(text: str) -> State:
    """The state whose `text` this is. Raises BadPosition."""
    return State(GAME.read(text))
