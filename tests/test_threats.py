"""`threats` tells where each seat could build or take over: now with its disc, and later with what odds."""

import random
from typing import Any, NamedTuple

import pytest

from aachen import carolus
from aachen.carolus import Clan, Cube, Move, Phase
from aachen.carolus.attacks import Attack
from aachen.carolus.preview import preview
from aachen.carolus.threats import Threat, threats
from aachen.carolus.words import TILE_LETTERS
from aachen.core import BadOptions, Outcome, Side
from helpers import position, random_games, told
from test_rules_examples import castle_of_black, figure_6

#: Black has all markers but red, and nobody can win one of them in a turn. So only red cubes help.
ONLY_RED: dict[str, Any] = {"courts": ["-", "y9g9b9p9"], "markers": "-1111"}


def threat(state: carolus.State, seat: int, letter: str, samples: int = 1, seed: int = 0) -> Threat:
    return next(
        one for one in threats(state, samples, seed) if (one.seat, TILE_LETTERS[one.tile]) == (seat, letter)
    )  # fmt: skip


def now(state: carolus.State, seat: int, letter: str) -> Attack | None:
    return threat(state, seat, letter).now


def needed(state: carolus.State, seat: int, letter: str) -> str | None:
    """The cubes that it takes, in notation; None if the seat can do nothing there."""
    attack = now(state, seat, letter)
    return None if attack is None else " ".join(attack.needed)


def attacked(state: carolus.State, seat: int) -> str:
    """The regions that a seat can attack now."""
    return "".join(TILE_LETTERS[one.tile] for one in threats(state, 1) if one.seat == seat and one.now)


# Now


def test_there_is_a_threat_for_every_seat_and_region() -> None:
    found = threats(position("A! CW3 HB2", options="3"), 1)
    assert [(one.seat, TILE_LETTERS[one.tile]) for one in found] == [
        (seat, letter) for seat in range(3) for letter in "ABCFGHJKLMNO"
    ]


def test_E4_the_counterattack_of_white_is_a_threat() -> None:
    assert now(figure_6(), 0, "D") == Attack(
        turn=("y@", "y@", "yD", "m2"), needed=("y@", "y@", "yD"), effect="take over", castles=3, outcome=None
    )


def test_E4_black_needs_nothing_but_a_step_to_take_B_over_as_if_its_turn_came_next() -> None:
    attack = now(figure_6(), 1, "C")
    assert attack is not None
    assert (attack.needed, attack.turn[-1], attack.effect, attack.castles) == ((), "m1", "take over", 1)


def test_E1_one_green_cube_at_court_is_enough() -> None:
    assert now(castle_of_black(), 0, "C") == Attack(("g@", "m2"), ("g@",), "take over", 1, None)


def test_C8_cubes_that_are_not_needed_go_to_another_region() -> None:
    state = position("A! Br Cy", reserves=["ry3"], phase="cube:3", courts=["-", "y9"], markers="-1---")
    assert now(state, 0, "B") == Attack(("r@", "yA", "yA", "m1"), ("r@",), "build", 1, None)


def test_C10_a_region_out_of_reach_is_not_threatened() -> None:
    tiles = "A! Br Cr Dr Er Gr"
    assert attacked(position(tiles, reserves=["r"], phase="cube:1", discs="34"), 0) == "BCD"


def test_C10_on_a_small_ring_the_Emperor_may_come_back_to_where_he_was() -> None:
    ring = "Ar9B5! FW4 JB4 NW2"
    assert now(position(ring, courts=["r"], markers="0----", discs="35"), 0, "A") is None
    assert now(position(ring, courts=["r"], markers="0----", discs="45"), 0, "A") == Attack(
        ("m4",), (), "take over", 4, Outcome((Side(0),), "castles", (10, 4))
    )


def test_C11_a_tie_is_not_enough() -> None:
    state = position("A! BB2", courts=["r"], reserves=["r2"], markers="0----", phase="cube:2")
    assert now(state, 0, "B") is None
    state = position("A! BB2", courts=["r"], reserves=["r3"], markers="0----", phase="cube:3")
    assert needed(state, 0, "B") == "rB rB rB"


def test_C13_a_side_does_not_threaten_its_own_region() -> None:
    state = position("A! Br5W", options="4", markers="0----", discs="1234")
    assert [seat for seat in range(4) if now(state, seat, "B")] == []
    state = position("A! Br5W", options="4", markers="1----", discs="1234")
    assert [seat for seat in range(4) if now(state, seat, "B")] == [1, 3]


