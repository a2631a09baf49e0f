"""Receivable-payable offset (应收冲应付), YSYF: settles receivables against payables, and no money moves."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks, fingerprint_tables

_names = itertools.count(1)


@dataclass(frozen=True)
class OffsetPartner:
    """Partner with a receivable of 500 by an outbound and a payable of 300 by an inbound."""

    desk: BillClient
    books: PostingReader
    customer_id: int
    supplier_id: int
    sold: SavedBill
    bought: SavedBill

    def add(self, receivable: str, payable: str) -> Answer:
        rows = (
            {"settlement_id": self.books.item(self.sold), "amount": receivable},
            {"settlement_id": self.books.item(self.bought), "amount": payable},
        )
        return self.desk.add("contra", *rows, customer_id=self.customer_id, supplier_id=self.supplier_id)

    def audit_offset(self, amount: str) -> SavedBill:
        answer = self.add(amount, amount)
        assert answer.ok, answer
        return SavedBill("contra", answer.data["id"], answer.data["bill_no"])

    def list_left(self) -> list[str]:
        return [self.books.settlements(bill)[0][4] for bill in (self.sold, self.bought)]


@pytest.fixture
def partner(desk: BillClient, books: PostingReader) -> OffsetPartner:
    name, goods = f"又买又卖的往来{next(_names)}", desk.world.spares[21]
    customer, supplier = (desk.partner(party, name, payment_days=0) for party in ("customer", "supplier"))
    line = {"goods_id": goods, "quantity": "3", "price": "100"}
    bought = desk.add_audited("purchase_inbound", line, supplier_id=supplier)
    desk.stock_in(goods, 5)
    sold = desk.add_audited("sales_outbound", {**line, "quantity": "5"}, customer_id=customer)
    return OffsetPartner(desk, books, customer, supplier, sold, bought)


def test_its_audit_settles_both_and_moves_no_money(partner: OffsetPartner, conn: Connection) -> None:
    bill = partner.audit_offset("300")
    assert partner.list_left() == ["500.00", "300.00"]
    assert partner.desk.apply_action("auditorPass", bill).ok
    assert partner.desk.read_bill(bill)["amount"] == "300.00"
    assert partner.list_left() == ["200.00", "0.00"]
    assert partner.books.money(bill) == []
    assert find_broken_checks(conn) == {}
    assert partner.desk.apply_action("antiAuditor", bill).ok
    assert partner.list_left() == ["500.00", "300.00"]


def test_both_sides_are_offered(partner: OffsetPartner) -> None:
    asked = {
        "company_id": partner.desk.world.company_a,
        "customer_id": partner.customer_id,
        "supplier_id": partner.supplier_id,
    }
    offered = partner.desk.caller.get("v2/money/Contra/getOpenItems", **asked).data["data"]
    assert {(row["side"], row["bill_no"], row["open_amount"]) for row in offered} == {
        ("应收", partner.sold.no, "500.00"),
        ("应付", partner.bought.no, "300.00"),
    }
    lines = partner.desk.read_bill(partner.audit_offset("1"))["write_offs"]
    assert [line["side"] for line in lines] == ["应收", "应付"]


@pytest.mark.parametrize(
    ("receivable", "payable", "why"),
    [
        ("200", "199.99", "冲抵的两边须相等且大于零：应收 200.00 元，应付 199.99 元"),
        ("300.01", "300.01", "第2行：核销金额超过未核销金额 300.00 元"),
        ("-1", "1", "第1行：核销金额超过未核销金额 500.00 元"),
    ],
)
def test_what_is_refused_changes_nothing(
    partner: OffsetPartner, conn: Connection, receivable: str, payable: str, why: str
) -> None:
    before = fingerprint_tables(conn)
    conn.rollback()
    answer = partner.add(receivable, payable)
    assert answer.code == 400
    assert why in answer.msg
    assert fingerprint_tables(conn) == before


def test_two_partners_are_not_one(partner: OffsetPartner) -> None:
    rows = [{"settlement_id": partner.books.item(partner.sold), "amount": "1"}]
    given = {"customer_id": partner.customer_id, "supplier_id": partner.desk.world.supplier2}
    answer = partner.desk.add("contra", *rows, **given)
    assert "客户和供应商须是同一往来单位（名称相同）" in answer.msg


def test_it_takes_from_the_customers_account(partner: OffsetPartner) -> None:
    bill = partner.audit_offset("120")
    assert partner.desk.apply_action("auditorPass", bill).ok
    days = {"business_date_start": "2026-01-01", "business_date_end": "2026-12-31"}
    path = "v2/custom/AccountLogList/getList"
    found = partner.desk.caller.get(path, customer_id=partner.customer_id, **days).data["data"]
    assert {row["bill_no"]: (row["receivable"], row["balance"]) for row in found} == {
        partner.sold.no: ("500.00", "500.00"),
        bill.no: ("-120.00", "380.00"),
    }
