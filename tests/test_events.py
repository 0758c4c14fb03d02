"""`events` tells what happened in a step: the deed, then all that came of it, as codes and facts."""

import json
from collections import Counter
from typing import Any

import pytest

import tiny
from aachen import carolus
from aachen.carolus import Phase
from aachen.carolus.events import CODES, events
from aachen.carolus.words import CROWN, NOBODY
from aachen.cli import tell
from aachen.core import Event, History
from helpers import EVERYTHING, play, position, random_games
from test_rules_examples import figure_6
from test_rules_round import last_turn, opening

#: What a region has when one pink cube is left to take, and no other.
ALL_BUT_ONE_PINK = EVERYTHING.replace("p40", "p39")


def told(state: carolus.State, action: str) -> list[Event]:
    """What comes of an action."""
    history = History(state)
    after = history.play(action)
    return list(events(state, after, history.steps[0]))


def codes(state: carolus.State, action: str) -> list[str]:
    return [event.code for event in told(state, action)]


# Setting up


def dealt(players: int) -> carolus.State:
    return play(carolus.table(players), " ".join(f"deal:{letter}" for letter in "rrryyygggbbbppp"))


def test_C1_a_cube_is_dealt_to_the_next_tile() -> None:
    state = carolus.table(3)
    assert told(state, "deal:g") == [Event("deal", {"clan": 2, "tile": 0})]
    assert told(state.apply("deal:g"), "deal:p") == [Event("deal", {"clan": 4, "tile": 1})]


def test_C1_C2_the_emperor_begins_and_the_lot_names_a_seat() -> None:
    assert told(dealt(3), "emperor:E") == [Event("emperor-begins", {"tile": 4})]
    assert told(dealt(3).apply("emperor:E"), "first:2") == [Event("lot", {"seat": 2})]


def test_C3_a_throw_of_the_set_up_is_told_of_the_seat_that_fills_its_reserve() -> None:
    state = play(dealt(2), "emperor:E first:1")
    assert told(state, "dice:rg*") == [Event("throw", {"seat": 1, "faces": [0, 2, CROWN]})]


def test_the_last_throw_of_the_set_up_begins_the_first_round() -> None:
    state = play(dealt(2), "emperor:E first:1 dice:rrr dice:rrr dice:r dice:ggg dice:ggg")
    assert told(state, "dice:g")[1:] == [Event("round", {"number": 1})]


# Discs


def test_C5_a_disc_is_told_with_its_number() -> None:
    assert told(opening("12345:- 12345:-"), "d4") == [Event("disc", {"seat": 0, "number": 4})]


def test_C6_the_last_disc_gives_the_order_of_turns() -> None:
    state = play(opening("12345:- 12345:- 12345:-", players=3), "d4 d1")
    assert told(state, "d2") == [Event("disc", {"seat": 2, "number": 2}), Event("order", {"seats": [1, 2, 0]})]


# Cubes


def test_C8_a_cube_to_a_region_is_told_with_the_region_and_its_size() -> None:
    assert told(figure_6(), "yD") == [Event("cube-to-region", {"seat": 0, "clan": 1, "tile": 3, "size": 3})]


def test_C9_a_free_marker_is_taken_from_nobody() -> None:
    cube = Event("cube-to-court", {"seat": 0, "clan": 0})
    state = position("A!", reserves=["r2"], phase="cube:2")
    assert told(state, "r@") == [cube, Event("takes-marker", {"seat": 0, "clan": 0})]
    assert told(state.apply("r@"), "r@") == [cube]


def test_C9_a_marker_is_taken_from_its_holder() -> None:
    assert codes(figure_6(), "y@") == ["cube-to-court"]
    marker = Event("takes-marker-from", {"seat": 0, "clan": 1, "from_seat": 1})
    assert told(figure_6().apply("y@"), "y@") == [Event("cube-to-court", {"seat": 0, "clan": 1}), marker]


# The Emperor


