"""A database with the ledger's tables and functions; every test's work is rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from sqlalchemy import Connection, Engine, create_engine

from api.kit import database
from api.kit.database import Base
from api.launch.postgres import EmbeddedPostgres
from api.ledger import install
from tests.ledger.words import Bench

numbers = count(1)


@pytest.fixture(scope="module")
def engine(postgres: EmbeddedPostgres) -> Iterator[Engine]:
    """A database of the module's own with the ledger and nothing above it."""
    server = create_engine(
        postgres.url("postgres").replace("postgresql", "postgresql+psycopg", 1)
    ).execution_options(isolation_level="AUTOCOMMIT")
    name = f"ledger_{next(numbers)}"
    with server.connect() as conn:
        conn.exec_driver_sql(f"create database {name}")
    engine = database.connect(postgres.url(name))
    with engine.begin() as conn:
        Base.metadata.create_all(conn)
        install.install(conn)
    yield engine
    engine.dispose()
    with server.connect() as conn:
        conn.exec_driver_sql(f"drop database {name} with (force)")
    server.dispose()


@pytest.fixture
def conn(engine: Engine) -> Iterator[Connection]:
    """A connection whose work is rolled back, so that a test leaves nothing."""
    with engine.connect() as conn:
        transaction = conn.begin()
        yield conn
        transaction.rollback()


@pytest.fixture
def books(conn: Connection) -> Bench:
    return Bench(conn)
