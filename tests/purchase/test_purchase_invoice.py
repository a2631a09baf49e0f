"""Purchase invoices: lines of many inbounds and returns of a supplier, each up to its amount; un-auditing frees them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site

_numbers = itertools.count(1)


def audit_inbound(desk: BillClient, **header: Any) -> SavedBill:
    """Audit an inbound of ten pieces at 113, tax 130 inside."""
    line = {"goods_id": desk.world.spares[55], "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.add_audited("purchase_inbound", line, **header)


@pytest.fixture
def bought(desk: BillClient) -> SavedBill:
    return audit_inbound(desk)


def audit_return(desk: BillClient, bought: SavedBill, quantity: str) -> SavedBill:
    [source] = desk.line_ids(bought)
    line = {"goods_id": desk.world.spares[55], "quantity": quantity, "price": "113", "source_line_id": source}
    return desk.add_audited("purchase_return", line)


def build_invoice() -> dict[str, Any]:
    return {"invoice_kind": 3, "invoice_no": f"3300{next(_numbers):08}", "invoice_date": "2026-03-31"}


def list_offered(desk: BillClient, *bills: SavedBill) -> list[dict[str, Any]]:
    asked = {"company_id": desk.world.company_a, "supplier_id": desk.world.supplier}
    rows = desk.caller.get(desk.path("purchase_invoice", "getOpenLines"), **asked).data["data"]
    return [row for row in rows if row["source_no"] in {bill.no for bill in bills}]


def invoice_together(desk: BillClient, *bills: SavedBill) -> Answer:
    query = {"business_date_start": "2026-01-01", "per_page": 500}
    rows = desk.caller.get(desk.path("purchase_uninvoiced", "getList"), **query).data["data"]
    keys = [row["purchase_uninvoiced_id"] for row in rows if row["bill_no"] in {bill.no for bill in bills}]
    return desk.caller.post(desk.path("purchase_uninvoiced", "invoice"), {"ids": keys, **build_invoice()})


def test_receipts_and_returns_in_bulk(desk: BillClient, conn: Connection, bought: SavedBill) -> None:
    second, returned = audit_inbound(desk), audit_return(desk, bought, "2")
    bills = (bought, second, returned)
    assert invoice_together(desk, *bills).ok
    made = desk.caller.get(desk.path("purchase_invoice", "getList"), per_page=1).data["data"][0]
    assert (made["status"], made["total_amount"], made["tax_amount"]) == (1, "2034.00", "234.00")
    invoice = SavedBill("purchase_invoice", made["bill_id"], made["bill_no"])
    assert len(list_offered(desk, *bills)) == 3
    assert desk.apply_action("auditorPass", invoice).ok
    assert list_offered(desk, *bills) == []
    for bill in (second, returned):
        assert desk.read_bill(bill)["invoice_status"] == 2
        assert desk.apply_action("antiAuditor", bill).msg == "该单据已有开票，不能反审核或作废，请先处理发票"
    assert find_broken_checks(conn) == {}
    assert desk.apply_action("invalid", invoice).ok
    assert [row["amount"] for row in list_offered(desk, *bills)] == ["1130.00", "1130.00", "-226.00"]
    assert desk.apply_action("antiAuditor", returned).ok


def test_never_more_than_was_received(desk: BillClient, bought: SavedBill) -> None:
    [line] = list_offered(desk, bought)
    part = desk.add_audited("purchase_invoice", {**line, "amount": "300"}, **build_invoice())
    assert desk.read_bill(bought)["invoice_status"] == 3
    beyond = desk.draft("purchase_invoice", {**line, "amount": "830.01"}, **build_invoice())
    answer = desk.apply_action("auditorPass", beyond)
    assert (answer.code, answer.msg) == (
        400,
        f"超过采购入库{bought.no}第1行的可执行金额（金额 1,130.00 元，已执行 300.00 元，可执行 830.00 元，本次 830.01 元），请核对金额",
    )
    assert desk.apply_action("antiAuditor", part).ok
    assert desk.apply_action("auditorPass", beyond).ok


def test_two_suppliers_are_refused(desk: BillClient, bought: SavedBill) -> None:
    other = audit_inbound(desk, supplier_id=desk.world.supplier2)
    answer = invoice_together(desk, bought, other)
    assert (answer.code, answer.msg) == (400, "一张发票只开给一个供应商，请重新选择")


def add_invoice(desk: BillClient, bought: SavedBill, supplier: int, number: str) -> Answer:
    asked = {"company_id": desk.world.company_a, "supplier_id": supplier}
    rows = desk.caller.get(desk.path("purchase_invoice", "getOpenLines"), **asked).data["data"]
    lines = [{**row, "amount": "1"} for row in rows if row["source_no"] == bought.no]
    return desk.add(
        "purchase_invoice", *lines, supplier_id=supplier, **{**build_invoice(), "invoice_no": number}
    )


class TestNumber:
    def test_two_suppliers_may_have_the_same_number(self, desk: BillClient, bought: SavedBill) -> None:
        other = audit_inbound(desk, supplier_id=desk.world.supplier2)
        assert add_invoice(desk, bought, desk.world.supplier, "00001234").ok
        assert add_invoice(desk, other, desk.world.supplier2, "00001234").ok

    def test_one_supplier_uses_it_once(self, desk: BillClient, bought: SavedBill) -> None:
        first = add_invoice(desk, bought, desk.world.supplier, "00005678").data
        told_twice = add_invoice(desk, bought, desk.world.supplier, "00005678")
        said = f"同一供应商的发票号码00005678已录入采购发票{first['bill_no']}，请核对"
        assert (told_twice.code, told_twice.msg) == (400, said)
        assert desk.apply_action("invalid", SavedBill("purchase_invoice", first["id"], first["bill_no"])).ok
        assert add_invoice(desk, bought, desk.world.supplier, "00005678").ok

    @pytest.mark.parametrize("again", ["ab 7788", "AB7788", " Ab77　88 ", "ａｂ７７８８"])
    def test_blanks_and_small_letters_make_no_other(self, desk: BillClient, again: str) -> None:
        supplier = desk.partner("supplier", f"开票{next(_numbers)}")
        bought = audit_inbound(desk, supplier_id=supplier)
        first = add_invoice(desk, bought, supplier, "ab7788").data
        assert (
            desk.read_bill(SavedBill("purchase_invoice", first["id"], first["bill_no"]))["invoice_no"]
            == "AB7788"
        )
        answer = add_invoice(desk, bought, supplier, again)
        said = f"同一供应商的发票号码AB7788已录入采购发票{first['bill_no']}，请核对"
        assert (answer.code, answer.msg) == (400, said)

    def test_an_edit_takes_no_number_of_another(self, desk: BillClient, bought: SavedBill) -> None:
        first = add_invoice(desk, bought, desk.world.supplier, "00009001").data
        second = add_invoice(desk, bought, desk.world.supplier, "00009002").data
        info = desk.read_bill(SavedBill("purchase_invoice", second["id"], second["bill_no"]))
        path = desk.path("purchase_invoice", "edit")
        assert desk.caller.post(path, {**info, "id": second["id"], "remark": "核对"}).ok
        info = desk.read_bill(SavedBill("purchase_invoice", second["id"], second["bill_no"]))
        answer = desk.caller.post(path, {**info, "id": second["id"], "invoice_no": "00009001"})
        assert (answer.code, first["bill_no"] in answer.msg) == (400, True)

    def test_a_bill_of_a_company_out_of_reach_is_not_named(self, desk: BillClient, site: Site) -> None:
        world = desk.world
        line = {"goods_id": world.spares[55], "quantity": "1", "price": "113", "tax_rate": "13"}
        away = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        received = desk.add_audited("purchase_inbound", line, **away)
        [source] = desk.line_ids(received)
        first = desk.draft(
            "purchase_invoice",
            {"inbound_line_id": source, "amount": "1"},
            **{**build_invoice(), "invoice_no": "00007001"},
            company_id=world.company_b,
        )
        clerk = BillClient(site, "clerk_a")
        answer = add_invoice(clerk, audit_inbound(desk), world.supplier, "00007001")
        assert answer.code == 400
        assert "（其他公司的）" in answer.msg
        assert first.no not in answer.msg
