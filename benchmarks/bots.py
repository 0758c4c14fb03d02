"""Measures how strong the bots are: `make bench-bots`, or `python benchmarks/bots.py [--games N] [--long N]`.

Every pairing is a match of `aachen arena`: paired games, the same deal and dice with seats swapped. The results are
kept in `.bench/`, so that an interrupted run goes on where it was; remove the folder to measure anew. The report is the
second part of `benchmarks/results.md`.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from parts import BOTS, DIVIDE, write_part

from aachen import carolus
from aachen.arena.ratings import rate_of
from aachen.bots import Budget
from aachen.bots.features import FEATURES
from aachen.bots.judgement import weights_for
from aachen.bots.players import THINKERS
from aachen.bots.search import NETWORK, PLAYOUTS
from aachen.bots.thinking import Search, sides_of
from aachen.cli.main import main as aachen

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / ".bench"
#: Of OpenSpiel's search, to measure its speed.
SIMULATIONS = 3000
MIDDLE = (
    "carolus 2 Aygb/BrB/Cg/DrbB/Er/Fr2gbpW2/HbpB2!/JyW/Kg2pB2/MyW/Nrygb/OpB "
    "r4yg3b2p3:rygbp3:123:4/r6yg2b3p4:rg3b2p:135:2 10011 1>0 cube:3 7"
)
#: Players, the two bots, whether it is a long match (a second a turn), and what is asked of the first in percent.
PAIRINGS = [
    (2, "page", "random", False, None),
    (2, "squire", "page", False, 65),
    (2, "knight", "squire", False, 65),
    (2, "paladin", "knight", False, 65),
    (2, "emperor@100000", "paladin", False, 65),
    (3, "emperor@100000", "paladin", False, 45),
    (4, "emperor@100000", "paladin", False, 65),
    (2, "emperor@0.05s", "search@0.05s", False, 75),
    (2, "search@1s", "greedy", True, 97),
    (2, "emperor@1s", "search@1s", True, 75),
]
CURVE = ["knight", "emperor@1000", "emperor@4000", "emperor@16000", "emperor@64000"]


def match(bots: list[str], players: int, games: int, *more: str) -> dict[str, Any]:
    """Plays the match, or what is left of it; its results."""
    KEPT.mkdir(exist_ok=True)
    file = KEPT / f"{players}-{'-'.join(bots)}-{games}.json".replace("@", "_")
    words = ["arena", *bots, "--players", str(players), "--games", str(games), "--output", str(file), *more]
    print("aachen", *words, flush=True)
    if aachen(words):
        sys.exit("the match was interrupted; the same command goes on with it")
    results: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return results


def alone(results: dict[str, Any], bot: str) -> tuple[int, float, float]:
    """Games in which the bot sat alone against two others: their number, its share of wins and its error, in percent.

    Three games on the same dice make a set, and errors come from sets.
    """
    sets: dict[int, list[float]] = {}
    for game in results["games"]:
        if game["seats"].count(bot) == 1:
            won = (game["seats"].index(bot) in game["winners"]) / len(game["winners"])
            sets.setdefault(game["pair"], []).append(won)
    rate, error = rate_of([sum(points) / len(points) for points in sets.values()])
    return sum(map(len, sets.values())), 100 * rate, 100 * error


def pairing_row(pairing: tuple[int, str, str, bool, int | None], games: int, long: int) -> str:
    players, first, second, is_long, asked = pairing
    results = match([first, second], players, long if is_long else games)
    found = results["summary"]["pairings"][0]
    number, rate, error = found["games"], 100 * found["rate"], 100 * found["rate_error"]
    if players == 3:
        number, rate, error = alone(results, first)
    wanted = f"{asked} %" if asked else ""
    return f"| {players} | {first} | {second} | {number} | {rate:.1f} % ± {error:.1f} | {wanted} |"


def speeds() -> list[str]:
    """Positions a second, with one thread and with two, the median of five seconds each."""
    state = carolus.read(MIDDLE)
    rows = []
    for name, how in (("network", NETWORK), ("careless games to the end", PLAYOUTS)):
        for threads in (1, 2):
            rates = []
            for seed in range(6):
                search = Search(carolus.GAME, how, weights_for(2), FEATURES, seed, threads)
                began = time.perf_counter()
                found = search.think(state.position, sides_of(state), Budget(seconds=1.0))
                rates.append(found.positions / (time.perf_counter() - began))
            rows.append(f"| Aachen, {name} | {threads} | {median(rates[1:]):,.0f} |")
    return [*rows, *openspiel_speed()]


def openspiel_speed() -> list[str]:
    """Simulations a second of OpenSpiel's search in C++, with random games to the end, on backgammon."""
    import pyspiel

    game = pyspiel.load_game("backgammon")
    rates = []
    for seed in range(3):
        state = game.new_initial_state()
        rng = np.random.default_rng(seed)
        while state.is_chance_node() or state.move_number() < 20:
            actions = (
                [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            )
            state.apply_action(rng.choice(actions))
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 1.4, SIMULATIONS, 500, False, seed, False)
        began = time.perf_counter()
        bot.mcts_search(state)
        rates.append(SIMULATIONS / (time.perf_counter() - began))
    return [f"| OpenSpiel's MCTS on backgammon, random games to the end | 1 | {median(rates):,.0f} |"]


TEXT = (
    DIVIDE
    + """

Written by `make bench-bots`. Paired games: the same deal, lot and dice with the seats swapped. A budget is for a whole
turn, in positions or seconds; a second is about a million positions for the emperor. ± is 95 %, from sets of games on
the same dice. With three players the first bot sat alone against two of the second, in each seat in turn, so a third
would be even; with four it is team against team. `paladin` searches {paladin:,} positions a turn. Matches with
budgets in positions can be repeated exactly.

| players | bot | against | games | won | asked |
|---|---|---|---|---|---|
{pairings}

## Strength and thinking time

A round robin of the network without search (`knight`) and with searches of so many positions a turn, {curve_games}
games a pairing.

| bot | Elo | won |
|---|---|---|
{curve}

![Ratings](strength.svg)

## Positions a second

One position in the middle of a game, searched for a second. With a network a position is judged once, without one by a
whole game.

| search | threads | positions a second |
|---|---|---|
{speeds}
"""
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures how strong the bots are.")
    parser.add_argument("--games", type=int, default=400, help="games a pairing with small budgets")
    parser.add_argument("--long", type=int, default=40, help="games a pairing with a second a turn")
    chosen = parser.parse_args()
    curve_games = max(2, chosen.games // 4)
    plot = ("--plot", str(HERE / "strength.svg"))
    standings = match(CURVE, 2, curve_games, *plot)["summary"]["standings"]
    rows = [pairing_row(pairing, chosen.games, chosen.long) for pairing in PAIRINGS]
    measured = speeds()
    curve = [f"| {s['bot']} | {s['elo']:+.0f} ± {s['elo_error']:.0f} | {100 * s['rate']:.1f} % |" for s in standings]
    text = TEXT.format(
        pairings="\n".join(rows),
        curve="\n".join(curve),
        curve_games=curve_games,
        speeds="\n".join(measured),
        paladin=THINKERS["paladin"].budget.positions,
    )
    write_part(HERE / "results.md", BOTS, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
