"""The demo group as its tests ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from api.kit import database
from tests.demo.loaded import TRADED, served_by


@pytest.fixture(scope="module")
def engine(demo_url: str) -> Iterator[Engine]:
    """The application on the database of the demo group."""
    with served_by(demo_url):
        yield database.engine()


@pytest.fixture(scope="module")
def companies(engine: Engine) -> list[int]:
    """All companies of the demo group."""
    with engine.connect() as conn:
        rows = conn.exec_driver_sql("select company_id from demo_load order by company_id")
        return [row[0] for row in rows]


def traded(engine: Engine) -> list[int]:
    """The companies that have bills, in the order of `TRADED`."""
    with engine.connect() as conn:
        query = "select company_id from company where company_code = %s"
        return [conn.exec_driver_sql(query, (code,)).scalar_one() for code in TRADED]
