"""Fixtures of the core's tests: the application on a database of the module's own, with a small group in it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine

from api.identity import sessions
from api.kit.storage import database
from api.launch.postgres import EmbeddedPostgres
from api.shell import jobs
from api.shell.operations import refresh_notifier
from api.shell.workspace import call_document
from tests.support import api_document
from tests.support import world as worlds
from tests.support.bill_client import BillClient, PostingReader
from tests.support.client import Caller
from tests.support.databases import WORLD_DATABASE, cloned_database, dispose_engines, shared_cluster
from tests.support.inprocess_client import InProcessClient
from tests.support.shared_artifacts import copy_artifact, shared_artifact
from tests.support.world import World
from warehouse import worker

_published: list[Path] = []


@dataclass
class Site:
    """A running application, its database, and who can call it."""

    url: str
    http: InProcessClient
    world: World
    engine: Engine

    def as_(self, user: str) -> Caller:
        """Return a caller with the user's API token."""
        return Caller(self.http, self.world.tokens[user])

    def anonymous(self) -> Caller:
        return Caller(self.http)


@pytest.fixture(scope="session")
def world() -> World:
    """The group, as it stands in the server's database of it; modules clone that."""
    return World(**json.loads((shared_cluster() / "world.json").read_text()))


def build_world_in(url: str) -> World:
    """Build the group in an empty migrated database; its bills draw their numbers there."""
    from api.main import app

    assert app, "ledgers and the reports' rights are known once the application is built"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        clear_caches()
        with database.main_engine().begin() as conn:
            built = worlds.build_world(conn)
        clear_caches()
    return built


@pytest.fixture(scope="module")
def figures(
    postgres: EmbeddedPostgres, world: World, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A data directory in which figures of the group are published, so that reports have rows to answer."""
    if not _published:
        _published.append(tmp_path_factory.mktemp("figures"))
        made = shared_artifact("figures", lambda place: _publish_figures(postgres.url(WORLD_DATABASE), place))
        copy_artifact(made / "warehouse", _published[0])
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(_published[0]))
        yield


def _publish_figures(url: str, data_dir: Path) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(data_dir))
        environment.setenv("ERP_DATABASE_URL", url)
        worker.refresh_once()


@pytest.fixture(scope="module")
def site(postgres: EmbeddedPostgres, world: World) -> Iterator[Site]:
    """The application on a fresh copy of the group."""
    with opened_site(postgres, world) as found:
        yield found


@contextmanager
def opened_site(postgres: EmbeddedPostgres, world: World) -> Iterator[Site]:
    """Run the application on a copy of the group's database."""
    with cloned_database(postgres, WORLD_DATABASE) as url, pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        environment.setattr(call_document, "WRITE", api_document.COPY_SCRIPT)
        clear_caches()
        from api.main import app

        with InProcessClient(app, base_url="http://127.0.0.1") as http:
            yield Site(url, http, world, database.main_engine())
        await_wakeup()
        clear_caches()


@pytest.fixture
def conn(site: Site) -> Iterator[Connection]:
    """A connection to look at the database with; what it changes is rolled back."""
    with site.engine.connect() as conn:
        yield conn


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    """The administrator's desk."""
    return BillClient(site)


@pytest.fixture
def books(conn: Connection) -> PostingReader:
    """Postings of bills."""
    return PostingReader(conn)


def clear_caches() -> None:
    """Drop what a process keeps of its database."""
    dispose_engines()
    jobs._get_deferring_app.cache_clear()
    sessions._grants.clear()


def await_wakeup() -> None:
    """Wait for a wake-up under way to finish while its database is there."""
    deadline = time.monotonic() + 2
    while refresh_notifier._pending.is_set() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.05)
