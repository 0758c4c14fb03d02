"""What a game is: states, actions, chance, secrets, records. Knows no game."""

from aachen.core.errors import AachenError, BadNotation, BadOptions, BadPosition, BadRecord, IllegalAction
from aachen.core.game import Game
from aachen.core.history import History, Step
from aachen.core.record import Record
from aachen.core.state import State, View
from aachen.core.words import Action, Event, Outcome, Random, Seat, Side

__all__ = [
    "AachenError", "Action", "BadNotation", "BadOptions", "BadPosition", "BadRecord", "Event", "Game",
    "History", "IllegalAction", "Outcome", "Random", "Record", "Seat", "Side", "State", "Step", "View",
]  # fmt: skip
