"""What holds at every step of every game, looked for with Hypothesis in random games of all settings.

AACHEN_SOAK=20 looks at twenty times as many games, other ones each time.
"""

import os
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aachen import carolus
from aachen.carolus.actions import ACTIONS, Throw
from aachen.carolus.words import CLANS, CUBES_A_CLAN, NOBODY, TILES, Phase, castles_at, sides_at
from aachen.core import History, IllegalAction, Record
from compare import CROWNS, DICE, LIMITS, PLAYERS, POLICIES, Setting

SOAK = int(os.environ.get("AACHEN_SOAK", "1"))


def examples(number: int) -> settings:
    return settings(max_examples=number * SOAK, deadline=None, derandomize=SOAK == 1)


all_settings = st.builds(
    Setting,
    seed=st.integers(0, 2**32),
    players=st.sampled_from(PLAYERS),
    dice=st.sampled_from(DICE),
    crowns=st.sampled_from(CROWNS),
    round_limit=st.sampled_from(LIMITS),
    policy=st.sampled_from(POLICIES),
)


def game(setting: Setting) -> History[carolus.State]:
    """A whole game from before the deal, by the setting's policy."""
    rng = random.Random(setting.seed)
    options = {"dice": setting.dice, "crowns": setting.crowns, "round_limit": setting.round_limit}
    history = History(carolus.table(setting.players, **options))
    while not history.draw(rng).is_over:
        history.play(setting.policy(rng, sorted(map(str, history.state.legal_actions()))))
    return history


games = st.builds(game, all_settings)