def test_C11_without_a_majority_nothing_changes() -> None:
    assert told(position("A! B"), "m1") == [
        Event("moves", {"seat": 0, "steps": 1, "tile": 1, "size": 1}),
        Event("no-majority", {}),
    ]


def test_C13_a_holder_with_the_majority_keeps_the_region() -> None:
    assert told(position("A! BrW2", markers="0----"), "m1") == [
        Event("moves", {"seat": 0, "steps": 1, "tile": 1, "size": 2}),
        Event("keeps", {"side": 0}),
    ]


def test_C12_a_castle_is_built_also_by_another_side_and_by_a_partner() -> None:
    assert told(position("A! Br", markers="1----"), "m1")[1:] == [Event("builds", {"side": 1, "number": 1})]
    partner = position("A! Br", options="4", markers="2----")
    assert told(partner, "m1")[1:] == [Event("builds", {"side": 0, "number": 1})]


def test_E4_the_counterattack_takes_three_castles_over_and_joins_three_regions() -> None:
    assert told(play(figure_6(), "y@ y@ yD"), "m2") == [
        Event("moves", {"seat": 0, "steps": 2, "tile": 3, "size": 3}),
        Event("takes-over", {"side": 0, "number": 3, "from_side": 1}),
        Event("joins", {"tiles": [2, 6], "sizes": [1, 1], "tile": 2, "size": 5}),
    ]


def test_C10_on_a_small_ring_the_emperor_may_go_all_the_way_round() -> None:
    state = position("AW5 FB6 LW3 O!", discs="51", turn=1)
    assert told(state, "m5")[0] == Event("moves", {"seat": 0, "steps": 5, "tile": 0, "size": 5})


def test_C15_a_takeover_is_told_with_the_castles_that_are_put_up_and_wins() -> None:
    assert told(position("A! Br9B3 FW8", markers="0----"), "m1")[1:] == [
        Event("takes-over", {"side": 0, "number": 2, "from_side": 1}),
        Event("game-over", {"winners": [0], "reason": "castles", "scores": [10, 0]}),
    ]


def test_C23_the_end_comes_after_the_regions_that_were_joined() -> None:
    assert told(position("AW7 Hr IB6 O!", markers="0----", discs="25"), "m2")[1:] == [
        Event("builds", {"side": 0, "number": 1}),
        Event("joins", {"tiles": [0], "sizes": [7], "tile": 0, "size": 8}),
        Event("game-over", {"winners": [0], "reason": "regions", "scores": [8, 6]}),
    ]


# Dice


@pytest.mark.parametrize(
    ("options", "phase", "code"),
    [
        ("2", "crown:1", "names-crown"),
        ("2+deferred", "joker", "names-joker"),
        ("2+choose-one", "choose", "chooses-die"),
    ],
)
def test_C16_C24_C25_a_clan_is_named_for_a_crown_a_joker_or_a_die(options: str, phase: str, code: str) -> None:
    state = position("A!", options=options, reserves=["*"] if phase == "joker" else ["r4"], phase=phase)
    assert told(state, "=b") == [Event(code, {"seat": 0, "clan": 3})]


def test_C24_a_seat_may_choose_no_die() -> None:
    state = position("A!", options="2+choose-one", phase="choose")
    assert told(state, "all") == [Event("throws-all", {"seat": 0})]


def test_C18_the_courts_give_back_equally_before_dice_count_as_crowns() -> None:
    """One red cube from each court serves two dice; the third one finds nothing."""
    state = position("A! Br37", courts=["r2", "r"], markers="0----", phase="throw:3")
    assert told(state, "dice:rrr") == [
        Event("throw", {"seat": 0, "faces": [0, 0, 0]}),
        Event("courts-give-back", {"cubes": [1, 0, 0, 0, 0]}),
        Event("dice-as-crowns", {"number": 1, "clans": [0]}),
    ]


