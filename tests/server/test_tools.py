"""The page's tools over the wire: previews, threats, hints, reviews, edited positions, puzzles."""

import random
from typing import Any

import pytest

from aachen import carolus
from aachen.carolus.puzzles import PUZZLES
from server.kit import Person, Server, play_turns
from test_rules_examples import figure_6


@pytest.fixture
def anna(server: Server) -> Person:
    return server.guest("Anna")


def test_a_preview_tells_what_a_draft_of_a_turn_would_do(anna: Person) -> None:
    """The counterattack of the rulebook (E4)."""
    state = figure_6()
    region = next(region for region in state.regions if region.holder == 1 and region.castles == 3)
    draft = ["y@", "y@", f"y{'ABCDEFGHIJKLMNO'[region.tile]}", "m2"]
    found = anna.post("/api/tools/preview", position=state.text, actions=draft)
    assert found["markers"] == [{"what": int(carolus.Clan.YELLOW), "before": 1, "after": 0}]
    assert found["castles"] == [3, -3]
    assert len(found["merged"]) == 3
    assert found["position"] == play(state, draft).text


def play(state: carolus.State, actions: list[str]) -> carolus.State:
    for action in actions:
        state = state.apply(action)
    return state


def test_a_draft_that_is_not_possible_is_told_apart(anna: Person) -> None:
    problem = anna.refused("/api/tools/preview", position=figure_6().text, actions=["y@", "m1"])
    assert problem["params"]["index"] == 2


def test_threats_are_told_for_every_seat_and_region(anna: Person) -> None:
    state = figure_6()
    found = anna.post("/api/tools/threats", position=state.text)
    assert {(threat["seat"], threat["tile"]) for threat in found} == {
        (seat, region.tile) for seat in (0, 1) for region in state.regions
    }
    attack = max((threat for threat in found if threat["seat"] == 0), key=lambda threat: threat["castles"])
    assert attack["now"]
    assert attack["castles"] == 3
    assert play(state, attack["turn"]).regions
    assert all(0 <= threat["later"] <= 1 for threat in found)


def test_a_forecast_tells_every_region(anna: Person) -> None:
    found = anna.post("/api/tools/forecast", position=figure_6().text)
    assert [region["tile"] for region in found] == [region.tile for region in figure_6().regions]


def test_an_analysis_gives_chances_and_the_best_actions(anna: Person) -> None:
    found = anna.post("/api/tools/analyse", position=figure_6().text)
    assert sum(found["chances"]) == pytest.approx(1)
    legal = [str(action) for action in figure_6().legal_actions()]
    assert all(thought["action"] in legal for thought in found["thoughts"])
    assert found["thoughts"][0]["line"][0] == found["thoughts"][0]["action"]


def test_an_edited_position_is_checked(anna: Person) -> None:
    text = figure_6().text
    found = anna.post("/api/tools/position", position=text)
    assert found["position"] == text
    assert found["actors"] == [0]
    problem = anna.refused("/api/tools/position", position=text.replace("carolus 2", "carolus 3"))
    assert problem["text"]
    assert anna.refused("/api/tools/position", position="no position")["code"] != "failed"


def test_puzzles_can_be_solved_and_failed(anna: Person) -> None:
    listed = anna.get("/api/puzzles")
    assert len(listed) == len(PUZZLES) >= 50
    first = PUZZLES[0]
    begun = anna.post(f"/api/puzzles/{first.number}", actions=[])
    assert (begun["solved"], begun["goes_on"]) == (False, True)
    solution = next(turn for turn in turns(first.state) if wins(first.state, turn))
    assert anna.post(f"/api/puzzles/{first.number}", actions=solution)["solved"]
    wrong = anna.post(f"/api/puzzles/{first.number}", actions=["m9"])
    assert not wrong["solved"]
    assert wrong["problem"]["code"]
    assert anna.refused("/api/puzzles/9999", actions=[])["code"] == "no-puzzle"


def turns(state: carolus.State) -> Any:
    """Every turn of the acting seat, cube by cube, with each move."""
    if state.phase == carolus.Phase.MOVE:
        yield from ([str(move)] for move in state.legal_actions())
        return
    for cube in state.legal_actions():
        for rest in turns(state.apply(cube)):
            yield [str(cube), *rest]


def wins(state: carolus.State, turn: list[str]) -> bool:
    outcome = play(state, turn).outcome
    return outcome is not None and outcome.winners == (state.side(state.actor),)


def test_a_hint_is_for_who_is_asked_where_help_is_allowed(server: Server, anna: Person) -> None:
    table = anna.open("owner", "page")
    anna.sit(table, 0)
    state = anna.state(table)
    while state["board"]["round_number"] == 0 or 0 not in state["actors"] or state["confirming"] is not None:
        state = play_turns({0: anna}, table, random.Random(1), most=1)
    assert anna.post(f"/api/tables/{table}/hint")["thoughts"][0]["action"] in state["legal"]
    assert anna.get(f"/api/tables/{table}/threats")
    bob = server.guest("Bob")
    assert bob.refused(f"/api/tables/{table}/hint")["code"] == "not-asked"
    proud = anna.open("owner", "page", help=False)
    anna.sit(proud, 0)
    assert anna.refused(f"/api/tables/{proud}/hint")["code"] == "no-help"


def test_a_finished_game_is_judged_and_the_parts_add_up(anna: Person) -> None:
    table = anna.open("owner", "page", options={"players": 2, "round_limit": 3})
    anna.sit(table, 0)
    assert anna.http.get(f"/api/tables/{table}/review").json()["code"] == "not-over"
    play_turns({0: anna}, table, random.Random(2))
    found = anna.get(f"/api/tables/{table}/review")
    for account in found["accounts"]:
        parts = sum(account[name] for name in ("start", "luck", "own", "others", "second_thoughts"))
        assert parts == pytest.approx(account["end"], abs=1e-6)
    assert anna.get(f"/api/tables/{table}/review") == found
