"""The application and its small group, for the tests of this folder; reports read figures of the group's."""

from __future__ import annotations

import pytest

from tests.kit.fixtures import conn, figures, site, world

__all__ = ["conn", "figures", "site", "world"]


@pytest.fixture(scope="module", autouse=True)
def reports_have_rows(figures: None) -> None:
    """The calls of every declared report answer."""
