"""Two server processes on one PostgreSQL behave as one server."""

import asyncio
import contextlib
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from aachen.server.entries import Entry, Kind, Layout, Place, SeatKind
from aachen.server.hall import ALIVE, SILENT
from aachen.server.migrate import upgrade
from aachen.server.settings import Settings
from aachen.server.store import Change, Conflict, Store
from server.kit import Person, Postgres, Server, Socket, check_record, look_up, next_message, play_over_sockets

SHORT = {"players": 2, "round_limit": 12}


@dataclass
class Pair:
    """Two processes of one service."""

    one: Server
    two: Server


@pytest.fixture(scope="module")
def pair(postgres: Postgres) -> Iterator[Pair]:
    url = postgres.new_database()
    with Server(url) as one, Server(url) as two:
        yield Pair(one, two)


@dataclass
class Idle:
    """A table where Anna and Bert look on and do nothing, each at another process."""

    table: str
    anna: Person
    bert: Person
    since: float


@pytest.fixture(scope="module")
def idle(pair: Pair) -> Iterator[Idle]:
    table, anna, bert = seated(pair)
    with anna.socket(table), bert.socket(table) as last:
        last.state_where(table, lambda state: here(state) == [True, True])
        yield Idle(table, anna, bert, time.monotonic())


def seated(pair: Pair, *bots: str, **options: Any) -> tuple[str, Person, Person]:
    """A table with Anna, who is in at the first process, and Bert, who is in at the second; and so many bots."""
    anna, bert = pair.one.guest("Anna"), pair.two.guest("Bert")
    table = anna.open("owner", "open", *bots, options=SHORT | {"players": 2 + len(bots)} | options)
    anna.sit(table, 0)
    bert.sit(table, 1)
    return table, anna, bert


def here(state: dict[str, Any]) -> list[bool]:
    return [seat["here"] for seat in state["seats"]]


def written(pair: Pair, table: str) -> list[tuple[str, str]]:
    """The kinds and names of what people have written to the table's log."""
    query = f"SELECT kind, ref FROM entries WHERE \"table\" = '{table}' AND ref != '' ORDER BY version"
    return [(str(kind), str(ref)) for kind, ref in look_up(pair.one.database_url, query)]


# What one does, the other sees


def test_players_at_different_processes_see_each_others_moves(pair: Pair, idle: Idle) -> None:
    table, anna, bert = seated(pair)
    with anna.socket(table) as first, bert.socket(table) as second:
        play_over_sockets({0: first, 1: second}, table, random.Random(1))
        second.state_where(table, lambda state: state["status"] == "over")
        assert first.states[table]["steps"] == second.states[table]["steps"]
    check_record(anna, table)
    check_record(bert, table)


def test_a_player_whose_requests_go_to_either_process_can_play(pair: Pair) -> None:
    """As behind a proxy that sends every request somewhere else: nobody is told that a right answer is stale."""
    table, anna, bert = seated(pair)
    rng = random.Random(2)
    people = {0: (anna, anna.at(pair.two)), 1: (bert, bert.at(pair.one))}
    state, number = anna.state(table), 0
    while state["status"] == "playing":
        seat = state["actors"][0]
        message = next_message(state, seat, rng)
        kind = message.pop("type")
        del message["table"]
        number += 1
        state = people[seat][number % 2].post(f"/api/tables/{table}/{kind}", **message)
    check_record(bert, table)


def test_what_is_said_at_one_process_is_heard_at_the_other(pair: Pair) -> None:
    table, anna, bert = seated(pair)
    with anna.socket(table) as first, bert.socket(table) as second:
        assert first.ask("say", table=table, text="Good luck!")["type"] == "ack"
        said = second.until("chat")
        assert (said["name"], said["text"]) == ("Anna", "Good luck!")
        assert second.ask("say", table=table, text="And to you!")["type"] == "ack"
        assert first.until(lambda message: message["type"] == "chat" and message["name"] == "Bert")
    texts = [line["text"] for line in anna.get(f"/api/tables/{table}/chat")]
    assert texts == ["Good luck!", "And to you!"] == [line["text"] for line in bert.get(f"/api/tables/{table}/chat")]


def test_partners_talk_reaches_the_partner_alone_at_the_other_process(pair: Pair) -> None:
    people = [pair.one.guest("Anna"), pair.two.guest("Bert"), pair.two.guest("Carl"), pair.two.guest("Dora")]
    table = people[0].open("owner", "open", "open", "open", options={"players": 4})
    for seat, person in enumerate(people):
        person.sit(table, seat)
    sides = [seat["side"] for seat in people[0].state(table)["seats"]]
    partner = next(seat for seat in (1, 2, 3) if sides[seat] == sides[0])
    with people[0].socket(table) as first, contextlib.ExitStack() as stack:
        others = [stack.enter_context(person.socket(table)) for person in people[1:]]
        for socket in others:
            socket.state_where(table, lambda state: here(state) == [True] * 4)
        first.ask("say", table=table, text="Let us take the east.", partners=True)
        first.ask("say", table=table, text="Hello, everybody!")
        heard = [socket.until("chat")["text"] for socket in others]
    assert [text == "Let us take the east." for text in heard] == [seat == partner for seat in (1, 2, 3)]


