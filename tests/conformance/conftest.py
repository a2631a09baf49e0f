"""The application and its small group, for the tests of this folder."""

from tests.support.fixtures import conn, desk, site, world

__all__ = ["conn", "desk", "site", "world"]
