"""The pieces of compiled play that every game shares: random numbers, draws by weight, the checked step."""

from collections import Counter

import numpy as np
import pytest

import tiny
from aachen import carolus
from aachen.core import kernel
from aachen.core.kernel import MOST_ACTIONS, NO_DATA, NO_SEAT
from aachen.core.playout import below, next_random, pick, play_out_all, some_seat
from aachen.core.schema import Array, Positions, room_for

#: The last number below 1 that `random()` can give.
JUST_UNDER_1 = 1 - 2**-53


def generator(seed: int) -> Array:
    return np.array([seed], np.uint64)


# SplitMix64


def test_the_random_numbers_are_those_of_splitmix64() -> None:
    """The published test vector for the seed 1234567."""
    rng = generator(1234567)
    assert [int(next_random(rng)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_state_of_the_random_numbers_wraps_around() -> None:
    rng = generator(2**64 - 1)
    next_random(rng)
    assert int(rng[0]) == 0x9E3779B97F4A7C15 - 1


@pytest.mark.parametrize("n", [1, 2, 3, 7, 15, 126, 512])
def test_below_gives_every_number_under_n_and_no_other(n: int) -> None:
    rng = generator(n)
    assert {below(rng, n) for _ in range(40 * n)} == set(range(n))


def test_below_stays_under_a_large_n() -> None:
    rng = generator(3)
    numbers = [below(rng, 2**31) for _ in range(1000)]
    assert 0 <= min(numbers) < 2**25
    assert 2**31 - 2**25 < max(numbers) < 2**31


def test_below_is_the_high_half_of_a_product() -> None:
    one, other = generator(1234567), generator(1234567)
    for n in range(1, 200):
        assert below(one, n) == ((int(next_random(other)) >> 32) * n) >> 32


# Draws by weight


def test_pick_follows_the_weights() -> None:
    weights = np.array([1, 0, 5, 2, 99], np.int32)  # the last lies behind the count
    rng = generator(11)
    counts = Counter(pick(rng, weights, 4) for _ in range(16_000))
    assert set(counts) == {0, 2, 3}
    for place, weight in ((0, 1), (2, 5), (3, 2)):
        assert abs(counts[place] - 2000 * weight) < 200, counts


def test_pick_takes_the_only_place_there_is() -> None:
    assert pick(generator(1), np.array([7], np.int32), 1) == 0


def test_some_seat_gives_only_seats_that_are_asked_and_each_of_them() -> None:
    rng = generator(5)
    counts = Counter(some_seat(rng, 0b101101) for _ in range(4000))
    assert set(counts) == {0, 2, 3, 5}
    assert min(counts.values()) > 850
    assert {some_seat(rng, 0b1000) for _ in range(20)} == {3}


def test_only_one_asked_seat_costs_no_random_number() -> None:
    rng = generator(5)
    some_seat(rng, 0b100)
    assert rng[0] == 5


def lot() -> carolus.State:
    """A table of three before the lot: chance draws one of three seats."""
    state = carolus.table(3)
    while len(state.chance_weights()) != 3 or "first:0" not in map(str, state.chance_weights()):
        state = state.apply(next(iter(state.chance_weights())))
    return state


@pytest.mark.parametrize(
    ("share", "first"),
    [(0.0, 0), (0.3333, 0), (0.3334, 1), (0.6666, 1), (0.6667, 2), (JUST_UNDER_1, 2)],
)
def test_a_draw_takes_the_outcome_at_its_share_of_the_weights(share: float, first: int) -> None:
    state = lot()
    assert str(state.game.actions[kernel.draw_of(state.position, NO_DATA, share)]) == f"first:{first}"


@pytest.mark.parametrize("share", [0.0, JUST_UNDER_1])
def test_a_draw_at_either_end_is_the_first_or_last_throw(share: float) -> None:
    state = lot().apply("first:0")
    throws = list(state.chance_weights())
    assert len(throws) == 56
    assert state.game.actions[kernel.draw_of(state.position, NO_DATA, share)] == throws[-1 if share else 0]


def test_draws_at_even_shares_come_in_just_the_weights() -> None:
    state = lot().apply("first:0")
    position, ways = state.position, 6**3
    codes = Counter(kernel.draw_of(position, NO_DATA, (share + 0.5) / ways) for share in range(ways))
    assert {state.game.actions[code]: number for code, number in codes.items()} == state.chance_weights()


# The checked step


def step(state: carolus.State | tiny.State, seat: int, action: str) -> Positions | None:
    """The position after the step, or None if it is refused; then it must not have been touched."""
    before, after = state.position, room_for(state.game.record)
    blank = after.tobytes()
    code = state.game.parse(action).code
    done = kernel.step(before, after, state.game.data, seat, code)
    assert before.tobytes() == state.position.tobytes()
    if not done:
        assert after.tobytes() == blank
        return None
    return after


def bidding() -> tiny.State:
    return tiny.table(3).apply("deal:1").apply("deal:2").apply("deal:3")


def test_step_takes_an_action_of_the_seat_that_is_asked_or_of_whoever_is() -> None:
    state = carolus.new(players=3, seed=4, crowns="deferred")
    named, unnamed = step(state, state.actor, "d3"), step(state, NO_SEAT, "d3")
    assert named is not None
    assert unnamed is not None
    assert named.tobytes() == unnamed.tobytes() == state.apply("d3").position.tobytes()


def test_step_refuses_a_seat_that_is_not_asked() -> None:
    state = carolus.new(players=3, seed=4, crowns="deferred")
    for seat in (-7, -2, 3, 4, 31, 63, 64, 65, 66, 128, 1000, 2**40):
        assert step(state, seat, "d3") is None
    for seat in range(3):
        assert (step(state, seat, "d3") is None) == (seat != state.actor)


def test_step_refuses_a_seat_where_chance_acts() -> None:
    table = carolus.table(2)
    assert step(table, 0, "deal:r") is None
    assert step(table, 1, "deal:r") is None
    assert step(table, NO_SEAT, "deal:r") is not None


def test_step_wants_the_seat_where_several_are_asked() -> None:
    assert step(bidding(), NO_SEAT, "coin") is None
    for seat in range(3):
        after = step(bidding(), seat, "coin")
        assert after is not None
        assert after["bid"][0].tolist() == [int(seat == other) for other in range(3)]


def test_step_refuses_every_seat_that_is_done() -> None:
    state = bidding().apply("done", 1)
    assert step(state, 1, "coin") is None
    assert step(state, 0, "coin") is not None


def test_step_refuses_what_is_not_listed_and_codes_that_do_not_exist() -> None:
    state = carolus.new(players=2, seed=4)
    assert step(state, NO_SEAT, "m1") is None
    assert step(state, NO_SEAT, "dice:rrr") is None
    after = room_for(state.game.record)
    for code in (-1, len(state.game.actions), MOST_ACTIONS, 2**16, 2**40):
        assert not kernel.step(state.position, after, state.game.data, NO_SEAT, code)


def test_step_refuses_everything_when_the_game_is_over() -> None:
    positions = carolus.table(2).position
    play_out_all(positions, NO_DATA, np.array([1], np.uint64))
    state = carolus.State(positions)
    assert state.is_over
    for action in state.game.actions:
        for seat in (NO_SEAT, 0, 1):
            assert step(state, seat, str(action)) is None


# Playouts


def test_playouts_of_carolus_finish_and_depend_on_their_own_seed_only() -> None:
    seeds = np.arange(100, 130, dtype=np.uint64)
    together = np.repeat(carolus.table(3).position, 30)
    decisions = play_out_all(together, NO_DATA, seeds)
    alone = np.repeat(carolus.table(3).position, 30)
    counts = [play_out_all(alone[i : i + 1], NO_DATA, seeds[i : i + 1]) for i in reversed(range(30))]
    assert sum(counts) == decisions
    assert together.tobytes() == alone.tobytes()
    assert all(kernel.winners_of(alone[i : i + 1], NO_DATA) for i in range(30))


def test_the_same_game_is_played_by_the_states_with_the_same_random_numbers() -> None:
    """The compiled playout and the checked way agree, and so can another language."""
    positions = carolus.table(4, round_limit=2).position
    decisions = play_out_all(positions, NO_DATA, np.array([77], np.uint64))
    rng, state, counted = generator(77), carolus.table(4, round_limit=2), 0
    while not state.is_over:
        if weights := state.chance_weights():
            state = state.apply(list(weights)[pick(rng, np.array(list(weights.values()), np.int32), len(weights))])
        else:
            legal = state.legal_actions()
            state = state.apply(legal[below(rng, len(legal))])
            counted += 1
    assert state.position.tobytes() == positions.tobytes()
    assert counted == decisions
