"""Databases of the tests' server: what is done to it, and fresh ones, which are clones of the migrated template."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from api.launch.postgres import EmbeddedPostgres

_numbers = itertools.count(1)


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
