"""Telling absent people that it is their turn, or that a game is over: by e-mail, or with a webhook of their own.

A notice is a row that is written together with the move, so none is forgotten. The postman of any process takes the
rows that are due and removes each when it was sent. If a process dies in between, the row comes due again: a notice is
sent at least once, and only in such a case twice.
"""

import asyncio
import contextlib
import logging
import re
import smtplib
import socket
import ssl
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from functools import cached_property
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import httpx
from sqlalchemy import Table, delete, select, update

from aachen.core.errors import AachenError, BadOptions
from aachen.server import schema
from aachen.server.entries import DAY, MINUTE, Pace
from aachen.server.play import Play
from aachen.server.settings import Settings
from aachen.server.store import Store

log = logging.getLogger("aachen.notices")
# At INFO it writes down whole addresses, and those of webhooks often hold a secret.
logging.getLogger("httpx").setLevel(logging.WARNING)

YOUR_TURN, GAME_OVER = "your-turn", "game-over"
#: How long to wait after each failure; after one more the notice is dropped.
DELAYS = (MINUTE, 5 * MINUTE, 30 * MINUTE, DAY / 8)
#: For so long a notice is one postman's alone, in seconds. What is sent at once must be done by then.
LEASE = 60.0
AT_ONCE = 20
MAIL_THREADS = 4
#: A webhook has so many seconds for everything, a mail server for each answer.
PATIENCE = 10.0
#: How often the postman looks by himself, and how soon again after much ado or trouble, in seconds.
LOOK, BREATH, TROUBLE = 1.0, 0.1, 10.0

_LONGEST_TARGET = 500
#: One address and nothing else: no names, comments, lists or line breaks.
_ADDRESS = re.compile(r"([^\s\x00-\x1f\x7f@,;:<>()\[\]\\\"]{1,64})@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)")
_PORTS = {"smtp": 25, "smtps": 465, "smtp+starttls": 587}
_GLOBAL, _NAT64 = IPv6Network("2000::/3"), IPv6Network("64:ff9b::/96")
_SUBJECTS = {YOUR_TURN: "It is your turn", GAME_OVER: "The game is over"}
_SENTENCES = {
    YOUR_TURN: "the others have played, and now it is your turn. The table is waiting for you here:",
    GAME_OVER: "your game has come to its end. Have a look at how it went:",
}


class Undeliverable(AachenError):
    """The notice cannot be sent, today or later."""


# Which notices there are


def notice_rows(
    play: Play, seats_newly_asked: Sequence[int], people: Mapping[str, Mapping[str, Any]], here: Collection[int],
    now: float,
) -> list[tuple[Table, dict[str, Any]]]:  # fmt: skip
    """The rows to be written with a change of a table: one for each channel of each person who is to be told.

    These are the people who are asked since this change, or at the table whose game it ended. Not told are those who
    are here (`here` has their seats), who acted in this very change (`play.new`), who have left for good, or who do
    not want it. `people` has `email` and `settings` by id. Games with a live clock have no notices.
    """
    if play.layout.pace == Pace.LIVE:
        return []
    is_over = play.status == "over"
    seats = range(len(play.places)) if is_over else seats_newly_asked
    acted = {entry.player for entry in play.new}
    rows: list[tuple[Table, dict[str, Any]]] = []
    for seat in seats:
        place = play.places[seat]
        wanted = not place.left if is_over else place.is_person
        if not wanted or seat in here or place.player in acted or place.player not in people:
            continue
        for channel, target in _targets(people[place.player], play.layout.id):
            row = {"player": place.player, "table": play.layout.id, "channel": channel, "target": target}
            rows.append((schema.notices, row | {"code": GAME_OVER if is_over else YOUR_TURN, "due": now, "tries": 0}))
    return rows


def _targets(person: Mapping[str, Any], table: str) -> Iterator[tuple[str, str]]:
    """Where the person wants to be told. What the database could not hold is left out: it must not stop a move."""
    settings = person.get("settings") or {}
    if not (settings.get("table_notices") or {}).get(table, True):
        return
    wanted = settings.get("notices") or {}
    for channel, target in (("webhook", settings.get("webhook")), ("email", person.get("email"))):
        if not wanted.get(channel) or not isinstance(target, str):
            continue
        if 0 < len(target) <= _LONGEST_TARGET and target.isprintable():
            yield channel, target


# The postman


