"""Notices: who is told what, by e-mail and by webhook, and what happens when that fails."""

import asyncio
import dataclasses
import email
import email.policy
import json
import logging
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from sqlalchemy import insert, select

from aachen import carolus
from aachen.core import BadOptions
from aachen.server import notices, schema
from aachen.server.entries import Entry, Kind, Layout, Pace, Place, SeatKind
from aachen.server.notices import DELAYS, Postman, is_public, mail_server, notice_rows
from aachen.server.play import Play
from aachen.server.settings import Settings
from aachen.server.store import Change, Store

T = TypeVar("T")
Row = dict[str, Any]
NOW = 1000.0
BOTH = {"notices": {"webhook": True, "email": True}, "webhook": "https://hooks.example.org/anna"}
PEOPLE: dict[str, Row] = {
    "anna": {"email": "anna@example.org", "settings": BOTH},
    "bert": {"email": "bert@example.org", "settings": BOTH},
}


# Which notices there are


def table(pace: Pace = Pace.DAYS, level: str = "") -> Play:
    """A table of Anna and Bert (or a bot), who have just begun; nothing is new about it."""
    second = Place(SeatKind.BOT, level) if level else Place(SeatKind.OPEN)
    game, options = carolus.GAME.name, {"players": 2}
    play = Play(Layout("t1", game, options, "anna", (Place(SeatKind.OPEN), second), bytes(32), pace, days=3))
    play.sit(1.0, "anna", "Anna", 0, "a")
    if not level:
        play.sit(2.0, "bert", "Bert", 1, "b")
    return play.draft()


def told(
    play: Play, seats: Sequence[int], people: dict[str, Row] = PEOPLE, here: Sequence[int] = ()
) -> list[tuple[str, ...]]:
    """Player, channel, target and code of each row."""
    rows = notice_rows(play, seats, people, here, NOW)
    assert all(where is schema.notices for where, _ in rows)
    assert all((row["table"], row["due"], row["tries"]) == ("t1", NOW, 0) for _, row in rows)
    return [(row["player"], row["channel"], row["target"], row["code"]) for _, row in rows]


def ended(play: Play) -> Play:
    play.status, play.result = "over", "0 castles 10:3"
    return play


def wants(**settings: Any) -> dict[str, Row]:
    """Anna with these settings."""
    return {"anna": {"email": "anna@example.org", "settings": BOTH | settings}}


@pytest.mark.parametrize("pace", [Pace.DAYS, Pace.UNTIMED])
def test_who_is_asked_and_not_there_is_told_on_every_way_they_want(pace: Pace) -> None:
    assert told(table(pace), [1]) == [
        ("bert", "webhook", "https://hooks.example.org/anna", "your-turn"),
        ("bert", "email", "bert@example.org", "your-turn"),
    ]


def test_a_live_game_sends_nothing() -> None:
    assert told(table(Pace.LIVE), [0, 1]) == []
    assert told(ended(table(Pace.LIVE)), []) == []


def test_who_is_here_is_not_told() -> None:
    assert {row[0] for row in told(table(), [0, 1], here=[0])} == {"bert"}
    assert {row[0] for row in told(ended(table()), [], here=[1])} == {"anna"}


def test_who_acted_just_now_knows() -> None:
    play = table()
    play.new = [Entry(9, Kind.ACT, NOW, 0, player="anna")]
    assert {row[0] for row in told(play, [0, 1])} == {"bert"}
    assert {row[0] for row in told(ended(play), [])} == {"bert"}


def test_bots_and_those_for_whom_a_bot_plays_are_not_asked_to_come() -> None:
    assert told(table(level="page"), [1]) == []
    play = table()
    play.places[1] = play.places[1].with_(away=True)
    assert told(play, [1]) == []


def test_the_end_is_told_to_all_people_who_have_not_left() -> None:
    play = ended(table())
    assert [row[0] for row in told(play, []) if row[1] == "email"] == ["anna", "bert"]
    assert {row[3] for row in told(play, [])} == {"game-over"}
    play.places[0] = play.places[0].with_(away=True, left=True)
    play.places[1] = play.places[1].with_(away=True)
    assert {row[0] for row in told(play, [])} == {"bert"}


