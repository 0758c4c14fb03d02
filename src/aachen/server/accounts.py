"""People coming in: guests, accounts, sessions and tokens.

A session is a secret that the client holds, in the cookie `aachen` or as a token in `Authorization: Bearer`. The
database knows its SHA-256 alone. A guest is a player without a key; an account is a player with one.
"""

import asyncio
import hashlib
import secrets
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import httpx
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import APIRouter, Path, Request, Response
from fastapi.requests import HTTPConnection
from pydantic import AfterValidator, BaseModel, Field, StrictBool, StringConstraints
from sqlalchemy import ColumnElement, Insert, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from aachen.bots.players import NAMES as BOTS
from aachen.server.messages import TableId
from aachen.server.schema import players, sessions
from aachen.server.settings import Settings
from aachen.server.store import Store
from aachen.server.web import Anybody, Caller, HttpProblem, Problem, Somebody, Strict, address_of, service_of

router = APIRouter(prefix="/api", tags=["people"], responses={429: {"model": Problem}})
COOKIE = "aachen"
TOKEN_PREFIX = "aachen_"
YEAR = 365 * 86400
LONGEST_NAME, LONGEST_LABEL = 24, 80
MOST_TOKENS, MOST_LISTED = 50, 200
SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")
#: How many requests an address, or those who try a name or a password, may send at once; and how many more a second.
FOR_ADDRESS, FOR_NAME = (20.0, 0.2), (10.0, 0.05)
#: Letters and marks that show nothing, though Unicode counts them as printable; only U+FE0F is common, in emoji.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)))
)

T = TypeVar("T")


# Text that people write


def proper_text(text: str) -> str:
    """The text itself. Raises HttpProblem for what cannot be stored or shown."""
    if not all(letter.isprintable() and letter not in BLANK for letter in text):
        raise HttpProblem(422, "bad-text", "control characters and invisible characters cannot be used here")
    return text


def proper_name(text: str) -> str:
    """The name in NFC, as it is shown. Raises HttpProblem if nobody can be called so."""
    name = proper_text(unicodedata.normalize("NFC", text).strip())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise HttpProblem(422, "bad-name", "a name has 1 to {most} characters", most=LONGEST_NAME)
    if not any(unicodedata.category(letter)[0] in "LNPS" for letter in name):
        raise HttpProblem(422, "bad-name", "a name needs a letter, a digit or a sign")
    return name


def key_of(name: str) -> str:
    """What two names share that differ in case or spaces alone. At most three times as long as the name."""
    return unicodedata.normalize("NFC", " ".join(name.casefold().split()))


def _secret_text(text: str) -> str:
    """A password as it is hashed: the same from every keyboard."""
    if "\0" in text:
        raise HttpProblem(422, "bad-text", "a password cannot have NUL characters")
    return unicodedata.normalize("NFC", text)


def _web_address(text: str) -> str:
    """The address. Raises HttpProblem if nothing can be sent to it."""
    try:
        is_good = bool(httpx.URL(text).host and _host(text))
    except (httpx.InvalidURL, ValueError):
        is_good = False
    if not is_good:
        raise HttpProblem(422, "bad-webhook", "a webhook is an address like https://example.org/path")
    return text


#: A name may come in more code points than it has when they are put together.
Name = Annotated[
    str, Field(min_length=1, max_length=200, json_schema_extra={"maxLength": LONGEST_NAME}), AfterValidator(proper_name)
]
Label = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL), AfterValidator(proper_text)]
#: Nothing is taken off a password. One that is tried may be of any length.
Password = Annotated[str, StringConstraints(strip_whitespace=False, max_length=200), AfterValidator(_secret_text)]
NewPassword = Annotated[Password, Field(min_length=8)]
EMAIL = r'^[^@\s\x00-\x1f\x7f,;:<>()\[\]\\"]+@[0-9A-Za-z.-]+$'
Email = Annotated[str, Field(max_length=200, pattern=EMAIL), AfterValidator(proper_text)]
Webhook = Annotated[str, Field(max_length=500, pattern=r"^https?://[!-~]+$"), AfterValidator(_web_address)]
SessionId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="the first 16 digits of the session's hash")]
#: The ids of players look like those of tables.
PlayerId = TableId


# Messages


