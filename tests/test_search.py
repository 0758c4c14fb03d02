"""The search: its budget and memory, its threads, games of all kinds, and puzzles that it must solve."""

import random
import time

import numpy as np
import pytest

import tiny
from aachen import carolus
from aachen.bots import make
from aachen.bots.features import FEATURES
from aachen.bots.judgement import weights_for
from aachen.bots.players import LEVELS, NAMES, ThinkingBot
from aachen.bots.search import NETWORK, PLAYOUTS
from aachen.bots.thinking import Budget, Search, sides_of
from aachen.carolus.puzzles import PUZZLES
from aachen.core.errors import BadOptions, IllegalAction
from test_rules_examples import figure_6
from turns import count_turns

POSITIONS = [puzzle.position for puzzle in PUZZLES]
MIDDLE = carolus.read(
    "carolus 2 Aygb/BrB/Cg/DrbB/Er/Fr2gbpW2/HbpB2!/JyW/Kg2pB2/MyW/Nrygb/OpB "
    "r4yg3b2p3:rygbp3:123:4/r6yg2b3p4:rg3b2p:135:2 10011 1>0 cube:3 7"
)


def search(how: int = NETWORK, seed: int = 1, threads: int = 1, places: int = 1 << 14, players: int = 2) -> Search:
    return Search(carolus.GAME, how, weights_for(players), FEATURES, seed, threads, places)


@pytest.mark.parametrize("how", [NETWORK, PLAYOUTS])
@pytest.mark.parametrize("threads", [1, 2])
def test_with_a_seed_and_a_number_of_positions_it_finds_the_same_again(how: int, threads: int) -> None:
    def facts(seed: int) -> list[object]:
        found = search(how, seed, threads).think(MIDDLE.position, sides_of(MIDDLE), Budget(positions=3000))
        return [found.chances, found.thoughts, found.positions]

    assert facts(1) == facts(1)
    assert facts(1) != facts(2)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("how", [NETWORK, PLAYOUTS])
def test_what_it_found_is_sound(players: int, how: int) -> None:
    state, rng = carolus.new(players, seed=players), random.Random(players)
    for _ in range(25):
        if state.is_chance:
            state = state.draw(rng)
            continue
        found = search(how, players=players).think(state.position, sides_of(state), Budget(positions=1500))
        assert sum(found.chances.values()) == pytest.approx(1)
        assert {thought.action for thought in found.thoughts} == set(state.legal_actions())
        assert sum(thought.weight for thought in found.thoughts) == pytest.approx(1)
        for thought in found.thoughts[:5]:
            assert thought.line[0] == thought.action
            after = state
            for action in thought.line:
                after = after.apply(action)
        state = state.apply(found.thoughts[0].action)


def test_a_budget_of_positions_is_kept() -> None:
    for positions in (1, 100, 2000, 20_000):
        found = search().think(MIDDLE.position, sides_of(MIDDLE), Budget(positions=positions))
        assert positions <= found.positions < positions + 100


def test_a_budget_of_time_is_used() -> None:
    search().think(MIDDLE.position, sides_of(MIDDLE), Budget(positions=10))  # compiled by now
    began = time.perf_counter()
    found = search().think(MIDDLE.position, sides_of(MIDDLE), Budget(seconds=0.3))
    assert found.seconds >= 0.3
    assert time.perf_counter() - began >= 0.3
    assert found.positions > 1000


def test_a_full_tree_grows_no_more_and_still_answers() -> None:
    small = search(places=64)
    found = small.think(MIDDLE.position, sides_of(MIDDLE), Budget(positions=20_000))
    assert small.size <= 64
    assert len(found.thoughts) == len(MIDDLE.legal_actions())
    assert found.positions >= 20_000


def test_cubes_in_another_order_are_the_same_place_of_the_tree() -> None:
    state = MIDDLE.apply("p@").apply("gK")
    other = MIDDLE.apply("gK").apply("p@")
    found = search()
    found.think(state.position, sides_of(state), Budget(positions=2000))
    before = found.size
    found.think(other.position, sides_of(other), Budget(positions=1))
    assert found.size <= before + 1


@pytest.mark.parametrize("wrong", [{}, {"seconds": 0}, {"positions": -1}, {"seconds": 1, "positions": 1}])
def test_a_budget_is_one_thing(wrong: dict[str, int]) -> None:
    with pytest.raises(BadOptions, match="a budget is a number of seconds or of positions"):
        Budget(**wrong)


def test_a_game_with_several_seats_asked_at_once_can_be_searched() -> None:
    """The search knows no game: it finds that a relic which costs nothing is worth claiming."""
    state = tiny.table(2).apply("deal:9").apply("deal:8").apply("done", 0).apply("done", 1).apply("open")
    claims = Search(tiny.GAME, PLAYOUTS, np.zeros(1, np.float32), 1, seed=1)
    found = claims.think(state.position, sides_of(state), Budget(positions=4000))
    assert str(found.thoughts[0].action) == "claim"
    bidding = tiny.table(3).apply("deal:9").apply("deal:8").apply("deal:1")
    assert len(claims.think(bidding.position, [0, 1, 2], Budget(positions=200)).thoughts) == 2


def test_where_chance_acts_there_is_nothing_to_analyse() -> None:
    bot = make("emperor", 1)
    assert isinstance(bot, ThinkingBot)
    with pytest.raises(IllegalAction, match="nothing to decide"):
        bot.analyse(carolus.table(2))


# Puzzles


def test_there_are_fifty_puzzles_and_more_in_each_of_which_hardly_any_turn_wins() -> None:
    assert len(set(POSITIONS)) >= 50
    for text in POSITIONS:
        turns, wins = count_turns(carolus.read(text))
        assert 0 < wins <= turns / 500


def test_the_strongest_level_wins_at_once_where_it_can() -> None:
    """At least 95 of 100, with a budget that is under a second of one core."""
    solved = 0
    for number, text in enumerate(POSITIONS):
        state = carolus.read(text)
        seat = state.actor
        bot = make("emperor", number)
        while not state.is_chance and not state.is_over:
            state = state.apply(bot.choose(state.view(seat), Budget(positions=400_000)))
        outcome = state.outcome
        solved += outcome is not None and outcome.winners == (state.side(seat),)
    assert solved >= 0.95 * len(POSITIONS), f"{solved} of {len(POSITIONS)}"


def test_the_strongest_level_finds_the_counterattack_of_the_rulebook() -> None:
    """E4: two yellow cubes to court, one to C, two steps."""
    state = figure_6()
    bot = make("emperor", 1)
    while not state.is_chance:
        state = state.apply(bot.choose(state.view(0), Budget(positions=300_000)))
    assert max(region.castles for region in state.regions if region.holder == 0) >= 5


def test_the_levels_are_bots() -> None:
    assert list(LEVELS) == ["page", "squire", "knight", "paladin", "emperor"]
    assert set(LEVELS) < set(NAMES)
