"""Short ways to write a table down, to play on it, and to read what came of it.

A ring is written with the regions that matter: `"A! BrW CygB2"` is the Emperor on A, a red cube and a white castle on
B, and the merged region C of two tiles. The tiles that are not told are empty. Sides are W, B and G: seat 0 is white.
"""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from aachen import carolus
from aachen.carolus.words import TILE_LETTERS
from aachen.core import History

#: Cubes of every clan that lie on one tile, so that a ring can use up the supply.
EVERYTHING = "r40y40g40b40p40"


class Seat(NamedTuple):
    """A seat's part of the position, each in notation."""

    court: str
    reserve: str
    unused: str
    disc: str


class Told(NamedTuple):
    """The parts of a position's text."""

    game: str
    options: str
    regions: str
    seats: str
    markers: str
    order: str
    phase: str
    round: str


def told(state: carolus.State) -> Told:
    return Told(*state.text.split())


def seat(state: carolus.State, number: int) -> Seat:
    return Seat(*told(state).seats.split("/")[number].split(":"))


def full_ring(short: str) -> str:
    """All regions of the circle. A region with castles has as many tiles."""
    named = {word[0]: word for word in short.split()}
    inside: set[str] = set()
    for letter, word in named.items():
        castles = re.search(r"[WBG](\d+)", word)
        after = range(1, int(castles[1]) if castles else 1)
        inside |= {TILE_LETTERS[(TILE_LETTERS.index(letter) + n) % 15] for n in after}
    return "/".join(named.get(letter, letter) for letter in TILE_LETTERS if letter not in inside)


def ring(state: carolus.State) -> str:
    """The regions that have something on them, as `full_ring` takes them."""
    return " ".join(word for word in told(state).regions.split("/") if len(word) > 1)


def forecast_at(state: carolus.State, letter: str) -> carolus.RegionForecast:
    """What would happen if the Emperor stopped in this region."""
    return next(one for one in state.forecast() if TILE_LETTERS[one.tile] == letter)


def position(
    regions: str = "A!",
    *,
    options: str = "2",
    courts: Sequence[str] = (),
    reserves: Sequence[str] = (),
    markers: str = "-----",
    discs: str = "",
    turn: int = 0,
    phase: str = "move",
    number: int = 1,
) -> carolus.State:
    """A table in a turn of round 1, 6, 11... Seat 0 has played disc 1, seat 1 disc 2, and so on, if not told."""
    players = int(options[0])
    discs = discs or "12345"[:players]
    order = sorted(range(players), key=lambda one: discs[one])
    seats = [
        ":".join((
            courts[one] if one < len(courts) else "-",
            reserves[one] if one < len(reserves) else "-",
            "12345".replace(discs[one], ""),
            discs[one],
        ))
        for one in range(players)
    ]  # fmt: skip
    told_order = "".join((">" if place == turn else "") + str(one) for place, one in enumerate(order))
    parts = ("carolus", options, full_ring(regions), "/".join(seats), markers, told_order, phase, str(number))
    return carolus.read(" ".join(parts))


def play(state: carolus.State, actions: str) -> carolus.State:
    """The state after these actions, one after the other."""
    for action in actions.split():
        state = state.apply(action)
    return state


def legal(state: carolus.State) -> str:
    """What the seat that is asked may do, in notation."""
    return " ".join(map(str, state.legal_actions()))


def random_game(seed: int, *, steps: int = 100_000, to_court: float = 0.5, **options: Any) -> History[carolus.State]:
    """A game that is played at random, up to so many steps. A cube goes to court with the chance `to_court`."""
    rng = random.Random(seed)
    history = History(carolus.table(**options))
    while not history.state.is_over and len(history.steps) < steps:
        state = history.state
        if state.is_chance:
            history.play(state.draw_action(rng))
            continue
        actions = state.legal_actions()
        court = rng.random() < to_court
        wanted = [one for one in actions if str(one).endswith("@") == court]
        history.play(rng.choice(wanted or actions))
    return history


def random_games(first: int, number: int, **options: Any) -> Iterator[History[carolus.State]]:
    """Games with every number of players and every variant in turn."""
    for seed in range(first, first + number):
        yield random_game(
            seed,
            to_court=(0.5, 0.005, 0.97)[seed // 12 % 3],
            players=(2, 3, 4)[seed % 3],
            dice=("all", "choose-one")[seed // 3 % 2],
            crowns=("at-once", "deferred")[seed // 6 % 2],
            **options,
        )