class Guest(Strict):
    name: Name


class NewAccount(Strict):
    name: Name
    password: NewPassword
    email: Email | None = None


class Login(Strict):
    name: Name
    password: Password


class NewToken(Strict):
    label: Label


class PasswordChange(Strict):
    old: Password
    new: NewPassword


class Channels(Strict):
    """On which ways a player wants to hear of a turn; on those with an address it can be done."""

    browser: StrictBool
    webhook: StrictBool
    email: StrictBool


class Preferences(BaseModel):
    """A player's settings, as they are stored."""

    auto_confirm: bool = False
    webhook: str | None = None
    notices: Channels = Channels(browser=True, webhook=True, email=True)
    table_notices: dict[str, bool] = {}  # of tables that differ from the rest
    muted: list[str] = []  # players whose chat is not shown


class Changes(Strict):
    """What is given takes the place of the old value, the rest stays."""

    auto_confirm: StrictBool = False
    email: Email | None = None
    webhook: Webhook | None = None
    notices: Channels = Channels(browser=True, webhook=True, email=True)
    table_notices: dict[TableId, StrictBool] = Field(default_factory=dict, max_length=200)
    muted: list[PlayerId] = Field(default_factory=list, max_length=200)


class Me(BaseModel):
    """The player who is asking."""

    id: str
    name: str
    is_guest: bool
    email: str | None
    settings: Preferences


class Session(BaseModel):
    """A place where a player is in."""

    id: str
    kind: Literal["cookie", "token"]
    label: str
    created: float
    is_this: bool


class Token(BaseModel):
    token: str = Field(description="shown this once")
    id: str


def _me(row: dict[str, Any]) -> Me:
    settings = Preferences(**row["settings"])
    return Me(id=row["id"], name=row["name"], is_guest=row["key"] is None, email=row["email"], settings=settings)


# Who is asking


class Seen:
    """Who has come in lately, so that not every request asks the database. Memory is bounded."""

    def __init__(self, seconds: float = 30.0, most: int = 10_000) -> None:
        self._seconds, self._most = seconds, most
        self._callers: OrderedDict[str, tuple[Caller, float]] = OrderedDict()
        self.changes = 0  # what was read before a change must not be kept after it

    def get(self, session: str) -> Caller | None:
        caller, until = self._callers.get(session, (None, 0.0))
        return caller if until > time.monotonic() else None

    def put(self, caller: Caller, expires: float | None, changes: int) -> None:
        """Keeps what was read from the database when there had been so many changes."""
        if changes != self.changes:
            return
        seconds = self._seconds if expires is None else min(self._seconds, expires - time.time())
        self._callers.pop(caller.session, None)
        self._callers[caller.session] = caller, time.monotonic() + seconds
        if len(self._callers) > self._most:
            self._callers.popitem(last=False)

    def forget(self, *names: str) -> None:
        """Of these players (by id) or sessions (by hash) nothing is known any more."""
        self.changes += 1
        gone = [hash for hash, (caller, _) in self._callers.items() if hash in names or caller.id in names]
        for hash in gone:
            del self._callers[hash]


_SEEN = Seen()


async def whoami(connection: HTTPConnection) -> Caller | None:
    """Who sent this request or opened this WebSocket; None for nobody. A token goes before a cookie."""
    secret = _bearer(connection) or connection.cookies.get(COOKIE)
    if not secret:
        return None
    session = _hash(secret)
    if known := _SEEN.get(session):
        return known
    changes = _SEEN.changes
    p, s = players.c, sessions.c
    found = select(p.id, p.name, p.key, p.settings, s.expires).join(sessions, s.player == p.id)
    row = await service_of(connection).store.one(found.where(s.hash == session))
    if row is None or (row["expires"] is not None and row["expires"] <= time.time()):
        return None
    settings = Preferences(**row["settings"]).model_dump()
    caller = Caller(row["id"], row["name"], row["key"] is None, settings, session)
    _SEEN.put(caller, row["expires"], changes)
    return caller


