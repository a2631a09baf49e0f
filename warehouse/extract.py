"""抽取：在一个 PostgreSQL 快照里读取各源表的变更，写入工作库 raw，登记受影响的键。

A row is new to us when its transaction stamp was not visible in the snapshot of the last load. A transaction that
began early and committed late is therefore read when it commits, whatever was read in between. Replays do no harm:
rows are deleted by key before they are inserted. A database that was restored, or a table that was rewritten or has
other columns, is loaded in full.

The lag of a publication runs from the commit of the oldest change in it, as Postgres recorded it
(`track_commit_timestamp`), to the moment at which readers find it. Where commits are not timed, and of tables that were
loaded in full, nothing is known of it.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

import duckdb

from warehouse import position as positions
from warehouse import reconcile
from warehouse.engine import ask, literal, remote, value
from warehouse.position import REBUILD, RELABEL, Position
from warehouse.sources import Source, sources

log = logging.getLogger(__name__)

INSTANCE = """
select system_identifier::text || '/' || timeline_id::text || '/' ||
       (select oid::text from pg_database where datname = current_database()),
       pg_current_snapshot()::text
from pg_control_system(), pg_control_checkpoint()
"""

COLUMNS = """
select c.relname, c.oid::text || '/' || c.relfilenode::text,
       coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum), '')
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and ({wanted})
group by 1, 2
"""


class ExtractionError(RuntimeError):
    """The core's database lacks what the warehouse reads; the message is Chinese."""


@dataclass
class Load:
    """What one load did: rows read, sources changed, sources read in full, differences that were mended."""

    position: Position
    rows: int = 0
    touched: list[str] = field(default_factory=list)
    reloaded: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)


def load(conn: duckdb.DuckDBPyConnection, *, full: bool = False, deep: bool = False) -> Load:
    """Bring raw up to one Postgres snapshot and prove the copy, all in one transaction.

    `full` reads every table again; `deep` reconciles whole tables instead of the part just read.
    Raises ExtractionError, reconcile.DifferenceError; then nothing is changed.
    """
    positions.prepare(conn)
    conn.execute("begin")
    try:
        result = _load(conn, full=full, deep=deep)
        conn.execute("commit")
    except BaseException:
        conn.execute("rollback")
        raise
    return result


def _load(conn: duckdb.DuckDBPyConnection, *, full: bool, deep: bool) -> Load:
    last = positions.read(conn)
    now = Position(*ask(conn, INSTANCE)[0])
    result = Load(now)
    if last is None or last.identity != now.identity or last.next_xid > now.next_xid:
        if last is not None:
            log.warning("the database was restored or replaced: everything is read again")
        full = True
    prints = _fingerprints(conn)
    known = {} if full else positions.fingerprints(conn)
    changed = set() if last is None or full else changed_tables(conn, last)
    for source in sources():
        if known.get(source.name) != prints[source.name]:
            result.rows += _reload(conn, source, prints[source.name])
            result.reloaded.append(source.name)
        elif source.name in changed and last is not None:
            result.rows += _increment(conn, source, last)
            result.touched.append(source.name)
    for source in sources():
        whole = deep or source.name in result.reloaded
        if whole or source.name in result.touched:
            since = None if whole or last is None else last.xmin
            _prove(conn, source, since, prints[source.name], result)
    if result.touched and last is not None:
        waited = _waited(conn, result.touched, last)
        if waited is not None:
            positions.wait(conn, time.time() - waited)
    positions.write(conn, now)
    return result


def _waited(conn: duckdb.DuckDBPyConnection, names: list[str], last: Position) -> float | None:
    """Seconds since the commit of the oldest change of the tables `names`; by Postgres's clock alone, so that another
    clock here does no harm. None where it does not time commits."""
    if ask(conn, "select current_setting('track_commit_timestamp')") != [("on",)]:
        return None
    stamps = [f"select distinct row_xid from {name} where {_unseen(last)}" for name in names]
    tables = ", ".join(literal(name) for name in names)
    stamps.append(f"select row_xid from tombstone where table_name in ({tables}) and {_unseen(last)}")
    ((waited,),) = ask(
        conn,
        "select extract(epoch from clock_timestamp() - min(pg_xact_commit_timestamp(row_xid::xid)))::float8"
        f" from ({' union '.join(stamps)}) as change",
    )
    return None if waited is None else max(waited, 0.0)


def changed_tables(conn: duckdb.DuckDBPyConnection, last: Position) -> set[str]:
    """Names of sources with rows or tombstones that the snapshot `last` did not see."""
    return {name for (name,) in ask(conn, changes_query(last))}


