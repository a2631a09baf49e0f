"""Integrity checks: silent on sound books, and each finds the corruption that it is there for."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sqlalchemy import Connection

from api.kit.declaration.posting import MoneyEntry, SettlementOpen, WriteOff
from api.ledger import integrity_checks
from api.ledger.integrity_checks import Check
from tests.support.ledger_builders import DUE, WAREHOUSE, LedgerBench, build_move

COLUMNS = (
    "company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount, bill_type, bill_id,"
    " bill_no, line_id, business_date"
)
# What to plant for each check; journals are opened for it first.
CORRUPTIONS = {
    "stock_balance_is_ledger": "update stock_balance set quantity = quantity + 1 where batch_id = 1",
    "stock_total_is_balance": "delete from stock_total where goods_id = 101",
    "cost_balance_is_ledger": "update cost_balance set amount = amount + 0.01 where goods_id = 100",
    "latest_date_is_ledger": "update cost_balance set latest_date = latest_date - 1 where goods_id = 100",
    "no_stock_no_value": "update stock_ledger set amount = amount + 0.01 where goods_id = 102 and quantity > 0",
    "stock_has_value": "update stock_ledger set amount = -1000 where goods_id = 101",
    "value_moves_with_goods": "update stock_ledger set amount = -amount where goods_id = 101",
    "last_unit_cost_is_ledger": "update cost_balance set last_unit_cost = 1 where goods_id = 100",
    "returns_within_delivery": "update stock_ledger set quantity = 99 where origin_line_id = 11 and reverses is null",
    "warehouse_has_one_company": "update stock_ledger set company_id = 2 where goods_id = 101",
    "frozen_is_ledger": "update stock_total set frozen = 1 where goods_id = 101",
    "pool_is_the_warehouse": "update stock_ledger set pool_id = 77 where bill_no = 'CGRK1'",
    "reserved_is_ledger": "update stock_total set reserved = reserved + 1 where goods_id = 100",
    "reservation_not_negative": "update reservation_ledger set quantity = 0 where quantity > 0",
    "settlement_open_is_ledger": "update settlement_item set open_amount = open_amount - 1 where bill_no = 'XSCK1'",
    "settlement_amount_is_opened": "update settlement_item set amount = amount + 1 where bill_no = 'XSCK1'",
    "settlement_due_follows_bill": "update settlement_item set due_date = business_date - 1 where bill_no = 'XSCK1'",
    "settlement_open_within_amount": "update settlement_item set open_amount = amount + 1 where bill_no = 'XSCK1'",
    "settlement_open_on_every_day": "update settlement_ledger set business_date = business_date - 1"
    " where bill_no = 'KHSK1'",
    "waived_settles": "update settlement_ledger set waived = true where entry = 'open'",
    "money_balance_is_ledger": "update money_balance set amount = amount - 1",
    "stock_reversals_negate": "update stock_ledger set amount = amount - 1 where reverses is not null",
    "reservation_reversals_negate": "update reservation_ledger set goods_id = 101 where reverses is not null",
    "settlement_reversals_negate": "update settlement_ledger set reverses = 0 where reverses is not null",
    "money_reversals_negate": "update money_ledger set amount = amount - 1 where reverses is not null",
    "differences_follow_their_rows": f"insert into stock_ledger ({COLUMNS}, corrects)"
    f" select {COLUMNS.replace('quantity', '0').replace('line_id', 'line_id + 1')}, ledger_id from stock_ledger where bill_no = 'XSCK1'",
    "bill_stands_once": f"insert into stock_ledger ({COLUMNS}, row_xid)"
    f" select {COLUMNS}, '9' from stock_ledger where bill_no = 'XSCK1'",
    "stock_not_negative": f"update stock_balance set quantity = -1 where warehouse_id = {WAREHOUSE}",
    "stock_days_not_negative": "update stock_ledger set business_date = business_date + 3 where bill_no = 'CGRK1'",
}
CONSTRAINTS = (
    "alter table settlement_item drop constraint ck_settlement_item_open_amount",
    "alter table cost_balance drop constraint ck_cost_balance_stock_has_value",
    "alter table cost_balance drop constraint ck_cost_balance_nothing_is_worth_nothing",
)
JOURNALS = ("stock_ledger", "reservation_ledger", "settlement_ledger", "money_ledger")
NEGATIVE = (
    integrity_checks.build_negative_stock_check("select 999"),
    integrity_checks.build_negative_days_check("select 999"),
)
ALL = {check.name: check for check in (*integrity_checks.LEDGER_CHECKS, *NEGATIVE)}


@pytest.fixture
def lived(books: LedgerBench) -> LedgerBench:
    """Books with something of everything, reversals included."""
    books.post(
        "CGRK1",
        build_move(9, amount=500, batch_id=1),
        build_move(4, 101, line=2, amount=80),
        build_move(2, 102, line=3, amount=7),
    )
    books.reserve("XSDD1", 7, 3)
    sale = SettlementOpen("customer", 5, Decimal(300), DUE)
    books.post(
        "XSCK1", build_move(-3, line=11, order_line_id=7), build_move(-2, 102, line=12), settlements=(sale,)
    )
    item = books.value("select max(settlement_id) from settlement_item")
    books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)))
    for bill_no in ("KHSK1", "KHSK2"):
        paid = Decimal(100)
        books.post(bill_no, write_offs=(WriteOff(item, paid),), money=(MoneyEntry(1, paid),))
    books.reserve("XSDD2", 8, 1)
    for bill_no in ("KHSK2", "XSDD2", "XSTH1"):
        books.reverse(bill_no)
    return books


def find_corruption(conn: Connection) -> dict[str, int]:
    return {
        finding.check.name: finding.count
        for finding in integrity_checks.run_checks(conn, ALL.values())
        if finding.count
    }


def test_sound_books_show_nothing(lived: LedgerBench) -> None:
    assert find_corruption(lived.conn) == {}


def test_every_check_has_its_corruption() -> None:
    assert set(ALL) == set(CORRUPTIONS)
    assert all(check.label and check.name.isidentifier() for check in ALL.values())


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_its_corruption_is_found(lived: LedgerBench, name: str) -> None:
    conn = lived.conn
    for constraint in CONSTRAINTS:
        conn.exec_driver_sql(constraint)
    for journal in JOURNALS:
        conn.exec_driver_sql(f"alter table {journal} disable trigger user")
    conn.exec_driver_sql(CORRUPTIONS[name])
    assert name in find_corruption(conn)


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        integrity_checks.register_checks(integrity_checks.LEDGER_CHECKS[0])


def test_a_finding_counts_all_and_shows_some(lived: LedgerBench) -> None:
    many = Check("many", "很多", "select n, 'x%' as text from generate_series(1, 50) n")
    [finding] = integrity_checks.run_checks(lived.conn, [many])
    assert finding.count == 50
    assert len(finding.rows) == integrity_checks.SAMPLE
    assert finding.rows[0] == {"n": 1, "text": "x%"}
