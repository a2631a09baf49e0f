"""Purchase invoices: lines of many inbounds and returns of a supplier, each up to its amount; un-auditing frees them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site
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
    assert (answer.code, answer.msg) == (
        400,
        f"超过采购入库{bought.no}第1行的可执行金额（金额 1,130.00 元，已执行 300.00 元，可执行 830.00 元，本次 830.01 元），请核对金额",
    )
    assert desk.act("antiAuditor", part).ok
    assert desk.act("auditorPass", beyond).ok


def test_two_suppliers_are_refused(desk: Desk, bought: Made) -> None:
    other = buy(desk, supplier_id=desk.world.supplier2)
    answer = at_once(desk, bought, other)
    assert (answer.code, answer.msg) == (400, "一张发票只开给一个供应商，请重新选择")


def invoiced(desk: Desk, bought: Made, supplier: int, number: str) -> Answer:
    asked = {"company_id": desk.world.company_a, "supplier_id": supplier}
    rows = desk.caller.get(desk.path("purchase_invoice", "getOpenLines"), **asked).data["data"]
    lines = [{**row, "amount": "1"} for row in rows if row["source_no"] == bought.no]
    return desk.add("purchase_invoice", *lines, supplier_id=supplier, **{**told(), "invoice_no": number})


class TestNumber:
    def test_two_suppliers_may_have_the_same_number(self, desk: Desk, bought: Made) -> None:
        other = buy(desk, supplier_id=desk.world.supplier2)
        assert invoiced(desk, bought, desk.world.supplier, "00001234").ok
        assert invoiced(desk, other, desk.world.supplier2, "00001234").ok

    def test_one_supplier_uses_it_once(self, desk: Desk, bought: Made) -> None:
        first = invoiced(desk, bought, desk.world.supplier, "00005678").data
        told_twice = invoiced(desk, bought, desk.world.supplier, "00005678")
        said = f"同一供应商的发票号码00005678已录入采购发票{first['bill_no']}，请核对"
        assert (told_twice.code, told_twice.msg) == (400, said)
        assert desk.act("invalid", Made("purchase_invoice", first["id"], first["bill_no"])).ok
        assert invoiced(desk, bought, desk.world.supplier, "00005678").ok

    @pytest.mark.parametrize("again", ["ab 7788", "AB7788", " Ab77　88 ", "ａｂ７７８８"])
    def test_blanks_and_small_letters_make_no_other(self, desk: Desk, again: str) -> None:
        supplier = desk.partner("supplier", f"开票{next(_numbers)}")
        bought = buy(desk, supplier_id=supplier)
        first = invoiced(desk, bought, supplier, "ab7788").data
        assert desk.info(Made("purchase_invoice", first["id"], first["bill_no"]))["invoice_no"] == "AB7788"
        answer = invoiced(desk, bought, supplier, again)
        said = f"同一供应商的发票号码AB7788已录入采购发票{first['bill_no']}，请核对"
        assert (answer.code, answer.msg) == (400, said)

    def test_an_edit_takes_no_number_of_another(self, desk: Desk, bought: Made) -> None:
        first = invoiced(desk, bought, desk.world.supplier, "00009001").data
        second = invoiced(desk, bought, desk.world.supplier, "00009002").data
        info = desk.info(Made("purchase_invoice", second["id"], second["bill_no"]))
        path = desk.path("purchase_invoice", "edit")
        assert desk.caller.post(path, {**info, "id": second["id"], "remark": "核对"}).ok
        info = desk.info(Made("purchase_invoice", second["id"], second["bill_no"]))
        answer = desk.caller.post(path, {**info, "id": second["id"], "invoice_no": "00009001"})
        assert (answer.code, first["bill_no"] in answer.msg) == (400, True)

    def test_a_bill_of_a_company_out_of_reach_is_not_named(self, desk: Desk, site: Site) -> None:
        world = desk.world
        line = {"goods_id": world.spares[55], "quantity": "1", "price": "113", "tax_rate": "13"}
        away = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        received = desk.audited("purchase_inbound", line, **away)
        [source] = desk.line_ids(received)
        first = desk.draft(
            "purchase_invoice",
            {"inbound_line_id": source, "amount": "1"},
            **{**told(), "invoice_no": "00007001"},
            company_id=world.company_b,
        )
        clerk = Desk(site, "clerk_a")
        answer = invoiced(clerk, buy(desk), world.supplier, "00007001")
        assert answer.code == 400
        assert "（其他公司的）" in answer.msg
        assert first.no not in answer.msg
