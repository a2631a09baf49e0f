"""The application and its small group, a clerk and the books, for the tests of this folder."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from tests.kit.desk import Books, Desk
from tests.kit.fixtures import Site, conn, site, world

__all__ = ["conn", "site", "world"]


@pytest.fixture(scope="module")
def desk(site: Site) -> Desk:
    return Desk(site)


@pytest.fixture
def books(conn: Connection) -> Books:
    return Books(conn)