def some_states(history: History[carolus.State], number: int) -> Sequence[carolus.State]:
    """So many states, evenly over the game, the first and the last among them."""
    states = history.states
    return [states[i * (len(states) - 1) // (number - 1)] for i in range(number)]


def regions_of(state: carolus.State) -> list[tuple[int, int]]:
    """The first tile and the holder of each region, clockwise."""
    s = state.position[0]
    return [(tile, int(s["holder"][tile])) for tile in range(TILES) if s["tiles"][tile]]


# What is on the table


@examples(150)
@given(games)
def test_there_are_always_40_cubes_of_each_clan(history: History[carolus.State]) -> None:
    for state in history.states:
        s = state.position[0]
        for clan in range(CLANS):
            there = [int(s[part][..., clan].sum()) for part in ("cubes", "court", "reserve", "supply")]
            assert sum(there) == CUBES_A_CLAN, state


@examples(150)
@given(games)
def test_castles_in_play_and_castles_left_are_always_all_castles_of_a_side(history: History[carolus.State]) -> None:
    for state in history.states:
        s = state.position[0]
        for side in range(sides_at(state.players)):
            in_play = int(s["castles"][s["holder"] == side].sum())
            assert in_play + int(s["stock"][side]) == castles_at(state.players), state


@examples(150)
@given(games)
def test_neighbours_of_one_side_are_merged_while_the_game_goes_on(history: History[carolus.State]) -> None:
    """C14; only where the last castle was built, the game ends before any merging (C22)."""
    for state in history.states[:-1]:
        regions = regions_of(state)
        assert len(regions) >= 4
        assert sum(int(tiles) for tiles in state.position["tiles"][0]) == TILES
        for (_, holder), (_, after) in zip(regions, regions[1:] + regions[:1], strict=True):
            assert holder == NOBODY or holder != after, state


@examples(150)
@given(games)
def test_slots_that_are_not_in_use_are_blank(history: History[carolus.State]) -> None:
    """So equal positions are equal bytes."""
    for state in history.states:
        s = state.position[0]
        empty = s["tiles"] == 0
        assert not s["cubes"][empty].any()
        assert not s["castles"][empty].any()
        assert (s["holder"][s["castles"] == 0] == NOBODY).all()
        for part in ("court", "reserve", "jokers", "unused", "disc", "order"):
            assert not s[part][state.players :].any(), part
        assert not s["stock"][sides_at(state.players) :].any()


# Text


@examples(25)
@given(games)
def test_every_position_reads_back(history: History[carolus.State]) -> None:
    """Reading checks the invariants of the game, so they hold in every position that can be reached."""
    for state in history.states:
        again = carolus.read(state.text)
        assert again == state
        assert again.text == state.text


@examples(120)
@given(games)
def test_every_record_reads_back_and_replays(history: History[carolus.State]) -> None:
    text = str(history.record())
    record = Record.read(text)
    again = History.replay(record)
    assert again.states == history.states
    assert again.steps == history.steps
    assert str(record) == str(again.record()) == text


@examples(60)
@given(games, st.floats(0, 1))
def test_a_record_reads_back_at_every_step_and_from_every_start(history: History[carolus.State], share: float) -> None:
    cut = int(share * len(history.steps))
    unfinished = History(history.start)
    for step in history.steps[:cut]:
        unfinished.play(step.action)
    later = History(history.states[cut])
    for step in history.steps[cut:]:
        later.play(step.action)
    for part in (unfinished, later):
        again = History.replay(Record.read(str(part.record())))
        assert again.states == part.states
    assert later.state == history.state


def test_every_action_reads_back() -> None:
    assert [carolus.parse(str(action)) for action in ACTIONS] == list(ACTIONS)
    assert [action.code for action in ACTIONS] == list(range(len(ACTIONS)))


# Legal and not


@examples(36)
@given(games)
def test_what_is_not_listed_is_refused_and_changes_nothing(history: History[carolus.State]) -> None:
    for state in some_states(history, 8):
        before = state.position.tobytes()
        listed = [*state.legal_actions(), *state.chance_weights()]
        assert len(set(listed)) == len(listed)
        assert bool(listed) != state.is_over
        for action in ACTIONS:
            if action in listed:
                assert state.apply(action).position.tobytes() != before
            else:
                with pytest.raises(IllegalAction):
                    state.apply(action)
        assert state.position.tobytes() == before


@examples(90)
@given(games)
def test_a_listed_action_of_another_seat_is_refused(history: History[carolus.State]) -> None:
    for state in some_states(history, 30):
        actions = state.legal_actions() or list(state.chance_weights())
        for seat in range(state.players):
            if seat in state.actors:
                assert state.apply(actions[0], seat) == state.apply(actions[0])
            else:
                assert state.legal_actions(seat) == []
                for action in actions[:1]:
                    with pytest.raises(IllegalAction):
                        state.apply(action, seat)


@examples(120)
@given(games)
def test_either_a_seat_is_asked_or_chance_or_the_game_is_over(history: History[carolus.State]) -> None:
    for state in history.states:
        facts = (bool(state.legal_actions()), bool(state.chance_weights()), state.outcome is not None)
        assert facts == (bool(state.actors), state.is_chance, state.is_over)
        assert sum(facts) == 1


@examples(120)
@given(games)
def test_the_weights_of_a_throw_are_all_ways_the_dice_can_fall(history: History[carolus.State]) -> None:
    """C4."""
    throws = 0
    for state in history.states:
        weights = state.chance_weights()
        if state.position["phase"][0] in (Phase.FILL, Phase.THROW):
            throws += 1
            dice = int(state.position["due"][0])
            assert sum(weights.values()) == 6**dice
            assert all(isinstance(throw, Throw) and len(throw.faces) == dice for throw in weights)
    assert throws


# States are values


@examples(60)
@given(games)
def test_a_state_is_a_value(history: History[carolus.State]) -> None:
    for state in some_states(history, 20):
        before = state.position.tobytes()
        state.position["emperor"][0] ^= 1
        state.view(0).position["emperor"][0] ^= 1
        assert state.position.tobytes() == before
        twin = carolus.State(state.position)
        assert twin == state
        assert hash(twin) == hash(state)
        for action in (*state.legal_actions(), *state.chance_weights()):
            after = state.apply(action)
            assert after != state
            assert after == twin.apply(action)
        assert state.position.tobytes() == before


@examples(90)
@given(games)
def test_no_state_comes_twice_in_a_game(history: History[carolus.State]) -> None:
    """A game goes forward: so a position can stand for all that led to it."""
    assert len(set(history.states)) == len(history.states)


@examples(60)
@given(games, st.integers(0, 2**32))
def test_undo_goes_back_exactly_and_not_behind_chance(history: History[carolus.State], seed: int) -> None:
    rng = random.Random(seed)
    again = History(history.start)
    for step in history.steps:
        again.play(step.action)
        if rng.random() < 0.1:
            taken_back = 0
            while again.can_undo():
                seat = again.steps[-1].seat
                assert seat is not None
                assert again.undo(seat) == history.states[len(again.steps)]
                taken_back += 1
            with pytest.raises(IllegalAction):
                again.undo()
            assert not again.steps or again.steps[-1].seat is None
            for taken in history.steps[len(again.steps) : len(again.steps) + taken_back]:
                again.play(taken.action)
    assert again.states == history.states
    assert again.steps == history.steps


@examples(60)
@given(games)
def test_a_seat_cannot_take_back_what_another_has_followed(history: History[carolus.State]) -> None:
    again = History(history.start)
    for step in history.steps:
        again.play(step.action)
        for seat in range(history.start.players):
            assert again.can_undo(seat) == (step.seat == seat)


# Whole games


@examples(180)
@given(games)
def test_an_outcome_names_the_sides_with_the_most_castles(history: History[carolus.State]) -> None:
    outcome = history.state.outcome
    assert outcome is not None
    best = max(outcome.scores)
    assert outcome.winners == tuple(side for side, score in enumerate(outcome.scores) if score == best)
    regions = len(regions_of(history.state))
    full = best == castles_at(history.state.players)
    assert (outcome.reason == "castles") == full
    assert (outcome.reason == "regions") == (regions < 4 and not full)
    if outcome.reason == "rounds":
        assert history.state.position["round_number"][0] == history.state.options["round_limit"]


@examples(60)
@given(all_settings)
def test_the_same_setting_plays_the_same_game(setting: Setting) -> None:
    assert str(game(setting).record()) == str(game(setting).record())