def test_C18_a_crown_can_make_the_courts_give_back() -> None:
    state = position("A! Bb30", courts=["b6", "b4"], markers="---0-", phase="crown:1")
    assert told(state, "=b")[1:] == [Event("courts-give-back", {"cubes": [0, 0, 0, 4, 0]})]


def test_C20_crowns_that_bring_nothing_are_lost() -> None:
    state = position(f"A! B{EVERYTHING}", phase="throw:3")
    assert told(state, "dice:rb*")[1:] == [
        Event("dice-as-crowns", {"number": 2, "clans": [0, 3]}),
        Event("crowns-lost", {"seat": 0, "number": 3}),
    ]


def test_C20_so_are_those_that_follow_the_crown_for_the_last_cube() -> None:
    state = position(f"A! B{ALL_BUT_ONE_PINK}", phase="crown:3")
    assert told(state, "=p")[1:] == [Event("crowns-lost", {"seat": 0, "number": 2})]


def test_C25_deferred_crowns_are_not_lost_but_jokers_can_be_when_the_turn_begins() -> None:
    state = position(f"A! B{EVERYTHING}", options="2+deferred", reserves=["-", "*2"], phase="throw:3")
    assert told(state, "dice:r**")[1:] == [
        Event("dice-as-crowns", {"number": 1, "clans": [0]}),
        Event("jokers-lost", {"seat": 1, "number": 2}),
    ]


def test_C25_the_jokers_behind_the_last_cube_are_lost() -> None:
    state = position(f"A! B{ALL_BUT_ONE_PINK}", options="2+deferred", reserves=["*3"], phase="joker")
    assert told(state, "=p")[1:] == [Event("jokers-lost", {"seat": 0, "number": 2})]


# Rounds, and the end


def test_C7_with_every_sixth_round_the_discs_come_back() -> None:
    assert codes(last_turn(number=4, unused="5", discs="12"), "dice:rrr") == ["throw", "round"]
    assert told(last_turn(number=5), "dice:rrr")[1:] == [Event("round", {"number": 6}), Event("discs-back", {})]


def test_C21_after_the_last_round_the_game_is_over() -> None:
    over = Event("game-over", {"winners": [0, 1], "reason": "rounds", "scores": [0, 0]})
    assert told(last_turn(number=100), "dice:rrr")[1:] == [over]


def test_C21_without_cubes_the_game_ends_where_a_round_would_begin() -> None:
    state = position(f"A! B{EVERYTHING}", turn=1, phase="throw:3")
    assert codes(state, "dice:ryg") == ["throw", "dice-as-crowns", "crowns-lost", "round", "game-over"]
    assert told(state, "dice:ryg")[-1].params["reason"] == "cubes"


# All games


def test_in_random_games_every_step_has_events_whose_facts_are_plain_and_agree_with_the_positions() -> None:
    seen: Counter[str] = Counter()
    for history in random_games(0, 36, round_limit=30):
        states = history.states
        for number, step in enumerate(history.steps):
            found = events(states[number], states[number + 1], step)
            assert list(found) == list(history.events(number))
            seen.update(event.code for event in found)
            check_plain(found)
            check_facts(states[number], states[number + 1], {event.code: event.params for event in found})
    assert set(seen) == set(CODES)


def check_plain(found: tuple[Event, ...]) -> None:
    assert found
    assert len({event.code for event in found}) == len(found)
    for event in found:
        assert tuple(event.params) == CODES[event.code]
        facts = [one for fact in event.params.values() for one in (fact if isinstance(fact, list) else [fact])]
        assert {type(fact) for fact in facts} <= {int, str}
        assert json.loads(json.dumps(event.params)) == event.params


