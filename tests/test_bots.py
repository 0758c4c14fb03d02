"""The bots: they play by the rules, the same again with the same seed, and greedy is the better one."""

import random
from collections.abc import Sequence

import pytest

from aachen import bots, carolus
from aachen.arena import simulate
from aachen.bots import Budget
from aachen.bots.players import ThinkingBot, turn_of
from aachen.core import BadOptions, History

GREEDY, RANDOM = "greedy", "random"
#: For those who think: a number of positions, because with seconds no game is the same again.
SMALL = Budget(positions=200)
#: Those that have no equally good actions to choose from.
SURE = ("knight",)
VARIANTS: list[dict[str, object]] = [{}, {"dice": "choose-one"}, {"crowns": "deferred"}]


def play(seats: Sequence[str], seed: int, **options: object) -> History[carolus.State]:
    """A game between bots that see no more than their views; everything they choose must be legal."""
    rng = random.Random(seed)
    players = [bots.make(name, seed + seat) for seat, name in enumerate(seats)]
    history = History(carolus.table(len(seats), **options))
    while not history.draw(rng).is_over:
        seat = history.state.actor
        view = history.state.view(seat)
        before = view.position.tobytes()
        action = players[seat].choose(view, SMALL)
        assert action in history.state.legal_actions(seat)
        assert view.position.tobytes() == before
        history.play(action, seat)
    return history


@pytest.mark.parametrize(
    "seats",
    [
        (GREEDY, RANDOM),
        (RANDOM, GREEDY),
        (GREEDY, RANDOM, RANDOM),
        (RANDOM, GREEDY, RANDOM),
        (RANDOM, RANDOM, GREEDY),
        (GREEDY, RANDOM, GREEDY, RANDOM),
        (RANDOM, GREEDY, RANDOM, GREEDY),
    ],
    ids="-".join,
)
def test_greedy_wins_at_least_98_of_100_games_against_random(seats: tuple[str, ...]) -> None:
    side = seats.index(GREEDY)
    games = list(simulate(100, seats, seed=2024))
    assert sum(game.outcome.winners == (side,) for game in games) >= 98


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_against_itself_favours_nobody_much(players: int) -> None:
    sides = 3 if players == 3 else 2
    games = list(simulate(300, (RANDOM,) * players, seed=5))
    for side in range(sides):
        wins = sum(side in game.outcome.winners for game in games)
        assert abs(wins - 300 / sides) < 60


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", bots.NAMES)
def test_bots_choose_legal_actions_only_and_leave_the_view_alone(
    name: str, players: int, options: dict[str, object]
) -> None:
    for seed in range(2):
        assert play((name,) * players, seed, **options).state.is_over


@pytest.mark.parametrize("name", bots.NAMES)
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    games = [str(play((name, name), seed).record()) for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize("name", bots.NAMES)
def test_bots_differ_by_their_seed_in_the_same_position(name: str) -> None:
    """Random always; greedy where several actions are equally good; those who search by their samples."""
    states = play((RANDOM, RANDOM), 3).states
    views = [state.view(state.actor) for state in states if state.actors]
    players = [bots.make(name, seed) for seed in range(5)]
    lines = [tuple(player.choose(view, SMALL) for view in views) for player in players]
    assert len(set(lines)) == (1 if name in SURE else 5)


def test_greedy_takes_a_win_that_is_there() -> None:
    wins = 0
    for state in (*play((GREEDY, GREEDY), 8).states, *play((RANDOM, RANDOM), 8).states):
        if not state.actors:
            continue
        side = state.side(state.actor)
        ends = {action: state.apply(action).outcome for action in state.legal_actions()}
        winning = [action for action, outcome in ends.items() if outcome and outcome.winners == (side,)]
        if winning:
            assert bots.make(GREEDY, 0).choose(state.view(state.actor)) in winning
            wins += 1
    assert wins


def test_there_is_no_bot_of_another_name() -> None:
    with pytest.raises(BadOptions, match="there is no bot called 'deep'; there are: random, greedy"):
        bots.make("deep")


def test_a_bot_tells_its_name() -> None:
    assert [bots.make(name).name for name in bots.NAMES] == list(bots.NAMES)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_whole_turn_keeps_to_its_budget(players: int, options: dict[str, object]) -> None:
    """Discs, and cubes with the Emperor and crowns, each have the budget once; one pass may look at some more."""
    budget, rng = Budget(positions=3000), random.Random(players)
    bot = bots.make("paladin", 1)
    assert isinstance(bot, ThinkingBot)
    looked: dict[tuple[object, ...], int] = {}
    state = carolus.new(players, seed=players, **options)
    while not state.is_over and state.round < 8:
        if state.is_chance:
            state = state.draw(rng)
            continue
        view = state.view(state.actor)
        before = bot.positions
        state = state.apply(bot.choose(view, budget))
        turn = turn_of(view)
        looked[turn] = looked.get(turn, 0) + bot.positions - before
    turns = [number for (_, round_number, is_disc), number in looked.items() if round_number and not is_disc]
    assert max(looked.values()) < 3000 + 800
    assert sum(turns) / len(turns) > 2500
