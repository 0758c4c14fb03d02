"""People coming in: guests, accounts, sessions, tokens, settings, and what other sites' pages must not do."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from aachen.server import schema
from aachen.server.accounts import COOKIE, Seen, key_of, proper_name
from aachen.server.app import create_app
from aachen.server.settings import Settings
from aachen.server.web import Caller, HttpProblem
from server.kit import Server

PASSWORD = "correct horse"
EVIL = "https://evil.example"
NOTICES = {"browser": True, "webhook": True, "email": True}


@pytest.fixture
def ann(server: Server) -> Iterator[httpx.Client]:
    """A client that is nobody yet."""
    with server.client() as client:
        yield client


@pytest.fixture
def bob(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def unused_name(prefix: str = "Ann") -> str:
    """A name that no other test has taken."""
    return f"{prefix} {time.time_ns() % 10**14:x}"


def post(client: httpx.Client, path: str, status: int = 200, **body: object) -> Any:
    """Sends the body, and gives the answer, which must have this status."""
    answer = client.post(f"/api{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def new_account(client: httpx.Client, name: str = "") -> Any:
    return post(client, "/account", name=name or unused_name(), password=PASSWORD)


def status_of_me(client: httpx.Client, **headers: str) -> int:
    return client.get("/api/me", headers=headers).status_code


def with_token(server: Server, token: str) -> httpx.Client:
    """A program: no cookie, no origin."""
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"})


# Guests


def test_a_guest_needs_a_name_alone_and_is_known_from_then_on(ann: httpx.Client) -> None:
    me = post(ann, "/guest", name="  Ann ")
    assert me["name"] == "Ann"
    assert me["is_guest"]
    assert me["email"] is None
    assert ann.get("/api/me").json() == me


def test_the_cookie_is_kept_from_scripts_and_other_sites_for_a_year(ann: httpx.Client) -> None:
    answer = ann.post("/api/guest", json={"name": "Ann"})
    parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", "max-age=31536000"} <= parts
    assert "secure" not in parts  # the test server is reached by http


def test_who_has_not_come_in_is_told_so(ann: httpx.Client) -> None:
    answer = ann.get("/api/me")
    assert answer.status_code == 401
    assert answer.json()["code"] == "not-in"
    assert status_of_me(ann, Cookie=f"{COOKIE}=made-up") == 401
    assert status_of_me(ann, Authorization="Bearer made-up") == 401


def test_a_guest_who_comes_in_again_only_changes_the_name(ann: httpx.Client) -> None:
    first = post(ann, "/guest", name="Ann")
    second = post(ann, "/guest", name="Anna")
    assert second == {**first, "name": "Anna"}
    assert ann.get("/api/me").json() == second
    assert len(ann.get("/api/sessions").json()) == 1


def test_two_guests_may_have_the_same_name(ann: httpx.Client, bob: httpx.Client) -> None:
    assert post(ann, "/guest", name="Ann")["id"] != post(bob, "/guest", name="Ann")["id"]


# Names


@pytest.mark.parametrize("name", ["A", "José", "李小龍", "O'Neil-Smith 3rd", "x" * 24, "❤️", "e\u0301" * 24, "Ⅷ"])
def test_a_name_may_be_written_in_any_script(ann: httpx.Client, name: str) -> None:
    assert 1 <= len(post(ann, "/guest", name=name)["name"]) <= 24


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "x" * 25,
        "a\u0000b",
        "a\nb",
        "a\u202eb",
        "a\u200bb",
        "\u3164",
        "\u0301",
        "\u00a0",
        "\u2066a",
        "\ue000",
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(ann: httpx.Client, name: str) -> None:
    problem = post(ann, "/guest", 422, name=name)
    assert problem["code"] in ("bad-name", "bad-text", "invalid")
    assert status_of_me(ann) == 401


def test_a_key_fits_its_column_however_much_letters_grow_in_lower_case() -> None:
    assert len(key_of(proper_name("ΐ" * 24))) <= 80
    with pytest.raises(HttpProblem, match="1 to 24 characters"):
        proper_name("\U0001d15f" * 24)  # one code point that is always taken apart


@pytest.mark.parametrize("field", ["name", "password", "email"])
@pytest.mark.parametrize("text", [r"\u0000abcdefghi", r"\ud800abcdefghi", r"abcdefghi\udfff"])
def test_text_that_no_database_can_store_is_refused(ann: httpx.Client, field: str, text: str) -> None:
    fields = {"name": unused_name(), "password": PASSWORD, "email": "a@b.example", field: text}
    body = ",".join(f'"{key}":"{value}"' for key, value in fields.items())
    headers = {"Content-Type": "application/json"}
    answer = ann.post("/api/account", content=f"{{{body}}}".encode(), headers=headers)
    assert answer.status_code == 422
    assert answer.json()["text"]


# Accounts


def test_a_guest_who_makes_an_account_stays_the_same_player_with_another_cookie(ann: httpx.Client) -> None:
    guest = post(ann, "/guest", name="Ann")
    old = ann.cookies[COOKIE]
    me = new_account(ann, name := unused_name())
    assert me == {**guest, "name": name, "is_guest": False}
    assert ann.get("/api/me").json() == me
    assert ann.cookies[COOKIE] != old
    assert len(ann.get("/api/sessions").json()) == 1
    ann.cookies.clear()
    assert status_of_me(ann, Cookie=f"{COOKIE}={old}") == 401


def test_an_account_can_be_made_at_once_and_come_back(ann: httpx.Client, bob: httpx.Client) -> None:
    name = unused_name()
    me = post(ann, "/account", name=name, password=PASSWORD, email="ann@b.example")
    assert me["email"] == "ann@b.example"
    assert post(bob, "/login", name=name.upper(), password=PASSWORD) == me
    assert bob.get("/api/me").json() == me


@pytest.mark.parametrize(
    ("first", "second"), [("Ann", "aNN"), ("Straße", "STRASSE"), ("Jos\u00e9", "JOSE\u0301"), ("A B", "a  b")]
)
def test_a_name_is_taken_in_every_spelling(ann: httpx.Client, bob: httpx.Client, first: str, second: str) -> None:
    suffix = f"{time.time_ns() % 10**12:x}"
    me = new_account(ann, f"{first} {suffix}")
    guest = post(bob, "/guest", name="Bob")
    problem = post(bob, "/account", 409, name=f"{second} {suffix}", password=PASSWORD)
    assert problem["code"] == "name-taken"
    assert bob.get("/api/me").json() == guest
    assert ann.get("/api/me").json() == me


def test_of_many_who_want_a_name_at_once_one_gets_it(server: Server) -> None:
    body = {"name": unused_name(), "password": PASSWORD}

    def ask(_: int) -> int:
        with server.client() as client:
            return client.post("/api/account", json=body).status_code

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(ask, range(6))) == [200, 409, 409, 409, 409, 409]


@pytest.mark.parametrize("name", ["page", "Squire", "KNIGHT", "paladin", "emperor", "random"])
def test_no_account_is_called_like_a_bot(ann: httpx.Client, name: str) -> None:
    assert post(ann, "/account", 422, name=name, password=PASSWORD)["code"] == "name-reserved"


@pytest.mark.parametrize("password", ["", "short", "x" * 7, "x" * 201])
def test_a_password_has_8_to_200_characters(ann: httpx.Client, password: str) -> None:
    post(ann, "/account", 422, name=unused_name(), password=password)


def test_spaces_of_a_password_count_and_its_accents_are_the_same_from_every_keyboard(ann: httpx.Client) -> None:
    name = unused_name()
    post(ann, "/account", name=name, password=" caf\u00e9 au lait ")
    assert post(ann, "/login", 401, name=name, password="caf\u00e9 au lait")["code"] == "wrong-login"
    post(ann, "/login", name=name, password=" cafe\u0301 au lait ")


def test_an_account_is_neither_a_guest_nor_another_account(ann: httpx.Client) -> None:
    me = new_account(ann)
    assert post(ann, "/guest", 409, name="Ann")["code"] == "has-account"
    assert post(ann, "/account", 409, name=unused_name(), password=PASSWORD)["code"] == "has-account"
    assert ann.get("/api/me").json() == me


def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(ann: httpx.Client, bob: httpx.Client) -> None:
    name = new_account(ann)["name"]
    wrong_password = post(bob, "/login", 401, name=name, password="something else")
    wrong_name = post(bob, "/login", 401, name=unused_name("Nobody"), password=PASSWORD)
    assert wrong_password == wrong_name
    assert wrong_name["code"] == "wrong-login"
    assert COOKIE not in bob.cookies


def test_a_login_gives_another_cookie_and_ends_the_session_before_it(ann: httpx.Client, bob: httpx.Client) -> None:
    me = new_account(ann)
    post(bob, "/guest", name="Bob")
    old = bob.cookies[COOKIE]
    assert status_of_me(bob) == 200
    assert post(bob, "/login", name=me["name"], password=PASSWORD) == me
    bob.cookies.clear()
    assert status_of_me(bob, Cookie=f"{COOKIE}={old}") == 401


def test_a_new_password_ends_other_browsers_but_no_tokens(server: Server, ann: httpx.Client, bob: httpx.Client) -> None:
    name = new_account(ann)["name"]
    post(bob, "/login", name=name, password=PASSWORD)
    token = post(ann, "/tokens", label="my bot")["token"]
    assert status_of_me(bob) == 200
    assert post(ann, "/password", 403, old="something else", new="battery staple")["code"] == "wrong-password"
    assert status_of_me(bob) == 200
    post(ann, "/password", 204, old=PASSWORD, new="battery staple")
    assert (status_of_me(ann), status_of_me(bob)) == (200, 401)
    with with_token(server, token) as program:
        assert status_of_me(program) == 200
    post(bob, "/login", 401, name=name, password=PASSWORD)
    post(bob, "/login", name=name, password="battery staple")


def test_a_guest_has_no_password_to_change(ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    assert post(ann, "/password", 403, old=PASSWORD, new=PASSWORD)["code"] == "account-needed"


# Sessions and tokens


def test_a_logout_ends_the_session_at_once_also_for_a_copy_of_the_cookie(ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    cookie = ann.cookies[COOKIE]
    assert status_of_me(ann) == 200
    post(ann, "/logout", 204)
    assert COOKIE not in ann.cookies
    assert status_of_me(ann, Cookie=f"{COOKIE}={cookie}") == 401
    post(ann, "/logout", 204)


def test_a_player_sees_all_sessions_and_can_end_one(ann: httpx.Client, bob: httpx.Client) -> None:
    name = new_account(ann)["name"]
    body = {"name": name, "password": PASSWORD}
    assert bob.post("/api/login", json=body, headers={"User-Agent": "Netscape " + "x" * 90}).status_code == 200
    here, there = sorted(ann.get("/api/sessions").json(), key=lambda session: not session["is_this"])
    assert (here["kind"], there["kind"], there["is_this"]) == ("cookie", "cookie", False)
    assert there["label"] == "Netscape " + "x" * 71
    assert status_of_me(bob) == 200
    assert ann.delete(f"/api/sessions/{there['id']}").status_code == 204
    assert (status_of_me(ann), status_of_me(bob)) == (200, 401)
    assert [session["id"] for session in ann.get("/api/sessions").json()] == [here["id"]]
    assert ann.delete(f"/api/sessions/{here['id']}").status_code == 204
    assert status_of_me(ann) == 401


def test_nobody_ends_the_session_of_somebody_else(ann: httpx.Client, bob: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    post(bob, "/guest", name="Bob")
    [session] = ann.get("/api/sessions").json()
    assert bob.delete(f"/api/sessions/{session['id']}").status_code == 404
    assert bob.delete("/api/sessions").status_code == 204
    assert bob.delete("/api/sessions/%25").status_code == 422
    assert (status_of_me(ann), status_of_me(bob)) == (200, 200)


def test_all_other_sessions_can_be_ended_together(server: Server, ann: httpx.Client, bob: httpx.Client) -> None:
    name = new_account(ann)["name"]
    post(bob, "/login", name=name, password=PASSWORD)
    token = post(ann, "/tokens", label="my bot")["token"]
    assert ann.delete("/api/sessions").status_code == 204
    with with_token(server, token) as program:
        assert (status_of_me(ann), status_of_me(bob), status_of_me(program)) == (200, 401, 401)


def test_a_token_lets_a_program_in_until_it_is_ended(server: Server, ann: httpx.Client) -> None:
    me = new_account(ann)
    made = post(ann, "/tokens", label="my bot")
    assert made["token"].startswith("aachen_")
    with with_token(server, made["token"]) as program:
        assert program.get("/api/me").json() == me
        assert program.patch("/api/me", json={"auto_confirm": True}).json()["settings"]["auto_confirm"]
        [session] = [one for one in program.get("/api/sessions").json() if one["is_this"]]
        assert (session["id"], session["kind"], session["label"]) == (made["id"], "token", "my bot")
        assert ann.delete(f"/api/sessions/{made['id']}").status_code == 204
        assert status_of_me(program) == 401
    assert status_of_me(ann) == 200


def test_a_bad_token_is_not_made_good_by_a_cookie(ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    assert status_of_me(ann, Authorization="Bearer aachen_made-up") == 401


def test_guests_have_no_tokens(ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    assert post(ann, "/tokens", 403, label="my bot")["code"] == "account-needed"


def test_what_was_read_before_a_session_ended_is_not_kept_after_it() -> None:
    seen, caller = Seen(most=2), Caller("p", "Ann", True, {}, "s")
    before = seen.changes
    seen.forget("s")
    seen.put(caller, None, before)
    assert seen.get("s") is None
    seen.put(caller, None, seen.changes)
    assert seen.get("s") == caller
    seen.forget("p")
    assert seen.get("s") is None
    for session in "abc":
        seen.put(Caller("p", "Ann", True, {}, session), None, seen.changes)
    assert [seen.get(session) is not None for session in "abc"] == [False, True, True]


# Settings


def test_settings_that_are_not_named_stay(ann: httpx.Client) -> None:
    first = post(ann, "/guest", name="Ann")
    usual: dict[str, Any] = {
        "auto_confirm": False,
        "webhook": None,
        "notices": NOTICES,
        "table_notices": {},
        "muted": [],
    }
    assert first["settings"] == usual
    ann.patch("/api/me", json={"auto_confirm": True, "email": "ann@b.example", "webhook": "https://b.example/hook?x=1"})
    quiet = {"browser": True, "webhook": False, "email": False}
    answer = ann.patch("/api/me", json={"notices": quiet, "table_notices": {"t1": False}, "muted": ["p1"]})
    assert answer.status_code == 200
    me = ann.get("/api/me").json()
    assert me == answer.json()
    assert me["email"] == "ann@b.example"
    assert me["settings"] == {
        "auto_confirm": True, "webhook": "https://b.example/hook?x=1", "notices": quiet,
        "table_notices": {"t1": False}, "muted": ["p1"],
    }  # fmt: skip
    ann.patch("/api/me", json={"email": None, "webhook": None, "muted": []})
    me = ann.get("/api/me").json()
    assert (me["email"], me["settings"]["webhook"], me["settings"]["muted"]) == (None, None, [])


@pytest.mark.parametrize(
    "changes",
    [
        {"email": "nobody"},
        {"email": "a@b.example\nBcc: c@d.example"},
        {"email": "a@b.example,c@d.example"},
        {"webhook": "ftp://b.example"},
        {"webhook": "javascript:alert(1)"},
        {"webhook": "https://"},
        {"webhook": "https://b.example:99999/"},
        {"webhook": "https://b.example/" + "x" * 500},
        {"auto_confirm": None},
        {"auto_confirm": "yes"},
        {"notices": {"browser": True}},
        {"table_notices": {f"t{n}": True for n in range(201)}},
        {"table_notices": {"no table\u0000": True}},
        {"muted": [f"p{n}" for n in range(201)]},
        {"muted": ["x" * 33]},
        {"is_guest": False},
    ],
)
def test_settings_that_make_no_sense_are_refused(ann: httpx.Client, changes: dict[str, Any]) -> None:
    me = post(ann, "/guest", name="Ann")
    assert ann.patch("/api/me", json={"auto_confirm": True, **changes}).status_code == 422
    assert ann.get("/api/me").json() == me


def test_of_many_changes_at_once_none_is_lost(server: Server, ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    changes: list[dict[str, Any]] = [{"auto_confirm": True}, {"webhook": "http://b.example"}, {"muted": ["p1"]}]
    changes += [{"table_notices": {"t1": False}}, {"email": "a@b.example"}]

    def change(one: dict[str, Any]) -> int:
        with server.client() as client:
            client.cookies.set(COOKIE, ann.cookies[COOKIE])
            return client.patch("/api/me", json=one).status_code

    with ThreadPoolExecutor(5) as threads:
        assert list(threads.map(change, changes)) == [200] * 5
    me = ann.get("/api/me").json()
    wanted = {key: value for one in changes for key, value in one.items()}
    assert {key: ({**me["settings"], **me})[key] for key in wanted} == wanted


# Other sites


def test_pages_of_other_sites_cannot_act_for_a_player(server: Server, ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    for headers in ({"Origin": EVIL}, {"Origin": "null"}, {"Origin": server.url + "0"}, {"Origin": "http://["}):
        assert ann.patch("/api/me", json={"auto_confirm": True}, headers=headers).status_code == 403
    assert ann.get("/api/me", headers={"Origin": EVIL}).json()["settings"]["auto_confirm"] is False


def test_a_page_that_names_no_origin_is_told_by_its_referer(server: Server, ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    del ann.headers["Origin"]
    for referer, status in (("", 403), (f"{EVIL}/{server.url}", 403), (f"{server.url}/tables/x", 200)):
        headers = {"Referer": referer} if referer else {}
        assert ann.patch("/api/me", json={"auto_confirm": True}, headers=headers).status_code == status


def test_a_page_of_another_site_cannot_log_a_browser_in(server: Server) -> None:
    body = {"name": "Ann"}
    assert httpx.post(f"{server.url}/api/guest", json=body, headers={"Origin": EVIL}).status_code == 403
    assert httpx.post(f"{server.url}/api/guest", json=body).status_code == 200


def test_a_page_of_another_site_cannot_open_a_websocket(server: Server, ann: httpx.Client) -> None:
    post(ann, "/guest", name="Ann")
    address = server.url.replace("http", "ws", 1) + "/api/socket"
    cookie = {"Cookie": f"{COOKIE}={ann.cookies[COOKIE]}"}
    with pytest.raises(InvalidStatus, match="403"), connect(address, origin=Origin(EVIL), additional_headers=cookie):
        pass
    with connect(address, origin=Origin(server.url), additional_headers=cookie) as socket:
        assert socket.response is not None
        assert socket.response.status_code == 101


# A service with other settings, in this process


@asynccontextmanager
async def serving(folder: Path, **settings: Any) -> AsyncIterator[tuple[FastAPI, httpx.AsyncClient]]:
    app = create_app(Settings(database_url=f"sqlite:///{folder / 'aachen.db'}", **settings))
    url = settings.get("public_url") or "http://testserver"
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url=url, headers={"Origin": url}) as client,
    ):
        yield app, client


def test_behind_https_the_cookie_is_secure_and_the_public_address_counts(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(tmp_path, public_url="https://play.example") as (_, client):
            inside = {"Host": "10.0.0.7:8000"}  # as a proxy may put it
            answer = await client.post("/api/guest", json={"name": "Ann"}, headers=inside)
            assert answer.status_code == 200
            assert "secure" in answer.headers["set-cookie"].lower()
            for origin, status in (("https://play.example", 200), ("http://10.0.0.7:8000", 200), (EVIL, 403)):
                headers = {**inside, "Origin": origin}
                assert (await client.patch("/api/me", json={}, headers=headers)).status_code == status

    asyncio.run(run())


def test_passwords_cannot_be_tried_without_end(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(tmp_path) as (_, client):
            body = {"name": "Ann", "password": PASSWORD}
            statuses = [(await client.post("/api/login", json=body)).status_code for _ in range(12)]
            assert statuses[:10] == [401] * 10
            assert statuses[11] == 429
            other = {**body, "name": "Bob"}
            assert (await client.post("/api/login", json=other)).status_code == 401

    asyncio.run(run())


def test_an_expired_session_counts_as_none_and_no_secret_is_stored(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(tmp_path) as (app, client):
            store = app.state.service.store
            account = {"name": "Ann", "password": PASSWORD}
            assert (await client.post("/api/account", json=account)).status_code == 200
            [player] = await store.fetch(select(schema.players))
            [session] = await store.fetch(select(schema.sessions))
            assert PASSWORD not in str(player)
            assert client.cookies[COOKIE] not in str(session)
            await store.execute(update(schema.sessions).values(expires=time.time() - 1))
            assert (await client.get("/api/me")).status_code == 401

    asyncio.run(run())
