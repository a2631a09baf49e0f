"""What a database holds, as one value to compare: a refused call must leave it as it was."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Connection, CursorResult

from api.kit.database import Base
from api.ledger import checks
from api.shell import integrity

PASSING = frozenset({"user_session", "login_attempt", "bill_counter", "upload_log"})
"""Sessions are touched, tries and uploads are recorded and numbers may be lost: these may differ."""


CONTENT = "sum(hashtextextended(t::text, 0)::numeric)"
WRITERS = "sum(xmin::text::bigint)"


def fingerprint(conn: Connection) -> dict[str, tuple[int, int]]:
    """The row count of every table that has rows, and the sum of its rows' hashes."""
    return _of_each(conn, CONTENT)


def written(conn: Connection) -> dict[str, tuple[int, int]]:
    """As the fingerprint, but of the transactions that wrote the rows: one written anew, even alike, differs."""
    return _of_each(conn, WRITERS)


def _of_each(conn: Connection, figure: str) -> dict[str, tuple[int, int]]:
    tables = [table.name for table in Base.metadata.sorted_tables if table.name not in PASSING]
    stored = "select relname from pg_class where relname = any(%s) and pg_relation_size(oid) > 0 order by 1"
    parts = (
        f"select '{name}', count(*), {figure} from {name} t"
        for (name,) in conn.exec_driver_sql(stored, (tables,))
    )
    return {row[0]: (row[1], row[2]) for row in asked_often(conn, " union all ".join(parts)) if row[1]}


@cache
def sweep() -> str:
    """One statement that says of each check whether it finds anything: a test runs it often, and mostly all is well."""
    ledgers = (check for check in checks.registered() if isinstance(check, checks.Check))
    parts = (f"exists ({check.sql.replace('%', '%%')})" for check in ledgers)
    return f"select array[{', '.join(parts)}]"


def broken(conn: Connection) -> dict[str, list[dict[str, object]]]:
    """The integrity checks of ledgers and bills that find something, with what they found."""
    assert integrity
    if not any(asked_often(conn, sweep()).scalar_one()):
        return {}
    return {finding.check.name: finding.rows for finding in checks.run(conn) if finding.count}


def asked_often(conn: Connection, sql: str, values: Any = None) -> CursorResult[Any]:
    """The answer to a long statement, prepared at its first use: to plan it costs several times what it costs to run."""
    driver: Any = conn.connection.driver_connection
    usual, driver.prepare_threshold = driver.prepare_threshold, 0
    try:
        return conn.exec_driver_sql(sql, values)
    finally:
        driver.prepare_threshold = usual
