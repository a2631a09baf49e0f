"""Fixtures of the warehouse's tests: a small group in Postgres, and warehouses of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from tests.warehouse.group import Size, fill
from warehouse.files import Files
from warehouse.refresh import Refresher

AS_OF = "2026-11-20"


@pytest.fixture(scope="module")
def core(database_url: str) -> str:
    """The address of a database with a small group in it."""
    fill(database_url, Size())
    return database_url


@pytest.fixture
def sql(core: str) -> Iterator[psycopg.Connection[Any]]:
    """A session on the core's database that writes past the application: foreign keys rest, stamps don't."""
    with psycopg.connect(core, autocommit=True) as conn:
        conn.execute("set session_replication_role = replica")
        for (table,) in conn.execute(
            "select tgrelid::regclass::text from pg_trigger where tgfoid in"
            " ('erp_stamp'::regproc, 'erp_tombstone'::regproc) group by 1"
        ).fetchall():
            conn.execute(f"alter table {table} enable always trigger {table}_stamp")
            conn.execute(f"alter table {table} enable always trigger {table}_tombstone")
        yield conn


@pytest.fixture
def refresher(core: str, tmp_path: Path) -> Refresher:
    return Refresher(Files(tmp_path / "warehouse"), core)


@pytest.fixture
def published(refresher: Refresher) -> Callable[[str], list[tuple[Any, ...]]]:
    """Rows of a query over the current snapshot."""

    def ask(query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(refresher.files.current / "wh.duckdb"), read_only=True) as conn:
            return conn.execute(query).fetchall()

    return ask


def tables(files: Files) -> dict[str, Any]:
    """Of every fact and everything published, but the stamp of the snapshot: how many rows, and a digest of them."""
    with duckdb.connect() as conn:
        conn.execute(f"attach '{files.work}' as work (read_only)")
        conn.execute(f"attach '{files.current / 'wh.duckdb'}' as wh (read_only)")
        names = conn.execute(
            "select database_name || '.' || schema_name || '.' || table_name from duckdb_tables()"
            " where table_name <> 'refreshed_at'"
            " and (database_name = 'wh' or schema_name in ('facts', 'intermediate'))"
            " union all select database_name || '.' || schema_name || '.' || view_name from duckdb_views()"
            " where database_name = 'wh' and not internal"
        ).fetchall()
        digest = "select count(*), sum(cast(hash(t) as hugeint)) from {} t"
        return {name: conn.execute(digest.format(name)).fetchone() for (name,) in names}