@pytest.mark.parametrize(
    ("settings", "channels"),
    [
        ({"notices": {"webhook": True, "email": False}}, ["webhook"]),
        ({"notices": {"webhook": False, "email": True}}, ["email"]),
        ({"notices": {}}, []),
        ({"notices": None}, []),
        ({"webhook": None}, ["email"]),
        ({"webhook": ""}, ["email"]),
        ({"table_notices": {"t1": False}}, []),
        ({"table_notices": {"t1": True, "t2": False}}, ["webhook", "email"]),
        ({"table_notices": None}, ["webhook", "email"]),
    ],
)
def test_settings_say_who_is_told_how(settings: Row, channels: list[str]) -> None:
    assert [row[1] for row in told(table(), [0], wants(**settings))] == channels


def test_somebody_without_address_or_settings_is_not_told() -> None:
    assert told(table(), [0], {"anna": {"email": None, "settings": {"notices": {"email": True}}}}) == []
    assert told(table(), [0], {"anna": {"email": "anna@example.org", "settings": None}}) == []
    assert told(table(), [0], {}) == []


@pytest.mark.parametrize("target", ["https://x/" + "y" * 500, "https://x/\0", "https://x/\r\nEvil: 1", "\ud800", 7])
def test_a_target_that_the_database_could_not_hold_does_not_stop_a_move(target: object) -> None:
    assert [row[1] for row in told(table(), [0], wants(webhook=target))] == ["email"]


# Sending


