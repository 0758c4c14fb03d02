"""Action codes: the small whole numbers by which the compiled rules know actions, and the throws of dice."""

from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final

import numpy as np

from aachen.carolus.words import CLANS, CROWN, DISCS, TILES

# Decisions
DISC: Final = 0  # + number - 1
MOVE: Final = DISC + DISCS  # + steps - 1
NAME: Final = MOVE + DISCS  # + clan
THROW_ALL: Final = NAME + CLANS
CUBE: Final = THROW_ALL + 1  # + 16 x clan + tile, or COURT instead of a tile
COURT: Final = TILES
# Chance
DEAL: Final = CUBE + 16 * CLANS  # + clan
EMPEROR: Final = DEAL + CLANS  # + tile
FIRST: Final = EMPEROR + TILES  # + seat
THROW: Final = FIRST + 4  # + the number of the throw, below

MOST_DICE: Final = 4
#: Every throw of 1 to 4 dice as its faces in rising order: 6, 21, 56 and 126 of them.
THROWS = [faces for dice in range(1, MOST_DICE + 1) for faces in combinations_with_replacement(range(CROWN + 1), dice)]
CODES: Final = THROW + len(THROWS)

#: The first throw with so many dice; with one more dice, the end of its list.
FIRST_THROW = np.array([0, *(sum(len(t) < d for t in THROWS) for d in range(1, MOST_DICE + 2))], np.int64)
#: How often each throw shows each face.
FACES = np.array([[t.count(face) for face in range(CROWN + 1)] for t in THROWS], np.uint8)
#: In how many ways the dice can fall to give each throw (C4).
WAYS = np.array([factorial(len(t)) // prod(factorial(t.count(f)) for f in set(t)) for t in THROWS], np.int32)
