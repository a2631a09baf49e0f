"""The small snapshot that datasets are asked of."""

from __future__ import annotations

import duckdb
import pytest

from tests.kit.superset import SNAPSHOT_SQL


@pytest.fixture(scope="module")
def snapshot():
    with duckdb.connect() as conn:
        conn.execute(SNAPSHOT_SQL.read_text("utf-8"))
        yield conn
