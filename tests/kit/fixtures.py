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
from api.kit import database
from api.launch.postgres import EmbeddedPostgres
from api.shell import document_calls, jobs, wake
from tests.kit import documented
from tests.kit import world as worlds
from tests.kit.client import Caller
from tests.kit.databases import WORLD_DATABASE, cluster, fresh, let_go
from tests.kit.desk import Books, Desk
from tests.kit.doorstep import Doorstep
from tests.kit.once import copy, made_once
from tests.kit.world import World
from warehouse import worker

_published: list[Path] = []


@dataclass
class Site:
    """A running application, its database, and who can call it."""

    url: str
    http: Doorstep
    world: World
    engine: Engine

    def as_(self, user: str) -> Caller:
        """A caller with the user's API token."""
        return Caller(self.http, self.world.tokens[user])

    def anonymous(self) -> Caller:
        return Caller(self.http)


@pytest.fixture(scope="session")
def world() -> World:
    """The group, as it stands in the server's database of it; modules clone that."""
    return World(**json.loads((cluster() / "world.json").read_text()))


def built_in(url: str) -> World:
    """The group in an empty migrated database; its bills draw their numbers there."""
    from api.main import app

    assert app, "ledgers and the reports' rights are known once the application is built"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        forget()
        with database.engine().begin() as conn:
            built = worlds.build(conn)
        forget()
    return built


@pytest.fixture(scope="module")
def figures(
    postgres: EmbeddedPostgres, world: World, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A data directory in which figures of the group are published, so that reports have rows to answer."""
    if not _published:
        _published.append(tmp_path_factory.mktemp("figures"))
        made = made_once("figures", lambda place: _publish(postgres.url(WORLD_DATABASE), place))
        copy(made / "warehouse", _published[0])
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(_published[0]))
        yield


def _publish(url: str, data_dir: Path) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(data_dir))
        environment.setenv("ERP_DATABASE_URL", url)
        worker.refresh_once()


@pytest.fixture(scope="module")
def site(postgres: EmbeddedPostgres, world: World) -> Iterator[Site]:
    """The application on a fresh copy of the group."""
    with opened(postgres, world) as found:
        yield found


@contextmanager
def opened(postgres: EmbeddedPostgres, world: World) -> Iterator[Site]:
    """A copy of the group's database, and the application on it."""
    with fresh(postgres, WORLD_DATABASE) as url, pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        environment.setattr(document_calls, "WRITE", documented.GIVE)
        forget()
        from api.main import app

        with Doorstep(app, base_url="http://127.0.0.1") as http:
            yield Site(url, http, world, database.engine())
        settle()
        forget()


@pytest.fixture
def conn(site: Site) -> Iterator[Connection]:
    """A connection to look at the database with; what it changes is rolled back."""
    with site.engine.connect() as conn:
        yield conn


@pytest.fixture(scope="module")
def desk(site: Site) -> Desk:
    """The administrator's desk."""
    return Desk(site)


@pytest.fixture
def books(conn: Connection) -> Books:
    """What bills posted."""
    return Books(conn)


def forget() -> None:
    """Drop what a process keeps of its database."""
    let_go()
    jobs._deferring.cache_clear()
    sessions._grants.clear()


def settle() -> None:
    """Let a wake-up that is under way finish while its database is there."""
    deadline = time.monotonic() + 2
    while wake._pending.is_set() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.05)
