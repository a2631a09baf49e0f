"""The application on a fresh copy of the group."""

from tests.support.fixtures import conn, desk, site, world

__all__ = ["conn", "desk", "site", "world"]