def test_C9_a_partners_clan_counts_but_a_marker_is_won_seat_against_seat() -> None:
    state = position("A! BB2", options="4", courts=["-", "-", "r9"], reserves=["r3"], markers="2----", phase="cube:3")
    assert needed(state, 0, "B") == "rB rB rB"
    state = position("A! By", options="4", courts=["-", "y", "y"], reserves=["y3"], markers="-1---", phase="cube:3")
    assert needed(state, 0, "B") == "y@ y@"
    state = position("A! By", options="4", courts=["-", "y", "y3"], reserves=["y3"], markers="-2---", phase="cube:3")
    assert needed(state, 3, "B") is None


def test_three_sides_must_each_be_outnumbered() -> None:
    state = position(
        "A! By2g2", options="3", courts=["r", "y", "g"], reserves=["r4"], markers="012--", phase="cube:4"
    )  # fmt: skip
    assert needed(state, 0, "B") == "rB rB rB"


def test_winning_a_clan_is_chosen_where_it_takes_fewer_cubes() -> None:
    tiles = "A! By3"
    state = position(tiles, courts=["r", "y"], reserves=["r4y2"], markers="01---", phase="cube:3")
    assert needed(state, 0, "B") == "y@ y@"
    state = position("A! By", courts=["r", "y"], reserves=["r4y2"], markers="01---", phase="cube:3")
    assert needed(state, 0, "B") in ("rB rB", "y@ y@")


def test_C22_a_threat_to_win_is_told() -> None:
    attack = now(position("A! Br DW9", reserves=["r"], phase="cube:1"), 0, "B")
    assert attack is not None
    assert attack.outcome == Outcome((Side(0),), "castles", (10, 0))


def test_C15_castles_are_as_many_as_the_side_has_left() -> None:
    attack = now(position("A! Br9B3 FW8", courts=["r"], markers="0----"), 0, "B")
    assert attack is not None
    assert (attack.castles, attack.outcome) == (2, Outcome((Side(0),), "castles", (10, 0)))


def test_C23_a_threat_to_end_the_game_by_few_regions_is_told() -> None:
    attack = now(position("AW6 Gr HB7 O!", courts=["r"], markers="0----", discs="25"), 0, "G")
    assert attack is not None
    assert attack.outcome == Outcome((Side(0), Side(1)), "regions", (7, 7))


def test_in_the_middle_of_a_turn_only_what_is_left_of_it_counts() -> None:
    state = figure_6()
    assert needed(state.apply("y@"), 0, "D") == "y@ yD"
    assert needed(state.apply("y@").apply("y@").apply("yD"), 0, "D") == ""
    assert needed(state.apply("rA"), 0, "D") is None


def test_a_seat_that_has_moved_or_has_no_disc_yet_threatens_nothing_now() -> None:
    tiles = "A! Br3 Cr3 Dr3 Er3"
    both: dict[str, Any] = {"courts": ["r"], "markers": "0----", "reserves": ["r", "r"], "discs": "12"}
    assert attacked(position(tiles, **both, phase="throw:3"), 0) == ""
    assert attacked(position(tiles, **both, phase="cube:1", turn=1), 0) == ""
    opening = carolus.read(
        "carolus 2 Ar!/Br/Cr/Db/Ep/Fr/Gy/Hg/Ib/Jp/Kr/Ly/Mg/Nb/Op -:r3y4:1345:2/-:r3b4:12345:- ----- 0>1 disc 1"
    )
    assert (attacked(opening, 0), attacked(opening, 1)) == ("BC", "")


def test_C25_jokers_are_named_as_they_are_needed() -> None:
    joker: dict[str, Any] = {"options": "2+deferred", "phase": "joker"}
    state = position("A! Bg", reserves=["*2"], **joker)
    assert now(state, 0, "B") == Attack(("=g", "=r", "g@", "rA", "m1"), ("g@",), "build", 1, None)
    state = position("A! BB2", courts=["r"], markers="0----", reserves=["r*2"], **joker)
    assert needed(state, 0, "B") == "rB rB rB"
    state = position("A! BgB2", reserves=["*2"], **joker)
    assert needed(state, 0, "B") is None


def test_C19_a_joker_cannot_be_a_clan_that_has_run_out() -> None:
    rest: dict[str, Any] = {"options": "2+deferred", "phase": "joker", "reserves": ["*"]}
    assert needed(position("A! Bg Og39", **rest), 0, "B") is None
    assert needed(position("A! Bg Og38", **rest), 0, "B") == "g@"


def test_C18_cubes_that_the_courts_give_back_can_be_named() -> None:
    rest: dict[str, Any] = {"options": "2+deferred", "phase": "joker", "markers": "--1--"}
    state = position("A! Bg Og37", courts=["g", "g"], reserves=["*"], **rest)
    assert needed(state, 0, "B") == "g@"
    state = position("A! BgB2 Og37", courts=["g", "g"], reserves=["*3"], **rest)
    assert needed(state, 0, "B") is None
    state = position("A! BgB2 Og36", courts=["g", "g"], reserves=["*3"], **rest)
    assert needed(state, 0, "B") == "g@ gB gB"


