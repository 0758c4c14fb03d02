"""Plays random games with the compiled rules and with the oracle, and compares them at every step.

Also a program: `python -m compare FIRST NUMBER` plays so many games, and prints what happened in them.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from aachen import carolus
from aachen.carolus.words import CLAN_LETTERS, NOBODY, TILE_LETTERS, TILES, Phase
from oracle.carolus_oracle import Oracle

PLAYERS = (2, 3, 4)
DICE = ("all", "choose-one")
CROWNS = ("at-once", "deferred")
#: Mostly the usual limit; the small ones end games by rounds, and right at a fifth round.
LIMITS = (100, 100, 3, 100, 5, 100, 11)

Policy = Callable[[random.Random, Sequence[str]], str]


def uniform(rng: random.Random, legal: Sequence[str]) -> str:
    return rng.choice(legal)


def court_heavy(rng: random.Random, legal: Sequence[str]) -> str:
    """Nearly all cubes go to court: clans change hands, courts grow, and C18 happens."""
    to_court = [token for token in legal if token.endswith("@")]
    return rng.choice(to_court if to_court and rng.random() < 0.97 else legal)


def board_only(rng: random.Random, legal: Sequence[str]) -> str:
    """Cubes hardly ever go to court: few castles, long games, and the supply runs out (C19, C20)."""
    to_board = [token for token in legal if not token.endswith("@")]
    return rng.choice(to_board if to_board and rng.random() < 0.995 else legal)


POLICIES: tuple[Policy, ...] = (uniform, court_heavy, board_only)


@dataclass(frozen=True)
class Setting:
    """One random game: all that decides how it goes."""

    seed: int
    players: int
    dice: str
    crowns: str
    round_limit: int
    policy: Policy


def settings(first: int, number: int) -> Iterator[Setting]:
    """Games number `first` and after; every 36 of them have each setting once."""
    mixes = list(product(PLAYERS, DICE, CROWNS, POLICIES))
    for seed in range(first, first + number):
        players, dice, crowns, policy = mixes[seed % len(mixes)]
        yield Setting(seed, players, dice, crowns, LIMITS[seed % len(LIMITS)], policy)


def cubes_of(counts: Any, jokers: int = 0) -> dict[str, int]:
    named = dict(zip(CLAN_LETTERS + "*", [*map(int, counts), int(jokers)], strict=True))
    return {letter: number for letter, number in named.items() if number}


def dump_of(state: carolus.State) -> dict[str, object]:
    """Everything on the table, in the words of the oracle's dump."""
    s = state.position[0]
    players = range(int(s["players"]))
    sides = 3 if len(players) == 3 else 2
    outcome = state.outcome
    return {
        "regions": [
            (
                TILE_LETTERS[tile],
                int(s["tiles"][tile]),
                cubes_of(s["cubes"][tile]),
                int(s["castles"][tile]),
                none_or(s["holder"][tile]),
            )
            for tile in range(TILES)
            if s["tiles"][tile]
        ],
        "emperor": None if s["emperor"] == NOBODY else TILE_LETTERS[s["emperor"]],
        "courts": [cubes_of(s["court"][seat]) for seat in players],
        "reserves": [cubes_of(s["reserve"][seat], s["jokers"][seat]) for seat in players],
        "markers": {clan: none_or(s["marker"][i]) for i, clan in enumerate(CLAN_LETTERS)},
        "supply": {clan: int(s["supply"][i]) for i, clan in enumerate(CLAN_LETTERS)},
        "discs": [[n for n in range(1, 6) if int(s["unused"][seat]) >> (n - 1) & 1] for seat in players],
        "played": [int(s["disc"][seat]) or None for seat in players],
        "order": [int(s["order"][place]) for place in players] if s["phase"] > Phase.LOT else [],
        "round": int(s["round_number"]),
        "castles_left": [int(left) for left in s["stock"][:sides]],
        "actor": state.actor if state.actors else None,
        "over": state.is_over,
        "winners": sorted(outcome.winners) if outcome else [],
        "reason": outcome.reason if outcome else None,
    }


def none_or(number: Any) -> int | None:
    return None if number == NOBODY else int(number)


def play_both(setting: Setting) -> Counter[str]:
    """One game on both sides. Raises AssertionError where they differ; tells what happened."""
    rng = random.Random(setting.seed)
    options: dict[str, Any] = {
        "dice": setting.dice,
        "crowns": setting.crowns,
        "round_limit": setting.round_limit,
    }
    state = carolus.table(setting.players, **options)
    oracle = Oracle(setting.players, **options)
    told: Counter[str] = Counter()
    played: list[str] = []
    while True:
        legal, weights = agree(state, oracle, f"{setting} after {' '.join(played)}")
        if legal:
            token = setting.policy(rng, sorted(legal))
        elif weights:
            token = rng.choices(list(weights), list(weights.values()))[0]
        else:
            break
        before = state
        state = state.apply(token)
        oracle.apply(token)
        played.append(token)
        told.update(happened(before, token, state))
    outcome = state.outcome
    assert outcome is not None
    told[outcome.reason] += 1
    told["draw"] += outcome.is_draw
    told["games"] += 1
    told["steps"] += len(played)
    return told


def agree(state: carolus.State, oracle: Oracle, where: str) -> tuple[set[str], dict[str, int]]:
    """Actor, legal actions, chance and table are the same; gives the actions and the weights."""
    listed = [str(action) for action in state.legal_actions()]
    legal = set(listed)
    weights = {str(action): weight for action, weight in state.chance_weights().items()}
    assert len(listed) == len(legal), where
    assert legal == oracle.legal(), where
    assert weights == oracle.chance(), where
    assert dump_of(state) == oracle.dump(), where
    return legal, weights


def happened(before: carolus.State, token: str, after: carolus.State) -> Iterator[str]:
    """The rare rules that this step made use of."""
    old, new = before.position[0], after.position[0]
    if (new["court"] < old["court"]).any():
        yield "C18"
    if token.startswith("dice:"):
        got = int(new["reserve"].sum()) - int(old["reserve"].sum())
        if got < len(token) - 5 - token.count("*"):
            yield "C19"
        if new["phase"] not in (Phase.CROWN, Phase.FILL) and got < len(token) - 5 and not old["deferred"]:
            yield "C20"
    elif token.startswith("d") and old["phase"] == Phase.DISC and new["phase"] == Phase.MOVE:
        yield "C20 nothing to play"
    elif token.startswith("m"):
        yield from castles_happened(old, new)


def castles_happened(old: Any, new: Any) -> Iterator[str]:
    merged = int((old["tiles"] > 0).sum()) - int((new["tiles"] > 0).sum())
    if merged:
        yield f"C14 {merged}"
    if new["phase"] == Phase.OVER and int(new["castles"].sum()) < int(old["castles"].sum()):
        yield "C15"
    if not merged and (old["castles"] > 0)[new["emperor"]] and (old["holder"] != new["holder"]).any():
        yield "C13"


def play_many(first: int, number: int) -> Counter[str]:
    told: Counter[str] = Counter()
    for setting in settings(first, number):
        told.update(play_both(setting))
    return told


def tell(told: Mapping[str, int]) -> str:
    return ", ".join(f"{what} {number}" for what, number in sorted(told.items()))


if __name__ == "__main__":
    print(tell(play_many(int(sys.argv[1]), int(sys.argv[2]))))
