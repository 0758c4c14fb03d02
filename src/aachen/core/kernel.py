"""The doors into a game's compiled rules.

A game brings four functions over its position record, and one that reads a finished game (`Rules`). This module
makes them callable by the same five names for every game, both from Python and from compiled code: the record's
type decides which game's function runs. So search, playouts and `State` are written once.

    actors(s, d)                  the seats that are asked now, as bits; 0 where chance acts or the game is over
    legal(s, d, seat, out)        writes that seat's legal action codes, and gives their number
    chance(s, d, out, weights)    writes the outcomes of chance with their whole-number weights; 0 when the game is over
    apply(s, d, seat, action)     carries out an action; the only one that changes a position
    winners(s, d)                 the sides that won, as bits; 0 while the game goes on

`d` is what never changes in a game: a map, a deck of cards. A game without such data writes its functions without it.

The rules trust their caller: they are only ever given what `legal` or `chance` listed. `step` is the checked way in.
"""

import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import overload

from aachen import cache
from aachen.core.schema import Array, Positions

_settings: Any = numba.config
cache.folder(numba.__version__, np.__version__, _settings.BOUNDSCHECK, _settings.OPT)
_dispatchers: list[Any] = []

F = TypeVar("F", bound=Callable[..., Any])

#: The widest list that `legal` or `chance` of any game may write.
MOST_ACTIONS = 1024
#: The most seats of a game: records write them as one digit.
MOST_SEATS = 10
#: The seat of a chance action, and of "whoever is asked".
NO_SEAT = -1


@typing.overload
def compiled(function: F, /) -> F: ...
@typing.overload
def compiled(*, inline: bool = True, arrays: bool = False) -> Callable[[F], F]: ...
def compiled(function: Any = None, /, *, inline: bool = True, arrays: bool = False) -> Any:
    """Marks a function as compiled: cached on disk, and run without Python's global lock.

    It is put into its callers whole; `inline=False` leaves it a call, where a large function would take long to
    compile in several places. It cannot call itself: Numba's cache does not bear that. It cannot make arrays either,
    and so does without counting references, which would take half of the time of a rule; `arrays=True` lets it, for
    the outermost loops that bring their own scratch space.
    """
    if function is None:
        return lambda function: _compile(function, inline, arrays)
    return _compile(function, inline, arrays)


def _compile(function: F, inline: bool, arrays: bool) -> F:
    source = Path(function.__code__.co_filename)
    if not source.is_file():
        raise TypeError(f"{function.__name__} cannot be compiled: it must stand in a file, not in a console")
    njit: Any = numba.njit
    dispatcher = njit(nogil=True, error_model="numpy", forceinline=inline and not arrays, _nrt=arrays)(function)
    if not _settings.DISABLE_JIT:
        _dispatchers.append(dispatcher)
        # A game outside this package has joined: what was cached without it may not serve with it.
        _use_cache(_dispatchers if cache.watch(source) else [dispatcher])
    return cast(F, dispatcher)


def _use_cache(dispatchers: Sequence[Any]) -> None:
    """Numba reads the setting here and now; other packages keep theirs."""
    others = _settings.CACHE_DIR
    _settings.CACHE_DIR = str(cache.folder())
    try:
        for dispatcher in dispatchers:
            dispatcher.enable_caching()
    finally:
        _settings.CACHE_DIR = others


class Rules(NamedTuple):
    """One game's compiled functions. With `with_data` each takes the game's fixed data as its second argument."""

    actors: Callable[..., int]
    legal: Callable[..., int]
    chance: Callable[..., int]
    apply: Callable[..., None]
    winners: Callable[..., int]
    with_data: bool = False


#: The data of a game that has none.
NO_DATA: Positions = np.zeros(1, [("nothing", "u1")])
NO_DATA.flags.writeable = False

_rules: dict[tuple[tuple[str, ...], int], Rules] = {}


def install(record: np.dtype[np.void], rules: Rules) -> None:
    """Opens the doors for positions of this record type."""
    key = tuple(record.names or ()), record.itemsize
    if _rules.setdefault(key, rules) is not rules:
        raise RuntimeError("another game has a record with the same fields: name one of them differently")


def _of_record(s: Any) -> Rules:
    return _rules[tuple(s.dtype.names), s.dtype.itemsize]


def _of_type(s: Any) -> Rules | None:
    return _rules.get((tuple(s.fields), s.size)) if isinstance(s, types.Record) else None


# Each door has two halves: the plain function, which serves when compilation is switched off, and its compiled form.


def actors(s: Any, d: Any) -> int:
    rules = _of_record(s)
    return rules.actors(s, d) if rules.with_data else rules.actors(s)


@overload(actors, strict=False)
def _actors(s: Any, d: Any) -> Any:
    if rules := _of_type(s):
        function = rules.actors
        if rules.with_data:
            return lambda s, d: function(s, d)
        return lambda s, d: function(s)
    return None


