"""The options of a game of Carolus Magnus (C21, C24 to C26), and the table before the deal."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from aachen.carolus.position import RECORD
from aachen.carolus.words import ALL_DISCS, CUBES_A_CLAN, NOBODY, TILES, Phase, castles_at, sides_at
from aachen.core.game import check_options
from aachen.core.kernel import at
from aachen.core.schema import Positions

#: Every option with its default and what it may be.
OPTIONS: dict[str, tuple[Any, Any]] = {
    "players": (2, (2, 3, 4)),
    "dice": ("all", ("all", "choose-one")),
    "crowns": ("at-once", ("at-once", "deferred")),
    "talk": ("open", ("open", "none")),
    "round_limit": (100, range(1, 10_000)),
}


def blank_table(options: Mapping[str, object]) -> Positions:
    """The table before the deal. Raises BadOptions."""
    check_options(options, {name: values for name, (_, values) in OPTIONS.items()})
    full: dict[str, Any] = {name: default for name, (default, _) in OPTIONS.items()} | dict(options)
    position = np.zeros(1, RECORD)
    s = at(position, 0)
    s.players = full["players"]
    s.choose_one = full["dice"] == "choose-one"
    s.deferred = full["crowns"] == "deferred"
    s.silent = full["talk"] == "none"
    s.round_limit = full["round_limit"]
    s.phase = Phase.DEAL
    s.due = TILES
    s.emperor = NOBODY
    s.tiles[:] = 1
    s.holder[:] = NOBODY
    s.marker[:] = NOBODY
    s.supply[:] = CUBES_A_CLAN
    s.unused[: s.players] = ALL_DISCS
    s.stock[: sides_at(s.players)] = castles_at(s.players)
    return position


def options_of(position: Positions) -> dict[str, object]:
    s = at(position, 0)
    return {
        "players": int(s.players),
        "dice": "choose-one" if s.choose_one else "all",
        "crowns": "deferred" if s.deferred else "at-once",
        "talk": "none" if s.silent else "open",
        "round_limit": int(s.round_limit),
    }
