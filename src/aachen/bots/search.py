"""Search for any game: a tree of the decisions to come, grown where it matters, in compiled code.

Each pass walks down the tree, draws chance by its weights on the way, adds the first new position, judges it, and
carries the judgement back up; every side looks for its own best. A position is found by its bytes, so the same cubes
in another order are the same place of the tree. New positions are judged by careless games to the end (`PLAYOUTS`), or
by the game's network (`NETWORK`): then each action begins with the value of the position after it.

The tree's size is fixed: when it is full, it grows no more, and positions beyond it are judged where they stand.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from aachen.core.kernel import MOST_ACTIONS, NO_SEAT, actors, apply, at, chance, compiled, legal, whole, winners
from aachen.core.playout import below, pick
from aachen.core.schema import Array, Positions

PLAYOUTS, NETWORK = 0, 1
#: The deepest path from the root; beyond it a position is judged where it stands.
DEEPEST = 400
SIDES = 4
#: The positions on the desk: the root, the present one, one for trials, and the rest for the game's foresight.
ROOT, HERE, TRIAL, SPARE, WORK = 0, 1, 2, 3, 12


class Tree(NamedTuple):
    """Places by their hash, and the actions that lead on from each."""

    keys: Array  # the hash of the position at each place; 0 for a free one
    first: Array  # the place's first action
    number: Array  # how many they are
    visits: Array
    action: Array  # of each action: its code
    tries: Array  # how often it was tried
    total: Array  # the sum of what it brought to the side that acts
    prior: Array  # how promising it looked at first
    used: Array  # places and actions in use


class Desk(NamedTuple):
    """Everything else that a search works with."""

    work: Positions  # see ROOT, HERE, TRIAL, SPARE
    data: Positions  # the game's
    raw: Array  # the same as bytes
    side_of: Array  # the side of each seat
    sides: int
    weights: Array  # the network
    x: Array
    hidden: Array
    out: Array
    odds: Array
    path: Array  # the action taken at each depth, the place, and the side that acted
    values: Array  # what the present pass brought to each side
    foreseen: Array  # by action code: the best that the turn can come to with it
    sums: Array  # of `values` over all passes, and their number
    rng: Array


# The game's own judgement, found by the type of its record as the rules are (see aachen.core.kernel).

_judges: dict[tuple[tuple[str, ...], int], Callable[..., float]] = {}


def install_judge(record: np.dtype[np.void], judge: Callable[..., float]) -> None:
    """Gives a game its `judge(s, side, weights, x, hidden)`: the side's chance to win, by the network."""
    _judges[tuple(record.names or ()), record.itemsize] = judge


def judge(s: Any, side: int, weights: Array, x: Array, hidden: Array) -> float:
    return _judges[tuple(s.dtype.names), s.dtype.itemsize](s, side, weights, x, hidden)


@overload(judge, strict=False)
def _judge(s: Any, side: Any, weights: Any, x: Any, hidden: Any) -> Any:
    function = _judges.get((tuple(s.fields), s.size)) if isinstance(s, types.Record) else None
    if function is None:
        return lambda s, side, weights, x, hidden: 0.5
    return lambda s, side, weights, x, hidden: function(s, side, weights, x, hidden)


# Foresight: a game whose turns are made of several actions may look through all of a turn at once.

_foresights: dict[tuple[tuple[str, ...], int], Callable[..., int]] = {}


def install_foresight(record: np.dtype[np.void], foresee: Callable[..., int]) -> None:
    """Gives a game its `foresee(work, index, seat, weights, x, hidden, foreseen)`.

    For each action of the seat in `work[index]` it puts the best value that the rest of the turn can come to into
    `foreseen`, or -1 where it has not looked; it gives the number of positions it looked at, 0 if none.
    """
    _foresights[tuple(record.names or ()), record.itemsize] = foresee


def foresee(work: Positions, index: int, seat: int, weights: Array, x: Array, hidden: Array, foreseen: Array) -> int:
    function = _foresights.get((tuple(work.dtype.names or ()), work.dtype.itemsize))
    return function(work, index, seat, weights, x, hidden, foreseen) if function else 0


@overload(foresee, strict=False)
def _foresee(work: Any, index: Any, seat: Any, weights: Any, x: Any, hidden: Any, foreseen: Any) -> Any:
    record = work.dtype
    function = _foresights.get((tuple(record.fields), record.size)) if isinstance(record, types.Record) else None
    if function is None:
        return lambda work, index, seat, weights, x, hidden, foreseen: 0
    return lambda work, index, seat, weights, x, hidden, foreseen: function(
        work, index, seat, weights, x, hidden, foreseen
    )


# Play-outs: a game may say how they are played; otherwise every action is as likely as the others.

_playouts: dict[tuple[tuple[str, ...], int], Callable[..., int]] = {}


def install_playout(record: np.dtype[np.void], likely: Callable[..., int]) -> None:
    """Gives a game its `likely(s, seat, out, count, rng)`: one of the `count` legal actions in `out`."""
    _playouts[tuple(record.names or ()), record.itemsize] = likely