def same_origin(connection: HTTPConnection) -> bool:
    """Whether the request may act for its cookie: False if another site's page has sent it.

    A token needs no such proof, nor does what changes nothing. A WebSocket, or a request without the cookie, is
    refused only if it names another site; with the cookie, a request has to name this one.
    """
    is_socket = connection.scope["type"] == "websocket"
    if _bearer(connection) or (not is_socket and connection.scope["method"] in SAFE_METHODS):
        return True
    headers = connection.headers
    origin = headers.get("origin") or (None if is_socket else headers.get("referer"))
    if origin is None:
        return is_socket or COOKIE not in connection.cookies
    scheme = origin.partition("://")[0]
    ours = {_host(f"{scheme}://{headers.get('host', '')}"), _host(service_of(connection).settings.public_url)}
    return _host(origin) in ours - {None}


def _host(url: str) -> tuple[str, int] | None:
    """The host and port of an address; None if it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    if not parts.hostname or usual is None:
        return None
    return parts.hostname, usual if port is None else port


def _bearer(connection: HTTPConnection) -> str | None:
    """The token of a request. With one its cookie counts for nothing."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if kind.lower() == "bearer" else None


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


# Passwords: hashing takes a while and 64 MB, so few are hashed at a time, and none by the thread that serves all

_HASHER = PasswordHasher()
_WORKERS = ThreadPoolExecutor(2, thread_name_prefix="password")


async def _in_worker(work: Callable[..., T], *arguments: object) -> T:
    return await asyncio.get_running_loop().run_in_executor(_WORKERS, work, *arguments)


@cache
def _nobodys_hash() -> str:
    return _HASHER.hash(secrets.token_hex())


def _fits(password: str, hashed: str | None) -> bool:
    """Whether it is the password. Takes as long where there is none."""
    against = _nobodys_hash()
    try:
        return _HASHER.verify(hashed or against, password) and hashed is not None
    except (VerificationError, InvalidHashError):
        return False


# Sessions


def _new_session(player: str, kind: str, label: str) -> tuple[str, Insert]:
    """A new secret, and what has to be written."""
    is_cookie = kind == "cookie"
    secret = ("" if is_cookie else TOKEN_PREFIX) + secrets.token_urlsafe(32)
    now = time.time()
    expires = now + YEAR if is_cookie else None
    row = {"hash": _hash(secret), "player": player, "kind": kind, "label": label, "created": now, "expires": expires}
    return secret, insert(sessions).values(**row)


def _browser(request: Request) -> str:
    """The label of a cookie's session: what the client says that it is."""
    return "".join(filter(str.isprintable, request.headers.get("user-agent", "")))[:LONGEST_LABEL]


def _give_cookie(response: Response, settings: Settings, secret: str) -> None:
    response.set_cookie(
        COOKIE, secret, max_age=YEAR, path="/", secure=settings.is_secure, httponly=True, samesite="lax"
    )


def _take_cookie(response: Response, settings: Settings) -> None:
    response.delete_cookie(COOKIE, path="/", secure=settings.is_secure, httponly=True, samesite="lax")


async def _come_in(request: Request, response: Response, player: str, first: Any) -> None:
    """Writes `first` and a new session with a new cookie in place of the old one: all of it or nothing.

    Raises HttpProblem if `first` finds no row to change, and IntegrityError if it cannot be written.
    """
    service = service_of(request)
    old = _hash(request.cookies.get(COOKIE, ""))
    secret, new_session = _new_session(player, "cookie", _browser(request))
    try:
        async with service.store.engine.begin() as transaction:
            if (await transaction.execute(first)).rowcount == 0:
                raise _changed()
            await transaction.execute(delete(sessions).where(sessions.c.hash == old, sessions.c.kind == "cookie"))
            await transaction.execute(new_session)
    finally:
        _SEEN.forget(player, old)
    _give_cookie(response, service.settings, secret)


def _changed() -> HttpProblem:
    return HttpProblem(409, "changed", "the account has changed in the meantime; try again")


async def _end_sessions(store: Store, caller: Caller, which: ColumnElement[bool]) -> int:
    """Ends the caller's own sessions that are meant; how many they were."""
    try:
        return await store.execute(delete(sessions).where(sessions.c.player == caller.id, which))
    finally:
        _SEEN.forget(caller.id)


async def _row_of(store: Store, player: str) -> dict[str, Any]:
    row = await store.one(select(players).where(players.c.id == player))
    if row is None:
        raise HttpProblem(401, "not-in", "come in first: as a guest with a name, or with an account")
    return row


