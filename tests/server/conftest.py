"""Real servers for the tests: on SQLite and on a PostgreSQL that the tests start themselves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.kit import Postgres, Server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A PostgreSQL of the tests' own."""
    database = Postgres(tmp_path_factory)
    database.start()
    yield database
    database.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new, empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'aachen.db'}"
    database: Postgres = request.getfixturevalue("postgres")
    return database.new_database()


@pytest.fixture(scope="session")
def sqlite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(f"sqlite:///{tmp_path_factory.mktemp('db') / 'aachen.db'}") as running:
        yield running


@pytest.fixture(scope="session")
def postgres_server(postgres: Postgres) -> Iterator[Server]:
    with Server(postgres.new_database()) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest) -> Server:
    """A server that all tests share: once on each database."""
    running: Server = request.getfixturevalue(f"{request.param}_server")
    return running