def likely(s: Any, seat: int, out: Array, count: int, rng: Array) -> int:
    function = _playouts.get((tuple(s.dtype.names), s.dtype.itemsize))
    return function(s, seat, out, count, rng) if function else whole(out[below(rng, count)])


@overload(likely, strict=False)
def _likely(s: Any, seat: Any, out: Any, count: Any, rng: Any) -> Any:
    function = _playouts.get((tuple(s.fields), s.size)) if isinstance(s, types.Record) else None
    if function is None:
        return lambda s, seat, out, count, rng: whole(out[below(rng, count)])
    return lambda s, seat, out, count, rng: function(s, seat, out, count, rng)


@compiled(inline=False)
def hash_of(raw: Array, index: int) -> np.uint64:
    """A hash of a position's bytes that is never 0."""
    a = np.uint64(0x9E3779B97F4A7C15)
    b = np.uint64(0xC2B2AE3D27D4EB4F)
    row = raw[index]
    half = len(row) // 2
    for i in range(half):
        a = (a ^ np.uint64(row[i])) * np.uint64(0x100000001B3)
        b = (b ^ np.uint64(row[half + i])) * np.uint64(0x880355F21E6D1965)
    b = (b ^ np.uint64(row[len(row) - 1])) * np.uint64(0x880355F21E6D1965)
    key = a ^ (b >> np.uint64(29)) ^ (b << np.uint64(17))
    key ^= key >> np.uint64(32)
    return key if key != np.uint64(0) else np.uint64(1)


@compiled
def find(tree: Tree, key: np.uint64) -> int:
    """The place of this key, or a free one for it; -1 if there is none."""
    mask = np.uint64(len(tree.keys) - 1)
    place = key & mask
    for _ in range(64):
        if tree.keys[place] == key or tree.keys[place] == np.uint64(0):
            return whole(place)
        place = (place + np.uint64(1)) & mask
    return -1


@compiled
def seat_of(asked: int) -> int:
    """The first seat that is asked."""
    seat = 0
    while (asked >> seat) & 1 == 0:
        seat += 1
    return seat


@compiled
def share(won: int, desk: Desk) -> None:
    """The values of a finished game: what each side has of it."""
    number = 0
    for side in range(desk.sides):
        number += (won >> side) & 1
    for side in range(desk.sides):
        desk.values[side] = ((won >> side) & 1) / number


@compiled(inline=False)
def play_to_end(desk: Desk) -> None:
    """Quick, careless play from the present position; the values are those of its end."""
    desk.work[TRIAL] = desk.work[HERE]
    s, d = at(desk.work, TRIAL), at(desk.data, 0)
    while True:
        asked = actors(s, d)
        if asked != 0:
            seat = seat_of(asked)
            count = legal(s, d, seat, desk.out)
            apply(s, d, seat, likely(s, seat, desk.out, count, desk.rng))
        else:
            count = chance(s, d, desk.out, desk.odds)
            if count == 0:
                share(winners(s, d), desk)
                return
            apply(s, d, NO_SEAT, whole(desk.out[pick(desk.rng, desk.odds, count)]))


@compiled(inline=False)
def value_after(desk: Desk, seat: int, action: int) -> float:
    """What the acting side has after this action in the present position, which stays; TRIAL is left behind it."""
    desk.work[TRIAL] = desk.work[HERE]
    s, d = at(desk.work, TRIAL), at(desk.data, 0)
    apply(s, d, seat, action)
    side = desk.side_of[seat]
    won = winners(s, d)
    if won != 0:
        share(won, desk)
        return float(desk.values[side])
    return judge(s, side, desk.weights, desk.x, desk.hidden)


@compiled
def judge_all(desk: Desk, index: int) -> None:
    """The values of a position by the network, made to add up to 1."""
    s = at(desk.work, index)
    won = winners(s, at(desk.data, 0))
    if won != 0:
        share(won, desk)
        return
    total = 1e-9
    for side in range(desk.sides):
        desk.values[side] = judge(s, side, desk.weights, desk.x, desk.hidden)
        total += desk.values[side]
    for side in range(desk.sides):
        desk.values[side] /= total


@compiled
def raise_to(desk: Desk, side: int, value: float) -> None:
    """Gives a side this value, and shares the rest among the others as it was."""
    rest = max(1e-9, 1 - desk.values[side])
    for other in range(desk.sides):
        desk.values[other] = value if other == side else desk.values[other] * (1 - value) / rest


