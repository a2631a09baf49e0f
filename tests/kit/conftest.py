"""The application and its small group, for the tests of this folder; reports read figures of the group's."""

from __future__ import annotations

from typing import Any

import pytest

from api.main import app
from tests.kit.fixtures import conn, figures, site, world

__all__ = ["conn", "figures", "site", "world"]


@pytest.fixture(scope="module", autouse=True)
def reports_have_rows(figures: None) -> None:
    """The calls of every declared report answer."""


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The document of all calls."""
    return app.openapi()