class Mails:
    """A real mail server on this machine, which keeps what it gets, and refuses as often as it is told to."""

    def __init__(self) -> None:
        self.got: list[tuple[list[str], EmailMessage]] = []
        self.refusals = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.refusals:
            self.refusals -= 1
            return "451 not now"
        assert isinstance(envelope.content, bytes)
        message = email.message_from_bytes(envelope.content, _class=EmailMessage, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        self.got.append((list(map(str, envelope.rcpt_tos)), message))
        return "250 thanks"


def logged_in(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
    is_right = isinstance(data, LoginPassword) and data == LoginPassword(b"us er", b"p@ss")
    return AuthResult(success=is_right, handled=False)


@pytest.fixture
def mails() -> Iterator[tuple[Mails, str]]:
    """A mail server and where it is."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = Mails()
    controller = Controller(kept, "127.0.0.1", port, authenticator=logged_in, auth_require_tls=False)
    controller.start()
    yield kept, f"127.0.0.1:{port}"
    controller.stop()


class Hooks(ThreadingHTTPServer):
    """A real web server on this machine that keeps what is posted, and gives these answers, then 204."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hook)
        self.got: list[tuple[str, str, Any]] = []
        self.answers: list[int] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Hook(BaseHTTPRequestHandler):
    server: Hooks

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, self.headers["Host"], json.loads(body)))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.send_header("Location", f"{self.server.url}/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    with Hooks() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def with_store(folder: Path, rows: Sequence[Row], work: Callable[[Store], Awaitable[T]]) -> T:
    """Does the work with a new database that has these notices, and Anna."""

    async def whole() -> T:
        store = Store(f"sqlite+aiosqlite:///{folder / 'test.db'}", "test")
        async with store.engine.begin() as connection:
            await connection.run_sync(schema.metadata.create_all)
            anna = {"id": "anna", "name": "Anna Ω", "settings": {}, "created": 0.0}
            await connection.execute(insert(schema.players).values(**anna))
            for row in rows:
                await connection.execute(insert(schema.notices).values(**row))
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(whole())


def notice(channel: str, target: str, code: str = "your-turn", **more: Any) -> Row:
    row = {"player": "anna", "table": "t1", "channel": channel, "target": target, "code": code}
    return row | {"due": NOW, "tries": 0} | more


def sent(folder: Path, rows: Sequence[Row], settings: Settings, *times: float) -> list[Row]:
    """Lets a postman deliver at these times; the notices that are left."""

    async def work(store: Store) -> list[Row]:
        postman = Postman(store, settings)
        for now in times or (NOW,):
            await postman.deliver(now)
        return await store.fetch(select(schema.notices).order_by(schema.notices.c.id))

    return with_store(folder, rows, work)


def by_mail(where: str, **more: Any) -> Settings:
    some = {
        "smtp_url": f"smtp://{where}",
        "mail_from": "Aachen <games@example.org>",
        "public_url": "https://play.example/",
    }
    return Settings(**some | more)


#: A web server on this machine may be told.
NEAR = Settings(private_webhooks=True, public_url="https://play.example")


def test_a_mail_says_whose_turn_it_is_and_where(tmp_path: Path, mails: tuple[Mails, str]) -> None:
    kept, where = mails
    assert sent(tmp_path, [notice("email", "anna@example.org")], by_mail(where)) == []
    ((to, message),) = kept.got
    assert to == ["anna@example.org"]
    assert message["To"] == "anna@example.org"
    assert message["From"] == "Aachen <games@example.org>"
    assert message["Subject"] == "It is your turn"
    assert message["Message-ID"].endswith("@example.org>")
    assert message["Date"] is not None
    text = message.get_content().replace("\r\n", "\n")
    assert text.startswith("Hello Anna Ω,\n")
    assert "\nhttps://play.example/table/t1\n" in text


def test_a_mail_says_that_the_game_is_over(tmp_path: Path, mails: tuple[Mails, str]) -> None:
    kept, where = mails
    row = notice("email", "jürgen@example.org", "game-over", player="nobody-known")
    assert sent(tmp_path, [row], by_mail(where, mail_from="")) == []
    ((to, message),) = kept.got
    assert to == ["jürgen@example.org"]
    assert (message["Subject"], message["From"]) == ("The game is over", "Aachen <aachen@play.example>")
    assert message.get_content().startswith("Hello,\r\n")


def test_the_mail_server_is_told_user_and_password(tmp_path: Path, mails: tuple[Mails, str]) -> None:
    kept, where = mails
    row = notice("email", "anna@example.org")
    assert sent(tmp_path, [row], by_mail(f"us%20er:p%40ss@{where}")) == []
    assert len(kept.got) == 1


def test_a_wrong_password_is_a_failure_and_does_not_reach_the_log(
    tmp_path: Path, mails: tuple[Mails, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "aachen.notices")
    kept, where = mails
    (left,) = sent(tmp_path, [notice("email", "anna@example.org")], by_mail(f"user:wrongpass@{where}"))
    assert left["tries"] == 1
    assert kept.got == []
    assert "again in 60 s" in caplog.text
    assert "wrongpass" not in caplog.text
    assert "anna@example.org" not in caplog.text


def test_a_server_that_cannot_encrypt_gets_nothing_when_encryption_is_asked_for(
    tmp_path: Path, mails: tuple[Mails, str]
) -> None:
    kept, where = mails
    for scheme in ("smtp+starttls", "smtps"):
        (tmp_path / scheme).mkdir()
        settings = by_mail(where, smtp_url=f"{scheme}://{where}")
        (left,) = sent(tmp_path / scheme, [notice("email", "anna@example.org")], settings)
        assert left["tries"] == 1
    assert kept.got == []


@pytest.mark.parametrize(
    "target",
    [
        "anna@example.org\r\nBcc: evil@example.org",
        "anna@example.org\nSubject: won a prize",
        "anna@example.org, evil@example.org",
        "anna@example.org;evil@example.org",
        "Anna <evil@example.org>",
        "anna@example.org> SIZE=1 <evil@example.org",
        "anna",
        "anna@example.org\u2028Bcc: x",
        "anna@exämple.org",
        "",
    ],
)
def test_an_address_is_one_address_or_nothing_is_sent(
    tmp_path: Path, mails: tuple[Mails, str], caplog: pytest.LogCaptureFixture, target: str
) -> None:
    kept, where = mails
    assert sent(tmp_path, [notice("email", target)], by_mail(where)) == []
    assert kept.got == []
    assert "is dropped: the e-mail address is none that can be written to" in caplog.text


def test_a_strange_name_cannot_add_headers_or_lines(tmp_path: Path, mails: tuple[Mails, str]) -> None:
    kept, where = mails

    async def work(store: Store) -> None:
        name = "Eve\r\nBcc: evil@example.org\r\n\r\nBuy!"
        await store.execute(schema.players.update().values(name=name))
        await Postman(store, by_mail(where)).deliver(NOW)

    with_store(tmp_path, [notice("email", "anna@example.org")], work)
    ((to, message),) = kept.got
    assert to == ["anna@example.org"]
    assert message["Bcc"] is None
    assert message.get_content().splitlines()[:2] == ["Hello Eve Bcc: evil@example.org Buy!,", ""]


def test_without_a_mail_server_mails_are_dropped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert sent(tmp_path, [notice("email", "anna@example.org")], Settings()) == []
    assert "no mail server is set up" in caplog.text


def test_a_webhook_gets_the_facts_as_json(tmp_path: Path, hooks: Hooks) -> None:
    rows = [
        notice("webhook", f"{hooks.url}/in?key=1"),
        notice("webhook", f"http://localhost:{hooks.server_port}/", "game-over"),
    ]
    assert sent(tmp_path, rows, NEAR) == []
    facts = {"table": "t1", "url": "https://play.example/table/t1", "player": "anna"}
    assert sorted(hooks.got, key=lambda one: one[0]) == [
        ("/", f"localhost:{hooks.server_port}", {"code": "game-over", **facts}),
        ("/in?key=1", f"127.0.0.1:{hooks.server_port}", {"code": "your-turn", **facts}),
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "2130706433", "127.1", "[::ffff:127.0.0.1]"])
def test_this_machine_is_refused_whatever_it_is_called(
    tmp_path: Path, hooks: Hooks, caplog: pytest.LogCaptureFixture, host: str
) -> None:
    row = notice("webhook", f"http://{host}:{hooks.server_port}/")
    assert sent(tmp_path, [row], Settings(private_webhooks=False)) == []
    assert hooks.got == []
    assert "is dropped: the webhook is not on the public internet" in caplog.text


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "240.0.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1",
        "ff02::1", "ff0e::1", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "target", ["ftp://127.0.0.1/", "file:///etc/passwd", "http://", "//x", "http://[::1", "x", "http://a:b"]
)
def test_only_http_is_spoken(tmp_path: Path, caplog: pytest.LogCaptureFixture, target: str) -> None:
    assert sent(tmp_path, [notice("webhook", target)], NEAR) == []
    assert "is dropped: the webhook" in caplog.text


