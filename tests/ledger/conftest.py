"""A migrated database; every test's work is rolled back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine

from api.kit.storage import database
from tests.support.ledger_builders import LedgerBench


@pytest.fixture(scope="module")
def engine(database_url: str) -> Iterator[Engine]:
    engine = database.build_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def conn(engine: Engine) -> Iterator[Connection]:
    """A connection whose work is rolled back, so that a test leaves nothing."""
    with engine.connect() as conn:
        transaction = conn.begin()
        yield conn
        transaction.rollback()


@pytest.fixture
def books(conn: Connection) -> LedgerBench:
    return LedgerBench(conn)
