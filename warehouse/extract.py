"""Extraction (抽取): reads the changes of each source table in one Postgres snapshot into the work
database's raw schema, and notes the affected keys.

A row is new if its transaction stamp was not visible in the snapshot of the last load. A transaction that
began early and committed late is therefore read when it commits, whatever was read in between. Replays do
no harm: rows are deleted by key before they are inserted. A database that was restored, or a table that
was rewritten or has other columns, is loaded in full.

The lag of a publication runs from the commit of the oldest change in it, as Postgres recorded it
(`track_commit_timestamp`), to the moment at which readers find it. It is unknown where commits are not
timed, and for tables that were loaded in full.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

import duckdb

from warehouse import extraction_state, reconcile
from warehouse.engine import literal_sql, query_postgres, query_value, remote_sql
from warehouse.extraction_state import REBUILD, RELABEL, Watermark
from warehouse.sources import Source, list_sources

log = logging.getLogger(__name__)

INSTANCE_SQL = """
select system_identifier::text || '/' || timeline_id::text || '/' ||
       (select oid::text from pg_database where datname = current_database()),
       pg_current_snapshot()::text
from pg_control_system(), pg_control_checkpoint()
"""

COLUMNS_SQL = """
select c.relname, c.oid::text || '/' || c.relfilenode::text,
       coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum), '')
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and ({wanted})
group by 1, 2
"""


class ExtractionError(RuntimeError):
    """The core's database lacks tables or columns that the warehouse reads; the message is Chinese."""


@dataclass
class LoadResult:
    """The result of a load: rows read, sources changed, sources read in full, differences that were
    corrected."""

    position: Watermark
    rows: int = 0
    touched: list[str] = field(default_factory=list)
    reloaded: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)


def load_changes(conn: duckdb.DuckDBPyConnection, *, full: bool = False, deep: bool = False) -> LoadResult:
    """Load the changes up to one Postgres snapshot and reconcile the copy, all in one transaction.

    `full` reads every table again; `deep` reconciles whole tables instead of the part just read. Raises
    ExtractionError, reconcile.CopyDifferenceError; then nothing is changed.
    """
    extraction_state.create_tables(conn)
    conn.execute("begin")
    try:
        result = _load_in_transaction(conn, full=full, deep=deep)
        conn.execute("commit")
    except BaseException:
        conn.execute("rollback")
        raise
    return result


def _load_in_transaction(conn: duckdb.DuckDBPyConnection, *, full: bool, deep: bool) -> LoadResult:
    last = extraction_state.read_watermark(conn)
    now = Watermark(*query_postgres(conn, INSTANCE_SQL)[0])
    result = LoadResult(now)
    if last is None or last.identity != now.identity or last.next_xid > now.next_xid:
        if last is not None:
            log.warning("the database was restored or replaced: everything is read again")
        full = True
    prints = _read_fingerprints(conn)
    known = {} if full else extraction_state.read_fingerprints(conn)
    changed = set() if last is None or full else list_changed_tables(conn, last)
    for source in list_sources():
        if known.get(source.name) != prints[source.name]:
            result.rows += _reload_table(conn, source, prints[source.name])
            result.reloaded.append(source.name)
        elif source.name in changed and last is not None:
            result.rows += _apply_increment(conn, source, last)
            result.touched.append(source.name)
    for source in list_sources():
        whole = deep or source.name in result.reloaded
        if whole or source.name in result.touched:
            since = None if whole or last is None else last.xmin
            _reconcile_source(conn, source, since, prints[source.name], result)
    if result.touched and last is not None:
        waited = _measure_wait(conn, result.touched, last)
        if waited is not None:
            extraction_state.record_waiting(conn, time.time() - waited)
    extraction_state.write_watermark(conn, now)
    return result


def _measure_wait(conn: duckdb.DuckDBPyConnection, names: list[str], last: Watermark) -> float | None:
    """Return the seconds since the commit of the oldest change of the tables `names`; by Postgres's clock
    alone, so that another clock here does no harm. None where it does not time commits."""
    if query_postgres(conn, "select current_setting('track_commit_timestamp')") != [("on",)]:
        return None
    stamps = [f"select distinct row_xid from {name} where {_unseen_condition(last)}" for name in names]
    tables = ", ".join(literal_sql(name) for name in names)
    stamps.append(
        f"select row_xid from tombstone where table_name in ({tables}) and {_unseen_condition(last)}"
    )
    ((waited,),) = query_postgres(
        conn,
        "select extract(epoch from clock_timestamp() - min(pg_xact_commit_timestamp(row_xid::xid)))::float8"
        f" from ({' union '.join(stamps)}) as change",
    )
    return None if waited is None else max(waited, 0.0)


def list_changed_tables(conn: duckdb.DuckDBPyConnection, last: Watermark) -> set[str]:
    """Return the names of sources with rows or tombstones that the snapshot `last` did not see."""
    return {name for (name,) in query_postgres(conn, changes_sql(last))}