def test_a_redirect_is_not_followed(tmp_path: Path, hooks: Hooks) -> None:
    hooks.answers = [307]
    (left,) = sent(tmp_path, [notice("webhook", f"{hooks.url}/here")], NEAR)
    assert left["tries"] == 1
    assert [path for path, _, _ in hooks.got] == ["/here"]


# Failing, and trying again


def test_a_failure_is_tried_again_later_and_later_and_then_dropped(
    tmp_path: Path, hooks: Hooks, caplog: pytest.LogCaptureFixture
) -> None:
    secret = f"{hooks.url}/secret-token"

    async def work(store: Store) -> None:
        postman, now = Postman(store, NEAR), NOW
        for tries, delay in enumerate(DELAYS, 1):
            assert await postman.deliver(now) == 1
            (row,) = await store.fetch(select(schema.notices))
            assert (row["tries"], row["due"]) == (tries, now + delay)
            assert await postman.deliver(now + delay - 1) == 0
            now += delay
        assert await postman.deliver(now) == 1
        assert await store.fetch(select(schema.notices)) == []

    hooks.answers = [500] * 5
    with_store(tmp_path, [notice("webhook", secret)], work)
    assert len(hooks.got) == 5
    assert DELAYS == (60, 300, 1800, 10800)
    assert "failed too often and is dropped: HTTPError('the webhook answered 500')" in caplog.text
    assert "secret-token" not in caplog.text


def test_a_mail_that_failed_once_is_sent_the_next_time(tmp_path: Path, mails: tuple[Mails, str]) -> None:
    kept, where = mails
    kept.refusals = 1
    assert sent(tmp_path, [notice("email", "anna@example.org")], by_mail(where), NOW, NOW + 60) == []
    assert len(kept.got) == 1


def test_one_failure_does_not_keep_others_from_being_sent(tmp_path: Path, hooks: Hooks) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = free.getsockname()[1]
    rows = [
        notice("webhook", f"http://127.0.0.1:{nobody}/"),
        notice("webhook", f"{hooks.url}/"),
        notice("email", "bad"),
    ]
    (left,) = sent(tmp_path, rows, NEAR)
    assert left["target"].endswith(f":{nobody}/")
    assert len(hooks.got) == 1


def test_what_is_not_due_stays(tmp_path: Path, hooks: Hooks) -> None:
    assert len(sent(tmp_path, [notice("webhook", hooks.url, due=NOW + 1)], NEAR)) == 1
    assert hooks.got == []


def test_a_turn_that_has_passed_is_not_told_any_more(tmp_path: Path, hooks: Hooks) -> None:
    async def work(store: Store) -> list[Row]:
        layout = table().layout
        row = {"id": "t1", "game": layout.game, "layout": {}, "seed": b"", "owner": "anna", "is_public": False}
        row |= {"status": "playing", "result": "", "opened": 0.0, "changed": 0.0, "lease": 0.0, "lease_by": ""}
        await store.execute(insert(schema.tables).values(**row))
        for seat, (player, is_asked) in enumerate([("anna", False), ("bert", True)]):
            row = {"table": "t1", "seat": seat, "player": player, "name": player, "bot": "", "is_asked": is_asked}
            await store.execute(insert(schema.seats).values(**row))
        await Postman(store, NEAR).deliver(NOW)
        return await store.fetch(select(schema.notices))

    rows = [notice("webhook", f"{hooks.url}/{code}/{who}", code, player=who)
            for code in ("your-turn", "game-over") for who in ("anna", "bert")]  # fmt: skip
    assert with_store(tmp_path, rows, work) == []
    assert sorted(path for path, _, _ in hooks.got) == ["/game-over/anna", "/game-over/bert", "/your-turn/bert"]


