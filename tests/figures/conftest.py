"""The application on a fresh copy of the group."""

from tests.kit.fixtures import conn, desk, site, world

__all__ = ["conn", "desk", "site", "world"]
