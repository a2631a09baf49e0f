"""Extraction state (抽取位置): watermark, fingerprints of the source tables and changes not transformed
yet; stored in the work database, in the same transaction as the data."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from warehouse.sources import Source

OWN_SCHEMAS = ("raw", "change", "state")
SCHEMA = """
create schema if not exists raw;
create schema if not exists change;
create schema if not exists state;
create table if not exists state.position (identity varchar, snapshot varchar, next_xid ubigint);
create table if not exists state.source (name varchar primary key, fingerprint varchar);
create table if not exists state.touched (name varchar primary key);
create table if not exists state.built (as_of varchar, project varchar);
create table if not exists state.due (kind varchar primary key);
create table if not exists state.waiting (since double);
"""

REBUILD = "rebuild"
"""Everything derived is stale: facts and marts are built from nothing."""
PUBLISH = "publish"
"""The marts are built, and no snapshot shows it yet."""
RELABEL = "relabel"
"""Facts can be patched, but rows of the marts carry names that changed: marts are replaced whole."""
TESTS_FAILED = "refused"
"""What was built failed its tests, built from nothing too; until it is published, that is not tried for each change."""


@dataclass(frozen=True, slots=True)
class Watermark:
    """The watermark of extraction (抽取位置): `identity` names the database instance, `snapshot` is Postgres's
    snapshot text (xmin:xmax:running) of the last committed load."""

    identity: str
    snapshot: str

    @property
    def xmin(self) -> int:
        return int(self.snapshot.split(":")[0])

    @property
    def next_xid(self) -> int:
        return int(self.snapshot.split(":")[1])


def create_tables(conn: duckdb.DuckDBPyConnection) -> None:
    """Create the state tables of a new work database."""
    conn.execute(SCHEMA)


def read_watermark(conn: duckdb.DuckDBPyConnection) -> Watermark | None:
    """Return the watermark of the last load, or None before the first."""
    row = conn.execute("select identity, snapshot from state.position").fetchone()
    return Watermark(*row) if row else None


def write_watermark(conn: duckdb.DuckDBPyConnection, position: Watermark) -> None:
    """Store the watermark; part of the load's transaction."""
    conn.execute("delete from state.position")
    conn.execute(
        "insert into state.position values (?, ?, ?)",
        [position.identity, position.snapshot, position.next_xid],
    )


def read_fingerprints(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the stored fingerprint of each source's table."""
    return dict(conn.execute("select name, fingerprint from state.source").fetchall())


def mark_loaded(conn: duckdb.DuckDBPyConnection, source: Source, fingerprint: str) -> None:
    conn.execute("insert or replace into state.source values (?, ?)", [source.name, fingerprint])


def mark_changed(conn: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Note that the models below `source` have to run."""
    conn.execute("insert or ignore into state.touched values (?)", [source.name])


def list_changed(conn: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in conn.execute("select name from state.touched order by name").fetchall()]


def require_transformation(conn: duckdb.DuckDBPyConnection, kind: str) -> None:
    """Note that the next transformation is more than a patch (REBUILD, RELABEL)."""
    conn.execute("insert or ignore into state.due values (?)", [kind])


def read_required(conn: duckdb.DuckDBPyConnection) -> set[str]:
    return {kind for (kind,) in conn.execute("select kind from state.due").fetchall()}


def read_build(conn: duckdb.DuckDBPyConnection) -> tuple[str, str] | None:
    """Return the business date and project version of the last complete transformation."""
    return conn.execute("select as_of, project from state.built").fetchone()


def drop_models(conn: duckdb.DuckDBPyConnection) -> None:
    """Drop everything that models made, of this version or another; a rebuild is required until it is done."""
    require_transformation(conn, REBUILD)
    for (schema,) in conn.execute(
        "select schema_name from duckdb_schemas() where database_name = current_database() and not internal"
    ).fetchall():
        if schema not in OWN_SCHEMAS:
            conn.execute(f"drop schema {schema} cascade")


def mark_transformed(
    conn: duckdb.DuckDBPyConnection, tracked: list[Source], as_of: str, project: str
) -> None:
    """Clear the changes that a complete transformation has processed, and note that its result is
    unpublished."""
    conn.execute("begin")
    for source in tracked:
        conn.execute(f"delete from change.{source.name}")
    conn.execute("delete from state.touched")
    conn.execute("delete from state.due where kind <> ?", [TESTS_FAILED])
    conn.execute("delete from state.built")
    conn.execute("insert into state.built values (?, ?)", [as_of, project])
    require_transformation(conn, PUBLISH)
    conn.execute("commit")


def mark_published(conn: duckdb.DuckDBPyConnection) -> None:
    conn.execute("delete from state.due where kind in (?, ?)", [PUBLISH, TESTS_FAILED])
    conn.execute("delete from state.waiting")


def record_waiting(conn: duckdb.DuckDBPyConnection, since: float) -> None:
    """Note that a change committed at `since` (seconds of the epoch) has been read; the oldest one counts."""
    conn.execute("insert into state.waiting values (?)", [since])


def find_waiting_since(conn: duckdb.DuckDBPyConnection) -> float | None:
    """Return when the oldest change was committed that was read and is not published."""
    since: float | None
    (since,) = conn.execute("select min(since) from state.waiting").fetchone() or (None,)
    return since
