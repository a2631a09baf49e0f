"""Invoices: lines of many outbounds and returns of a customer, each up to its amount, under a number used once."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer

_numbers = itertools.count(1)


@pytest.fixture
def sold(desk: BillClient) -> SavedBill:
    """Ten pieces at 113, tax 130 inside."""
    return sell_goods(desk)


def sell_goods(desk: BillClient, **header: Any) -> SavedBill:
    goods = desk.world.spares[51]
    desk.stock_in(goods, 10)
    line = {"goods_id": goods, "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.add_audited("sales_outbound", line, **header)


def audit_return(desk: BillClient, sold: SavedBill, quantity: str) -> SavedBill:
    [source] = desk.line_ids(sold)
    line = {"goods_id": desk.world.spares[51], "quantity": quantity, "price": "113", "source_line_id": source}
    return desk.add_audited("sales_return", line)


def build_invoice(**more: Any) -> dict[str, Any]:
    number = f"2633{next(_numbers):08}"
    return {"invoice_kind": 3, "invoice_no": number, "invoice_date": "2026-03-31", **more}


def list_offered(desk: BillClient, *bills: SavedBill) -> list[dict[str, Any]]:
    asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
    rows = desk.caller.get(desk.path("sales_invoice", "getOpenLines"), **asked).data["data"]
    return [row for row in rows if row["source_no"] in {bill.no for bill in bills}]


def list_uninvoiced(desk: BillClient, *bills: SavedBill) -> list[dict[str, Any]]:
    query = {"business_date_start": "2026-01-01", "per_page": 500}
    rows = desk.caller.get(desk.path("sales_uninvoiced", "getList"), **query).data["data"]
    return [row for row in rows if row["bill_no"] in {bill.no for bill in bills}]


def invoice_together(desk: BillClient, *bills: SavedBill) -> Answer:
    keys = [row["sales_uninvoiced_id"] for row in list_uninvoiced(desk, *bills)]
    return desk.caller.post(desk.path("sales_uninvoiced", "invoice"), {"ids": keys, **build_invoice()})


class TestInvoice:
    def test_sales_and_returns_under_one_number(self, desk: BillClient, sold: SavedBill) -> None:
        second, returned = sell_goods(desk), audit_return(desk, sold, "2")
        lines = list_offered(desk, sold, second, returned)
        assert [line["amount"] for line in lines] == ["1130.00", "1130.00", "-226.00"]
        made = desk.add_audited("sales_invoice", *lines, **build_invoice())
        info = desk.read_bill(made)
        assert (info["total_amount"], info["tax_amount"], info["no_tax_amount"]) == (
            "2034.00",
            "234.00",
            "1800.00",
        )
        assert [line["quantity"] for line in info["lines"]] == ["10.000", "10.000", "-2.000"]
        assert [line["source_no"] for line in info["lines"]] == [sold.no, second.no, returned.no]
        assert [desk.read_bill(bill)["invoice_status"] for bill in (sold, returned)] == [2, 2]
        assert (
            list_offered(desk, sold, second, returned) == list_uninvoiced(desk, sold, second, returned) == []
        )
        for bill in (second, returned):
            answer = desk.apply_action("antiAuditor", bill)
            assert (answer.code, answer.msg[:7]) == (400, "该单据已有开票")
        assert desk.apply_action("antiAuditor", made).ok
        assert len(list_offered(desk, sold, second, returned)) == 3

    def test_in_parts_and_never_more_than_billed(self, desk: BillClient, sold: SavedBill) -> None:
        [line] = list_offered(desk, sold)
        part = desk.add_audited("sales_invoice", {**line, "amount": "300"}, **build_invoice())
        [stored] = desk.read_bill(part)["lines"]
        assert (stored["quantity"], stored["price"], stored["tax_amount"]) == ("2.655", "113.000000", "34.51")
        assert desk.read_bill(sold)["invoice_status"] == 3
        beyond = desk.draft("sales_invoice", {**line, "amount": "830.01"}, **build_invoice())
        answer = desk.apply_action("auditorPass", beyond)
        assert (answer.code, answer.msg) == (
            400,
            f"超过销售出库{sold.no}第1行的可执行金额（金额 1,130.00 元，已执行 300.00 元，可执行 830.00 元，本次 830.01 元），请核对金额",
        )
        assert desk.apply_action("invalid", part).ok
        assert desk.apply_action("auditorPass", beyond).ok

    def test_a_number_is_used_once_until_its_invoice_is_voided(
        self, desk: BillClient, sold: SavedBill
    ) -> None:
        [line] = list_offered(desk, sold)
        header = build_invoice()
        first = desk.draft("sales_invoice", {**line, "amount": "1"}, **header)
        again = {**line, "amount": "2"}
        said = f"同一公司的发票号码{header['invoice_no']}已录入销售发票{first.no}，请核对"
        answer = desk.add("sales_invoice", again, **header)
        assert (answer.code, answer.msg) == (400, said)
        assert desk.apply_action("invalid", first).ok
        assert desk.add("sales_invoice", again, **header).ok

    def test_two_companies_may_issue_the_same_number(self, desk: BillClient, sold: SavedBill) -> None:
        world, [line], header = desk.world, list_offered(desk, sold), build_invoice()
        away = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        desk.stock_in(world.spares[51], 1, **away)
        piece = {"goods_id": world.spares[51], "quantity": "1", "price": "113"}
        other = desk.add_audited("sales_outbound", piece, customer_id=world.customer_b, **away)
        assert desk.add("sales_invoice", {**line, "amount": "1"}, **header).ok
        [source] = desk.line_ids(other)
        mine = {"outbound_line_id": source, "amount": "1"}
        whose = {"company_id": world.company_b, "customer_id": world.customer_b}
        assert desk.add("sales_invoice", mine, **header, **whose).ok

    def test_signs_follow_the_kind_of_bill(self, desk: BillClient, sold: SavedBill) -> None:
        [line] = list_offered(desk, audit_return(desk, sold, "1"))
        answer = desk.add("sales_invoice", {**line, "amount": "113"}, **build_invoice())
        assert (answer.code, answer.msg) == (400, "第1行：销售退货的金额应为负数")

    def test_it_is_drawn_from_either_bill(self, desk: BillClient, sold: SavedBill) -> None:
        returned = audit_return(desk, sold, "1")
        draft = desk.path("sales_invoice", "getDraft")
        [line] = desk.caller.get(draft, id=returned.id, source="sales_return").data["lines"]
        assert (line["amount"], line["return_line_id"]) == ("-113.00", desk.line_ids(returned)[0])
        assert desk.caller.get(draft, id=sold.id).data["lines"][0]["amount"] == "1130.00"
        assert desk.caller.get(draft, id=sold.id, source="purchase_order").code == 400


class TestInBulk:
    def test_chosen_bills_become_one_unaudited_invoice(self, desk: BillClient, sold: SavedBill) -> None:
        returned = audit_return(desk, sold, "3")
        listed = {row["bill_no"]: row["open_amount"] for row in list_uninvoiced(desk, sold, returned)}
        assert listed == {sold.no: "1130.00", returned.no: "-339.00"}
        assert invoice_together(desk, sold, returned).ok
        made = desk.caller.get(desk.path("sales_invoice", "getList"), per_page=1).data["data"][0]
        assert (made["status"], made["total_amount"]) == (1, "791.00")

    def test_two_customers_are_refused(self, desk: BillClient, sold: SavedBill) -> None:
        other = sell_goods(desk, customer_id=desk.world.customer2_a)
        answer = invoice_together(desk, sold, other)
        assert (answer.code, answer.msg) == (400, "一张发票只开给一个客户，请重新选择")
