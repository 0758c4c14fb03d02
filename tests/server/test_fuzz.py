"""Whatever is sent to the server, it answers in an orderly way, and those who play are not disturbed."""

import contextlib
import json
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from server.kit import Person, Server, Socket, check_record, next_message, play_over_sockets

SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
#: Who calls these gets another session, or has none any more; so they are tried apart from the rest.
PEOPLE = "/api/(guest|account|login|logout|password|sessions.*)$"
SHORT = {"players": 2, "round_limit": 8}


def seated(server: Server) -> tuple[str, Person, Person]:
    anna, bert = server.guest("Anna"), server.guest("Bert")
    table = anna.open("owner", "open", options=SHORT)
    anna.sit(table, 0)
    bert.sit(table, 1)
    return table, anna, bert


@contextlib.contextmanager
def unshaken(server: Server) -> Iterator[None]:
    """Afterwards the server is ready, and nothing went wrong in it that nobody had foreseen."""
    before = len(server.read_log())
    yield
    assert server.client().get("/readyz").text == "ready"
    log = server.read_log()[before:]
    assert '"trace"' not in log
    assert "Traceback" not in log


# HTTP


def run_schemathesis(server: Server, folder: Path, settings: str, *words: str, **headers: str) -> str:
    """What it tells. Fails if there is an answer that the description of the service does not allow."""
    (folder / "settings.toml").write_text(settings)
    named = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
    done = subprocess.run(
        [SCHEMATHESIS, "--no-color", "--config-file", str(folder / "settings.toml"),
         "run", f"{server.url}/api/openapi.json", *named, *words,
         "--phases", "examples,coverage,fuzzing", "--max-examples", "15", "--seed", "1", "--checks", CHECKS,
         "--suppress-health-check", "all", "--generation-database", "none", "--request-timeout", "120"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    return done.stdout


def cookie_of(person: Person) -> str:
    return "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())


def test_all_that_somebody_may_ask_for_is_answered_as_described(server: Server, tmp_path: Path) -> None:
    table, anna, _ = seated(server)
    real = f'[parameters]\n"path.table" = "{table}"\n"path.id" = "{anna.id}"\n'
    more = {"Cookie": cookie_of(anna), "Origin": server.url}
    with unshaken(server):
        told = run_schemathesis(server, tmp_path, real, "--exclude-path-regex", PEOPLE, **more)
    assert "401 Unauthorized" not in told  # Anna was in all the time


def test_coming_in_and_going_out_is_answered_as_described(server: Server, tmp_path: Path) -> None:
    more = {"Cookie": cookie_of(server.guest("Anna")), "Origin": server.url}
    with unshaken(server):
        run_schemathesis(server, tmp_path, "", "--include-path-regex", PEOPLE, **more)


def test_text_that_no_database_can_hold_is_refused(server: Server) -> None:
    table, anna, bert = seated(server)
    state = anna.state(table)
    seat = state["actors"][0]
    act = {"question": state["questions"][seat], "action": state["legal"][0], "id": "a\0b"}
    bodies = [
        json.dumps(act).encode(),
        b'{"\\ud800": 1}',
        b'{"action": "\\ud800", "question": 1}',
        b"\xff\xfe",
        b"[" * 60_000,
    ]
    with unshaken(server):
        for body in bodies:
            header = {"Content-Type": "application/json"}
            answer = (anna, bert)[seat].http.post(f"/api/tables/{table}/act", content=body, headers=header)
            assert answer.status_code in (400, 422), answer.text
            assert set(answer.json()) == {"code", "params", "text"}


# The WebSocket

#: Values that hardly any field expects. Some are written into the text by hand, as JSON cannot have them.
STRANGE = (
    "null", "true", "false", "-1", "0", "1.5", "1e400", "NaN", "-Infinity", "9" * 30, "9" * 3000, '""', '"\\u0000"',
    '"\\ud800"', '"\\udc00\\ud800"', '"\\uffff"', '"\\u202e"', '"' + "x" * 3000 + '"', "[]", "{}", "[[]]",
    '{"a": [null]}', '"relics"', '"%s"', "'x'", "", "undefined", "0x10", "\\",
)  # fmt: skip
TYPES = (
    "watch", "unwatch", "act", "confirm", "undo", "ask-takeback", "answer-takeback", "come-back", "stand-in", "say",
    "ping", "state", "ack", "", "act ", "ACT",
)  # fmt: skip
GONE = (ConnectionError, ConnectionClosed, InvalidHandshake, InvalidMessage, OSError)


class Attacker:
    """Sends frames that nobody should send, from a fixed seed; comes back when it is thrown out."""

    def __init__(self, table: str, seed: int, known: list[dict[str, Any]]) -> None:
        self.table = table
        self.rng = random.Random(seed)
        self.known = known  # messages that were right once
        self.frames = self.thrown_out = self.unanswered = 0

    def attack(self, connect: Callable[[], Any], sessions: int, frames: int = 30) -> None:
        for _ in range(sessions):
            try:
                with connect() as talk:
                    talk.connection.close_timeout = 0.2
                    talk.send("watch", table=self.table)
                    for _ in range(frames):
                        self._send(talk)
                        self.frames += 1
                    talk.send("ping", id="last")
                    talk.until(lambda message: message == {"type": "pong", "id": "last"})
            except TimeoutError:
                self.unanswered += 1
            except GONE:
                self.thrown_out += 1

    def _send(self, talk: Socket) -> None:
        kinds = (
            self._broken, self._strange, self._strange, self._unknown_table, self._right_once, self._right_now,
            self._right_now, self._binary, self._in_pieces, self._rare,
        )  # fmt: skip
        self.rng.choice(kinds)(talk)

    def _message(self) -> dict[str, Any]:
        """A message with the right fields, and many more."""
        rng = self.rng
        full = {
            "id": f"x{rng.randrange(50)}", "table": self.table, "question": rng.randrange(60), "seat": rng.randrange(3),
            "action": rng.choice(["d1", "bA", "gB", "m1", "=r", "x", "d1 d2"]), "step": rng.randrange(200),
            "grant": rng.random() < 0.5, "text": "hello", "partners": rng.random() < 0.5,
        }  # fmt: skip
        kind = rng.choice(TYPES)
        fields = FIELDS.get(kind, tuple(full))
        return {"type": kind} | {name: full[name] for name in fields}

    def _broken(self, talk: Socket) -> None:
        text = json.dumps(self._message())
        place = self.rng.randrange(len(text))
        more = self.rng.choice(["", "{", "\x00", '"', "]", "\ufeff", "é", "\\", "[" * 3000])
        talk.connection.send(text[:place] + more + self.rng.choice(["", text[place:]]))

    def _strange(self, talk: Socket) -> None:
        """A right message, but for one field."""
        message = self._message()
        name = self.rng.choice([*message, "more"])
        parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in message.items() if key != name]
        parts.append(f"{json.dumps(name)}: {self.rng.choice(STRANGE)}")
        self.rng.shuffle(parts)
        talk.connection.send("{" + ", ".join(parts) + "}")

    def _unknown_table(self, talk: Socket) -> None:
        names = ["x", "0" * 32, "../etc", "%00", self.table.lower(), self.table + " "]
        talk.connection.send(json.dumps(self._message() | {"table": self.rng.choice(names)}))

    def _right_once(self, talk: Socket) -> None:
        """Messages that were right once: again, in another order, some under another name."""
        for message in self.rng.sample(self.known, min(len(self.known), 4)):
            talk.connection.send(json.dumps(message | self.rng.choice([{}, {}, {"id": "again"}, {"id": ""}])))

    def _right_now(self, talk: Socket) -> None:
        """What may be right, as far as has been heard; but names are used for several messages."""
        with contextlib.suppress(TimeoutError):
            while True:
                talk.receive(0)
        state = talk.states.get(self.table)
        if state and state["status"] == "playing" and state["you"] in state["actors"]:
            message = next_message(state, state["you"], self.rng)
            talk.connection.send(json.dumps(message | {"id": f"now-{self.rng.randrange(100)}"}))

    def _binary(self, talk: Socket) -> None:
        text = json.dumps(self._message()).encode()
        talk.connection.send(self.rng.choice([text, b"", b"\x00" * 100, self.rng.randbytes(200), b"\xff" + text]))

    def _in_pieces(self, talk: Socket) -> None:
        text = json.dumps(self._message())
        place = self.rng.randrange(len(text))
        talk.connection.send([text[:place], "", text[place:]])

    def _rare(self, talk: Socket) -> None:
        """What costs the connection, or might: now and then, so that the rest gets its turn."""
        if self.rng.random() < 0.6:
            return
        match self.rng.randrange(6):
            case 0:
                talk.connection.send("x" * self.rng.choice([4096, 4097, 5000, 60_000]))
            case 1:
                talk.connection.send("[" * self.rng.choice([70_000, 1_000_000]))
            case 2:
                talk.connection.send(b"\xed\xa0\x80 is no text", text=True)
            case 3:
                talk.connection.socket.sendall(self.rng.randbytes(300))  # no frames at all
                raise ConnectionError("what follows would be a part of them")
            case 4:
                talk.connection.socket.shutdown(socket.SHUT_RDWR)  # gone without a word
            case 5:
                talk.connection.ping(self.rng.randbytes(125))


FIELDS: dict[str, tuple[str, ...]] = {
    "watch": ("id", "table"), "unwatch": ("id", "table"), "act": ("id", "table", "question", "action"),
    "confirm": ("id", "table", "question"), "undo": ("id", "table"), "ask-takeback": ("id", "table", "step"),
    "answer-takeback": ("id", "table", "grant"), "come-back": ("id", "table"), "stand-in": ("id", "table", "seat"),
    "say": ("id", "table", "text", "partners"), "ping": ("id",),
}  # fmt: skip


def some_right_messages(sockets: dict[int, Socket], table: str, number: int) -> list[tuple[int, dict[str, Any]]]:
    """Plays so many messages, and tells who sent which."""
    rng = random.Random(11)
    sent: list[tuple[int, dict[str, Any]]] = []
    for _ in range(number):
        state = sockets[0].state_where(table, lambda state: state["status"] == "playing")
        seat, asked = state["actors"][0], state["questions"]
        message = next_message(state, seat, rng) | {"id": f"right-{len(sent)}"}
        assert sockets[seat].ask(**message)["type"] == "ack"
        sent.append((seat, message))
        for talk in sockets.values():
            talk.state_where(table, lambda now, asked=asked: now["questions"] != asked)  # type: ignore[misc]
    return sent


@contextlib.contextmanager
def nobody(server: Server, table: str) -> Iterator[Socket]:
    """A connection of somebody who has not come in."""
    person = Person.__new__(Person)
    person.server, person.http = server, server.client()
    with person.socket() as talk:
        yield talk


def test_strangers_cannot_disturb_a_table_whatever_they_send(server: Server) -> None:
    table, anna, bert = seated(server)
    stranger = server.guest("Mallory")
    with unshaken(server), anna.socket(table) as first, bert.socket(table) as second:
        sockets = {0: first, 1: second}
        known = [message for _, message in some_right_messages(sockets, table, 12)]
        attackers = [Attacker(table, seed, known) for seed in range(4)]
        ways: list[Callable[[], Any]] = [stranger.socket, lambda: nobody(server, table)] * 2
        threads = [
            threading.Thread(target=attacker.attack, args=(way, 30))
            for attacker, way in zip(attackers, ways, strict=True)
        ]
        for thread in threads:
            thread.start()
        state = play_over_sockets(sockets, table, random.Random(12))
        for thread in threads:
            thread.join()
        assert state["status"] == "over"
        check_record(anna, table)
    assert sum(attacker.frames for attacker in attackers) > 1000
    assert sum(attacker.thrown_out for attacker in attackers) > 0
    assert not any(attacker.unanswered for attacker in attackers)
    assert [line["text"] for line in anna.get(f"/api/tables/{table}/chat")] == []


@pytest.mark.parametrize("seed", [21, 22])
def test_a_table_whose_own_players_send_anything_can_still_be_played_to_its_end(server: Server, seed: int) -> None:
    table, anna, bert = seated(server)
    with unshaken(server):
        with anna.socket(table) as first, bert.socket(table) as second:
            known = [message for _, message in some_right_messages({0: first, 1: second}, table, 12)]
        attackers = [Attacker(table, seed * 10 + seat, known) for seat in (0, 1)]
        threads = [
            threading.Thread(target=attacker.attack, args=(person.socket, 30))
            for attacker, person in zip(attackers, (anna, bert), strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with anna.socket(table) as first, bert.socket(table) as second:
            play_over_sockets({0: first, 1: second}, table, random.Random(seed))
        check_record(anna, table)
    assert sum(attacker.frames for attacker in attackers) > 500
    assert not any(attacker.unanswered for attacker in attackers)


def test_a_message_twice_is_carried_out_once_and_a_late_one_is_stale(server: Server) -> None:
    table, anna, bert = seated(server)
    with unshaken(server), anna.socket(table) as first, bert.socket(table) as second:
        sockets = {0: first, 1: second}
        known = some_right_messages(sockets, table, 12)
        steps = anna.state(table)["steps"]
        for seat, message in reversed(known):
            assert sockets[seat].ask(**message)["type"] == "ack"
            late = sockets[seat].ask(**message | {"id": "another"})
            assert late["error"]["code"] == "stale"
        assert anna.state(table)["steps"] == steps
        play_over_sockets(sockets, table, random.Random(13))
    check_record(anna, table)
