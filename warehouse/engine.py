"""DuckDB 连接：工作库与只读附加的 PostgreSQL，内存与线程有上限。"""

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


def options(scratch: Path) -> dict[str, Any]:
    """The DuckDB settings that every writer of the warehouse uses; dbt's profile repeats them."""
    return {
        "memory_limit": MEMORY_LIMIT,
        "threads": min(THREADS, os.cpu_count() or 1),
        "preserve_insertion_order": False,
        # Strings are packed in ways that cost less to write; every reader is of this version too.
        "storage_compatibility_version": "latest",
        "temp_directory": str(scratch),
    }


@contextmanager
def work_database(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The work database, alone: dbt opens the same file only after this connection is closed."""
    conn = duckdb.connect(str(path), config=options(path.parent / "spill"))
    try:
        yield conn
    finally:
        conn.close()


def damage(path: Path) -> str | None:
    """Why a database can't be read to its end; None where it can, and where there is none."""
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
    conn.execute(f"load '{_extension()}'")
    conn.execute(f"attach {literal(url)} as pg (type postgres, read_only)")


def ask(conn: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """Rows of a query that Postgres itself runs, inside the open snapshot."""
    return conn.execute(remote(sql)).fetchall()


def value(conn: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The single value of a query's single row."""
    (row,) = conn.execute(sql).fetchall()
    return row[0]


def remote(sql: str) -> str:
    """A DuckDB query over the result of `sql` run by Postgres."""
    return f"select * from postgres_query('pg', {literal(sql)})"


def literal(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def _extension() -> Path:
    """The scanner's file inside its wheel, whose version is the engine's."""
    package = find_spec("duckdb_extension_postgres_scanner")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("缺少 duckdb-extension-postgres-scanner，请重新执行 uv sync")
    return next(Path(package.submodule_search_locations[0]).rglob(EXTENSION))
