"""Fixtures: a fresh database with its administrator, which the import's own code uses as the process's
engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from api.identity.setup import ensure_admin
from api.kit.storage import database
from tests.importing.import_harness import ImportHarness
from tests.support.databases import dispose_engines


@pytest.fixture(scope="module")
def engine(database_url: str) -> Iterator[Engine]:
    assert database_url
    dispose_engines()
    with database.main_engine().begin() as conn:
        ensure_admin(conn, "Admin#123456")
    yield database.main_engine()
    dispose_engines()


@pytest.fixture
def bench(engine: Engine, tmp_path: Path, request: pytest.FixtureRequest) -> ImportHarness:
    """Files to import, under names of the test's own."""
    return ImportHarness(engine, tmp_path, request.node.name)
