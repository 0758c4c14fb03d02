"""The operator's settings, from the environment: AACHEN_DATABASE_URL and the like (docs/deploy.md lists them)."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from aachen.core.errors import BadOptions


def _state_folder() -> Path:
    base = os.environ.get("AACHEN_STATE_DIR")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "aachen"


@dataclass(frozen=True)
class Settings:
    """Each field can be set as AACHEN_ and its name in capitals."""

    database_url: str = field(default_factory=lambda: f"sqlite:///{_state_folder() / 'aachen.db'}")
    public_url: str = ""  # where people reach the service, for links in notices; https makes cookies secure
    bot_threads: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))
    bot_queue: int = 64  # tables whose bots may wait for a thread of this process; others wait in the database
    ray_address: str = ""  # where bots think, if anywhere else
    smtp_url: str = ""  # smtp://user:password@host:port, smtps:// or smtp+starttls://
    mail_from: str = ""
    private_webhooks: bool = False  # whether webhooks may go to this machine and its own network
    trusted_proxies: str = "127.0.0.1"  # whose X-Forwarded-For is believed
    rate_limits: bool = True
    log_json: bool = True
    process: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def is_secure(self) -> bool:
        return self.public_url.startswith("https://")

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @property
    def engine_url(self) -> str:
        """The database's address as SQLAlchemy's asynchronous drivers want it."""
        if self.is_sqlite:
            return self.database_url.replace("sqlite://", "sqlite+aiosqlite://", 1)
        return self.database_url.replace("postgresql://", "postgresql+asyncpg://", 1)


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Raises BadOptions for a value that cannot be."""
    given: dict[str, Any] = {}
    for part in fields(Settings):
        text = environment.get(f"AACHEN_{part.name.upper()}")
        if text is None or part.name == "process":
            continue
        given[part.name] = _typed(part.name, str(part.type), text)
    settings = Settings(**given)
    if not settings.database_url.startswith(("sqlite:///", "postgresql://")):
        raise BadOptions("bad-database", "AACHEN_DATABASE_URL must begin with sqlite:/// or postgresql://")
    return settings


def _typed(name: str, kind: str, text: str) -> object:
    if "bool" in kind:
        if text.lower() not in ("0", "1", "true", "false", "yes", "no"):
            raise BadOptions(
                "bad-setting", "AACHEN_{name} must be yes or no, not {text!r}", name=name.upper(), text=text
            )
        return text.lower() in ("1", "true", "yes")
    if "int" in kind:
        if not text.isdigit() or not 1 <= int(text) <= 10_000:
            raise BadOptions("bad-setting", "AACHEN_{name} must be a number from 1 to 10000, not {text!r}",
                             name=name.upper(), text=text)  # fmt: skip
        return int(text)
    return text