def test_in_the_set_up_and_at_the_end_there_are_no_threats() -> None:
    assert threats(carolus.table(2)) == []
    over = position("A! Br DW9", markers="0----").apply("m1")
    assert over.is_over
    assert threats(over) == []


# Later


def later(state: carolus.State, seat: int, letter: str, samples: int = 4000) -> float:
    return threat(state, seat, letter, samples, seed=1).later


def test_what_is_certain_has_odds_of_1_and_what_is_impossible_of_0() -> None:
    assert later(figure_6(), 1, "C", 200) == 1
    assert later(figure_6(), 1, "A", 200) == 0  # its own
    assert later(figure_6(), 1, "O", 200) == 0  # too far
    assert later(figure_6(), 0, "A", 200) == 0


@pytest.mark.parametrize(
    ("rest", "odds"),
    [
        ({"phase": "throw:3"}, 1 - 0.8**3),
        ({"phase": "move"}, 1 - 0.8**3),
        ({"phase": "cube:2", "reserves": ["ry"]}, 1 - 0.8**3),
        ({"phase": "cube:3", "reserves": ["ry3"]}, 1 - 0.75 * 0.8**3),
        ({"phase": "cube:2", "reserves": ["ry2"]}, 1 - 2 / 3 * 0.8**3),
        ({"phase": "crown:2"}, 1 - 0.8**2),
        ({"phase": "throw:4", "options": "3"}, 1 - 0.8**4),
        ({"phase": "throw:3", "options": "2+deferred"}, 1 - (2 / 3) ** 3),
        ({"phase": "joker", "options": "2+deferred", "reserves": ["*4"]}, 1 - 0.8 * (2 / 3) ** 3),
        ({"phase": "choose", "options": "2+choose-one"}, 1 - 0.8**3),
        ({"phase": "throw:2", "options": "2+choose-one"}, 1 - 0.8**2),
    ],
)
def test_C16_the_odds_of_a_red_cube_are_those_of_the_dice(rest: dict[str, Any], odds: float) -> None:
    """A die brings red, or a crown that names it: 1/6 + 1/6 x 1/5. A joker can always be named red."""
    state = position("A! Br", **{**ONLY_RED, **rest})
    assert later(state, 0, "B") == pytest.approx(odds, abs=0.03)


def test_a_turn_to_come_costs_cubes_before_it_brings_some() -> None:
    state = position("A! Br", **ONLY_RED, reserves=["ry3"], discs="21", phase="move")
    assert state.actor == 1
    assert later(state, 0, "B") == pytest.approx(1 - 0.75 * 0.8**3, abs=0.03)


def test_C19_a_clan_that_has_run_out_cannot_be_hoped_for() -> None:
    assert later(position("A! Br Or39", **ONLY_RED, phase="throw:3"), 0, "B") == 0


@pytest.mark.parametrize(("reserve", "odds"), [("r", 1), ("y", 0)])
def test_after_its_turn_a_seat_has_a_known_reserve(reserve: str, odds: int) -> None:
    state = position("A! Br", **ONLY_RED, reserves=[reserve], turn=1)
    assert later(state, 0, "B", 50) == odds


def test_C5_a_disc_that_is_used_does_not_bring_the_Emperor_there() -> None:
    tiles = "A! Br Cr Dr Er Fr Gr"
    state = position(tiles, courts=["r"], markers="0----", discs="51", turn=1)
    assert [later(state, 0, letter, 1) for letter in "BCDEFG"] == [1, 1, 1, 1, 0, 0]


def test_C5_before_its_disc_is_laid_a_seat_threatens_with_those_that_it_may_lay() -> None:
    opening = "carolus 2 Ar!/Br/Cr/Dr/Er/Fr/Gr/H/I/J/K/L/M/N/O -:r3y4:1234:5/-:r3b4:12345:- ----- 0>1 disc 1"
    assert [later(carolus.read(opening), 1, letter, 1) for letter in "BCDEFG"] == [1, 1, 1, 1, 0, 0]


def test_C7_after_a_fifth_round_every_disc_is_back() -> None:
    tiles, seats = "Ar!/Br/Cr/Dr/Er/Fr/Gr/H/I/J/K/L/M/N/O", "r:-:{0}:2/-:-:{0}:3"
    fourth = carolus.read(f"carolus 2 {tiles} {seats.format('1')} 0---- 0>1 move 4")
    fifth = carolus.read(f"carolus 2 {tiles} {seats.format('-')} 0---- 0>1 move 5")
    assert [later(fourth, 0, letter, 1) for letter in "BCDEFG"] == [1, 0, 0, 0, 0, 0]
    assert [later(fifth, 0, letter, 1) for letter in "BCDEFG"] == [1, 1, 1, 1, 1, 0]


