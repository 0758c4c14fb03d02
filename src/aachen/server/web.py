"""What all HTTP endpoints share: who is asking, errors as data, limits on rates."""

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends
from fastapi.requests import HTTPConnection
from pydantic import BaseModel, ConfigDict

from aachen.core.errors import AachenError

if TYPE_CHECKING:
    from aachen.server.service import Service


class Strict(BaseModel):
    """A message: nothing that is not asked for is let in."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Problem(BaseModel):
    """An error: a code and its parameters for programs, and an English sentence."""

    code: str
    params: dict[str, Any] = {}
    text: str


class HttpProblem(AachenError):
    """An error with its HTTP status."""

    def __init__(self, status: int, code: str, sentence: str, **params: object) -> None:
        super().__init__(code, sentence, **params)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return HttpProblem, (self.status, self.code, self.sentence)


def problem_of(error: AachenError) -> Problem:
    return Problem(code=error.code, params={k: _plain(v) for k, v in error.params.items()}, text=str(error))


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


@dataclass(frozen=True)
class Caller:
    """Who sent a request: a person with a session or token."""

    id: str
    name: str
    is_guest: bool
    settings: dict[str, Any]
    session: str  # the hash of the cookie or token


def service_of(connection: HTTPConnection) -> "Service":
    service: Service = connection.app.state.service
    return service


async def caller_or_none(connection: HTTPConnection) -> Caller | None:
    from aachen.server.accounts import whoami

    return await whoami(connection)


async def caller(connection: HTTPConnection) -> Caller:
    """Who is asking. Raises HttpProblem if nobody has come in."""
    found = await caller_or_none(connection)
    if found is None:
        raise HttpProblem(401, "not-in", "come in first: as a guest with a name, or with an account")
    return found


Somebody = Annotated[Caller, Depends(caller)]
Anybody = Annotated[Caller | None, Depends(caller_or_none)]


class Limits:
    """So many tokens that come back with time, for each key: a bucket that leaks. Memory is bounded."""

    def __init__(self, most_keys: int = 50_000, on: bool = True) -> None:
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._most_keys, self._on = most_keys, on

    def allow(self, key: str, burst: float, a_second: float, cost: float = 1.0) -> bool:
        """Whether it may be done now; if so, it has been counted."""
        if not self._on:
            return True
        now = time.monotonic()
        level, since = self._buckets.pop(key, (burst, now))
        level = min(burst, level + (now - since) * a_second)
        allowed = level >= cost
        self._buckets[key] = (level - cost if allowed else level, now)
        if len(self._buckets) > self._most_keys:
            self._buckets.popitem(last=False)
        return allowed

    def check(self, key: str, burst: float, a_second: float) -> None:
        """Raises HttpProblem if it is too much."""
        if not self.allow(key, burst, a_second):
            raise HttpProblem(429, "too-fast", "too many requests; wait a little")


def address_of(connection: HTTPConnection) -> str:
    """The address of the client; behind a trusted proxy uvicorn has put the right one here."""
    return connection.client.host if connection.client else "unknown"
