"""Fixtures: the demo group's database and companies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from api.kit.storage import database
from tests.support.demo_database import TRADED, use_database


@pytest.fixture(scope="module")
def engine(demo_url: str) -> Iterator[Engine]:
    """The application on the database of the demo group."""
    with use_database(demo_url):
        yield database.main_engine()


@pytest.fixture(scope="module")
def companies(engine: Engine) -> list[int]:
    """All companies of the demo group."""
    with engine.connect() as conn:
        rows = conn.exec_driver_sql("select company_id from demo_load order by company_id")
        return [row[0] for row in rows]


def list_traded(engine: Engine) -> list[int]:
    """Return the companies that have bills, in the order of `TRADED`."""
    with engine.connect() as conn:
        query = "select company_id from company where company_code = %s"
        return [conn.exec_driver_sql(query, (code,)).scalar_one() for code in TRADED]
