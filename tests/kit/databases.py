"""Databases of the tests' server: what is done to it, and fresh ones, which are clones of the migrated template, of the
small group or of the demo group.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import psycopg

from api.kit import database
from api.launch.postgres import EmbeddedPostgres
from tests.kit.once import made_once

TEMPLATE = "erp_template"
WORLD_DATABASE = "erp_world"
FOR_TESTS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "autovacuum_naptime": "5min",
    # Of a few rows a planner without statistics thinks too much: starting workers costs more than all that they read.
    "max_parallel_workers_per_gather": "0",
}
_numbers = itertools.count(1)


def cluster() -> Path:
    """A directory with a cluster, `postgres`, of the migrated template and the small group, and the group's ids."""
    return made_once("cluster", _build)


def _build(place: Path) -> None:
    from api.migrations import upgrade
    from tests.kit.fixtures import built_in

    with served(place) as server:
        administer(server, f"create database {TEMPLATE}")
        upgrade(server.url(TEMPLATE))
        administer(
            server,
            f"alter database {TEMPLATE} with allow_connections false",
            f"create database {WORLD_DATABASE} template {TEMPLATE} strategy file_copy",
        )
        (place / "world.json").write_text(json.dumps(asdict(built_in(server.url(WORLD_DATABASE)))))


@contextmanager
def served(place: Path) -> Iterator[EmbeddedPostgres]:
    """A server without durability on the cluster at a place, which is made where there is none."""
    server = EmbeddedPostgres(place / "postgres", place / "logs" / "postgres.log", FOR_TESTS)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def administer(postgres: EmbeddedPostgres, *statements: str) -> None:
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@contextmanager
def fresh(postgres: EmbeddedPostgres, template: str) -> Iterator[str]:
    """The address of a clone of the template, which is gone afterwards."""
    name = f"erp_test_{next(_numbers)}"
    administer(postgres, f"create database {name} template {template} strategy file_copy")
    yield postgres.url(name)
    administer(postgres, f"drop database {name} with (force)")


def let_go() -> None:
    """Close what the process holds of its database: the next one is its own."""
    for made in (database.engine, database.request_engine, database.side_engine):
        if made.cache_info().currsize:
            made().dispose()
        made.cache_clear()