@compiled(inline=False)
def expand(tree: Tree, desk: Desk, place: int, seat: int, how: int, sharpness: float, own_turn: bool) -> int:
    """Adds the actions of the present position to the tree and judges it; the number of positions looked at.

    Within the turn that is being decided, the game's foresight tells what each action can come to.
    """
    count = legal(at(desk.work, HERE), at(desk.data, 0), seat, desk.out)
    first = tree.used[1]
    tree.first[place] = first
    tree.number[place] = count
    tree.used[0] += 1
    tree.used[1] += count
    for i in range(count):
        tree.action[first + i] = desk.out[i]
        tree.tries[first + i] = 0
        tree.total[first + i] = 0
        tree.prior[first + i] = 1.0 / count
    best = 0
    looked = count
    if own_turn:
        looked += foresee(desk.work, HERE, seat, desk.weights, desk.x, desk.hidden, desk.foreseen)
    for i in range(count):
        value = value_after(desk, seat, whole(tree.action[first + i]))
        if looked > count and desk.foreseen[tree.action[first + i]] >= 0:
            value = desk.foreseen[tree.action[first + i]]
        tree.tries[first + i] = 1
        tree.total[first + i] = value
        if value > tree.total[first + best]:
            best = i
    highest = tree.total[first + best]
    total = 0.0
    for i in range(count):
        tree.prior[first + i] = math.exp((tree.total[first + i] - highest) * sharpness)
        total += tree.prior[first + i]
    for i in range(count):
        tree.prior[first + i] /= total
    if how == PLAYOUTS:  # the judgement only says what to try first
        for i in range(count):
            tree.tries[first + i] = 0
            tree.total[first + i] = 0
        play_to_end(desk)
        return 1
    value_after(desk, seat, whole(tree.action[first + best]))
    judge_all(desk, TRIAL)
    if looked > count:
        raise_to(desk, desk.side_of[seat], highest)
    return looked


@compiled
def mean_of(tree: Tree, first: int, count: int) -> float:
    """What these actions have brought on average; a half if none was tried."""
    total, tries = 0.5, 1.0
    for edge in range(first, first + count):
        total += tree.total[edge]
        tries += tree.tries[edge]
    return total / tries


@compiled(inline=False)
def select(tree: Tree, place: int, how: int, boldness: float) -> int:
    """The action to try next: what brought much, or was tried little and looks promising."""
    first, count = whole(tree.first[place]), whole(tree.number[place])
    root = math.sqrt(whole(tree.visits[place]) + 1.0)
    mean = mean_of(tree, first, count) if how == PLAYOUTS else 0.0
    chosen, highest = first, -1e9
    for edge in range(first, first + count):
        tries = whole(tree.tries[edge])
        if how == NETWORK:
            score = tree.total[edge] / tries + boldness * tree.prior[edge] * root / tries
        else:  # as if each had been tried once more, with what the others brought
            score = (tree.total[edge] + mean) / (tries + 1) + boldness * tree.prior[edge] * root / (tries + 1)
        if score > highest:
            chosen, highest = edge, score
    return chosen


@compiled(inline=False)
def one_pass(tree: Tree, desk: Desk, how: int, boldness: float, sharpness: float, foresight: bool) -> int:
    """Down the tree and back; the number of positions looked at."""
    desk.work[HERE] = desk.work[ROOT]
    s, d = at(desk.work, HERE), at(desk.data, 0)
    depth = 0
    looked = 1
    own_turn = foresight  # until chance acts
    while True:
        won = winners(s, d)
        if won != 0:
            share(won, desk)
            break
        asked = actors(s, d)
        if asked == 0:
            count = chance(s, d, desk.out, desk.odds)
            apply(s, d, NO_SEAT, whole(desk.out[pick(desk.rng, desk.odds, count)]))
            own_turn = False
            continue
        seat = seat_of(asked)
        key = hash_of(desk.raw, HERE)
        place = find(tree, key)
        full = tree.used[1] + MOST_ACTIONS > len(tree.action) or 2 * tree.used[0] > len(tree.keys)
        if place < 0 or depth == DEEPEST or (full and tree.keys[place] != key):
            if how == NETWORK:
                judge_all(desk, HERE)
            else:
                play_to_end(desk)
            break
        if tree.keys[place] != key:
            tree.keys[place] = key
            tree.visits[place] = 0
            looked = expand(tree, desk, place, seat, how, sharpness, own_turn)
            break
        edge = select(tree, place, how, boldness)
        desk.path[depth, 0] = edge
        desk.path[depth, 1] = place
        desk.path[depth, 2] = desk.side_of[seat]
        depth += 1
        apply(s, d, seat, whole(tree.action[edge]))
    for i in range(depth):
        edge = desk.path[i, 0]
        tree.tries[edge] += 1
        tree.total[edge] += desk.values[desk.path[i, 2]]
        tree.visits[desk.path[i, 1]] += 1
    for side in range(desk.sides):
        desk.sums[side] += desk.values[side]
    desk.sums[SIDES] += 1
    return looked


@compiled(inline=False)
def passes(tree: Tree, desk: Desk, positions: int, how: int, boldness: float, sharpness: float, foresight: bool) -> int:
    """Passes until so many positions were looked at; their number."""
    looked = 0
    while looked < positions:
        looked += one_pass(tree, desk, how, boldness, sharpness, foresight)
    return looked


@compiled
def find_place(tree: Tree, raw: Array, index: int) -> int:
    """The place of a position in the tree; -1 if it is not there."""
    key = hash_of(raw, index)
    place = find(tree, key)
    return place if place >= 0 and tree.keys[place] == key else -1