def check_facts(before: carolus.State, after: carolus.State, found: dict[str, Any]) -> None:
    """What the events tell is what differs between the positions."""
    old, new = before.position[0], after.position[0]
    check_castles(before, after, found)
    marker = found.get("takes-marker") or found.get("takes-marker-from")
    expected = old["marker"].tolist()
    if marker:
        assert expected[marker["clan"]] == marker.get("from_seat", NOBODY)
        expected[marker["clan"]] = marker["seat"]
    assert new["marker"].tolist() == expected
    given = found.get("courts-give-back", {"cubes": [0] * 5})["cubes"]
    if "cube-to-court" not in found:
        assert (old["court"][: before.players] - new["court"][: before.players] == given).all()
    check_dice(old, new, found)
    check_jokers(old, new, found)
    assert ("order" in found) == (before.phase == Phase.DISC != after.phase)
    assert found.get("order", {"seats": list(after.order)})["seats"] == list(after.order)
    assert found.get("round", {"number": before.round})["number"] == after.round
    assert ("discs-back" in found) == (after.round != before.round and old["unused"].sum() < new["unused"].sum())
    check_end(after, found)


def check_castles(before: carolus.State, after: carolus.State, found: dict[str, Any]) -> None:
    had, has = ([int(left) for left in state.position["stock"][0]] for state in (before, after))
    if halt := found.get("builds") or found.get("takes-over"):
        had[halt["side"]] -= halt["number"]
    if "takes-over" in found:
        there = {region.tile: region for region in before.regions}[found["moves"]["tile"]]
        assert there.holder == found["takes-over"]["from_side"]
        had[found["takes-over"]["from_side"]] += there.castles
    assert had == has
    joined = found.get("joins", {"tiles": [], "sizes": []})
    assert len(before.regions) - len(joined["tiles"]) == len(after.regions)
    if "moves" in found:
        sizes = {region.tile: region.tiles for region in after.regions}
        home = next(region.tile for region in after.regions if region.has_emperor)
        assert sizes[home] == found["moves"]["size"] + sum(joined["sizes"])
        assert home == joined.get("tile", found["moves"]["tile"])
        assert sizes[home] == joined.get("size", found["moves"]["size"])


def check_dice(old: Any, new: Any, found: dict[str, Any]) -> None:
    """Every die brings a cube, a crown to name, a joker, or nothing."""
    if "throw" not in found:
        return
    seat, faces = found["throw"]["seat"], found["throw"]["faces"]
    cubes, jokers = (int(new[name][seat].sum()) - int(old[name][seat].sum()) for name in ("reserve", "jokers"))
    asked = int(new["due"]) if new["phase"] == Phase.CROWN else 0
    lost = found.get("crowns-lost", {"number": 0})["number"]
    assert len(faces) == cubes + jokers + asked + lost
    crowns = found.get("dice-as-crowns", {"number": 0})["number"] + faces.count(CROWN)
    assert crowns == jokers + asked + lost


def check_jokers(old: Any, new: Any, found: dict[str, Any]) -> None:
    """Jokers go when they are named, and when they are lost."""
    gone = [int(had) - int(has) for had, has in zip(old["jokers"], new["jokers"], strict=True)]
    if named := found.get("names-joker"):
        gone[named["seat"]] -= 1
    lost = {seat: number for seat, number in enumerate(gone) if number > 0}
    assert lost == ({jokers["seat"]: jokers["number"]} if (jokers := found.get("jokers-lost")) else {})


def check_end(after: carolus.State, found: dict[str, Any]) -> None:
    outcome = after.outcome
    assert ("game-over" in found) == (outcome is not None)
    if outcome is not None:
        end = found["game-over"]
        assert (tuple(end["winners"]), end["reason"]) == (outcome.winners, outcome.reason)
        assert tuple(end["scores"]) == outcome.scores


def test_the_terminal_has_words_for_every_event_but_the_rarest_and_the_end() -> None:
    assert set(CODES) - set(tell.PARTS) == {"jokers-lost", "game-over"}
    assert set(tell.PARTS) <= set(CODES)


def test_a_game_that_tells_no_events_has_none() -> None:
    start = tiny.GAME.start({})
    assert tiny.GAME.events(start, start, None, tiny.parse("deal:1")) == ()
