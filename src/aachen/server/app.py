"""The FastAPI application: routes, errors as data, limits, health and metrics."""

import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import text
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aachen import __version__
from aachen.core.errors import AachenError
from aachen.server import accounts, messages, ratings, socket, tables, tools
from aachen.server.accounts import same_origin
from aachen.server.service import Service
from aachen.server.settings import Settings
from aachen.server.web import HttpProblem, Problem, address_of, problem_of, service_of

log = logging.getLogger("aachen.http")
operations = APIRouter()
#: The longest body of a request, in bytes.
LONGEST = 64 * 1024
SAFE = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'",
}


def create_app(settings: Settings) -> FastAPI:
    """The application of one process."""
    service = Service(settings)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with service.running():
            yield

    app = FastAPI(
        title="Aachen", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json",
    )  # fmt: skip
    app.state.service = service
    for room in (accounts, tables, tools, ratings, socket):
        app.include_router(room.router)
    app.include_router(operations)
    app.add_exception_handler(AachenError, _tell_problem)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(Exception, _tell_failure)
    app.middleware("http")(_guard)
    app.add_middleware(BodyLimit)
    return app


# Errors as data


async def _tell_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, AachenError)
    status = error.status if isinstance(error, HttpProblem) else 400
    return JSONResponse(problem_of(error).model_dump(), status)


async def _tell_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    own = first.get("ctx", {}).get("error")
    if isinstance(own, AachenError):
        return JSONResponse(problem_of(own).model_dump(), 422)
    place = ".".join(str(part) for part in first.get("loc", ()))
    why = str(first.get("msg", ""))[:200]
    problem = Problem(code="invalid", params={"where": place[:100], "why": why}, text=f"{place[:100]}: {why}")
    return JSONResponse(problem.model_dump(), 422)


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = Problem(code=f"http-{error.status_code}", text=str(error.detail))
    return JSONResponse(problem.model_dump(), error.status_code, dict(error.headers or {}))


async def _tell_failure(request: Request, error: Exception) -> Response:
    """What nobody foresaw: told in the log, not to the client."""
    problem = Problem(code="failed", text="something went wrong here; it has been noted")
    return JSONResponse(problem.model_dump(), 500)


# What every request goes through


async def _guard(request: Request, call_next: Any) -> Response:
    service = service_of(request)
    began = time.perf_counter()
    if request.url.path.startswith("/api") and not service.limits.allow(f"http {address_of(request)}", 400, 100):
        response: Response = JSONResponse(
            Problem(code="too-fast", text="too many requests; wait a little").model_dump(), 429
        )
    elif request.method not in SAFE and not same_origin(request):
        response = JSONResponse(
            Problem(code="cross-site", text="this request came from another site").model_dump(), 403
        )
    else:
        response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    seconds = time.perf_counter() - began
    service.metrics.requests.labels(response.status_code).inc()
    service.metrics.seconds.observe(seconds)
    facts = {
        "method": request.method,
        "path": request.url.path,
        "status": response.status_code,
        "ms": round(1000 * seconds, 1),
    }
    log.info("request", extra={"facts": facts})
    return response


class BodyLimit:
    """Refuses bodies that are too long, whatever their header says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = 0

        async def limited() -> Message:
            nonlocal length
            message = await receive()
            length += len(message.get("body", b""))
            if length > LONGEST:
                raise HTTPException(413, f"a request has at most {LONGEST} bytes")
            return message

        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > LONGEST:
            problem = Problem(code="http-413", text=f"a request has at most {LONGEST} bytes")
            await JSONResponse(problem.model_dump(), 413)(scope, receive, send)
            return
        await self.app(scope, limited, send)


# Operations


FRONT = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Aachen</title><style>body{font:18px/1.6 Georgia,serif;max-width:36em;margin:12vh auto;padding:0 1em}</style>
<h1>Aachen is open</h1><p>The service is running. Programs play through its interface: the
<a href="/api/openapi.json">HTTP part</a> and the <a href="/api/socket/schema">messages of the WebSocket</a>.
To play in the terminal, type <code>aachen play</code>.</html>"""


@operations.get("/", response_class=HTMLResponse, include_in_schema=False)
async def front() -> str:
    """For somebody who opens the address in a browser."""
    return FRONT


@operations.get("/healthz", response_class=PlainTextResponse)
async def healthz() -> str:
    """The process is alive."""
    return "ok"


@operations.get("/readyz", response_class=PlainTextResponse, responses={503: {"model": Problem}})
async def readyz(request: Request) -> str:
    """The process can serve: it has started, is not stopping, and reaches its database."""
    service = service_of(request)
    if not service.is_ready:
        raise HttpProblem(503, "not-ready", "the server is starting or stopping")
    try:
        await service.store.fetch(text("SELECT 1"))
    except Exception:
        raise HttpProblem(503, "no-database", "the database does not answer") from None
    return "ready"


@operations.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """For Prometheus. Let a proxy keep it from the world."""
    found = service_of(request).measure()
    return Response(generate_latest(found.registry), media_type=CONTENT_TYPE_LATEST)


@operations.get("/api/socket/schema")
async def socket_schema() -> dict[str, Any]:
    """The JSON schema of the WebSocket's messages."""
    return socket_schemas()


def socket_schemas() -> dict[str, Any]:
    return {
        "from_client": messages.from_client.json_schema(),
        "from_server": messages.from_server.json_schema(mode="serialization"),
    }


class JsonLines(logging.Formatter):
    """A line of JSON for each entry of the log."""

    def format(self, record: logging.LogRecord) -> str:
        facts = {"at": record.created, "level": record.levelname, "from": record.name, "text": record.getMessage()}
        facts |= getattr(record, "facts", {})
        if record.exc_info:
            facts["trace"] = self.formatException(record.exc_info)
        return json.dumps(facts, default=str)
