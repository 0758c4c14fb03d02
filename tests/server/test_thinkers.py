"""Bots think beside the event loop: many tables at once, and on a Ray cluster if there is one."""

import random
from pathlib import Path

from server.kit import Server, play_turns


def test_on_a_ray_cluster_bots_play_to_the_end(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'aachen.db'}", ray_address="local") as server:
        anna = server.guest("Anna")
        table = anna.open("owner", "knight", options={"players": 2, "round_limit": 2})
        anna.sit(table, 0)
        end = play_turns({0: anna}, table, random.Random(1))
        assert end["status"] == "over"
        assert {step["seat"] for step in end["steps"]} == {None, 0, 1}


def test_more_tables_than_the_queue_holds_all_get_their_turn(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path / 'aachen.db'}", bot_queue="2", bot_threads="1") as server:
        anna = server.guest("Anna")
        tables = [anna.open("owner", "squire", options={"players": 2, "round_limit": 2}) for _ in range(8)]
        for table in tables:
            anna.sit(table, 0)
        for table in tables:
            assert play_turns({0: anna}, table, random.Random(2))["status"] == "over"


def test_somebody_who_looks_elsewhere_hears_that_it_is_their_turn_unless_they_do_not_want_to(server: Server) -> None:
    for wanted in (True, False):
        anna, bob = server.guest("Anna"), server.guest("Bob")
        for person in (anna, bob):
            person.http.patch("/api/me", json={"notices": {"browser": wanted, "webhook": False, "email": False}})
        table = anna.open("owner", "open")
        anna.sit(table, 0)
        with anna.socket() as hers, bob.socket() as his:
            for talk in (hers, his):
                assert talk.ask("watch", table="nowhere")["error"]["code"] == "no-table"
            bob.sit(table, 1)
            seat = bob.state(table)["actors"][0]
            asked = (hers, his)[seat]
            asked.send("ping", id="p")
            heard = asked.receive()
            assert heard["type"] == ("your-turn" if wanted else "pong")
