"""Databases of the tests' server: what is done to it, and fresh ones, which are clones of the migrated template."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from api.kit import database
from api.launch.postgres import EmbeddedPostgres
from tests.kit.once import copy, made_once

TEMPLATE = "erp_template"
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


def copy_cluster(data_dir: Path) -> None:
    """Put a cluster with the migrated template into a data directory."""
    copy(made_once("cluster", _migrate) / "postgres", data_dir)


def _migrate(place: Path) -> None:
    from api.migrations import upgrade

    server = EmbeddedPostgres(place / "postgres", place / "postgres.log", FOR_TESTS)
    server.start()
    administer(server, f"create database {TEMPLATE}")
    upgrade(server.url(TEMPLATE))
    administer(server, f"alter database {TEMPLATE} with allow_connections false")
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
