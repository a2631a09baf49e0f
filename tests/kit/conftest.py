"""The application and its small group, for the tests of this folder; reports read figures of the group's."""

from __future__ import annotations

import pytest

from api.launch.postgres import EmbeddedPostgres
from tests.kit.fixtures import WORLD_DATABASE, conn, site, world
from tests.kit.world import World
from warehouse import worker

__all__ = ["conn", "site", "world"]


@pytest.fixture(scope="session", autouse=True)
def figures(postgres: EmbeddedPostgres, world: World) -> None:
    """A published snapshot, so that the calls of every declared report have rows to answer."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", postgres.url(WORLD_DATABASE))
        worker.refresh_once()
