"""Many games: batches between bots, and matches with ratings."""

from aachen.arena.match import Contender, Result, Settings
from aachen.arena.ratings import Ratings, Sprt, fit
from aachen.arena.simulate import Played, Tally, simulate, summary

__all__ = [
    "Contender", "Played", "Ratings", "Result", "Settings", "Sprt", "Tally", "fit", "simulate", "summary",
]  # fmt: skip
