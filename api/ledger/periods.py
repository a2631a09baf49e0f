"""Accounting periods (会计期间): closing and opening a company's month against postings in flight."""

from __future__ import annotations

from sqlalchemy import Connection

# The exclusive lock waits for postings in flight; postings that come meanwhile are refused (sql/20_guards.sql).
_ENTER = "select pg_advisory_xact_lock(erp_period_key(%s, %s))"
_SET = """
insert into accounting_period (company_id, period, status) values (%s, %s, %s)
on conflict (company_id, period) do update set status = excluded.status
"""
_CLOSED_MONTHS = """
select count(*) from accounting_period where company_id = %s and status = 1 and left(period, 4) = %s
"""


def close_period(conn: Connection, company_id: int, period: str) -> None:
    """Close `period` (`YYYY-MM`). From here to the end of the transaction nobody posts into it, nor afterwards.

    Call it before touching the period's bills, so that an audit that holds one of them is never waited for in a ring.
    """
    conn.exec_driver_sql(_ENTER, (company_id, period))
    conn.exec_driver_sql(_SET, (company_id, period, 1))


def open_period(conn: Connection, company_id: int, period: str) -> None:
    """Open `period` again."""
    conn.exec_driver_sql(_ENTER, (company_id, period))
    conn.exec_driver_sql(_SET, (company_id, period, 0))


def lock_year(conn: Connection, company_id: int, year: str) -> int:
    """Lock every month of `year` until the transaction ends; returns how many of them are closed."""
    for month in range(1, 13):
        conn.exec_driver_sql(_ENTER, (company_id, f"{year}-{month:02}"))
    closed: int = conn.exec_driver_sql(_CLOSED_MONTHS, (company_id, year)).scalar_one()
    return closed