def test_C21_after_the_last_round_nothing_comes() -> None:
    state = position("A! Br", options="2+limit=1", courts=["r"], markers="0----")
    assert now(state, 0, "B") is not None
    assert later(state, 0, "B", 10) == 0


def test_the_same_seed_gives_the_same_odds_and_another_one_others() -> None:
    assert threats(figure_6(), seed=5) == threats(figure_6(), seed=5)
    assert threats(figure_6(), seed=5) != threats(figure_6(), seed=6)
    assert threats(figure_6(), seed=-1) == threats(figure_6(), seed=-1)


def test_without_samples_there_are_no_odds() -> None:
    with pytest.raises(BadOptions, match="at least 1 sample, not 0"):
        threats(figure_6(), samples=0)


# Random games


def test_in_random_games_a_threat_of_the_seat_that_is_asked_is_a_turn_that_does_what_it_says() -> None:
    attacks = 0
    for history in random_games(100, 12):
        for state in history.states[::9]:
            for one in threats(state, samples=2):
                assert one.later in (0, 0.5, 1)
                if one.now is not None and (one.seat,) == state.actors and state.phase != Phase.DISC:
                    attacks += 1
                    found = preview(state, one.now.turn)
                    assert found.castles[state.side(one.seat)] == one.now.castles
                    assert found.outcome == one.now.outcome
    assert attacks > 100


class Best(NamedTuple):
    """What every turn that gains castles in a region has in common, and the fewest cubes that one of them needs."""

    castles: int
    outcome: Outcome | None
    fewest: int


def every_turn(state: carolus.State) -> dict[int, Best]:
    """Plays every turn from here, each set of cubes in one order, and tells what can be gained where."""
    seat, tiles = state.actor, [region.tile for region in state.regions]
    emperor = [region.has_emperor for region in state.regions].index(True)
    found: dict[int, Best] = {}
    ways: dict[carolus.State, tuple[carolus.Action, ...]] = {state: ()}
    while ways:
        longer: dict[carolus.State, tuple[carolus.Action, ...]] = {}
        for before, way in ways.items():
            for action in before.legal_actions():
                after = before.apply(action)
                if not isinstance(action, Move):
                    longer[after] = (*way, action)
                    continue
                tile = tiles[(emperor + action.steps) % len(tiles)]
                castles = state.player(seat).castles_left - after.player(seat).castles_left
                if castles > 0:
                    cubes = sum(isinstance(one, Cube) and one.tile in (None, tile) for one in way)
                    best = found.setdefault(tile, Best(castles, after.outcome, cubes))
                    assert best[:2] == (castles, after.outcome)
                    found[tile] = best._replace(fewest=min(cubes, best.fewest))
        ways = longer
    return found


def with_few_cubes(state: carolus.State, rng: random.Random) -> carolus.State:
    """The same table at the beginning of the turn, with up to three cubes of two clans, or a joker, in each reserve."""
    parts = told(state)
    seats = []
    for number, words in enumerate(parts.seats.split("/")):
        court, _, unused, disc = words.split(":")
        player = state.player(number)
        held = [clan for clan in Clan if player.reserve[clan]]
        clans = rng.sample(held, min(2, len(held)))
        few = [f"{clan.letter}{min(player.reserve[clan], 2 - i)}" for i, clan in enumerate(clans)]
        few = ["*", few[-1]] if player.jokers and few else few
        seats.append(":".join((court, "".join(few) or "-", unused, disc)))
    return in_turn(carolus.read(" ".join(parts._replace(seats="/".join(seats)))), state.actor)


def in_turn(state: carolus.State, seat: int) -> carolus.State:
    """As if the turn of this seat began now."""
    parts, player = told(state), state.player(seat)
    cubes = sum(player.reserve.values())
    phase = "joker" if player.jokers else f"cube:{cubes}" if cubes else "move"
    order = parts.order.replace(">", "").replace(str(seat), f">{seat}")
    return carolus.read(" ".join(parts._replace(phase=phase, order=order)))


def test_in_random_games_what_a_seat_threatens_now_is_what_some_turn_of_all_turns_does() -> None:
    rng = random.Random(1)
    attacks = jokers = 0
    for history in random_games(60, 24):
        turns = [state for state in history.states if state.phase == Phase.MOVE]
        state = with_few_cubes(rng.choice(turns[len(turns) // 2 :]), rng)
        for seat in map(int, told(state).order.partition(">")[2]):
            found = {one.tile: one.now for one in threats(state, 1) if one.seat == seat and one.now}
            assert {
                tile: Best(attack.castles, attack.outcome, len(attack.needed)) for tile, attack in found.items()
            } == every_turn(in_turn(state, seat)), f"seat {seat} in {state.text}"
            attacks += len(found)
            jokers += state.player(seat).jokers
    assert attacks > 30
    assert jokers > 2