def changes_sql(last: Watermark) -> str:
    """Return the Postgres query behind `list_changed_tables`: index probes, one row for each changed table."""
    tables = [source.name for source in list_sources()]
    probes = [
        f"select {literal_sql(name)} where exists (select from {name} where {_unseen_condition(last)})"
        for name in tables
    ]
    names = ", ".join(literal_sql(name) for name in tables)
    probes.append(
        f"select table_name from tombstone where table_name in ({names}) and {_unseen_condition(last)}"
    )
    return " union ".join(probes)


def _unseen_condition(last: Watermark) -> str:
    return f"row_xid >= '{last.xmin}'::xid8 and not pg_visible_in_snapshot(row_xid, '{last.snapshot}'::pg_snapshot)"


def _read_fingerprints(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return for each source the table's identity and file, and the types of the columns that are read."""
    wanted = " or ".join(
        f"(c.relname = {literal_sql(source.name)} and a.attname in"
        f" ({', '.join(literal_sql(column) for column in source.columns)}))"
        for source in list_sources()
    )
    found = {
        name: (place, types) for name, place, types in query_postgres(conn, COLUMNS_SQL.format(wanted=wanted))
    }
    for source in list_sources():
        present = found.get(source.name, ("", ""))[1]
        names = {item.split(" ")[0] for item in present.split(",")}
        lacking = [column for column in source.columns if column not in names]
        if lacking:
            raise ExtractionError(
                f"业务库的表 {source.name} 缺少列：{'、'.join(lacking)}，请先执行 erp migrate"
            )
    return {
        source.name: f"{found[source.name][0]} {found[source.name][1]} {','.join(source.track)}"
        for source in list_sources()
    }


def _reload_table(conn: duckdb.DuckDBPyConnection, source: Source, fingerprint: str) -> int:
    """Copy a whole table and require a rebuild. Stamps are transferred as text: only the newest, which the
    next increment is compared with, are read."""
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
        f" from ({remote_sql(newest)}) as newest where {source.key} = newest.key"
    )
    if source.track:
        conn.execute(
            f"create or replace table change.{source.name} as"
            f" select {', '.join(source.track)} from raw.{source.name} limit 0"
        )
    extraction_state.mark_loaded(conn, source, fingerprint)
    extraction_state.require_transformation(conn, REBUILD)
    return int(query_value(conn, f"select count(*) from raw.{source.name}"))


def _apply_increment(conn: duckdb.DuckDBPyConnection, source: Source, last: Watermark) -> int:
    """Apply the rows and tombstones since `last`; returns how many there were."""
    key, table = source.key, f"raw.{source.name}"
    columns = ", ".join(source.columns)
    unseen = _unseen_condition(last)
    conn.execute(
        "create or replace temp table incoming as"
        " select * replace (cast(row_xid as ubigint) as row_xid) from postgres_query('pg', "
        + literal_sql(f"select {columns}, row_xid::text as row_xid from {source.name} where {unseen}")
        + ")"
    )
    conn.execute(
        "create or replace temp table gone as "
        + remote_sql(
            f"select row_key from tombstone where table_name = {literal_sql(source.name)} and {unseen}"
        )
        + f" union select {key} from incoming"
    )
    if source.track:
        track = ", ".join(source.track)
        conn.execute(
            f"insert into change.{source.name} select {track} from {table} where {key} in (from gone)"
            f" union select {track} from incoming"
        )
    if source.label and _has_renames(conn, source):
        extraction_state.require_transformation(conn, RELABEL)
    conn.execute(f"delete from {table} where {key} in (from gone)")
    conn.execute(f"insert into {table} by name from incoming")
    extraction_state.mark_changed(conn, source)
    return int(query_value(conn, "select count(*) from gone"))


def _has_renames(conn: duckdb.DuckDBPyConnection, source: Source) -> bool:
    """Return whether a row that was there before is now gone or has other values."""
    key, columns = source.key, ", ".join(source.columns)
    found: bool = query_value(
        conn,
        f"select exists(select {columns} from raw.{source.name} where {key} in (from gone)"
        f" except select {columns} from incoming)",
    )
    return found


def _reconcile_source(
    conn: duckdb.DuckDBPyConnection, source: Source, since: int | None, fingerprint: str, result: LoadResult
) -> None:
    """Reconcile one source; a difference is corrected by a full copy. Raises CopyDifferenceError where one
    remains."""
    difference = reconcile.compare_source(conn, source, since)
    if difference is None:
        return
    log.error("reconciliation: %s; the table is read again", difference)
    result.rows += _reload_table(conn, source, fingerprint)
    result.mended.append(str(difference))
    remaining = reconcile.compare_source(conn, source, None)
    if remaining is not None:
        raise reconcile.CopyDifferenceError(remaining)
