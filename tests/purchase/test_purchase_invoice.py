"""Purchase invoices: lines of many inbounds and returns of a supplier, each up to its amount; un-auditing frees them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.state import broken

_numbers = itertools.count(1)


def buy(desk: Desk, **header: Any) -> Made:
    """Ten pieces at 113, tax 130 inside."""
    line = {"goods_id": desk.world.spares[55], "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.audited("purchase_inbound", line, **header)


@pytest.fixture
def bought(desk: Desk) -> Made:
    return buy(desk)


def back(desk: Desk, bought: Made, quantity: str) -> Made:
    [source] = desk.line_ids(bought)
    line = {"goods_id": desk.world.spares[55], "quantity": quantity, "price": "113", "source_line_id": source}
    return desk.audited("purchase_return", line)


def told() -> dict[str, Any]:
    return {"invoice_kind": 3, "invoice_no": f"3300{next(_numbers):08}", "invoice_date": "2026-03-31"}


def offered(desk: Desk, *bills: Made) -> list[dict[str, Any]]:
    asked = {"company_id": desk.world.company_a, "supplier_id": desk.world.supplier}
    rows = desk.caller.get(desk.path("purchase_invoice", "getOpenLines"), **asked).data["data"]
    return [row for row in rows if row["source_no"] in {bill.no for bill in bills}]


def at_once(desk: Desk, *bills: Made) -> Answer:
    query = {"business_date_start": "2026-01-01", "per_page": 500}
    rows = desk.caller.get(desk.path("purchase_uninvoiced", "getList"), **query).data["data"]
    keys = [row["purchase_uninvoiced_id"] for row in rows if row["bill_no"] in {bill.no for bill in bills}]
    return desk.caller.post(desk.path("purchase_uninvoiced", "invoice"), {"ids": keys, **told()})


def test_receipts_and_returns_in_bulk(desk: Desk, conn: Connection, bought: Made) -> None:
    second, returned = buy(desk), back(desk, bought, "2")
    bills = (bought, second, returned)
    assert at_once(desk, *bills).ok
    made = desk.caller.get(desk.path("purchase_invoice", "getList"), per_page=1).data["data"][0]
    assert (made["status"], made["total_amount"], made["tax_amount"]) == (1, "2034.00", "234.00")
    invoice = Made("purchase_invoice", made["bill_id"], made["bill_no"])
    assert len(offered(desk, *bills)) == 3
    assert desk.act("auditorPass", invoice).ok
    assert offered(desk, *bills) == []
    for bill in (second, returned):
        assert desk.info(bill)["invoice_status"] == 2
        assert desk.act("antiAuditor", bill).msg == "该单据已有开票，不能反审核或作废，请先处理发票"
    assert broken(conn) == {}
    assert desk.act("invalid", invoice).ok
    assert [row["amount"] for row in offered(desk, *bills)] == ["1130.00", "1130.00", "-226.00"]
    assert desk.act("antiAuditor", returned).ok


def test_never_more_than_was_received(desk: Desk, bought: Made) -> None:
    [line] = offered(desk, bought)
    part = desk.audited("purchase_invoice", {**line, "amount": "300"}, **told())
    assert desk.info(bought)["invoice_status"] == 3
    beyond = desk.draft("purchase_invoice", {**line, "amount": "830.01"}, **told())
    answer = desk.act("auditorPass", beyond)
    assert (answer.code, answer.msg) == (400, "超过采购入库第1行的可执行金额，请核对金额")
    assert desk.act("antiAuditor", part).ok
    assert desk.act("auditorPass", beyond).ok


def test_two_suppliers_are_refused(desk: Desk, bought: Made) -> None:
    other = buy(desk, supplier_id=desk.world.supplier2)
    answer = at_once(desk, bought, other)
    assert (answer.code, answer.msg) == (400, "一张发票只开给一个供应商，请重新选择")