def test_several_postmen_send_each_notice_once(tmp_path: Path, hooks: Hooks) -> None:
    rows = [notice("webhook", f"{hooks.url}/{number}") for number in range(30)]

    async def work(store: Store) -> list[int]:
        other = Store(f"sqlite+aiosqlite:///{tmp_path / 'test.db'}", "other")
        postmen = [Postman(one, NEAR) for one in (store, other)]
        taken = await asyncio.gather(*(postman.deliver(NOW) for postman in postmen))
        await other.close()
        assert await store.fetch(select(schema.notices)) == []
        return sorted(taken)

    assert with_store(tmp_path, rows, work) == [10, 20]
    assert sorted(int(path[1:]) for path, _, _ in hooks.got) == list(range(30))


def test_a_notice_whose_postman_died_comes_due_again(tmp_path: Path, hooks: Hooks) -> None:
    async def work(store: Store) -> None:
        await Postman(store, NEAR)._take(NOW)  # and never anything more
        assert await Postman(store, NEAR).deliver(NOW + 59) == 0
        assert await Postman(store, NEAR).deliver(NOW + 60) == 1

    with_store(tmp_path, [notice("webhook", hooks.url)], work)
    assert len(hooks.got) == 1


# The loop


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)


def test_the_postman_sends_what_comes_with_a_move(tmp_path: Path, hooks: Hooks) -> None:
    people = {"bert": {"email": "", "settings": BOTH | {"webhook": hooks.url}}}

    async def work(store: Store) -> None:
        await store.open()
        postman = Postman(store, NEAR)
        running = asyncio.create_task(postman.run())
        play = table()
        layout = dataclasses.replace(play.layout, places=())
        await store.commit(Change("t1", opened=layout, rows=notice_rows(play, [1], people, [], NOW)))
        postman.wake()
        await until(lambda: len(hooks.got) == 1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    with_store(tmp_path, [], work)
    assert hooks.got[0][2]["player"] == "bert"


def test_trouble_with_the_database_is_logged_and_the_postman_goes_on(
    tmp_path: Path, hooks: Hooks, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "TROUBLE", 0.01)

    async def work(store: Store) -> None:
        async with store.engine.begin() as connection:
            await connection.run_sync(schema.notices.drop)
        running = asyncio.create_task(Postman(store, NEAR).run())
        await until(lambda: "notices cannot be read or written now" in caplog.text)
        async with store.engine.begin() as connection:
            await connection.run_sync(schema.notices.create)
        await store.execute(insert(schema.notices).values(**notice("webhook", hooks.url)))
        await until(lambda: len(hooks.got) == 1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    with_store(tmp_path, [], work)


# Settings


def test_mail_servers_are_told_by_address() -> None:
    def facts(url: str) -> tuple[object, ...]:
        return dataclasses.astuple(mail_server(url))

    assert facts("smtp://mail") == ("smtp", "mail", 25, "", "")
    assert facts("smtps://u:p%3A%40@mail.example.org") == ("smtps", "mail.example.org", 465, "u", "p:@")
    assert facts("smtp+starttls://u:p@[::1]:2525") == ("smtp+starttls", "::1", 2525, "u", "p")
    assert "secret" not in repr(mail_server("smtp://user:secret@mail"))


@pytest.mark.parametrize(
    "url", ["mail.example.org", "http://mail", "smtp://", "smtp://secret@mail:port", "smtp://secret@["]
)
def test_a_bad_mail_server_is_refused_at_the_start(tmp_path: Path, url: str) -> None:
    with pytest.raises(BadOptions, match="AACHEN_SMTP_URL") as error:
        sent(tmp_path, [], Settings(smtp_url=url))
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("sender", ["nobody", "a@b, c@d", "Aachen\r\nBcc: x@y <a@b.c>", "<>"])
def test_a_bad_sender_is_refused_at_the_start(tmp_path: Path, sender: str) -> None:
    with pytest.raises(BadOptions, match="AACHEN_MAIL_FROM"):
        sent(tmp_path, [], Settings(mail_from=sender))
