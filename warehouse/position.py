"""抽取位置：上次读到的快照、各源表的指纹、尚未转换的变更，都存在工作库里，与数据同一事务。"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from warehouse.sources import Source

OWN = ("raw", "change", "state")
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
REFUSED = "refused"
"""What was built failed its tests, built from nothing too; until it is published, that is not tried for each change."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far extraction has read: `identity` names the database instance, `snapshot` is Postgres's snapshot text
    (xmin:xmax:running) of the last committed load."""

    identity: str
    snapshot: str

    @property
    def xmin(self) -> int:
        return int(self.snapshot.split(":")[0])

    @property
    def next_xid(self) -> int:
        return int(self.snapshot.split(":")[1])


def prepare(conn: duckdb.DuckDBPyConnection) -> None:
    """Create the bookkeeping tables of a new work database."""
    conn.execute(SCHEMA)


def read(conn: duckdb.DuckDBPyConnection) -> Position | None:
    """The position of the last load, or None before the first."""
    row = conn.execute("select identity, snapshot from state.position").fetchone()
    return Position(*row) if row else None


def write(conn: duckdb.DuckDBPyConnection, position: Position) -> None:
    """Remember `position`; part of the load's transaction."""
    conn.execute("delete from state.position")
    conn.execute(
        "insert into state.position values (?, ?, ?)",
        [position.identity, position.snapshot, position.next_xid],
    )


def fingerprints(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The stored fingerprint of each source's table."""
    return dict(conn.execute("select name, fingerprint from state.source").fetchall())


def mark_loaded(conn: duckdb.DuckDBPyConnection, source: Source, fingerprint: str) -> None:
    conn.execute("insert or replace into state.source values (?, ?)", [source.name, fingerprint])


def touch(conn: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Note that models below `source` have to run."""
    conn.execute("insert or ignore into state.touched values (?)", [source.name])


def touched(conn: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in conn.execute("select name from state.touched order by name").fetchall()]


def owe(conn: duckdb.DuckDBPyConnection, kind: str) -> None:
    """Note that the next transformation is more than a patch (REBUILD, RELABEL)."""
    conn.execute("insert or ignore into state.due values (?)", [kind])


def owed(conn: duckdb.DuckDBPyConnection) -> set[str]:
    return {kind for (kind,) in conn.execute("select kind from state.due").fetchall()}


def built(conn: duckdb.DuckDBPyConnection) -> tuple[str, str] | None:
    """Business date and project version of the last complete transformation."""
    return conn.execute("select as_of, project from state.built").fetchone()


def clear(conn: duckdb.DuckDBPyConnection) -> None:
    """Drop what models made, of this version or another; that all is built from nothing is owed until it is done."""
    owe(conn, REBUILD)
    for (schema,) in conn.execute(
        "select schema_name from duckdb_schemas() where database_name = current_database() and not internal"
    ).fetchall():
        if schema not in OWN:
            conn.execute(f"drop schema {schema} cascade")


def settle(conn: duckdb.DuckDBPyConnection, tracked: list[Source], as_of: str, project: str) -> None:
    """Forget the changes that a complete transformation has worked off; what it gave has yet to be published."""
    conn.execute("begin")
    for source in tracked:
        conn.execute(f"delete from change.{source.name}")
    conn.execute("delete from state.touched")
    conn.execute("delete from state.due where kind <> ?", [REFUSED])
    conn.execute("delete from state.built")
    conn.execute("insert into state.built values (?, ?)", [as_of, project])
    owe(conn, PUBLISH)
    conn.execute("commit")


def mark_published(conn: duckdb.DuckDBPyConnection) -> None:
    conn.execute("delete from state.due where kind in (?, ?)", [PUBLISH, REFUSED])
    conn.execute("delete from state.waiting")


def wait(conn: duckdb.DuckDBPyConnection, since: float) -> None:
    """Note that a change committed at `since` (seconds of the epoch) has been read; the oldest one counts."""
    conn.execute("insert into state.waiting values (?)", [since])


def waiting(conn: duckdb.DuckDBPyConnection) -> float | None:
    """When the oldest change was committed that was read and is not published."""
    since: float | None
    (since,) = conn.execute("select min(since) from state.waiting").fetchone() or (None,)
    return since
