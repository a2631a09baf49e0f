"""The application and its small group, for the tests of this folder."""

from __future__ import annotations

from typing import Any

import pytest

from api.main import app
from tests.kit.fixtures import conn, figures, site, world

__all__ = ["conn", "figures", "site", "world"]


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The document of all calls."""
    return app.openapi()
