"""A server that is killed at any moment loses nothing that it has acknowledged, and every table goes on.

Scripted players keep twelve tables busy while the server is killed (SIGKILL) and started again, five times on each
database. AACHEN_SOAK=10 kills ten times as often.
"""

import contextlib
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from server.kit import Server, Socket, check_record, look_up, next_message

SOAK = int(os.environ.get("AACHEN_SOAK", "1"))
KILLS = 5 * SOAK
#: Who sits at the twelve tables.
TABLES = [
    *[("owner", "open")] * 5,
    ("owner", "open", "open"),
    ("owner", "open", "open", "open"),
    *[("owner", "squire")] * 3,
    ("owner", "squire", "squire"),
    ("squire", "owner", "open"),
]
#: How long a table may stand still before it is taken for stuck, in seconds. Usually it takes a few.
PATIENCE = 120.0
#: What happens to those who talk to a server that is killed.
GONE = (ConnectionError, ConnectionClosed, InvalidHandshake, InvalidMessage, httpx.TransportError)

T = TypeVar("T")


class Club:
    """People who play one game after another, whatever happens to the server. They remember what was acknowledged."""

    def __init__(self, server: Server, number: int, kinds: Sequence[str]) -> None:
        self.server, self.kinds = server, kinds
        self.is_last = self.is_off = False  # after this game they go home; they go home now
        self.rng = random.Random(number)
        self.seats = [seat for seat, kind in enumerate(kinds) if kind in ("owner", "open")]
        self.people = {seat: server.guest(f"Player {number}-{seat}") for seat in self.seats}
        self.table = ""
        self.acknowledged: list[tuple[int, dict[str, Any]]] = []  # at this table, in order
        self.pending: tuple[int, dict[str, Any]] | None = None  # sent and not answered
        self.sent_again = 0
        self.answers = 0
        self.finished: list[str] = []
        self.problem: BaseException | None = None
        self.thread = threading.Thread(target=self._run, name=f"club {number}", daemon=True)

    def _run(self) -> None:
        try:
            while not self.is_last:
                self._play_a_game()
        except BaseException as problem:
            self.problem = problem

    def _again(self, work: Callable[[], T]) -> T:
        """Does it as often as needed until the server lives long enough to answer."""
        while True:
            try:
                return work()
            except GONE:
                if self.is_off:
                    raise
                time.sleep(0.05)

    def _play_a_game(self) -> None:
        owner = self.people[self.kinds.index("owner")]
        options = {"players": len(self.kinds), "round_limit": 10}
        self.table = self._again(lambda: owner.open(*self.kinds, options=options))
        self.acknowledged, self.pending = [], None
        for seat in self.seats:
            self._again(lambda seat=seat: self._sit(seat))  # type: ignore[misc]
        self._again(self._play_on)
        self._again(lambda: check_record(owner, self.table))
        self._check_log()
        self.finished.append(self.table)

    def _sit(self, seat: int) -> None:
        person = self.people[seat]
        if person.state(self.table)["seats"][seat]["player"] != person.id:
            person.sit(self.table, seat)

    def _play_on(self) -> None:
        """Connects, looks whether all is there, and plays to the end."""
        with contextlib.ExitStack() as stack:
            sockets = {seat: stack.enter_context(self.people[seat].socket(self.table)) for seat in self.seats}
            first = sockets[self.seats[0]]
            state = first.state_where(self.table, lambda state: state["status"] != "open", PATIENCE)
            self._check_steps(state)
            if self.pending:  # the answer is owed, whether it was carried out or not
                self.sent_again += 1
                self._send(sockets, *self.pending)
                fresh = self.people[self.seats[0]].state(self.table)
                first.state_where(self.table, lambda now: is_as_new(now, fresh), PATIENCE)
            while (state := first.states[self.table])["status"] == "playing":
                before = state["questions"]
                if (message := self._choose(state)) is not None:
                    self._send(sockets, *message)
                first.state_where(
                    self.table,
                    lambda now, before=before: now["questions"] != before or now["status"] == "over",  # type: ignore[misc]
                    PATIENCE,
                )

    def _choose(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Who sends what; None while a bot thinks."""
        undo = [seat for seat in state["undo"] if seat in self.people]
        asked = [seat for seat in state["actors"] if seat in self.people]
        ref = {"id": f"{self.server.port}-{self.rng.getrandbits(60):x}"}
        if undo and asked and self.rng.random() < 0.06:  # while a bot thinks it could come too late
            return undo[0], {"type": "undo", "table": self.table} | ref
        return (asked[0], next_message(state, asked[0], self.rng) | ref) if asked else None

    def _send(self, sockets: dict[int, Socket], seat: int, message: dict[str, Any]) -> None:
        self.pending = seat, message
        answer = sockets[seat].ask(**message)
        assert answer["type"] == "ack", (self.table, seat, message, answer)
        self.acknowledged.append(self.pending)
        self.pending = None
        self.answers += 1

    # What must be so

    def _check_steps(self, state: dict[str, Any]) -> None:
        """Every acknowledged action that was not taken back is there; of what was not acknowledged, at most one."""
        there = [(step["seat"], step["action"]) for step in state["steps"] if step["seat"] in self.people]
        possible = [played(self.acknowledged)]
        if self.pending:
            possible.append(played([*self.acknowledged, self.pending]))
        assert there in possible, (self.table, there, possible)

    def _check_log(self) -> None:
        """The table's log has what was acknowledged: all of it, once, in this order, and nothing else of people."""
        which = f"\"table\" = '{self.table}' AND ref != ''"
        query = f"SELECT kind, player, text, ref FROM entries WHERE {which} ORDER BY version"
        told = [
            (message["type"], self.people[seat].id, message.get("action", ""), message["id"])
            for seat, message in self.acknowledged
        ]
        assert look_up(self.server.database_url, query) == told, self.table


def is_as_new(state: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether this state of a table is not older than the other one: the numbers of questions never fall."""
    asked, before = sum(state["questions"]), sum(other["questions"])
    return bool(state["status"] == "over" or (other["status"] == "playing" and asked >= before))


def played(messages: Sequence[tuple[int, dict[str, Any]]]) -> list[tuple[int, str]]:
    """The actions that stand after these messages."""
    actions: list[tuple[int, str]] = []
    for seat, message in messages:
        if message["type"] == "act":
            actions.append((seat, message["action"]))
        elif message["type"] == "undo":
            last = max(place for place, (who, _) in enumerate(actions) if who == seat)
            del actions[last]
    return actions


def wait_until_all_go_on(clubs: Sequence[Club]) -> None:
    """Until every table has been played on from here."""
    before = [club.answers for club in clubs]
    end = time.monotonic() + PATIENCE
    while waiting := [club for club, number in zip(clubs, before, strict=True) if club.answers == number]:
        for club in clubs:
            if club.problem:
                raise club.problem
        stuck = [(club.table, club.kinds, club.pending) for club in waiting]
        assert time.monotonic() < end, f"these tables are stuck: {stuck}"
        time.sleep(0.02)


@pytest.fixture(params=["sqlite", "postgres"])
def killed_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server of its own, with a database of its own."""
    url = f"sqlite:///{tmp_path / 'aachen.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").new_database()
    with Server(url) as server:
        yield server


@pytest.fixture
def clubs(killed_server: Server) -> Iterator[list[Club]]:
    found = [Club(killed_server, number, kinds) for number, kinds in enumerate(TABLES)]
    yield found
    for club in found:
        club.is_last = club.is_off = True


def test_a_killed_server_keeps_what_it_acknowledged_and_every_table_goes_on(
    killed_server: Server, clubs: list[Club]
) -> None:
    rng = random.Random(KILLS)
    for club in clubs:
        club.thread.start()
    for number in range(KILLS):
        if number % 3 != 2:  # else it is killed when it has hardly begun
            wait_until_all_go_on(clubs)
        time.sleep(rng.uniform(0, 1))
        killed_server.kill()
        killed_server.start()
    wait_until_all_go_on(clubs)
    for club in clubs:
        club.is_last = True
    for club in clubs:
        club.thread.join(2 * PATIENCE)
        if club.problem:
            raise club.problem
        assert not club.thread.is_alive(), f"table {club.table} ({club.kinds}) does not come to an end"
    assert all(club.finished for club in clubs)
    assert sum(club.sent_again for club in clubs) > 0
    check_counted(clubs)
    assert '"trace"' not in killed_server.read_log()


def check_counted(clubs: Sequence[Club]) -> None:
    """The result of every table that came to an end is counted, once; if need be by the next process."""
    for club in clubs:
        for person in club.people.values():
            end = time.monotonic() + PATIENCE
            while (games := person.get(f"/api/players/{person.id}")["games"][0]["games"]) != len(club.finished):
                assert games < len(club.finished)
                assert time.monotonic() < end, (club.kinds, games, club.finished)
                time.sleep(0.1)


def test_on_sqlite_nobody_waits_for_what_a_killed_process_had_taken_on(tmp_path: Path) -> None:
    """There the next process is the only one, so a lease of its predecessor is void, however long it would last."""
    url = f"sqlite:///{tmp_path / 'aachen.db'}"
    with Server(url) as server:
        anna = server.guest("Anna")
        asked: list[int] = []
        while asked != [0]:
            table = anna.open("emperor", "owner")
            asked = anna.sit(table, 1)["actors"]
        server.kill()  # while the emperor thinks
        ours = f"id = '{table}' AND due = 0 AND lease > 0"
        assert look_up(url, f"SELECT id FROM tables WHERE {ours}") == [(table,)]
        look_up(url, f"UPDATE tables SET lease = 1e12 WHERE {ours}")
        assert look_up(url, "SELECT id FROM tables WHERE lease = 1e12") == [(table,)]
        server.start()
        with anna.socket(table) as socket:
            socket.state_where(table, lambda state: any(step["seat"] == 0 for step in state["steps"]), PATIENCE)
