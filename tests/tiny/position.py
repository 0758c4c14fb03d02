"""A position of Relics: one NumPy record."""

from enum import IntEnum
from typing import Annotated

import numpy as np

from aachen.core.schema import Array, record_of, u1, u2

SEATS, ROUNDS, CARDS, COINS = 3, 3, 9, 5
NOBODY = 255
#: What stands in a view for a card or a bid that the seat may not know.
HIDDEN = 255


class Phase(IntEnum):
    """What happens next. Chance acts in DEAL, OPEN and SHOW; all seats in BID; one seat in the others, until OVER."""

    DEAL = 0  # a card for seat `turn`
    BID = 1  # all seats at once
    OPEN = 2  # the fists are opened
    CLAIM = 3  # seat `turn` claims the relic or leaves it
    ANSWER = 4  # the next seat interrupts that turn
    PAY = 5  # seat `turn` goes on: it pays or leaves the relic
    SHOW = 6  # the cards are shown
    OVER = 7


class Position:
    seats: u1  # 2 or 3
    rounds: u1  # 1 to 3
    round_number: u1  # counted from 1
    phase: u1  # a Phase
    turn: u1  # the seat whose turn it is; NOBODY when the relic was left
    shown: u2  # cards of earlier rounds, as bits: card 1 is bit 0. The deck is what is neither shown nor held
    coins: Annotated[Array, "u1", (SEATS,)]
    relics: Annotated[Array, "u1", (SEATS,)]  # what the relics of each seat are worth
    card: Annotated[Array, "u1", (SEATS,)]  # secret: 1 to 9, or 0 for none
    bid: Annotated[Array, "u1", (SEATS,)]  # secret until the fists are opened; then the winner's is the price
    ready: Annotated[Array, "u1", (SEATS,)]  # secret: 1 for a seat that has closed its fist


class Data:
    """What never changes: what each card brings to a relic."""

    worth: Annotated[Array, "u1", (CARDS,)]


RECORD = record_of(Position)
DATA = np.zeros(1, record_of(Data))
DATA["worth"] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
DATA.flags.writeable = False
