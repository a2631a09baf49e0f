"""Journals only grow, and every extracted row carries its transaction."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from api.kit.declaration.posting import MoneyEntry
from api.kit.storage.database import Base
from api.ledger import tables
from tests.support.ledger_builders import LedgerBench, build_move

JOURNALS = sorted(
    cls.__tablename__
    for cls in vars(tables).values()
    if isinstance(cls, type) and issubclass(cls, Base) and issubclass(cls, tables.Journal)
)


@pytest.fixture
def filled(books: LedgerBench) -> Connection:
    books.post("CGRK1", build_move(5, amount=500), money=(MoneyEntry(1, Decimal(5)),))
    books.reserve("XSDD1", 11, 2)
    books.open_receivable("XSCK1", "100")
    return books.conn


def test_all_four_only_grow() -> None:
    assert JOURNALS == ["money_ledger", "reservation_ledger", "settlement_ledger", "stock_ledger"]
    assert all(Base.metadata.tables[name].info["append_only"] for name in JOURNALS)


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.parametrize(
    "change",
    [
        "update {} set bill_no = 'x'",
        "delete from {}",
        "truncate {}",
        "update {} set bill_no = 'x' where false",
    ],
)
def test_update_delete_and_truncate_are_refused(filled: Connection, journal: str, change: str) -> None:
    with pytest.raises(DBAPIError, match="只能追加"):
        filled.exec_driver_sql(change.format(journal))


@pytest.mark.parametrize("table", [*JOURNALS, "settlement_item"])
def test_rows_carry_the_transaction_that_wrote_them(filled: Connection, table: str) -> None:
    now = filled.exec_driver_sql("select pg_current_xact_id()::text").scalar()
    stamps = filled.exec_driver_sql(f"select distinct row_xid::text from {table}").scalars().all()
    assert stamps == [now]


def test_a_row_is_not_reversed_twice(filled: Connection) -> None:
    copy = """insert into money_ledger
        (company_id, receivables_mode_id, amount, bill_type, bill_id, bill_no, business_date, reverses)
        select company_id, receivables_mode_id, -amount, bill_type, bill_id, bill_no, business_date, entry_id
        from money_ledger where reverses is null"""
    filled.exec_driver_sql(copy)
    with pytest.raises(DBAPIError, match="uq_money_ledger_reverses"):
        filled.exec_driver_sql(copy)
