"""A database with the ledger's tables and functions, emptied before each test, and short words for bills."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine

from api.kit import database
from api.kit.database import Base
from api.ledger import install, tables

NAMES = tuple(
    cls.__tablename__
    for cls in vars(tables).values()
    if isinstance(cls, type) and issubclass(cls, Base) and cls is not Base
)


@pytest.fixture(scope="module")
def engine(database_url: str) -> Iterator[Engine]:
    engine = database.connect(database_url)
    with engine.begin() as conn:
        Base.metadata.create_all(conn)
        install.install(conn)
    yield engine
    engine.dispose()


@pytest.fixture
def conn(engine: Engine) -> Iterator[Connection]:
    """A connection whose work is rolled back, so that a test leaves nothing."""
    with engine.connect() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()
