"""Relics, the tiny game in tests/tiny, goes through all that is general: it has what Carolus Magnus lacks.

Several seats are asked at once, bids are sealed, cards are hidden, and a choice interrupts another's turn.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from aachen.core import (
    BadNotation,
    BadOptions,
    BadPosition,
    BadRecord,
    Game,
    History,
    IllegalAction,
    Record,
    Seat,
    State,
    Step,
)  # fmt: skip
from aachen.core.kernel import at
from aachen.core.playout import play_out_all
from aachen.core.state import register
from tiny.position import NOBODY, Phase

games = st.builds(
    lambda seed, seats, rounds: random_game(seed, seats, rounds),
    st.integers(0, 2**32),
    st.sampled_from((2, 3)),
    st.sampled_from((1, 2, 3)),
)
many = settings(max_examples=60, deadline=None, derandomize=True)


def random_game(seed: int, seats: int = 3, rounds: int = 2) -> History[tiny.State]:
    """A whole game; which seat acts first, where several are asked, is left to chance too."""
    rng = random.Random(seed)
    history = History(tiny.table(seats, rounds))
    while not history.draw(rng).is_over:
        seat = rng.choice(history.state.actors)
        history.play(rng.choice(history.state.legal_actions(seat)), seat)
    return history


def dealt(*cards: int, rounds: int = 1) -> History[tiny.State]:
    """A game in which each seat has its card: the bids are to come."""
    history = History(tiny.table(len(cards), rounds))
    for card in cards:
        history.play(f"deal:{card}")
    return history


def play(history: History[tiny.State], line: str) -> History[tiny.State]:
    """Plays actions as a record writes them."""
    for token in line.split():
        seat, _, word = token.rpartition(".")
        history.play(word, int(seat) if seat else None)
    return history


def viewers(state: tiny.State) -> Iterator[int | None]:
    yield None
    yield from range(state.seats)


# Several seats at once


def test_all_seats_are_asked_at_once_until_each_is_done() -> None:
    history = dealt(4, 9, 1)
    asked = [history.state.actors]
    for line in ("1.coin 1.done", "2.done 0.coin", "0.done"):
        asked.append(play(history, line).state.actors)
    assert asked == [(0, 1, 2), (0, 2), (0,), ()]
    assert history.state.is_chance


def test_where_several_are_asked_an_action_needs_its_seat() -> None:
    state = dealt(4, 9, 1).state
    with pytest.raises(IllegalAction, match="several seats are asked now") as caught:
        state.apply("coin")
    assert caught.value.code == "which-seat"
    with pytest.raises(IllegalAction, match="3 seats are asked now"):
        state.legal_actions()
    assert [str(action) for action in state.legal_actions(2)] == ["coin", "done"]


def test_the_last_of_several_needs_no_seat() -> None:
    history = play(dealt(4, 9, 1), "0.done 2.done")
    assert history.state.apply("coin") == history.state.apply("coin", 1)


def test_a_seat_that_is_done_cannot_act_again() -> None:
    history = play(dealt(4, 9, 1), "0.done")
    before = history.state.position.tobytes()
    with pytest.raises(IllegalAction, match="seat 0 is not asked now; seats 1, 2 to act"):
        history.play("coin", 0)
    assert history.state.legal_actions(0) == []
    assert history.state.position.tobytes() == before


@pytest.mark.parametrize("seat", [-2, -1, 3, 40, 64, 65, 66, 128, 1000])
def test_a_seat_that_does_not_exist_is_refused(seat: int) -> None:
    with pytest.raises(IllegalAction):
        dealt(4, 9, 1).state.apply("coin", seat)


def test_who_has_answered_in_secret_shows_neither_in_views_nor_in_refusals() -> None:
    state = play(dealt(4, 9, 1), "0.done 1.done").state
    assert state.actors == (2,)
    assert state.view(0).actors == (1, 2)
    assert state.view(None).actors == (0, 1, 2)
    with pytest.raises(IllegalAction, match="seat 0 is not asked now; seats 1, 2 to act"):
        state.apply("coin", 0)


def test_a_seat_cannot_act_for_chance() -> None:
    with pytest.raises(IllegalAction, match="seat 0 is not asked now; chance is to act"):
        tiny.table().apply("deal:4", 0)


def test_the_order_of_sealed_bids_makes_no_difference() -> None:
    one = play(dealt(4, 9, 1), "0.coin 0.done 1.coin 1.coin 1.done 2.done")
    other = play(dealt(4, 9, 1), "1.coin 2.done 0.coin 1.coin 1.done 0.done")
    assert one.state == other.state


# The interrupt


def test_an_objection_interrupts_a_turn_that_then_goes_on() -> None:
    history = play(dealt(4, 9), "0.coin 0.done 1.coin 1.coin 1.done open")
    assert history.state.actors == (1,)
    play(history, "claim")
    assert history.state.actors == (0,)
    assert [str(action) for action in history.state.legal_actions()] == ["object", "pass"]
    with pytest.raises(IllegalAction, match="seat 1 is not asked now; seat 0 to act"):
        history.play("pay", 1)
    play(history, "object")
    assert history.state.actors == (1,)
    play(history, "pay show")
    assert history.state.outcome is not None
    assert history.state.outcome.scores == (4, 2 + 4 + 9)
    assert history.state.outcome.winners == (1,)


def test_after_an_objection_the_price_can_be_too_high() -> None:
    history = play(dealt(4, 9), "0.coin " * 5 + "0.done 1.done open claim object")
    assert [str(action) for action in history.state.legal_actions()] == ["leave"]
    play(history, "leave")
    assert history.state.position["turn"][0] == NOBODY


def test_a_game_can_end_in_a_draw() -> None:
    outcome = play(dealt(4, 9), "0.done 1.done open leave show").state.outcome
    assert outcome is not None
    assert outcome.is_draw
    assert (outcome.winners, outcome.reason, outcome.scores) == ((0, 1), "rounds", (5, 5))


# Secrets


def test_a_view_hides_cards_and_bids_of_others_but_not_its_own() -> None:
    state = play(dealt(4, 9, 1), "0.coin 0.coin 0.done 1.coin").state
    own, other, spectator = (at(state.view(seat).position, 0) for seat in (0, 1, None))
    assert (own.card.tolist(), own.bid.tolist(), own.ready.tolist()) == ([4, 255, 255], [2, 255, 255], [1, 0, 0])
    assert (other.card.tolist(), other.bid.tolist(), other.ready.tolist()) == ([255, 9, 255], [255, 1, 255], [0, 0, 0])
    assert (spectator.card.tolist(), spectator.bid.tolist()) == ([255] * 3, [255] * 3)
    assert "card=?,9,? bid=?,1,? ready=0,0,0" in state.view(1).text


def test_opened_bids_are_everybodys_and_cards_are_still_hidden() -> None:
    state = play(dealt(4, 9), "0.coin 0.done 1.done open").state
    assert "card=?,9,0 bid=1,0,0" in state.view(1).text


def test_views_leave_the_state_as_it_was() -> None:
    state = play(dealt(4, 9, 1), "0.coin").state
    before = state.position.tobytes()
    state.view(1).position["coins"][0] = 99
    assert state.position.tobytes() == before


def with_other_secrets(state: tiny.State, seat: int | None, rng: random.Random) -> tiny.State:
    """A state that differs at most in what the seat may not know."""
    position = state.position
    s = at(position, 0)
    others = [other for other in range(s.seats) if other != seat]
    known = {int(s.card[seat])} if seat is not None else set()
    deck = [card for card in range(1, 10) if card not in known and not int(s.shown) >> card - 1 & 1]
    for other, card in zip(others, rng.sample(deck, len(others)), strict=True):
        s.card[other] = card if s.card[other] else 0
    if s.phase in (Phase.BID, Phase.OPEN):
        for other in others:
            s.bid[other] = rng.randint(0, int(s.coins[other]))
            s.ready[other] = rng.randint(0, 1)
        s.phase = Phase.OPEN if s.ready.sum() == s.seats else Phase.BID
    return tiny.State(position)


@many
@given(games, st.randoms(use_true_random=False))
def test_what_a_seat_may_not_know_leaves_no_trace_in_its_view(history: History[tiny.State], rng: random.Random) -> None:
    for state in history.states[:-1]:
        for seat in viewers(state):
            view = state.view(seat)
            other = with_other_secrets(state, seat, rng).view(seat)
            assert view.position.tobytes() == other.position.tobytes()
            assert view.text == other.text
            assert str(view) == str(other)
            assert view.legal_actions() == other.legal_actions()
            assert view.actors == other.actors


def test_the_other_secrets_of_that_test_are_really_others() -> None:
    """It would prove nothing with states that are the same."""
    state = play(dealt(4, 9, 1), "0.coin 1.done").state
    others = [with_other_secrets(state, 0, random.Random(seed)) for seed in range(40)]
    assert len(set(others)) > 20
    assert {other.position["phase"][0] for other in others} == {Phase.BID}
    assert all(state.view(1).text != other.view(1).text for other in others if other.position["card"][0][1] != 9)


@many
@given(games)
def test_a_view_changes_only_with_a_step_that_its_seat_notices(history: History[tiny.State]) -> None:
    game = tiny.GAME
    for before, step, after in zip(history.states, history.steps, history.states[1:], strict=False):
        for seat in viewers(before):
            viewer = None if seat is None else Seat(seat)
            if game.seen(before.position, step.seat, step.action, viewer) is None:
                assert before.view(seat).text == after.view(seat).text


def test_a_seat_sees_its_own_sealed_actions_and_never_those_of_others() -> None:
    history = play(dealt(4, 9), "0.coin 0.done 1.coin 1.coin 1.done open claim")
    told = {seat: [str(step.action) for step in history.seen(seat)] for seat in (0, 1, None)}
    assert told[0] == ["deal:4", "deal:?", "coin", "done", "open", "claim"]
    assert told[1] == ["deal:?", "deal:9", "coin", "coin", "done", "open", "claim"]
    assert told[None] == ["deal:?", "deal:?", "open", "claim"]


@many
@given(games, st.integers(0, 2**32))
def test_two_games_that_differ_in_sealed_bids_only_look_the_same_until_they_are_opened(
    history: History[tiny.State], seed: int
) -> None:
    rng = random.Random(seed)
    bidding = next(index for index, state in enumerate(history.states) if len(state.actors) > 1)
    seen: list[list[Step]] = []
    for _ in range(2):
        other = History(tiny.table(history.state.seats, 1))
        for step in history.steps[:bidding]:
            other.play(step.action, step.seat)
        while other.state.actors:
            seat = rng.choice(other.state.actors)
            other.play("done" if seat == 0 else rng.choice(other.state.legal_actions(seat)), seat)
        seen.append(other.seen(0))
    assert seen[0] == seen[1]


def test_a_hidden_deal_is_never_legal() -> None:
    with pytest.raises(IllegalAction, match=r"deal:\? is not possible now"):
        tiny.table().apply("deal:?")


# Undo


def test_a_sealed_bid_can_be_taken_back_while_the_sealed_bids_of_others_stay() -> None:
    history = play(dealt(4, 9, 1), "0.coin 0.done 1.coin 1.coin 1.done 2.coin")
    assert history.can_undo(0)
    history.undo(0)
    assert history.state == play(dealt(4, 9, 1), "0.coin 1.coin 1.coin 1.done 2.coin").state
    history.undo(0)
    assert history.state == play(dealt(4, 9, 1), "1.coin 1.coin 1.done 2.coin").state
    assert [step.seat for step in history.steps if step.seat is not None] == [1, 1, 1, 2]
    assert history.state.actors == (0, 2)


def test_a_sealed_bid_can_be_taken_back_when_all_are_ready_until_chance_has_opened_the_fists() -> None:
    history = play(dealt(4, 9), "0.coin 0.done 1.done")
    assert history.can_undo(0)
    history.play("open")
    for seat in (0, 1, None):
        with pytest.raises(IllegalAction, match="chance has acted since"):
            history.undo(seat)


def test_nothing_is_taken_back_after_another_seat_has_acted_openly() -> None:
    history = play(dealt(4, 9), "0.coin 0.done 1.done open claim")
    assert history.can_undo(0)
    play(history, "pass")
    with pytest.raises(IllegalAction, match="seat 1 acted last"):
        history.undo(0)
    assert history.undo(1).actors == (1,)
    assert [str(action) for action in history.undo(0).legal_actions()] == ["claim", "leave"]


def test_a_seat_without_an_action_of_its_own_takes_nothing_back() -> None:
    history = play(dealt(4, 9), "0.coin")
    with pytest.raises(IllegalAction, match="chance has acted since"):
        history.undo(1)
    with pytest.raises(IllegalAction, match="nothing has been played"):
        History(tiny.table()).undo()
    assert history.state == play(dealt(4, 9), "0.coin").state


# Records


def test_a_record_names_the_seat_where_several_are_asked() -> None:
    record = play(dealt(4, 9), "0.coin 1.done done open claim pass pay show").record()
    moves = [move for move in record.moves if not move.startswith("#")]
    assert " ".join(moves) == "deal:4 deal:9 0.coin 1.done done open claim pass pay show"
    assert record.result == "0 rounds 17:5"


@many
@given(games)
def test_records_read_back_and_replay(history: History[tiny.State]) -> None:
    text = str(history.record(["Ada", 'Bo "b"', "Cy"][: history.state.seats]))
    record = Record.read(text)
    again = History.replay(record)
    assert again.states == history.states
    assert again.steps == history.steps
    assert str(record) == text


def test_a_record_in_which_the_wrong_seat_acts_is_refused() -> None:
    text = str(play(dealt(4, 9, 1), "0.done 1.coin").record(secrets=True))
    with pytest.raises(BadRecord, match=r"step 5, 0\.coin: .*seat 0 is not asked now"):
        Record.read(text.replace("1.coin", "0.coin")).replay()
    with pytest.raises(BadRecord, match=r"step 5, coin: .*several seats are asked"):
        Record.read(text.replace("1.coin", "coin")).replay()


def test_a_game_with_secrets_gives_no_record_before_it_is_over() -> None:
    history = play(dealt(4, 9), "0.coin 0.done 1.done open claim pass pay")
    with pytest.raises(IllegalAction) as caught:
        history.record()
    assert caught.value.code == "secret-record"
    stored = history.record(secrets=True)
    assert History.replay(Record.read(str(stored))).state == history.state
    history.play("show")
    assert history.record().result != "*"


def test_a_game_from_the_middle_keeps_its_start_in_the_record() -> None:
    history = History(play(dealt(4, 9), "0.coin").state)
    play(history, "0.done 1.done open leave show")
    record = Record.read(str(history.record()))
    assert record.start == history.start.text
    assert History.replay(record).states == history.states


@many
@given(games)
def test_positions_and_views_read_back(history: History[tiny.State]) -> None:
    for state in history.states:
        assert tiny.read(state.text) == state
        for seat in viewers(state):
            view = state.view(seat)
            assert tiny.GAME.read(view.text).tobytes() == view.position.tobytes()


@pytest.mark.parametrize("text", ["", "carolus", "relics seats=9", tiny.table().text.replace("seats=3", "seats=4")])
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(BadPosition):
        tiny.read(text)


def test_actions_read_back_and_stand_at_their_codes() -> None:
    assert [tiny.parse(str(action)) for action in tiny.GAME.actions] == list(tiny.GAME.actions)
    assert [action.code for action in tiny.GAME.actions] == list(range(len(tiny.GAME.actions)))
    with pytest.raises(BadNotation):
        tiny.parse("fold")


def test_options_are_checked() -> None:
    with pytest.raises(BadOptions, match="seats is 2 to 3"):
        tiny.table(seats=4)


# Compiled play


def test_playouts_finish_and_leave_each_seat_to_bid() -> None:
    start = tiny.table(3, 3).position
    positions = np.repeat(start, 300)
    decisions = play_out_all(positions, tiny.GAME.data, np.arange(300, dtype=np.uint64))
    assert (positions["phase"] == Phase.OVER).all()
    assert decisions >= 300 * 3 * (3 + 1)
    ends = [tiny.State(positions[i : i + 1].copy()).outcome for i in range(300)]
    assert {winner for outcome in ends if outcome for winner in outcome.winners} == {0, 1, 2}
    assert all(outcome is not None and max(outcome.scores) <= 45 + 5 for outcome in ends)


def test_the_same_seeds_play_out_the_same() -> None:
    first, again = (np.repeat(tiny.table(2, 2).position, 20) for _ in range(2))
    seeds = np.arange(20, dtype=np.uint64)
    assert play_out_all(first, tiny.GAME.data, seeds) == play_out_all(again, tiny.GAME.data, seeds)
    assert first.tobytes() == again.tobytes()


def test_chance_deals_every_card_that_is_left_and_no_other() -> None:
    state = play(dealt(4, 9, rounds=2), "0.done 1.done open leave show deal:1").state
    assert {str(action): weight for action, weight in state.chance_weights().items()} == {
        f"deal:{card}": 1 for card in (2, 3, 5, 6, 7, 8)
    }


# What the core holds games to


def test_records_carry_a_digest_of_the_data_and_refuse_another() -> None:
    record = play(dealt(4, 9, 1), "0.coin").record(secrets=True)
    assert re.fullmatch("[0-9a-f]{16}", record.data)
    assert Record.read(str(record)) == record
    assert History.replay(record).state.actors == (0, 1, 2)
    for other in ("", "0123456789abcdef"):
        with pytest.raises(BadRecord, match="played with other data"):
            History.replay(replace(record, data=other))


def test_a_game_with_secrets_must_say_what_each_seat_may_know() -> None:
    class Careless(type(tiny.GAME)):  # type: ignore[misc]
        name = "careless"
        view, seen = Game.view, Game.seen

    class CarelessState(State[tiny.Action]):
        game = Careless()

    with pytest.raises(TypeError, match="careless has secrets"):
        register(CarelessState)


def test_two_marks_in_a_row_are_refused() -> None:
    text = str(play(dealt(4, 9, 1), "0.coin").record(secrets=True))
    mark = text.split()[-1]
    with pytest.raises(BadRecord, match="a mark stands behind"):
        History.replay(Record.read(f"{text} {mark}"))