# What can be asked for


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors that an endpoint may answer with."""
    return {status: {"model": Problem} for status in statuses}


def _limit(request: Request, what: str) -> None:
    service_of(request).limits.check(f"{what}:{address_of(request)}", *FOR_ADDRESS)


def _new_player(**facts: str) -> dict[str, Any]:
    """The row of somebody who was not there before."""
    nothing = {"key": None, "password": None, "email": None}
    settings = Preferences().model_dump()
    return {"id": secrets.token_hex(10), **nothing, "settings": settings, "created": time.time(), **facts}


def _need_account(caller: Caller) -> None:
    if caller.is_guest:
        raise HttpProblem(403, "account-needed", "guests cannot do that; make an account first")


@router.post("/guest", responses=_problems(400, 403, 409, 422))
async def come_as_guest(guest: Guest, request: Request, response: Response, caller: Anybody) -> Me:
    """Comes in as a guest; a guest who is in already gets another name."""
    _limit(request, "guest")
    store = service_of(request).store
    if caller is None:
        row = _new_player(name=guest.name)
        await _come_in(request, response, row["id"], insert(players).values(**row))
        return _me(row)
    mine = and_(players.c.id == caller.id, players.c.key.is_(None))
    try:
        changed = await store.execute(update(players).where(mine).values(name=guest.name))
    finally:
        _SEEN.forget(caller.id)
    if not changed:
        raise HttpProblem(409, "has-account", "you are in with an account; log out to come in as a guest")
    return _me(await _row_of(store, caller.id))


@router.post("/account", responses=_problems(400, 403, 409, 422))
async def make_account(new: NewAccount, request: Request, response: Response, caller: Anybody) -> Me:
    """Makes an account. A guest who is in becomes the account and keeps all games."""
    _limit(request, "account")
    store = service_of(request).store
    if caller and not caller.is_guest:
        raise HttpProblem(409, "has-account", "you are in with an account; log out to make another")
    key = key_of(new.name)
    if key in BOTS:
        raise HttpProblem(422, "name-reserved", "{name} is the name of a bot; take another", name=new.name)
    if await store.one(select(players.c.id).where(players.c.key == key)):
        raise _taken(new.name)
    facts = {"name": new.name, "key": key, "password": await _in_worker(_HASHER.hash, new.password)}
    if new.email:
        facts["email"] = new.email
    row = _new_player(**facts)
    player = caller.id if caller else str(row["id"])
    guest = and_(players.c.id == player, players.c.key.is_(None))
    first = update(players).where(guest).values(**facts) if caller else insert(players).values(**row)
    try:
        await _come_in(request, response, player, first)
    except IntegrityError as error:  # somebody was quicker
        raise _taken(new.name) from error
    return _me(await _row_of(store, player))


def _taken(name: str) -> HttpProblem:
    return HttpProblem(409, "name-taken", "somebody is called {name} already; take another name", name=name)


@router.post("/login", responses=_problems(400, 401, 403, 409, 422))
async def login(given: Login, request: Request, response: Response) -> Me:
    """Comes in with an account."""
    service = service_of(request)
    key = key_of(given.name)
    _limit(request, "login")
    service.limits.check(f"login-name:{key}", *FOR_NAME)
    row = await service.store.one(select(players).where(players.c.key == key))
    hashed = row["password"] if row else None
    if not await _in_worker(_fits, given.password, hashed) or row is None:
        raise HttpProblem(401, "wrong-login", "there is no account with this name and password")
    unchanged = and_(players.c.id == row["id"], players.c.password == hashed)  # if it still is the password
    lock = update(players).where(unchanged).values(password=hashed)
    await _come_in(request, response, row["id"], lock)
    return _me(row)


@router.post("/logout", status_code=204, responses=_problems(403))
async def logout(request: Request, response: Response, caller: Anybody) -> None:
    """Ends this session, if there is one."""
    service = service_of(request)
    if caller:
        await _end_sessions(service.store, caller, sessions.c.hash == caller.session)
    _take_cookie(response, service.settings)


@router.get("/me", responses=_problems(401))
async def me(request: Request, caller: Somebody) -> Me:
    return _me(await _row_of(service_of(request).store, caller.id))


@router.patch("/me", responses=_problems(400, 401, 403, 422))
async def change_me(changes: Changes, request: Request, caller: Somebody) -> Me:
    """Changes settings; those that are not named stay."""
    service = service_of(request)
    service.limits.check(f"me:{caller.id}", 60.0, 1.0)
    new = changes.model_dump(exclude_unset=True)
    mine = update(players).where(players.c.id == caller.id)
    email = {"email": new.pop("email")} if "email" in new else {}
    try:
        async with service.store.engine.begin() as transaction:
            # Writing first locks the row in every database, so of two changes at once none is lost.
            rows = await transaction.execute(mine.values(name=players.c.name, **email).returning(players))
            row = dict(rows.mappings().one())
            row["settings"] = Preferences(**{**row["settings"], **new}).model_dump()
            await transaction.execute(mine.values(settings=row["settings"]))
    finally:
        _SEEN.forget(caller.id)
    return _me(row)


@router.post("/password", status_code=204, responses=_problems(400, 401, 403, 409, 422))
async def change_password(change: PasswordChange, request: Request, caller: Somebody) -> None:
    """Changes the password, and ends all other sessions of browsers."""
    service = service_of(request)
    service.limits.check(f"password:{caller.id}", *FOR_NAME)
    _need_account(caller)
    hashed = (await _row_of(service.store, caller.id))["password"]
    if not await _in_worker(_fits, change.old, hashed):
        raise HttpProblem(403, "wrong-password", "the old password is another one")
    new = await _in_worker(_HASHER.hash, change.new)
    unchanged = and_(players.c.id == caller.id, players.c.password == hashed)
    others = and_(sessions.c.player == caller.id, sessions.c.kind == "cookie", sessions.c.hash != caller.session)
    try:
        async with service.store.engine.begin() as transaction:
            if not (await transaction.execute(update(players).where(unchanged).values(password=new))).rowcount:
                raise _changed()
            await transaction.execute(delete(sessions).where(others))
    finally:
        _SEEN.forget(caller.id)


@router.get("/sessions", responses=_problems(401))
async def list_sessions(request: Request, caller: Somebody) -> list[Session]:
    """Where the caller is in, and the caller's tokens; the newest first."""
    s = sessions.c
    is_live = s.expires.is_(None) | (s.expires > time.time())
    mine = select(sessions).where(s.player == caller.id, is_live).order_by(s.created.desc(), s.hash).limit(MOST_LISTED)
    return [
        Session(id=row["hash"][:16], kind=row["kind"], label=row["label"], created=row["created"],
                is_this=row["hash"] == caller.session)
        for row in await service_of(request).store.fetch(mine)
    ]  # fmt: skip


