"""The database's schema and its versions (Alembic)."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from aachen.core.errors import BadOptions
from aachen.server.settings import Settings


def configuration(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


async def upgrade(settings: Settings) -> None:
    """Brings the schema up to date; a new SQLite file is made."""
    if settings.is_sqlite:
        Path(make_url(settings.database_url).database or "").parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(settings.engine_url)
    async with engine.begin() as connection:
        await connection.run_sync(lambda sync: command.upgrade(configuration(sync), "head"))
    await engine.dispose()


async def check_schema(settings: Settings) -> None:
    """Raises BadOptions if the schema is not the one that this version works with, or cannot be read."""
    engine = create_async_engine(settings.engine_url)
    try:
        async with engine.connect() as connection:
            here, wanted = await connection.run_sync(_versions)
    except (OSError, SQLAlchemyError) as error:
        raise BadOptions("no-database", "the database cannot be reached: {why}", why=error) from error
    finally:
        await engine.dispose()
    if here != wanted:
        raise BadOptions(
            "old-schema", "the database's schema is {here}, and {wanted} is needed; run `aachen migrate`",
            here=here or "empty", wanted=wanted,
        )  # fmt: skip


def _versions(connection: Connection) -> tuple[str | None, str | None]:
    """The version of the schema that is there, and the one that is needed."""
    here = MigrationContext.configure(connection).get_current_revision()
    return here, ScriptDirectory.from_config(configuration(connection)).get_current_head()
