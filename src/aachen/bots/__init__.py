"""Players that are programs."""

from aachen.bots.bot import Bot
from aachen.bots.players import LEVELS, NAMES, make
from aachen.bots.thinking import Analysis, Budget, Thought

__all__ = ["LEVELS", "NAMES", "Analysis", "Bot", "Budget", "Thought", "make"]
