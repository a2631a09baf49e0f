"""A small demo group: masters of all eight companies, two years of two of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from sqlalchemy import Engine

from api.demo import loading
from api.identity.setup import ensure_admin
from api.kit import database

TODAY = date(2026, 11, 18)
SIZE = "tiny"


def forget() -> None:
    database.engine.cache_clear()
    database.side_engine.cache_clear()


@pytest.fixture(scope="module")
def engine(database_url: str) -> Iterator[Engine]:
    """A migrated database with its administrator."""
    assert database_url
    forget()
    with database.engine().begin() as conn:
        ensure_admin(conn, "Admin#123456")
    yield database.engine()
    database.engine().dispose()
    database.side_engine().dispose()
    forget()


@pytest.fixture(scope="module")
def companies(engine: Engine) -> list[int]:
    """The demo companies, with masters and no bills yet."""
    with engine.begin() as conn:
        loading.prepare(conn, SIZE, TODAY)
        rows = conn.exec_driver_sql("select company_id from demo_load order by company_id")
        return [row[0] for row in rows]