class Postman:
    """Sends notices. Several processes may have one each. Raises BadOptions if the mail settings cannot be."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._settings = store, settings
        self._server = mail_server(settings.smtp_url) if settings.smtp_url else None
        self._sender = sender_of(settings)
        self._awake = asyncio.Event()
        self._mailing = asyncio.Semaphore(MAIL_THREADS)

    def wake(self) -> None:
        """There may be something to send."""
        self._awake.set()

    async def run(self) -> None:
        """Sends what is due, for ever. Whatever goes wrong is logged and tried again."""
        while True:
            pause = BREATH  # many moves, one look
            self._awake.clear()
            try:
                if await self.deliver(time.time()) == AT_ONCE:
                    self.wake()
            except Exception:
                log.exception("notices cannot be read or written now")
                pause = TROUBLE
            await asyncio.sleep(pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._awake.wait(), LOOK)

    async def deliver(self, now: float) -> int:
        """Takes some notices that are due by now and tries to send each; the number of those taken."""
        rows = await self._take(now)
        for done in await asyncio.gather(*(self._handle(row, now) for row in rows), return_exceptions=True):
            if isinstance(done, BaseException):
                raise done
        return len(rows)

    async def _take(self, now: float) -> list[dict[str, Any]]:
        """Notices that no other postman has for now. With `due` in both conditions, who comes second gets none."""
        n = schema.notices.c
        due = select(n.id).where(n.due <= now).order_by(n.due).limit(AT_ONCE)
        if not await self._store.fetch(due.limit(1)):  # the usual case does not need the database's lock
            return []
        mine = due.with_for_update(skip_locked=True).cte("mine")
        statement = update(schema.notices).where(n.id.in_(select(mine.c.id)), n.due <= now).values(due=now + LEASE)
        async with self._store.engine.begin() as connection:
            return [dict(row) for row in (await connection.execute(statement.returning(*n))).mappings()]

    async def _handle(self, row: dict[str, Any], now: float) -> None:
        """Sends the notice and removes it, or puts it off. Raises only what the database does."""
        what = f"notice {row['id']} ({row['code']} by {row['channel']} to {row['player']})"
        n = schema.notices.c
        try:
            if not await self._is_stale(row):
                await self._send(row)
        except Undeliverable as error:
            log.warning("%s is dropped: %s", what, error)
        except Exception as error:  # of a server that anybody may have written
            why = repr(error).replace(row["target"], "(target)")
            if row["tries"] < len(DELAYS):
                wait = DELAYS[row["tries"]]
                log.info("%s failed, again in %d s: %s", what, wait, why)
                later = {"due": now + wait, "tries": row["tries"] + 1}
                await self._store.execute(update(schema.notices).where(n.id == row["id"]).values(**later))
                return
            log.warning("%s failed too often and is dropped: %s", what, why)
        await self._store.execute(delete(schema.notices).where(n.id == row["id"]))

    async def _is_stale(self, row: dict[str, Any]) -> bool:
        """Whether it is no longer the person's turn, so that there is nothing to tell."""
        s = schema.seats.c
        seats = select(s.is_asked).where(s.table == row["table"], s.player == row["player"])
        found = await self._store.one(seats) if row["code"] == YOUR_TURN else None
        return found is not None and not found["is_asked"]

    async def _send(self, row: dict[str, Any]) -> None:
        """Raises Undeliverable, or whatever the network has in store."""
        link = f"{self._settings.public_url.rstrip('/')}/table/{row['table']}"
        if row["channel"] == "webhook":
            facts = {"code": row["code"], "table": row["table"], "url": link, "player": row["player"]}
            await post(row["target"], facts, self._tls, allow_private=self._settings.private_webhooks)
            return
        if self._server is None:
            raise Undeliverable("no-mail", "no mail server is set up (AACHEN_SMTP_URL)")
        found = await self._store.one(select(schema.players.c.name).where(schema.players.c.id == row["player"]))
        message = letter(self._sender, row["target"], row["code"], found["name"] if found else "", link)
        async with self._mailing:
            await asyncio.to_thread(mail, self._server, message)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()


# Webhooks


async def post(target: str, facts: Mapping[str, str], tls: ssl.SSLContext, *, allow_private: bool) -> None:
    """Posts the facts as JSON. Raises Undeliverable for a target that is refused, and else what httpx raises.

    Anybody may name a webhook, so it must not become a way into the operator's own network. The name is resolved once,
    all its addresses must be public, and the connection goes to such a very address: a name that points elsewhere a
    moment later (DNS rebinding) gains nothing. Redirects are not followed, proxies of the environment (which would
    resolve the name themselves) are not used, and the answer's body is not read. TLS and the Host header keep to the
    name. Each webhook has a client of its own, so that no connection is shared between names of one address.
    """
    async with asyncio.timeout(PATIENCE):
        url = _url(target)
        addresses = await _addresses(url)
        if not allow_private and not all(map(is_public, addresses)):
            raise Undeliverable("private-address", "the webhook is not on the public internet")
        headers = {"Host": url.netloc.decode("ascii"), "User-Agent": "aachen"}
        more = {"sni_hostname": url.raw_host.decode("ascii")}
        timeout = httpx.Timeout(PATIENCE, connect=PATIENCE / 3)
        async with httpx.AsyncClient(verify=tls, trust_env=False, follow_redirects=False, timeout=timeout) as client:

            async def send(address: str) -> None:
                there = url.copy_with(host=address)
                async with client.stream("POST", there, json=facts, headers=headers, extensions=more) as answer:
                    if not answer.is_success:
                        raise httpx.HTTPError(f"the webhook answered {answer.status_code}")

            for address in addresses[:-1]:
                with contextlib.suppress(httpx.ConnectError, httpx.ConnectTimeout):
                    return await send(address)
            return await send(addresses[-1])


