"""The application and its small group, for the tests of this folder."""

from tests.kit.fixtures import conn, site, world

__all__ = ["conn", "site", "world"]
