"""A position of Carolus Magnus: one NumPy record.

A region is kept at its first tile, clockwise; the other tiles of a merged region are empty slots: tiles, cubes and
castles 0, holder NOBODY. So every position has one form, and equal positions are equal bytes.
"""

from typing import Annotated

from aachen.core.schema import Array, record_of, u1, u2


class Position:
    # The options of this game (C24 to C26).
    players: u1  # 2, 3 or 4
    choose_one: u1  # 1 with dice = "choose-one" (C24)
    deferred: u1  # 1 with crowns = "deferred" (C25)
    silent: u1  # 1 with talk = "none" (C26)
    round_limit: u2  # C21

    # Where the game stands.
    round_number: u2  # counted from 1; 0 during the set-up
    phase: u1  # a Phase
    turn: u1  # the place in `order` of the seat whose turn it is
    due: u1  # how much of the phase is to come: tiles to deal, dice to throw, crowns to name, cubes to play
    order: Annotated[Array, "u1", (4,)]  # the seats in order of play (C2, C6)

    # The circle.
    emperor: u1  # the first tile of his region
    tiles: Annotated[Array, "u1", (15,)]  # tiles of the region that begins here; 0 if none does
    cubes: Annotated[Array, "u1", (15, 5)]  # by tile and clan
    castles: Annotated[Array, "u1", (15,)]
    holder: Annotated[Array, "u1", (15,)]  # the side whose castles they are, or NOBODY

    # The clans.
    marker: Annotated[Array, "u1", (5,)]  # the seat that controls the clan, or NOBODY
    supply: Annotated[Array, "u1", (5,)]  # cubes in the middle

    # The seats.
    court: Annotated[Array, "u1", (4, 5)]  # by seat and clan
    reserve: Annotated[Array, "u1", (4, 5)]
    jokers: Annotated[Array, "u1", (4,)]  # crowns kept for the next turn (C25)
    unused: Annotated[Array, "u1", (4,)]  # discs not yet played, as bits: disc 1 is bit 0
    disc: Annotated[Array, "u1", (4,)]  # the disc played this round, or 0

    # The sides.
    stock: Annotated[Array, "u1", (3,)]  # castles not in play


RECORD = record_of(Position)
