"""Relics: a tiny game with secrets, to show that `aachen.core` carries such games.

Each round every seat gets a hidden card, and a relic is sold that is worth what these cards bring together. All seats
bid at once, coin by coin, in a closed fist. The fists are opened; the highest bid (of equal ones that of the first
seat) has the turn: it claims the relic or leaves it. When it claims, the next seat may object in the middle of that
turn: it gives away a coin, and the price rises by one. Then the turn goes on: pay, or leave the relic. The cards are
shown, and the next round begins. Relics and coins left are the score.
"""

from tiny.actions import Action, parse
from tiny.game import GAME, State, read, table

__all__ = ["GAME", "Action", "State", "parse", "read", "table"]
