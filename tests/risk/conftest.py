"""The application and its small group, a clerk and the books, for the tests of this folder."""

from __future__ import annotations

from tests.support.fixtures import books, conn, desk, site, world

__all__ = ["books", "conn", "desk", "site", "world"]
