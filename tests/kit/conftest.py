"""The application and its small group, for the tests of this folder."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import api_document
from tests.support.fixtures import conn, figures, site, world

__all__ = ["conn", "figures", "site", "world"]


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The document of all calls."""
    return api_document.load_document()
