"""DuckDB connections: the work database and Postgres attached read-only, with limits of memory and
threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb

MEMORY_LIMIT = "2GB"
THREADS = 2
CHECKPOINT = "4GB"
"""One checkpoint a run, when the models are done, not one a model; dbt's profile repeats it."""
EXTENSION = "postgres_scanner.duckdb_extension"


_UNREADABLE = (
    duckdb.IOException,
    duckdb.SerializationException,
    duckdb.InternalException,
    duckdb.FatalException,
)


class TransformError(RuntimeError):
    """A model failed, or a test could not be run; the message names it. The last good snapshot stays."""


def build_options(scratch: Path) -> dict[str, Any]:
    """Return the DuckDB settings that every writer of the warehouse uses; dbt's profile repeats them."""
    return {
        "memory_limit": MEMORY_LIMIT,
        "threads": min(THREADS, os.cpu_count() or 1),
        "preserve_insertion_order": False,
        # Strings are packed in ways that cost less to write; every reader is of this version too.
        "storage_compatibility_version": "latest",
        "temp_directory": str(scratch),
    }


@contextmanager
def open_work_database(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The work database, exclusively: dbt opens the same file only after this connection is closed."""
    conn = duckdb.connect(str(path), config=build_options(path.parent / "spill"))
    try:
        yield conn
    finally:
        conn.close()


def describe_damage(path: Path) -> str | None:
    """Return why a database can't be read to its end; None where it can, and where there is none."""
    if not path.exists():
        return None
    try:
        with duckdb.connect(str(path), read_only=True) as conn:
            tables = "select schema_name, table_name from duckdb_tables() where not internal"
            for schema, table in conn.execute(tables).fetchall():
                conn.execute(f'select max(hash(kept)) from "{schema}"."{table}" as kept')
    except _UNREADABLE as error:
        return None if "Could not set lock" in str(error) else str(error)
    return None


def attach_postgres(conn: duckdb.DuckDBPyConnection, url: str) -> None:
    """Attach the core's database read-only as `pg`. One DuckDB transaction reads one Postgres snapshot of it."""
    conn.execute(f"load '{_find_extension()}'")
    conn.execute(f"attach {literal_sql(url)} as pg (type postgres, read_only)")


def query_postgres(conn: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """Run a query in Postgres itself, inside the open snapshot, and return its rows."""
    return conn.execute(remote_sql(sql)).fetchall()


def query_value(conn: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """Return the single value of a query's single row."""
    (row,) = conn.execute(sql).fetchall()
    return row[0]


def remote_sql(sql: str) -> str:
    """Return a DuckDB query over the result of `sql` run by Postgres."""
    return f"select * from postgres_query('pg', {literal_sql(sql)})"


def literal_sql(text: str) -> str:
    """Return a SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def _find_extension() -> Path:
    """Return the path of the scanner inside its wheel, whose version is the engine's."""
    package = find_spec("duckdb_extension_postgres_scanner")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("缺少 duckdb-extension-postgres-scanner，请重新执行 uv sync")
    return next(Path(package.submodule_search_locations[0]).rglob(EXTENSION))