def legal(s: Any, d: Any, seat: int, out: Array) -> int:
    rules = _of_record(s)
    return rules.legal(s, d, seat, out) if rules.with_data else rules.legal(s, seat, out)


@overload(legal, strict=False)
def _legal(s: Any, d: Any, seat: Any, out: Any) -> Any:
    if rules := _of_type(s):
        function = rules.legal
        if rules.with_data:
            return lambda s, d, seat, out: function(s, d, seat, out)
        return lambda s, d, seat, out: function(s, seat, out)
    return None


def chance(s: Any, d: Any, out: Array, weights: Array) -> int:
    rules = _of_record(s)
    return rules.chance(s, d, out, weights) if rules.with_data else rules.chance(s, out, weights)


@overload(chance, strict=False)
def _chance(s: Any, d: Any, out: Any, weights: Any) -> Any:
    if rules := _of_type(s):
        function = rules.chance
        if rules.with_data:
            return lambda s, d, out, weights: function(s, d, out, weights)
        return lambda s, d, out, weights: function(s, out, weights)
    return None


def apply(s: Any, d: Any, seat: int, action: int) -> None:
    rules = _of_record(s)
    if rules.with_data:
        rules.apply(s, d, seat, action)
    else:
        rules.apply(s, seat, action)


@overload(apply, strict=False)
def _apply(s: Any, d: Any, seat: Any, action: Any) -> Any:
    if rules := _of_type(s):
        function = rules.apply
        if rules.with_data:
            return lambda s, d, seat, action: function(s, d, seat, action)
        return lambda s, d, seat, action: function(s, seat, action)
    return None


def winners(s: Any, d: Any) -> int:
    rules = _of_record(s)
    return rules.winners(s, d) if rules.with_data else rules.winners(s)


@overload(winners, strict=False)
def _winners(s: Any, d: Any) -> Any:
    if rules := _of_type(s):
        function = rules.winners
        if rules.with_data:
            return lambda s, d: function(s, d)
        return lambda s, d: function(s)
    return None


def at(positions: Positions, index: int) -> Any:
    """One record of an array, to be read and written by the names of its fields."""
    return positions.view(np.recarray)[index]


@overload(at, strict=False)
def _at(positions: Any, index: Any) -> Any:
    return lambda positions, index: positions[index]


def whole(number: Any) -> int:
    """A small field as a whole number of 64 bits: in plain NumPy, small ones would overflow."""
    return int(number)


@overload(whole, strict=False)
def _whole(number: Any) -> Any:
    return lambda number: np.int64(number)


# What Python calls: a position comes as an array of one record, which is the quickest way over.


@compiled
def actors_of(positions: Positions, data: Positions) -> int:
    return actors(at(positions, 0), at(data, 0))


@compiled
def legal_of(positions: Positions, data: Positions, seat: int, out: Array) -> int:
    return legal(at(positions, 0), at(data, 0), seat, out)


@compiled
def chance_of(positions: Positions, data: Positions, out: Array, weights: Array) -> int:
    return chance(at(positions, 0), at(data, 0), out, weights)


@compiled(arrays=True)
def draw_of(positions: Positions, data: Positions, share: float) -> int:
    """The outcome of chance at this share, from 0 to 1, of all weights; -1 where chance does not act."""
    out = np.empty(MOST_ACTIONS, np.int16)
    weights = np.empty(MOST_ACTIONS, np.int32)
    count = chance(at(positions, 0), at(data, 0), out, weights)
    if count == 0:
        return -1
    mark = share * weights[:count].sum()
    for i in range(count - 1):
        mark -= weights[i]
        if mark < 0:
            return whole(out[i])
    return whole(out[count - 1])


@compiled
def winners_of(positions: Positions, data: Positions) -> int:
    return winners(at(positions, 0), at(data, 0))


@compiled(arrays=True)
def step(before: Positions, after: Positions, data: Positions, seat: int, action: int) -> bool:
    """Checks the action, and makes `after` the position behind it. False, with nothing done, if it is not legal.

    With `seat` NO_SEAT the action is chance's, or that of the only seat that is asked.
    """
    s, d = at(before, 0), at(data, 0)
    out = np.empty(MOST_ACTIONS, np.int16)
    asked = actors(s, d)
    if asked == 0:
        if seat != NO_SEAT:
            return False
        count = chance(s, d, out, np.empty(MOST_ACTIONS, np.int32))
    else:
        if seat == NO_SEAT and asked & (asked - 1) == 0:
            seat = 0
            while asked >> seat != 1:
                seat += 1
        if not 0 <= seat < MOST_SEATS or (asked >> seat) & 1 == 0:
            return False
        count = legal(s, d, seat, out)
    for i in range(count):
        if out[i] == action:
            after[0] = before[0]
            apply(at(after, 0), d, seat, action)
            return True
    return False
