"""The application and its small group, for the tests of this folder."""

from tests.support.fixtures import books, conn, desk, site, world

__all__ = ["books", "conn", "desk", "site", "world"]