@router.delete("/sessions/{id}", status_code=204, responses=_problems(401, 403, 404, 422))
async def end_session(id: SessionId, request: Request, response: Response, caller: Somebody) -> None:
    """Ends one of the caller's sessions or tokens."""
    service = service_of(request)
    if not await _end_sessions(service.store, caller, sessions.c.hash.startswith(id)):
        raise HttpProblem(404, "no-session", "you have no session {id}", id=id)
    if caller.session.startswith(id):
        _take_cookie(response, service.settings)


@router.delete("/sessions", status_code=204, responses=_problems(401, 403))
async def end_other_sessions(request: Request, caller: Somebody) -> None:
    """Ends all sessions and tokens of the caller but this one."""
    await _end_sessions(service_of(request).store, caller, sessions.c.hash != caller.session)


@router.post("/tokens", responses=_problems(400, 401, 403, 409, 422))
async def make_token(new: NewToken, request: Request, caller: Somebody) -> Token:
    """Makes a token for programs that play in the caller's name. It is shown this once."""
    service = service_of(request)
    service.limits.check(f"token:{caller.id}", *FOR_ADDRESS)
    _need_account(caller)
    mine = select(func.count().label("n")).where(sessions.c.player == caller.id, sessions.c.kind == "token")
    found = await service.store.one(mine)
    if found and found["n"] >= MOST_TOKENS:
        raise HttpProblem(409, "too-many-tokens", "you have {most} tokens; end one first", most=MOST_TOKENS)
    secret, statement = _new_session(caller.id, "token", new.label)
    await service.store.execute(statement)
    return Token(token=secret, id=_hash(secret)[:16])