def _url(target: str) -> httpx.URL:
    """Raises Undeliverable."""
    try:
        url = httpx.URL(target)
    except (httpx.InvalidURL, ValueError):
        raise Undeliverable("bad-webhook", "the webhook is no address") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise Undeliverable("bad-webhook", "the webhook's address must begin with http:// or https://")
    return url


async def _addresses(url: httpx.URL) -> list[str]:
    """All addresses of the host, each once. Raises OSError."""
    port = url.port or (443 if url.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(url.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def is_public(text: str) -> bool:
    """Whether this IP address is one of the public internet, also if it holds an IPv4 address within."""
    address = ip_address(text)
    if address.version == 6:
        nat64 = IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
        inner = address.ipv4_mapped or address.sixtofour or nat64
        if inner is None:
            return address in _GLOBAL and address.is_global
        address = inner
    return address.is_global and not address.is_multicast


# E-mail


@dataclass(frozen=True)
class MailServer:
    """Where mail is handed in."""

    scheme: str  # smtp, smtps or smtp+starttls
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)


def mail_server(url: str) -> MailServer:
    """The server that `smtp://user:password@host:port` tells; user, password and port may be left out.

    Raises BadOptions, which does not tell the password.
    """
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (KeyError, ValueError):
        port = 0
    if not port or not parts.hostname:
        raise BadOptions("bad-smtp", "AACHEN_SMTP_URL must be smtp://host, smtps://host or smtp+starttls://host, with "
                         "user:password@ before the host and :port after it if need be")  # fmt: skip
    return MailServer(parts.scheme, parts.hostname, port, unquote(parts.username or ""), unquote(parts.password or ""))


def sender_of(settings: Settings) -> Address:
    """Who writes the mails, from AACHEN_MAIL_FROM such as `Aachen <games@example.org>`. Raises BadOptions."""
    host = urlsplit(settings.public_url).hostname or "localhost"
    name, _, address = (settings.mail_from or f"Aachen <aachen@{host}>").strip().rpartition("<")
    found = _ADDRESS.fullmatch(address.removesuffix(">"))
    if not found or not name.isprintable():
        raise BadOptions("bad-sender", "AACHEN_MAIL_FROM must be an e-mail address, or Name <address>")
    return Address(name.strip(' "'), *found.groups())


def letter(sender: Address, target: str, code: str, name: str, link: str) -> EmailMessage:
    """The mail. Raises Undeliverable if the target is anything but one plain address.

    Only that address goes into a header, so nobody can add headers or recipients; names stand in the text alone.
    """
    found = _ADDRESS.fullmatch(target)
    if not found:
        raise Undeliverable("bad-address", "the e-mail address is none that can be written to")
    message = EmailMessage()
    message["From"], message["To"] = sender, Address("", *found.groups())
    message["Subject"] = _SUBJECTS[code]
    message["Date"], message["Message-ID"] = localtime(), make_msgid(domain=sender.domain)
    message["Auto-Submitted"] = "auto-generated"
    hello = " ".join(["Hello", *"".join(letter if letter.isprintable() else " " for letter in name).split()])
    goodbye = "If you would rather have no such mails, turn them off in your settings."
    message.set_content(f"{hello},\n\n{_SENTENCES[code]}\n\n{link}\n\n{goodbye}\n", cte="quoted-printable")
    return message


def mail(server: MailServer, message: EmailMessage) -> None:
    """Hands the mail in; takes as long as it takes. Raises OSError, which all errors of smtplib are."""
    own = message["From"].addresses[0].domain  # smtplib would look up this machine's name, which can take long
    tls = ssl.create_default_context() if server.scheme != "smtp" else None
    smtp = (
        smtplib.SMTP_SSL(server.host, server.port, own, timeout=PATIENCE, context=tls)
        if server.scheme == "smtps"
        else smtplib.SMTP(server.host, server.port, own, timeout=PATIENCE)
    )
    with contextlib.closing(smtp):
        if server.scheme == "smtp+starttls":
            smtp.starttls(context=tls)
        if server.user:
            smtp.login(server.user, server.password)
        smtp.send_message(message)
        with contextlib.suppress(OSError):  # it has the mail already
            smtp.quit()
