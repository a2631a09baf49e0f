"""Databases of the tests' server: clones of the migrated template, the small group or the demo group."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import psycopg

from api.kit.storage import database
from api.launch.postgres import EmbeddedPostgres
from tests.support.shared_artifacts import shared_artifact

TEMPLATE = "erp_template"
WORLD_DATABASE = "erp_world"
TEST_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "autovacuum_naptime": "5min",
    # Of a few rows a planner without statistics thinks too much: starting workers costs more than all that they read.
    "max_parallel_workers_per_gather": "0",
}
_numbers = itertools.count(1)


def shared_cluster() -> Path:
    """Return a directory with a cluster, `postgres`, of the template and the group, and the group's ids."""
    return shared_artifact("cluster", _build_cluster)


def _build_cluster(place: Path) -> None:
    from api.migrations import upgrade
    from tests.support.fixtures import build_world_in

    with running_server(place) as server:
        run_statements(server, f"create database {TEMPLATE}")
        upgrade(server.url(TEMPLATE))
        run_statements(
            server,
            f"alter database {TEMPLATE} with allow_connections false",
            f"create database {WORLD_DATABASE} template {TEMPLATE} strategy file_copy",
        )
        (place / "world.json").write_text(json.dumps(asdict(build_world_in(server.url(WORLD_DATABASE)))))


@contextmanager
def running_server(place: Path) -> Iterator[EmbeddedPostgres]:
    """Run a server without durability on the cluster at a place, which is made where there is none."""
    server = EmbeddedPostgres(place / "postgres", place / "logs" / "postgres.log", TEST_SETTINGS)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def run_statements(postgres: EmbeddedPostgres, *statements: str) -> None:
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@contextmanager
def cloned_database(postgres: EmbeddedPostgres, template: str) -> Iterator[str]:
    """Yield the address of a clone of the template, which is dropped afterwards."""
    name = f"erp_test_{next(_numbers)}"
    run_statements(postgres, f"create database {name} template {template} strategy file_copy")
    yield postgres.url(name)
    run_statements(postgres, f"drop database {name} with (force)")


def dispose_engines() -> None:
    """Dispose of the process's engines: the next database gets its own."""
    for made in (database.main_engine, database.request_engine, database.side_engine):
        if made.cache_info().currsize:
            made().dispose()
        made.cache_clear()