def changes_query(last: Position) -> str:
    """The Postgres query behind `changed_tables`: index probes, one row a changed table."""
    tables = [source.name for source in sources()]
    probes = [
        f"select {literal(name)} where exists (select from {name} where {_unseen(last)})" for name in tables
    ]
    names = ", ".join(literal(name) for name in tables)
    probes.append(f"select table_name from tombstone where table_name in ({names}) and {_unseen(last)}")
    return " union ".join(probes)


def _unseen(last: Position) -> str:
    return f"row_xid >= '{last.xmin}'::xid8 and not pg_visible_in_snapshot(row_xid, '{last.snapshot}'::pg_snapshot)"


def _fingerprints(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Per source: the table's identity and file, and the types of the columns that are read."""
    wanted = " or ".join(
        f"(c.relname = {literal(source.name)} and a.attname in"
        f" ({', '.join(literal(column) for column in source.columns)}))"
        for source in sources()
    )
    found = {name: (place, types) for name, place, types in ask(conn, COLUMNS.format(wanted=wanted))}
    for source in sources():
        present = found.get(source.name, ("", ""))[1]
        names = {item.split(" ")[0] for item in present.split(",")}
        lacking = [column for column in source.columns if column not in names]
        if lacking:
            raise ExtractionError(
                f"业务库的表 {source.name} 缺少列：{'、'.join(lacking)}，请先执行 erp migrate"
            )
    return {
        source.name: f"{found[source.name][0]} {found[source.name][1]} {','.join(source.track)}"
        for source in sources()
    }


def _reload(conn: duckdb.DuckDBPyConnection, source: Source, fingerprint: str) -> int:
    """Copy a whole table; what was derived from it is stale. Stamps are text on the way here: only the newest, which
    the next increment is compared by, are read."""
    conn.execute(
        f"create or replace table raw.{source.name} as"
        f" select {', '.join(source.columns)}, cast(0 as ubigint) as row_xid from pg.public.{source.name}"
    )
    newest = (
        f"select {source.key} as key, row_xid::text as stamp from {source.name}"
        " where row_xid >= pg_snapshot_xmin(pg_current_snapshot())"
    )
    conn.execute(
        f"update raw.{source.name} set row_xid = cast(newest.stamp as ubigint)"
        f" from ({remote(newest)}) as newest where {source.key} = newest.key"
    )
    if source.track:
        conn.execute(
            f"create or replace table change.{source.name} as"
            f" select {', '.join(source.track)} from raw.{source.name} limit 0"
        )
    positions.mark_loaded(conn, source, fingerprint)
    positions.owe(conn, REBUILD)
    return int(value(conn, f"select count(*) from raw.{source.name}"))


def _increment(conn: duckdb.DuckDBPyConnection, source: Source, last: Position) -> int:
    """Apply the rows and tombstones since `last`; returns how many there were."""
    key, table = source.key, f"raw.{source.name}"
    columns = ", ".join(source.columns)
    unseen = _unseen(last)
    conn.execute(
        "create or replace temp table incoming as"
        " select * replace (cast(row_xid as ubigint) as row_xid) from postgres_query('pg', "
        + literal(f"select {columns}, row_xid::text as row_xid from {source.name} where {unseen}")
        + ")"
    )
    conn.execute(
        "create or replace temp table gone as "
        + remote(f"select row_key from tombstone where table_name = {literal(source.name)} and {unseen}")
        + f" union select {key} from incoming"
    )
    if source.track:
        track = ", ".join(source.track)
        conn.execute(
            f"insert into change.{source.name} select {track} from {table} where {key} in (from gone)"
            f" union select {track} from incoming"
        )
    if source.label and _renames(conn, source):
        positions.owe(conn, RELABEL)
    conn.execute(f"delete from {table} where {key} in (from gone)")
    conn.execute(f"insert into {table} by name from incoming")
    positions.touch(conn, source)
    return int(value(conn, "select count(*) from gone"))


def _renames(conn: duckdb.DuckDBPyConnection, source: Source) -> bool:
    """Whether a row that was there before is now gone or has other values."""
    key, columns = source.key, ", ".join(source.columns)
    found: bool = value(
        conn,
        f"select exists(select {columns} from raw.{source.name} where {key} in (from gone)"
        f" except select {columns} from incoming)",
    )
    return found


def _prove(
    conn: duckdb.DuckDBPyConnection, source: Source, since: int | None, fingerprint: str, result: Load
) -> None:
    """Reconcile one source; a difference is mended by a full copy, and one that remains is refused."""
    difference = reconcile.compare(conn, source, since)
    if difference is None:
        return
    log.error("reconciliation: %s; the table is read again", difference)
    result.rows += _reload(conn, source, fingerprint)
    result.mended.append(str(difference))
    remaining = reconcile.compare(conn, source, None)
    if remaining is not None:
        raise reconcile.DifferenceError(remaining)
