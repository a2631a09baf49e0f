"""Consignment: goods at a customer's place stay ours; a settlement sells them at their cost, a return brings them back."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.kit.desk import Books, Desk, Made

_places = itertools.count(20)


@pytest.fixture
def consigned(desk: Desk) -> Made:
    """Ten pieces that cost 100 each, at 226 with tax."""
    goods = desk.world.spares[next(_places)]
    desk.stock_in(goods, 10)
    return desk.audited("consignment_sale", {"goods_id": goods, "quantity": "10", "price": "226"})


def goods_of(desk: Desk, consigned: Made) -> int:
    return int(desk.info(consigned)["lines"][0]["goods_id"])


def rest(desk: Desk, resource: str, consigned: Made, quantity: str) -> dict[str, Any]:
    asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
    rows = desk.caller.get(desk.path(resource, "getOpenLines"), **asked).data["data"]
    [line] = [row for row in rows if row["source_no"] == consigned.no]
    return {**line, "quantity": quantity}


def settled(desk: Desk, consigned: Made, quantity: str, **header: Any) -> Made:
    return desk.audited(
        "consignment_settlement", rest(desk, "consignment_settlement", consigned, quantity), **header
    )


def outbound_of(desk: Desk, settlement: Made) -> Made:
    number = desk.info(settlement)["outbound_no"]
    [row] = desk.caller.get(desk.path("sales_outbound", "getList"), bill_no=number).data["data"]
    return Made("sales_outbound", row["bill_id"], number)


class TestConsignment:
    def test_goods_stay_ours_but_are_not_for_sale(self, desk: Desk, books: Books, consigned: Made) -> None:
        goods, world = goods_of(desk, consigned), desk.world
        there = desk.info(consigned)["consignment_warehouse_id"]
        assert books.available(goods, world.warehouse_a)[2] == "0"
        assert books.available(goods, there)[::2] == ("10", "0")
        assert books.cost(goods, world.company_a)[1] == "1000.00"
        assert books.settlements(consigned) == []
        assert desk.act("antiAuditor", consigned).ok
        assert books.available(goods, world.warehouse_a)[2] == "10"

    def test_a_settlement_sells_at_cost_and_opens_the_receivable(
        self, desk: Desk, books: Books, consigned: Made
    ) -> None:
        goods = goods_of(desk, consigned)
        made = settled(desk, consigned, "4", business_date="2026-03-20")
        sold = outbound_of(desk, made)
        assert books.stock(sold) == [(goods, "-4", "100", "-400.00")]
        assert books.settlements(sold)[0][2:] == ("bill", "904.00", "904.00", "2026-04-04")
        assert desk.info(consigned)["settlement_status"] == 3
        alone = desk.act("antiAuditor", sold)
        told = f"该出库单由寄售结算{made.no}生成，请反审核或作废寄售结算"
        assert (alone.code, alone.msg) == (400, told)
        assert desk.act("antiAuditor", consigned).code == 400
        assert desk.act("antiAuditor", made).ok
        assert (desk.info(sold)["status"], desk.info(made)["outbound_no"]) == (3, None)
        assert desk.act("auditorPass", made).ok

    def test_what_was_settled_comes_back_into_a_warehouse_that_one_chooses(
        self, desk: Desk, consigned: Made
    ) -> None:
        """The consignment warehouse, where it was sold from, is the system's: a draft doesn't propose it."""
        sold = outbound_of(desk, settled(desk, consigned, "4"))
        draft = desk.caller.get(desk.path("sales_return", "getDraft"), id=sold.id).data
        assert (draft["warehouse_id"], draft["warehouse_name"]) == (None, None)
        lines = draft.pop("lines")
        assert desk.add("sales_return", *lines, **draft).msg == "请选择仓库"
        desk.audited("sales_return", *lines, **{**draft, "warehouse_id": desk.world.warehouse_a})

    def test_never_more_than_is_left_there(self, desk: Desk, consigned: Made) -> None:
        late = desk.draft("consignment_settlement", rest(desk, "consignment_settlement", consigned, "8"))
        settled(desk, consigned, "3")
        answer = desk.act("auditorPass", late)
        assert (answer.code, answer.msg) == (
            400,
            f"超过寄售销售{consigned.no}第1行的可执行数量（数量 10，已执行 3，可执行 7，本次 8），请核对数量",
        )

    def test_what_is_not_sold_comes_back(self, desk: Desk, books: Books, consigned: Made) -> None:
        goods, world = goods_of(desk, consigned), desk.world
        settled(desk, consigned, "4")
        line = rest(desk, "consignment_return", consigned, "6")
        back = desk.audited("consignment_return", line, warehouse_id=world.warehouse2_a)
        assert books.available(goods, world.warehouse2_a)[2] == "6"
        assert books.cost(goods, world.company_a) == ("6", "600.00")
        assert desk.info(back)["lines"][0]["cost_amount"] == "600.00"
        assert desk.info(consigned)["settlement_status"] == 2

    def test_what_was_settled_needs_no_delivery_but_an_invoice(self, desk: Desk, consigned: Made) -> None:
        sold = outbound_of(desk, settled(desk, consigned, "4"))
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
