"""Installing: again without change, and over an older version of the functions."""

from __future__ import annotations

from sqlalchemy import Connection

from api.ledger import install
from tests.support.ledger_builders import LedgerBench, build_move


def read_function_oid(conn: Connection) -> int:
    return LedgerBench(conn).value("select 'erp_post'::regproc::oid::bigint")


def test_unchanged_functions_stay(conn: Connection) -> None:
    before = read_function_oid(conn)
    install.install(conn)
    assert read_function_oid(conn) == before


def test_changed_ones_replace_the_old(conn: Connection) -> None:
    before = read_function_oid(conn)
    conn.exec_driver_sql("comment on function erp_enter_period(erp_bill) is 'older'")
    conn.exec_driver_sql("drop function erp_lock_goods")
    conn.exec_driver_sql(
        "create function erp_lock_goods(a bigint, b bigint[]) returns int language sql return 1"
    )
    install.install(conn)
    assert read_function_oid(conn) != before
    LedgerBench(conn).post("CGRK1", build_move(1, amount=1))
