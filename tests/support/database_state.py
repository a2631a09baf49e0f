"""Fingerprint of a database's content, to compare: a refused call must leave it unchanged."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Connection, CursorResult

from api.kit.storage.database import Base
from api.ledger import integrity_checks
from api.shell.operations import integrity_report

VOLATILE_TABLES = frozenset({"user_session", "login_attempt", "bill_counter", "upload_log"})
"""Sessions are touched, tries and uploads are recorded and numbers may be lost: these may differ."""


CONTENT = "sum(hashtextextended(t::text, 0)::numeric)"
WRITERS = "sum(xmin::text::bigint)"


def fingerprint_tables(conn: Connection) -> dict[str, tuple[int, int]]:
    """Return the row count of every table that has rows, and the sum of its rows' hashes."""
    return _sum_tables(conn, CONTENT)


def fingerprint_writers(conn: Connection) -> dict[str, tuple[int, int]]:
    """Return the same of the transactions that wrote the rows: one written anew, even alike, differs."""
    return _sum_tables(conn, WRITERS)


def _sum_tables(conn: Connection, figure: str) -> dict[str, tuple[int, int]]:
    tables = [table.name for table in Base.metadata.sorted_tables if table.name not in VOLATILE_TABLES]
    stored = "select relname from pg_class where relname = any(%s) and pg_relation_size(oid) > 0 order by 1"
    parts = (
        f"select '{name}', count(*), {figure} from {name} t"
        for (name,) in conn.exec_driver_sql(stored, (tables,))
    )
    return {row[0]: (row[1], row[2]) for row in execute_prepared(conn, " union all ".join(parts)) if row[1]}


@cache
def build_sweep_sql() -> str:
    """Build one statement of whether each check finds anything, for tests that run it often."""
    ledgers = (check for check in integrity_checks.list_checks() if isinstance(check, integrity_checks.Check))
    parts = (f"exists ({check.sql.replace('%', '%%')})" for check in ledgers)
    return f"select array[{', '.join(parts)}]"


def find_broken_checks(conn: Connection) -> dict[str, list[dict[str, object]]]:
    """Return the integrity checks of ledgers and bills that find something, with their findings."""
    assert integrity_report
    if not any(execute_prepared(conn, build_sweep_sql()).scalar_one()):
        return {}
    return {
        finding.check.name: finding.rows for finding in integrity_checks.run_checks(conn) if finding.count
    }


def execute_prepared(conn: Connection, sql: str, values: Any = None) -> CursorResult[Any]:
    """Execute a long statement prepared at its first use, as planning it costs more than running it."""
    driver: Any = conn.connection.driver_connection
    usual, driver.prepare_threshold = driver.prepare_threshold, 0
    try:
        return conn.exec_driver_sql(sql, values)
    finally:
        driver.prepare_threshold = usual
