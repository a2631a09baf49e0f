"""XSDD 销售订单: its audit reserves what is available, shipping uses the reservation up, closing gives it back."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


def audit_order(desk: BillClient, goods: int, quantity: str) -> SavedBill:
    return desk.add_audited("sales_order", {"goods_id": goods, "quantity": quantity, "price": "10"})


def build_shipping_line(desk: BillClient, order: SavedBill, goods: int, quantity: str) -> dict[str, Any]:
    [line] = desk.line_ids(order)
    return {"goods_id": goods, "quantity": quantity, "price": "10", "order_line_id": line}


class TestReservation:
    def test_the_audit_reserves(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 10)
        audit_order(desk, goods, "4")
        assert books.available(goods, desk.world.warehouse_a) == ("10", "4", "6")

    def test_it_reserves_no_more_than_there_is(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 3)
        audit_order(desk, goods, "10")
        assert books.available(goods, desk.world.warehouse_a) == ("3", "3", "0")

    def test_reserved_stock_is_not_sold_to_others(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 10)
        audit_order(desk, goods, "8")
        line = {"goods_id": goods, "quantity": "3", "price": "10"}
        answer = desk.apply_action("auditorPass", desk.draft("sales_outbound", line))
        assert (answer.code, answer.msg) == (400, "库存不足：备件2缺 1（已被订单占用或冻结）")

    def test_shipping_uses_the_reservation_up(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 10)
        order = audit_order(desk, goods, "8")
        bill = desk.add_audited("sales_outbound", build_shipping_line(desk, order, goods, "5"))
        assert books.available(goods, desk.world.warehouse_a) == ("5", "3", "2")
        assert desk.apply_action("antiAuditor", bill).ok
        assert books.available(goods, desk.world.warehouse_a) == ("10", "8", "2")
        assert find_broken_checks(conn) == {}


class TestClose:
    def test_it_gives_back_the_rest_and_keeps_what_was_shipped(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 10)
        order = audit_order(desk, goods, "8")
        desk.add_audited("sales_outbound", build_shipping_line(desk, order, goods, "5"))
        assert desk.apply_action("close", order).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "5")
        assert desk.read_bill(order)["lines"][0]["executed_quantity"] == "5.000"
        assert desk.apply_action("open", order).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "3", "2")
        assert find_broken_checks(conn) == {}

    def test_a_shipment_of_a_closed_order_is_not_taken_back(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        """Its reservation would come back to an order that reserves nothing any more."""
        goods = desk.world.spares[5]
        desk.stock_in(goods, 10)
        order = audit_order(desk, goods, "8")
        bill = desk.add_audited("sales_outbound", build_shipping_line(desk, order, goods, "5"))
        assert desk.apply_action("close", order).ok
        answer = desk.apply_action("antiAuditor", bill)
        assert answer.code == 400
        assert order.no in answer.msg
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "5")
        assert find_broken_checks(conn) == {}

    def test_closing_needs_no_reservation(self, desk: BillClient) -> None:
        order = audit_order(desk, desk.world.spares[6], "8")
        assert desk.apply_action("close", order).ok
        assert desk.apply_action("open", order).ok


class TestExecution:
    def test_shipping_never_passes_the_order(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 20)
        order = audit_order(desk, goods, "8")
        answer = desk.apply_action(
            "auditorPass", desk.draft("sales_outbound", build_shipping_line(desk, order, goods, "9"))
        )
        assert (answer.code, answer.msg) == (
            400,
            f"超过销售订单{order.no}第1行的可执行数量（数量 8，已执行 0，可执行 8，本次 9），请核对数量",
        )
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_a_shipped_order_is_not_taken_back(self, desk: BillClient, action: str) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 20)
        order = audit_order(desk, goods, "8")
        desk.add_audited("sales_outbound", build_shipping_line(desk, order, goods, "1"))
        answer = desk.apply_action(action, order)
        assert answer.code == 400
        assert "订单已有后续单据执行" in answer.msg

    def test_another_customers_order_is_refused(self, desk: BillClient) -> None:
        goods = desk.world.spares[9]
        order = audit_order(desk, goods, "8")
        answer = desk.add(
            "sales_outbound", build_shipping_line(desk, order, goods, "1"), customer_id=desk.world.customer2_a
        )
        assert (answer.code, answer.msg) == (400, "第1行：来源销售订单与本单不匹配")
