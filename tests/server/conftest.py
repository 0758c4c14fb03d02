"""Real servers for the tests: on SQLite and on a PostgreSQL that the tests start themselves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.kit import Postgres, Server

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A PostgreSQL of the tests' own."""
    database = Postgres(tmp_path_factory)
    database.start()
    yield database
    database.stop()


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('db') / 'aachen.db'}"
    database: Postgres = request.getfixturevalue("postgres")
    return database.new_database()


@pytest.fixture(scope="session")
def server(database_url: str) -> Iterator[Server]:
    """A server that all tests of a session share."""
    with Server(database_url) as running:
        yield running
