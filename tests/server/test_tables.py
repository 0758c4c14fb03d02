"""Tables over the wire: opening, sitting down, playing, undo, talking, looking back, with real clients."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from aachen.core import History
from aachen.core.fairness import commitment, verify
from aachen.core.record import Record
from server.kit import Person, Server, play_turns, seat_of, take_action

ANNA, BOB = "Anna", "Bob"


def table_of_two(server: Server, **more: Any) -> tuple[Person, Person, str]:
    """Anna and Bob sit at a table, and the game has begun."""
    anna, bob = server.guest(ANNA), server.guest(BOB)
    table = anna.open("owner", "open", **more)
    anna.sit(table, 0, nonce="a1")
    bob.sit(table, 1, nonce="b2")
    return anna, bob, table


def by_seat(anna: Person, bob: Person) -> dict[int, Person]:
    return {0: anna, 1: bob}


def to_confirm(people: dict[int, Person], table: str, rng: random.Random) -> dict[str, Any]:
    """Plays on to the end of a turn, before the dice."""
    while True:
        state = people[0].state(table)
        if state["confirming"] is not None:
            return state
        take_action(people[state["actors"][0]], table, state["actors"][0], rng)


# Opening and sitting down


def test_the_hash_of_the_dice_is_there_before_anybody_sits_and_the_seed_only_at_the_end(server: Server) -> None:
    anna = server.guest(ANNA)
    opened = anna.post("/api/tables", options={"players": 2}, seats=[seat_of("owner"), seat_of("page")])
    assert re.fullmatch("[0-9a-f]{64}", opened["hash"])
    state = anna.state(opened["id"])
    assert (state["status"], state["seed"], state["you"]) == ("open", "", None)
    anna.sit(opened["id"], 0, nonce="mine")
    assert anna.state(opened["id"])["seed"] == ""
    end = play_turns({0: anna}, opened["id"], random.Random(1))
    assert commitment(bytes.fromhex(end["seed"])) == opened["hash"]
    record = Record.read(anna.get(f"/api/tables/{opened['id']}/record"))
    assert verify(record).nonces == ((0, "mine"),)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"seats": [seat_of("owner")]}, "bad-seats"),
        ({"seats": [seat_of("page"), seat_of("page")]}, "no-person"),
        ({"seats": [seat_of("owner"), seat_of("owner")]}, "two-owners"),
        ({"seats": [seat_of("owner"), {"kind": "bot", "level": "god"}]}, "unknown-level"),
        ({"game": "chess"}, "unknown-game"),
        ({"options": {"players": 7}}, "bad-option"),
        ({"options": {"colour": "red"}}, "unknown-option"),
        ({"seats": "all"}, "invalid"),
        ({"surprise": 1}, "invalid"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_reason(server: Server, wrong: dict[str, Any], code: str) -> None:
    anna = server.guest(ANNA)
    body = {"options": {"players": 2}, "seats": [seat_of("owner"), seat_of("open")], **wrong}
    assert anna.refused("/api/tables", **body)["code"] == code


def test_who_has_not_come_in_cannot_open_a_table_but_can_look_at_one(server: Server) -> None:
    _, _, table = table_of_two(server)
    with server.client() as stranger:
        answer = stranger.post("/api/tables", json={"seats": [seat_of("open")] * 2})
        assert (answer.status_code, answer.json()["code"]) == (401, "not-in")
        assert stranger.get(f"/api/tables/{table}").json()["you"] is None
        assert stranger.post(f"/api/tables/{table}/undo").status_code == 401


def test_a_seat_for_somebody_invited_needs_the_code(server: Server) -> None:
    anna, bob = server.guest(ANNA), server.guest(BOB)
    opened = anna.post("/api/tables", options={"players": 2}, seats=[seat_of("owner"), seat_of("invited")])
    table = opened["id"]
    assert bob.refused(f"/api/tables/{table}/sit", seat=1)["code"] == "seat-kept"
    assert bob.refused(f"/api/tables/{table}/sit", seat=1, invite="é" * 20)["code"] == "seat-kept"
    assert bob.sit(table, 1, invite=opened["invites"]["1"])["seats"][1]["name"] == BOB


def test_public_tables_are_listed_and_others_are_not(server: Server) -> None:
    anna = server.guest(ANNA)
    seen, hidden = anna.open("owner", "open", is_public=True, title="come"), anna.open("owner", "open")
    anna.sit(seen, 0)
    listed = {table["id"]: table for table in server.guest(BOB).get("/api/tables", which="open", limit=100)}
    assert hidden not in listed
    assert (listed[seen]["title"], listed[seen]["seats"][0]["name"]) == ("come", ANNA)


def test_my_tables_are_listed_with_those_that_wait_for_me_first(server: Server) -> None:
    anna, bob, one = table_of_two(server)
    two = anna.open("owner", "open")
    anna.sit(two, 0)
    waiting = next(person for seat, person in by_seat(anna, bob).items() if seat in anna.state(one)["actors"])
    mine = waiting.get("/api/tables", which="mine")
    assert mine[0]["id"] == one
    assert [seat["is_asked"] for seat in mine[0]["seats"]].count(True) == 1


# Playing


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_game_between_people_and_bots_can_be_replayed_and_its_dice_checked(
    server: Server, players: int
) -> None:
    anna = server.guest(ANNA)
    options = {"players": players, "dice": "choose-one", "crowns": "deferred"}
    table = anna.open("owner", *["squire"] * (players - 1), options=options)
    anna.sit(table, 0, nonce="n")
    end = play_turns({0: anna}, table, random.Random(players))
    assert end["status"] == "over"
    record = Record.read(anna.get(f"/api/tables/{table}/record"))
    outcome = History.replay(record).state.outcome
    assert outcome is not None
    assert end["outcome"] == {
        "winners": list(outcome.winners), "reason": outcome.reason, "scores": list(outcome.scores)
    }  # fmt: skip
    assert verify(record).checked == sum(step["seat"] is None for step in end["steps"])


def test_everybody_sees_a_move_at_once(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    with anna.socket(table) as hers, bob.socket(table) as his, server.guest("Cleo").socket(table) as theirs:
        state = hers.until("state")
        seat = state["actors"][0]
        mover, other = (hers, his) if seat == 0 else (his, hers)
        action = state["legal"][0]
        answer = mover.ask("act", table=table, question=state["questions"][seat], action=action)
        assert answer["type"] == "ack"
        for watching, you in ((other, 1 - seat), (theirs, None)):
            seen = watching.until(lambda m: m["type"] == "state" and len(m["steps"]) == len(state["steps"]) + 1)
            assert seen["steps"][-1]["action"] == action
            assert seen["you"] == you


def test_the_same_message_twice_is_one_move(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    state = anna.state(table)
    seat = state["actors"][0]
    with by_seat(anna, bob)[seat].socket(table) as mover:
        facts = {"table": table, "question": state["questions"][seat], "action": state["legal"][0], "id": "once"}
        assert mover.ask("act", **facts)["type"] == "ack"
        assert mover.ask("act", **facts)["type"] == "ack"
        answer = mover.ask("act", **{**facts, "id": "again"})
        assert answer["error"]["code"] == "stale"
        assert mover.until("state")["steps"][-1]["action"] == state["legal"][0]
    assert len(anna.state(table)["steps"]) == len(state["steps"]) + 1


def test_a_wrong_action_says_what_would_be_right_and_changes_nothing(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    before = anna.state(table)
    seat = before["actors"][0]
    people = by_seat(anna, bob)
    question = before["questions"][seat]
    for action in ("zz", "m5", "dice:rrr"):
        problem = people[seat].refused(f"/api/tables/{table}/act", question=question, action=action)
        assert action in problem["text"]
    assert people[1 - seat].refused(
        f"/api/tables/{table}/act", question=before["questions"][1 - seat], action=before["legal"][0]
    )["code"] in ("stale", "not-your-turn")
    assert anna.state(table)["steps"] == before["steps"]


def test_dice_wait_for_the_last_word_and_until_then_everything_can_be_taken_back(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    people, rng = by_seat(anna, bob), random.Random(3)
    state = to_confirm(people, table, rng)
    seat = state["confirming"]
    steps = len(state["steps"])
    assert people[seat].refused(f"/api/tables/{table}/act", question=state["questions"][seat], action="d1")["code"] in (
        "confirm-first",
    )
    back = people[seat].post(f"/api/tables/{table}/undo")
    assert (len(back["steps"]), back["confirming"]) == (steps - 1, None)
    state = to_confirm(people, table, rng)
    after = people[seat].post(f"/api/tables/{table}/confirm", question=state["questions"][seat])
    assert after["steps"][steps]["seat"] is None
    assert people[seat].refused(f"/api/tables/{table}/undo")["code"] == "no-undo"


def test_who_likes_can_do_without_the_question(server: Server) -> None:
    anna = server.guest(ANNA)
    assert anna.http.patch("/api/me", json={"auto_confirm": True}).status_code == 200
    table = anna.open("owner", "page")
    anna.sit(table, 0)
    for _ in range(12):
        state = play_turns({0: anna}, table, random.Random(1), most=1)
        assert state["confirming"] is None


def test_a_takeback_is_granted_by_the_others(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    people = by_seat(anna, bob)
    state = to_confirm(people, table, random.Random(4))
    seat = state["confirming"]
    people[seat].post(f"/api/tables/{table}/confirm", question=state["questions"][seat])
    asked = people[seat].post(f"/api/tables/{table}/takeback", step=len(state["steps"]) - 1)
    assert asked["takeback"] == {"seat": seat, "step": len(state["steps"]) - 1, "granted": []}
    after = people[1 - seat].post(f"/api/tables/{table}/takeback/answer", grant=True)
    assert after["takeback"] is None
    assert len(after["steps"]) == len(state["steps"]) - 1


# Being absent


def test_a_live_clock_that_runs_out_lets_a_bot_play_on_until_the_player_comes_back(server: Server) -> None:
    anna = server.guest(ANNA)
    table = anna.open("owner", "page", pace={"kind": "live", "seconds": 10, "increment": 0})
    anna.sit(table, 0)
    assert anna.state(table)["clocks"][0]["left"] == 10
    with anna.socket(table) as hers:
        gone = hers.until(lambda m: m["type"] == "state" and m["seats"][0]["away"], timeout=60)
        assert gone["seats"][0]["level"] == "stand-in"
        assert hers.ask("come-back", table=table)["type"] == "ack"
        assert not hers.until("state")["seats"][0]["away"]


def test_who_leaves_is_played_for_and_the_other_can_finish(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    bob.post(f"/api/tables/{table}/leave")
    end = play_turns({0: anna}, table, random.Random(5))
    assert end["status"] == "over"
    assert end["seats"][1]["left"]


def test_nobody_is_replaced_who_is_there(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    with anna.socket(table) as hers, bob.socket(table):
        assert hers.ask("stand-in", table=table, seat=1)["error"]["code"] == "not-absent"


def test_the_others_see_who_is_there(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    with anna.socket(table) as hers:
        assert not hers.until("state")["seats"][1]["here"]
        with bob.socket(table):
            hers.until(lambda m: m["type"] == "state" and m["seats"][1]["here"])
        hers.until(lambda m: m["type"] == "state" and not m["seats"][1]["here"])


# Talking


def test_what_is_said_is_heard_by_all_at_the_table_and_kept(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    with anna.socket(table) as hers, bob.socket(table) as his:
        assert hers.ask("say", table=table, text="hello ✓")["type"] == "ack"
        assert his.until("chat")["text"] == "hello ✓"
    assert [said["text"] for said in bob.get(f"/api/tables/{table}/chat")] == ["hello ✓"]


@pytest.mark.parametrize("talk", ["open", "none"])
def test_partners_talk_among_themselves_where_it_is_allowed(server: Server, talk: str) -> None:
    names = ["Anna", "Bob", "Cleo", "Dora"]
    people = {seat: server.guest(name) for seat, name in enumerate(names)}
    table = people[0].open("owner", "open", "open", "open", options={"players": 4, "talk": talk})
    for seat, person in people.items():
        person.sit(table, seat)
    if talk == "none":
        refused = people[0].refused(f"/api/tables/{table}/chat", text="psst", partners=True)
        assert refused["code"] == "no-talk"
        return
    people[0].post(f"/api/tables/{table}/chat", text="psst", partners=True)
    assert [len(person.get(f"/api/tables/{table}/chat")) for person in people.values()] == [1, 0, 1, 0]


def test_with_two_players_there_are_no_partners_and_strangers_do_not_talk(server: Server) -> None:
    anna, _, table = table_of_two(server)
    assert anna.refused(f"/api/tables/{table}/chat", text="psst", partners=True)["code"] == "no-partner"
    assert server.guest("Cleo").refused(f"/api/tables/{table}/chat", text="hi")["code"] == "not-seated"


def test_who_is_muted_is_not_heard(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    bob.http.patch("/api/me", json={"muted": [anna.id]})
    anna.post(f"/api/tables/{table}/chat", text="hello")
    assert bob.get(f"/api/tables/{table}/chat") == []


# Looking back


def test_any_step_can_be_looked_at_and_forked(server: Server) -> None:
    anna, bob, table = table_of_two(server)
    play_turns(by_seat(anna, bob), table, random.Random(6), most=12)
    steps = anna.state(table)["steps"]
    there = anna.get(f"/api/tables/{table}/steps/{len(steps) - 3}")
    seats = [seat_of("owner"), seat_of("page")]
    fork = anna.post(f"/api/tables/{table}/fork", step=len(steps) - 3, table={"seats": seats})
    anna.sit(fork["id"], 0)
    state = anna.state(fork["id"])
    assert state["table"]["forked_from"] == f"{table}/{len(steps) - 3}"
    assert not state["table"]["rated"]
    assert f'[Start "{there["position"]}"]' in anna.get(f"/api/tables/{fork['id']}/record")
    end = play_turns({0: anna}, fork["id"], random.Random(7))
    assert f'[ForkOf "{table}/{len(steps) - 3}"]' in anna.get(f"/api/tables/{fork['id']}/record")
    assert end["status"] == "over"


def test_a_rematch_keeps_the_seats_for_those_who_played_one_further(server: Server) -> None:
    anna, bob, table = table_of_two(server, options={"players": 2, "round_limit": 1})
    play_turns(by_seat(anna, bob), table, random.Random(8))
    with bob.socket(table) as his:
        his.until("state")
        again = anna.post(f"/api/tables/{table}/rematch")["id"]
        assert his.until("rematch")["new"] == again
    assert server.guest("Cleo").refused(f"/api/tables/{again}/sit", seat=0)["code"] == "seat-kept"
    bob.sit(again, 0)
    assert anna.sit(again, 1)["status"] == "playing"


# Secrets


def test_a_game_with_secrets_is_played_and_tells_nobody_what_they_may_not_know(server: Server) -> None:
    anna, bob = server.guest(ANNA), server.guest(BOB)
    table = anna.open("owner", "open", game="relics", options={"seats": 2, "rounds": 2})
    anna.sit(table, 0)
    bob.sit(table, 1)
    with anna.socket(table) as hers, bob.socket(table) as his, server.guest("Cleo").socket(table) as theirs:
        mine, other, stranger = (socket.until("state") for socket in (hers, his, theirs))
        assert "?" in stranger["position"]
        assert mine["position"] != other["position"]
        hers.send("ping", id="all are here")
        hers.until("pong")
        before = anna.state(table)
        for action in ("coin", "done"):
            question = bob.state(table)["questions"][1]
            assert his.ask("act", table=table, question=question, action=action)["type"] == "ack"
        hers.send("ping", id="p")
        assert hers.receive()["type"] == "pong"  # nothing about the table has come before it
        assert anna.state(table) | {"now": 0} == before | {"now": 0}
        assert anna.http.get(f"/api/tables/{table}/record").status_code == 409
    end = play_turns({0: anna, 1: bob}, table, random.Random(9))
    assert end["status"] == "over"
    assert anna.get(f"/api/tables/{table}/record").startswith("[Game")


def test_when_the_server_stops_the_clients_are_told_and_nothing_is_lost(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'aachen.db'}") as own:
        anna = own.guest(ANNA)
        table = anna.open("owner", "page")
        anna.sit(table, 0)
        before = play_turns({0: anna}, table, random.Random(1), most=5)
        with anna.socket(table) as hers:
            hers.until("state")
            own.stop()
            hers.until("bye")
        own.start()
        assert anna.state(table)["steps"][: len(before["steps"])] == before["steps"]
        assert play_turns({0: anna}, table, random.Random(2))["status"] == "over"
