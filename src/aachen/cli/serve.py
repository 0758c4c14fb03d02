"""`aachen serve`: the service."""

import argparse
import asyncio
import logging
import os
import sys
import threading
import webbrowser

from aachen import cache
from aachen.cli.terminal import compiling
from aachen.core import BadOptions

try:
    import uvicorn

    from aachen.server.app import JsonLines, create_app
    from aachen.server.migrate import check_schema
    from aachen.server.service import Service
    from aachen.server.settings import Settings, from_environment
    from aachen.server.thinkers import warm_up
except ImportError as missing:  # pragma: no cover
    raise BadOptions(
        "no-server", 'the service needs {name}; install it with: pip install "aachen[server]"', name=missing.name
    ) from None

#: The longest WebSocket message that is taken in at all; what is longer closes the connection.
LONGEST_FRAME = 64 * 1024


def run(args: argparse.Namespace) -> int:
    """Serves until it is stopped; then it finishes what is under way."""
    settings = from_environment()
    _log(settings)
    if not settings.is_sqlite:
        asyncio.run(check_schema(settings))  # told in one line, before anything starts
    if cache.is_empty():
        with compiling():
            warm_up()
    app = create_app(settings)
    config = uvicorn.Config(
        app, host=args.host, port=args.port, log_config=None, access_log=False, ws_max_size=LONGEST_FRAME,
        ws="websockets-sansio", ws_per_message_deflate=False, ws_ping_interval=20, ws_ping_timeout=20,
        proxy_headers=True, forwarded_allow_ips=settings.trusted_proxies, timeout_graceful_shutdown=10,
        server_header=False,
    )  # fmt: skip
    server = Announced(config, open_browser=not args.no_browser and _has_screen())
    server.run()
    return 0 if server.has_begun else 1


class Announced(uvicorn.Server):
    """Says where it is as soon as it can be reached."""

    def __init__(self, config: uvicorn.Config, open_browser: bool) -> None:
        super().__init__(config)
        self.has_begun = False
        self._open_browser = open_browser
        self._service: Service = config.app.state.service  # type: ignore[union-attr]

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if not self.started:
            return
        self.has_begun = True
        port = self.servers[0].sockets[0].getsockname()[1]
        address = f"http://{self.config.host}:{port}"
        print(f"Aachen is open at {address} (Ctrl-C stops it)", flush=True)
        if self._open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """The clients hear of it before their connections are closed."""
        self._service.say_bye()
        await asyncio.sleep(0.1)
        await super().shutdown(sockets)  # type: ignore[arg-type]


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _log(settings: Settings) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log_json else logging.Formatter("%(asctime)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in ("httpx", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(_without_clients_faults)


def _without_clients_faults(record: logging.LogRecord) -> bool:
    """Who sends text that is none is thrown out; a traceback would tell nothing more."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = None
    return True
