"""Aachen: Carolus Magnus as a fast, clean library and a game to play."""

__version__ = "0.1.0"
