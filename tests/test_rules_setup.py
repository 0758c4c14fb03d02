"""The set-up: the deal, the Emperor, the lot and the first reserves (C1 to C4)."""

import random
from collections import Counter

import pytest

from aachen import carolus
from helpers import legal, play, random_game, seat, told

PLAYERS = (2, 3, 4)
DEAL = " ".join(f"deal:{clan}" for clan in "rygbp" * 3)


def after_lot(players: int, first: int = 0, **options: object) -> carolus.State:
    return play(carolus.table(players, **options), f"{DEAL} emperor:E first:{first}")


def supply(state: carolus.State) -> list[int]:
    return [int(number) for number in state.position["supply"][0]]


@pytest.mark.parametrize("players", PLAYERS)
def test_C1_the_table_begins_with_15_empty_tiles_and_40_cubes_of_each_clan(players: int) -> None:
    table = carolus.table(players)
    assert told(table).regions == "A/B/C/D/E/F/G/H/I/J/K/L/M/N/O"
    assert supply(table) == [40, 40, 40, 40, 40]


@pytest.mark.parametrize("players", PLAYERS)
def test_C1_three_cubes_of_each_clan_are_dealt_one_a_tile(players: int) -> None:
    dealt = play(carolus.table(players), DEAL)
    assert told(dealt).regions == "Ar/By/Cg/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op"
    assert supply(dealt) == [37, 37, 37, 37, 37]


def test_C1_a_clan_is_as_likely_on_a_tile_as_it_has_cubes_to_deal() -> None:
    weights = play(carolus.table(), "deal:r deal:r deal:g").chance_weights()
    assert {str(action): weight for action, weight in weights.items()} == {
        "deal:r": 1, "deal:y": 3, "deal:g": 2, "deal:b": 3, "deal:p": 3,
    }  # fmt: skip


def test_C1_a_clan_whose_three_cubes_are_dealt_is_dealt_no_more() -> None:
    weights = play(carolus.table(), "deal:r deal:r deal:r").chance_weights()
    assert "deal:r" not in [str(action) for action in weights]


def test_C1_the_deal_is_random() -> None:
    deals = {told(carolus.new(seed=seed)).regions.replace("!", "") for seed in range(20)}
    assert len(deals) == 20


def test_C1_the_Emperor_starts_on_any_tile_each_as_likely() -> None:
    weights = play(carolus.table(), DEAL).chance_weights()
    assert {str(action): weight for action, weight in weights.items()} == {
        f"emperor:{tile}": 1 for tile in "ABCDEFGHIJKLMNO"
    }


def test_C1_the_Emperor_stands_on_the_tile_that_was_drawn() -> None:
    assert "/Hg!/" in told(play(carolus.table(), f"{DEAL} emperor:H")).regions


@pytest.mark.parametrize("players", PLAYERS)
def test_C2_every_seat_is_as_likely_to_be_first(players: int) -> None:
    weights = play(carolus.table(players), f"{DEAL} emperor:E").chance_weights()
    assert {str(action): weight for action, weight in weights.items()} == {f"first:{one}": 1 for one in range(players)}


@pytest.mark.parametrize(
    ("players", "first", "order"),
    [(2, 0, ">01"), (2, 1, ">10"), (3, 1, ">120"), (3, 2, ">201"), (4, 1, ">1230"), (4, 3, ">3012")],
)
def test_C2_seats_follow_clockwise_from_the_first(players: int, first: int, order: str) -> None:
    assert told(after_lot(players, first)).order == order


@pytest.mark.parametrize("players", PLAYERS)
def test_C2_the_discs_of_the_first_round_are_played_in_the_order_of_the_lot(players: int) -> None:
    state = after_lot(players, first=1)
    for _ in range(players):
        for dice in ("rgb", "rgb", "rgb" if players == 3 else "r"):
            state = state.apply(f"dice:{dice}")
    assert state.actor == 1
    assert told(state).phase == "disc"
    assert state.apply("d1").actor == 2 % players


@pytest.mark.parametrize(("players", "throws"), [(2, [3, 3, 1]), (3, [3, 3, 3]), (4, [3, 3, 1])])
def test_C3_a_seat_throws_its_reserve_in_three_throws(players: int, throws: list[int]) -> None:
    state = after_lot(players)
    for one in range(players):
        for dice in throws:
            assert told(state).phase == f"fill:{dice}"
            assert int(state.position["order"][0][int(state.position["turn"][0])]) == one
            state = state.apply("dice:" + "y" * dice)
        assert seat(state, one).reserve == f"y{sum(throws)}"
    assert told(state).phase == "disc"


def test_C3_after_each_throw_the_seat_takes_the_cubes_shown() -> None:
    state = after_lot(2).apply("dice:rrb")
    assert seat(state, 0).reserve == "r2b"
    assert supply(state) == [35, 37, 37, 36, 37]


def test_C3_a_clan_is_named_for_each_crown_before_the_next_throw() -> None:
    state = after_lot(2).apply("dice:r**")
    assert told(state).phase == "crown:2"
    assert state.actor == 0
    assert legal(state) == "=r =y =g =b =p"
    state = play(state, "=g =p")
    assert told(state).phase == "fill:3"
    assert seat(state, 0).reserve == "rgp"


def test_C3_the_seat_that_was_drawn_first_throws_first() -> None:
    state = play(after_lot(3, first=2), "dice:rrr")
    assert [seat(state, one).reserve for one in range(3)] == ["-", "-", "r3"]


@pytest.mark.parametrize("players", PLAYERS)
def test_C3_every_reserve_is_full_when_the_first_round_begins(players: int) -> None:
    state = carolus.new(players, seed=players)
    rng = random.Random(players)
    while told(state).round == "0":
        state = state.draw(rng) if state.is_chance else state.apply(rng.choice(state.legal_actions()))
    assert state.position["reserve"][0].sum(axis=1)[:players].tolist() == [9 if players == 3 else 7] * players


def test_C4_a_die_shows_the_five_clans_and_a_crown_all_equally_likely() -> None:
    state = play(after_lot(2), "dice:rgb dice:rgb")
    weights = {str(action): weight for action, weight in state.chance_weights().items()}
    assert weights == {f"dice:{face}": 1 for face in "rygbp*"}


def test_C4_three_dice_fall_in_216_ways() -> None:
    weights = {str(action): weight for action, weight in after_lot(2).chance_weights().items()}
    assert sum(weights.values()) == 6**3
    assert len(weights) == 56
    assert (weights["dice:rrr"], weights["dice:rry"], weights["dice:rg*"]) == (1, 3, 6)


def test_C4_the_weight_of_a_throw_of_four_dice_is_the_number_of_ways_to_throw_it() -> None:
    counted = Counter(
        "dice:" + "".join(sorted((a, b, c, d), key="rygbp*".index))
        for a in "rygbp*" for b in "rygbp*" for c in "rygbp*" for d in "rygbp*"
    )  # fmt: skip
    throws = [state for state in random_game(1, players=3).states if told(state).phase == "throw:4"]
    assert {str(action): weight for action, weight in throws[0].chance_weights().items()} == counted


def test_C4_many_throws_show_every_face_about_equally_often() -> None:
    """600 throws of three dice: every face is expected 300 times."""
    rng = random.Random(4)
    start = after_lot(2)
    faces = Counter("".join(str(start.draw_action(rng))[5:] for _ in range(600)))
    assert sorted(faces) == sorted("rygbp*")
    assert all(240 < number < 360 for number in faces.values())
