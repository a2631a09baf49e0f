"""The application and its small group, for the tests of this folder, and a server that storms may break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.serve_process import ServeProcess, run_server
from tests.support.fixtures import Site, books, conn, desk, site, world

__all__ = ["books", "conn", "desk", "site", "world"]


@pytest.fixture(scope="module")
def server(site: Site, data_dir: Path) -> Iterator[ServeProcess]:
    """Two API processes over the module's database."""
    with run_server(site.url, data_dir) as server:
        yield server