def test_who_is_present_is_known_at_the_other_process(pair: Pair) -> None:
    table, anna, bert = seated(pair)
    with anna.socket(table) as first:
        first.state_where(table, lambda state: here(state) == [True, False])
        with bert.socket(table) as second:
            first.state_where(table, lambda state: here(state) == [True, True])
            second.state_where(table, lambda state: here(state) == [True, True])
        first.state_where(table, lambda state: here(state) == [True, False])


def test_who_came_before_a_process_knew_the_table_is_present_there_too(pair: Pair) -> None:
    anna, bert = pair.one.guest("Anna"), pair.two.guest("Bert")
    table = anna.open("owner", "open")
    anna.sit(table, 0)
    with anna.socket(table) as first:
        first.state_where(table, lambda state: here(state) == [True, False])
        with bert.socket(table) as second:  # here the table is read for the first time
            second.state_where(table, lambda state: here(state) == [True, False])


# Both at once


def both(work: Any) -> tuple[Any, Any]:
    """Does it at both processes at the same moment."""
    answers: dict[int, Any] = {}
    gate = threading.Barrier(2)

    def one(number: int) -> None:
        gate.wait(30)
        answers[number] = work(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers[0], answers[1]


def test_of_two_answers_to_one_question_at_two_processes_one_is_carried_out(pair: Pair) -> None:
    table, anna, bert = seated(pair)
    rng = random.Random(3)
    races = 0
    with (
        anna.socket(table) as anna1, anna.socket(table, server=pair.two) as anna2,
        bert.socket(table, server=pair.one) as bert1, bert.socket(table) as bert2,
    ):  # fmt: skip
        sockets: dict[int, tuple[Socket, Socket]] = {0: (anna1, anna2), 1: (bert1, bert2)}
        state = anna1.state_where(table, lambda state: state["status"] == "playing")
        while state["status"] == "playing" and races < 40:
            races += 1
            seat, asked = state["actors"][0], state["questions"]
            for socket in sockets[seat]:
                socket.state_where(table, lambda state, asked=asked: state["questions"] == asked)  # type: ignore[misc]
            messages = [next_message(state, seat, rng) | {"id": f"race-{races}-{number}"} for number in (0, 1)]
            answers = both(lambda number, seat=seat, messages=messages: sockets[seat][number].ask(**messages[number]))
            assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
            loser = 0 if answers[0]["type"] == "error" else 1
            assert answers[loser]["error"]["code"] in ("stale", "over")
            shown = sockets[seat][loser].until("state")
            assert shown["questions"] != asked or shown["status"] == "over"
            refs = {ref for _, ref in written(pair, table)}
            assert f"race-{races}-{1 - loser}" in refs
            assert f"race-{races}-{loser}" not in refs
            state = anna1.state_where(
                table,
                lambda now, asked=asked: now["questions"] != asked or now["status"] == "over",  # type: ignore[misc]
            )
    assert races == 40 or state["status"] == "over"


def test_the_same_message_at_two_processes_is_carried_out_once(pair: Pair) -> None:
    table, anna, _ = seated(pair)
    rng = random.Random(4)
    with anna.socket(table) as first, anna.socket(table, server=pair.two) as second:
        for number in range(10):
            state = first.state_where(table, lambda state: state["status"] == "playing")
            if state["actors"] != [0]:
                break
            asked = state["questions"]
            second.state_where(table, lambda state, asked=asked: state["questions"] == asked)  # type: ignore[misc]
            message = next_message(state, 0, rng) | {"id": f"same-{number}"}
            answers = both(lambda number, message=message: (first, second)[number].ask(**message))
            assert [answer["type"] for answer in answers] == ["ack", "ack"]
            assert [ref for _, ref in written(pair, table)].count(f"same-{number}") == 1
            first.state_where(table, lambda now, asked=asked: now["questions"] != asked)  # type: ignore[misc]


def test_two_stores_that_write_the_same_tables_in_other_orders_do_not_block_each_other(postgres: Postgres) -> None:
    """Each version of each table is written by one of them, and the other hears of a conflict and of nothing else."""
    settings = Settings(database_url=postgres.new_database(), bot_threads=1)
    tables, rounds = [f"table-{number:02}" for number in range(20)], 15

    async def write(store: Store, order: list[str], version: int) -> list[str]:
        async def one(table: str) -> str:
            entry = Entry(version, Kind.START, 0.0, text=store.process)
            try:
                await store.commit(Change(table, [entry], columns={"due": float(version)}))
            except Conflict:
                return ""
            return table

        return [table for table in await asyncio.gather(*map(one, order)) if table]

    async def whole() -> list[tuple[list[str], list[str]]]:
        await upgrade(settings)
        stores = [Store(settings.engine_url, name) for name in ("one", "two")]
        places = (Place(SeatKind.OPEN),)
        for store in stores:
            await store.open()
        for table in tables:
            await stores[0].commit(Change(table, opened=Layout(table, "carolus", {}, "anna", places, bytes(32))))
        won = []
        for version in range(1, rounds + 1):
            first, second = await asyncio.gather(
                write(stores[0], tables, version), write(stores[1], tables[::-1], version)
            )
            won.append((first, second))
        for store in stores:
            await store.close()
        return won

    for first, second in asyncio.run(whole()):
        assert sorted(first + second) == tables


# What goes wrong


def listeners(pair: Pair) -> list[int]:
    """The database's connections over which the two processes listen."""
    query = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    return [int(pid) for (pid,) in look_up(pair.one.database_url, query)]


def test_tables_follow_again_after_the_listening_connections_were_cut(pair: Pair) -> None:
    table, anna, bert = seated(pair)
    with anna.socket(table) as first, bert.socket(table) as second:
        sockets = {0: first, 1: second}
        play_over_sockets(sockets, table, random.Random(5), most=10)
        second.state_where(table, lambda state: here(state) == [True, True])
        for _ in range(3):
            cut = listeners(pair)
            assert len(cut) == 2
            look_up(pair.one.database_url, f"SELECT pg_terminate_backend(pid) FROM unnest(ARRAY{cut}) AS pid")
            play_over_sockets(sockets, table, random.Random(6), most=10)
            while len(new := listeners(pair)) < 2:  # until both listen again
                time.sleep(0.05)
            assert not set(cut) & set(new)
        second.ask("say", table=table, text="Still there?")
        assert first.until("chat")["text"] == "Still there?"
        play_over_sockets(sockets, table, random.Random(7))
    check_record(anna, table)


def test_tables_go_on_after_all_connections_to_the_database_were_cut(pair: Pair) -> None:
    table, anna, bert = seated(pair)
    with anna.socket(table) as first, bert.socket(table) as second:
        sockets = {0: first, 1: second}
        play_over_sockets(sockets, table, random.Random(8), most=10)
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()"
        look_up(pair.one.database_url, f"SELECT pg_terminate_backend(pid) {others}")
        while len(listeners(pair)) < 2:
            time.sleep(0.05)
        play_over_sockets(sockets, table, random.Random(9))
    check_record(anna, table)


def test_tables_go_on_after_the_database_crashed(pair: Pair, postgres: Postgres) -> None:
    """What is sent meanwhile is refused, and who goes meanwhile is not taken for present afterwards."""
    anna, bert = pair.one.guest("Anna"), pair.two.guest("Bert")
    tables = [anna.open("owner", "open", options=SHORT) for _ in range(3)]
    for table in tables:
        anna.sit(table, 0)
        bert.sit(table, 1)
    table = tables[0]
    with anna.socket(table) as first:
        with bert.socket(*tables) as second:
            state = play_over_sockets({0: first, 1: second}, table, random.Random(14), most=10)
            seat, asked = state["actors"][0], state["questions"]
            message = next_message(state, seat, random.Random(15)) | {"id": "again"}
            with postgres.crashed():
                assert (first, second)[seat].ask(**message)["error"]["code"] == "failed"
                second.connection.close()
                time.sleep(1)  # until the server has noticed, in vain
        while len(listeners(pair)) < 2:
            time.sleep(0.05)
        for one in tables:
            assert here(bert.state(one))[1] is False
        first.state_where(table, lambda state: here(state) == [True, False])
        with bert.socket(table) as second:
            assert (first, second)[seat].ask(**message)["type"] == "ack"
            first.state_where(table, lambda state: state["questions"] != asked)
            play_over_sockets({0: first, 1: second}, table, random.Random(16))
    check_record(anna, table)


def test_a_player_who_looks_on_and_does_nothing_stays_present(pair: Pair, idle: Idle) -> None:
    time.sleep(max(0.0, idle.since + SILENT + 2 * ALIVE - time.monotonic()))
    assert here(idle.anna.state(idle.table)) == here(idle.bert.state(idle.table)) == [True, True]


def test_after_a_process_was_killed_its_players_and_bots_play_on_at_the_other(pair: Pair) -> None:
    """It is killed when bots think there, with more that wait."""
    anna, bert = pair.one.guest("Anna"), pair.two.guest("Bert")
    tables: list[str] = []
    while len(tables) < 2:
        table = anna.open("emperor", "owner", "open", options={"players": 3, "round_limit": 1})
        anna.sit(table, 1)
        if bert.sit(table, 2)["actors"] == [0]:
            tables.append(table)
    pair.two.kill()
    interrupted = look_up(pair.one.database_url, "SELECT id FROM tables WHERE due = 0 AND status = 'playing'")
    assert {table for (table,) in interrupted} & set(tables)
    with anna.socket(*tables) as first, bert.socket(*tables, server=pair.one) as second:
        for table in tables:
            play_over_sockets({1: first, 2: second}, table, random.Random(10))
    for table in tables:
        check_record(anna, table)
    pair.two.start()


def test_the_players_of_a_killed_process_are_no_longer_present(pair: Pair) -> None:
    table, anna, bert = seated(pair)
    with anna.socket(table) as first, bert.socket(table):
        first.state_where(table, lambda state: here(state) == [True, True])
        pair.two.kill()
        first.state_where(table, lambda state: here(state) == [True, False])
    pair.two.start()
