"""A fresh database with its administrator, which the import's own code reaches as the process's engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from api.identity.setup import ensure_admin
from api.kit import database
from tests.importing.bench import Bench
from tests.kit.databases import let_go


@pytest.fixture(scope="module")
def engine(database_url: str) -> Iterator[Engine]:
    assert database_url
    let_go()
    with database.engine().begin() as conn:
        ensure_admin(conn, "Admin#123456")
    yield database.engine()
    let_go()


@pytest.fixture
def bench(engine: Engine, tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    """Files to import, under names of the test's own."""
    return Bench(engine, tmp_path, request.node.name)
