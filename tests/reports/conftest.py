"""A small snapshot that datasets are queried on."""

from __future__ import annotations

import duckdb
import pytest

from tests.support.report_snapshot import snapshot_sql


@pytest.fixture(scope="module")
def snapshot():
    with duckdb.connect() as conn:
        conn.execute(snapshot_sql())
        yield conn
