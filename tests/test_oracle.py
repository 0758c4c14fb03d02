"""The compiled rules and the oracle, which was written on its own, agree at every step of random games.

Compared are who is asked, what is legal, what chance may do with which weights, and the whole table. The games
begin before the deal. AACHEN_SOAK=20 plays twenty times as many.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import aachen
from compare import play_many, settings

SOAK = int(os.environ.get("AACHEN_SOAK", "1"))
GAMES_A_CHUNK = 72
CHUNKS = 42 * SOAK
#: Far from the numbers of the chunks, so that these games are others.
ELSEWHERE = 10_000_000


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_games_go_the_same_way_as_with_the_oracle(chunk: int) -> None:
    told = play_many(chunk * GAMES_A_CHUNK, GAMES_A_CHUNK)
    assert told["games"] == GAMES_A_CHUNK


def test_the_normal_run_compares_at_least_3000_games() -> None:
    assert CHUNKS * GAMES_A_CHUNK >= 3000 * SOAK


def test_the_games_of_a_chunk_have_every_mix_of_players_variants_and_policies() -> None:
    mixes = {(game.players, game.dice, game.crowns, game.policy) for game in settings(0, GAMES_A_CHUNK)}
    assert len(mixes) == 3 * 2 * 2 * 3


def test_the_random_games_meet_the_rare_rules() -> None:
    """A comparison proves nothing about a rule that never comes into play."""
    told = play_many(ELSEWHERE, 216)
    for rare in (
        "C13", "C14 1", "C14 2", "C15", "C18", "C19", "C20", "C20 nothing to play",
        "castles", "regions", "cubes", "rounds", "draw",
    ):  # fmt: skip
        assert told[rare] > 0, rare


def play_elsewhere(games: int, **settings_of_numba: str) -> str:
    """Plays games in a process of its own, with other settings of the compiler; what it printed."""
    places = [str(Path(__file__).parent), str(Path(aachen.__file__).parents[1])]
    run = subprocess.run(
        [sys.executable, "-m", "compare", str(ELSEWHERE), str(games)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(places)} | settings_of_numba,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_they_agree_with_every_array_access_checked() -> None:
    assert f"games {120 * SOAK}," in play_elsewhere(120 * SOAK, NUMBA_BOUNDSCHECK="1")


def test_they_agree_when_nothing_is_compiled() -> None:
    """So the rules can be followed with a Python debugger."""
    assert f"games {6 * SOAK}," in play_elsewhere(6 * SOAK, NUMBA_DISABLE_JIT="1")
