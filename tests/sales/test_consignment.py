"""Consignment: goods at a customer's place stay ours; a settlement sells them at their cost, a return brings them back."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.support.bill_client import BillClient, PostingReader, SavedBill

_places = itertools.count(20)


@pytest.fixture
def consigned(desk: BillClient) -> SavedBill:
    """Ten pieces that cost 100 each, at 226 with tax."""
    goods = desk.world.spares[next(_places)]
    desk.stock_in(goods, 10)
    return desk.add_audited("consignment_sale", {"goods_id": goods, "quantity": "10", "price": "226"})


def read_goods(desk: BillClient, consigned: SavedBill) -> int:
    return int(desk.read_bill(consigned)["lines"][0]["goods_id"])


def build_rest_line(desk: BillClient, resource: str, consigned: SavedBill, quantity: str) -> dict[str, Any]:
    asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
    rows = desk.caller.get(desk.path(resource, "getOpenLines"), **asked).data["data"]
    [line] = [row for row in rows if row["source_no"] == consigned.no]
    return {**line, "quantity": quantity}


def audit_settlement(desk: BillClient, consigned: SavedBill, quantity: str, **header: Any) -> SavedBill:
    return desk.add_audited(
        "consignment_settlement",
        build_rest_line(desk, "consignment_settlement", consigned, quantity),
        **header,
    )


def find_outbound(desk: BillClient, settlement: SavedBill) -> SavedBill:
    number = desk.read_bill(settlement)["outbound_no"]
    [row] = desk.caller.get(desk.path("sales_outbound", "getList"), bill_no=number).data["data"]
    return SavedBill("sales_outbound", row["bill_id"], number)


class TestConsignment:
    def test_goods_stay_ours_but_are_not_for_sale(
        self, desk: BillClient, books: PostingReader, consigned: SavedBill
    ) -> None:
        goods, world = read_goods(desk, consigned), desk.world
        there = desk.read_bill(consigned)["consignment_warehouse_id"]
        assert books.available(goods, world.warehouse_a)[2] == "0"
        assert books.available(goods, there)[::2] == ("10", "0")
        assert books.cost(goods, world.company_a)[1] == "1000.00"
        assert books.settlements(consigned) == []
        assert desk.apply_action("antiAuditor", consigned).ok
        assert books.available(goods, world.warehouse_a)[2] == "10"

    def test_a_settlement_sells_at_cost_and_opens_the_receivable(
        self, desk: BillClient, books: PostingReader, consigned: SavedBill
    ) -> None:
        goods = read_goods(desk, consigned)
        made = audit_settlement(desk, consigned, "4", business_date="2026-03-20")
        sold = find_outbound(desk, made)
        assert books.stock(sold) == [(goods, "-4", "100", "-400.00")]
        assert books.settlements(sold)[0][2:] == ("bill", "904.00", "904.00", "2026-04-04")
        assert desk.read_bill(consigned)["settlement_status"] == 3
        alone = desk.apply_action("antiAuditor", sold)
        told = f"该出库单由寄售结算{made.no}生成，请反审核或作废寄售结算"
        assert (alone.code, alone.msg) == (400, told)
        assert desk.apply_action("antiAuditor", consigned).code == 400
        assert desk.apply_action("antiAuditor", made).ok
        assert (desk.read_bill(sold)["status"], desk.read_bill(made)["outbound_no"]) == (3, None)
        assert desk.apply_action("auditorPass", made).ok

    def test_what_was_settled_comes_back_into_a_warehouse_that_one_chooses(
        self, desk: BillClient, consigned: SavedBill
    ) -> None:
        """The consignment warehouse, where it was sold from, is the system's: a draft doesn't propose it."""
        sold = find_outbound(desk, audit_settlement(desk, consigned, "4"))
        draft = desk.caller.get(desk.path("sales_return", "getDraft"), id=sold.id).data
        assert (draft["warehouse_id"], draft["warehouse_name"]) == (None, None)
        lines = draft.pop("lines")
        assert desk.add("sales_return", *lines, **draft).msg == "请选择仓库"
        desk.add_audited("sales_return", *lines, **{**draft, "warehouse_id": desk.world.warehouse_a})

    def test_never_more_than_is_left_there(self, desk: BillClient, consigned: SavedBill) -> None:
        late = desk.draft(
            "consignment_settlement", build_rest_line(desk, "consignment_settlement", consigned, "8")
        )
        audit_settlement(desk, consigned, "3")
        answer = desk.apply_action("auditorPass", late)
        assert (answer.code, answer.msg) == (
            400,
            f"超过寄售销售{consigned.no}第1行的可执行数量（数量 10，已执行 3，可执行 7，本次 8），请核对数量",
        )

    def test_what_is_not_sold_comes_back(
        self, desk: BillClient, books: PostingReader, consigned: SavedBill
    ) -> None:
        goods, world = read_goods(desk, consigned), desk.world
        audit_settlement(desk, consigned, "4")
        line = build_rest_line(desk, "consignment_return", consigned, "6")
        back = desk.add_audited("consignment_return", line, warehouse_id=world.warehouse2_a)
        assert books.available(goods, world.warehouse2_a)[2] == "6"
        assert books.cost(goods, world.company_a) == ("6", "600.00")
        assert desk.read_bill(back)["lines"][0]["cost_amount"] == "600.00"
        assert desk.read_bill(consigned)["settlement_status"] == 2

    def test_what_was_settled_needs_no_delivery_but_an_invoice(
        self, desk: BillClient, consigned: SavedBill
    ) -> None:
        sold = find_outbound(desk, audit_settlement(desk, consigned, "4"))
        asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}

        def offered(resource: str) -> set[str]:
            rows = desk.caller.get(desk.path(resource, "getOpenLines"), **asked).data["data"]
            return {row["source_no"] for row in rows}

        assert sold.no not in offered("sales_delivery")
        assert sold.no in offered("sales_invoice")
        [source] = desk.line_ids(sold)
        line = {"source_line_id": source, "quantity": "1"}
        keys = ("delivery_mode", "logistics", "logistics_driver")
        header = {f"{name}_id": desk.world.ids[name] for name in keys}
        assert "与本单不匹配" in desk.add("sales_delivery", line, **header).msg
