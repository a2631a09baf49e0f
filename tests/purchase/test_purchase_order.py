"""CGDD 采购订单: posts nothing; its lines count what was received, never past what was ordered."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


@pytest.fixture
def order(desk: BillClient) -> SavedBill:
    """Ten audited pieces."""
    return desk.add_audited("purchase_order", {"goods_id": desk.world.oil, "quantity": "10", "price": "20"})


def build_receipt_line(desk: BillClient, order: SavedBill, quantity: str, **more: Any) -> dict[str, Any]:
    [line] = desk.line_ids(order)
    return {"goods_id": desk.world.oil, "quantity": quantity, "price": "20", "order_line_id": line, **more}


class TestAudit:
    def test_it_posts_nothing(self, desk: BillClient, order: SavedBill, conn: Connection) -> None:
        books = PostingReader(conn)
        assert (books.stock(order), books.settlements(order), books.money(order)) == ([], [], [])

    def test_one_by_hand_says_so_and_its_terms(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "20"}
        made = desk.draft("purchase_order", line, delivery_method=2, order_source=2)
        info = desk.read_bill(made)
        assert (info["order_source"], info["delivery_method"]) == (0, 2)
        for source, found in (("0", True), ("2", False)):
            asked = {"order_source": source, "delivery_method": "2", "bill_no": made.no}
            assert desk.caller.get(desk.path("purchase_order", "getList"), **asked).data["total"] == found


class TestExecution:
    def test_the_receiving_status_follows(self, desk: BillClient, order: SavedBill) -> None:
        assert desk.read_bill(order)["receiving_status"] == 1
        desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "4"))
        assert desk.read_bill(order)["receiving_status"] == 3
        assert desk.read_bill(order)["lines"][0]["executed_quantity"] == "4.000"
        desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "6"))
        assert desk.read_bill(order)["receiving_status"] == 2

    def test_more_than_ordered_is_refused_at_the_audit(
        self, desk: BillClient, order: SavedBill, conn: Connection
    ) -> None:
        desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "8"))
        late = desk.draft("purchase_inbound", build_receipt_line(desk, order, "3"))
        answer = desk.apply_action("auditorPass", late)
        assert (answer.code, answer.msg) == (
            400,
            f"超过采购订单{order.no}第1行的可执行数量（数量 10，已执行 8，可执行 2，本次 3），请核对数量",
        )
        assert desk.read_bill(late)["status"] == 1
        assert find_broken_checks(conn) == {}

    def test_two_lines_of_one_bill_count_together(self, desk: BillClient, order: SavedBill) -> None:
        both = desk.draft(
            "purchase_inbound", build_receipt_line(desk, order, "6"), build_receipt_line(desk, order, "6")
        )
        assert desk.apply_action("auditorPass", both).code == 400

    def test_unaudit_of_the_receipt_gives_the_quantity_back(self, desk: BillClient, order: SavedBill) -> None:
        bill = desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "10"))
        assert desk.apply_action("antiAuditor", bill).ok
        assert desk.read_bill(order)["lines"][0]["executed_quantity"] == "0.000"
        assert desk.read_bill(order)["receiving_status"] == 1

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_an_executed_order_is_not_taken_back(
        self, desk: BillClient, order: SavedBill, action: str
    ) -> None:
        desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "1"))
        answer = desk.apply_action(action, order)
        assert answer.code == 400
        assert "订单已有后续单据执行" in answer.msg

    def test_a_closed_order_is_not_executed(self, desk: BillClient, order: SavedBill) -> None:
        bill = desk.draft("purchase_inbound", build_receipt_line(desk, order, "1"))
        assert desk.apply_action("close", order).ok
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, f"采购订单{order.no}不是已审核状态，不能执行")
        assert desk.apply_action("open", order).ok
        assert desk.apply_action("auditorPass", bill).ok

    def test_a_receipt_of_a_closed_order_is_not_taken_back(self, desk: BillClient, order: SavedBill) -> None:
        bill = desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "1"))
        assert desk.apply_action("close", order).ok
        answer = desk.apply_action("antiAuditor", bill)
        assert (answer.code, answer.msg) == (
            400,
            f"采购订单{order.no}不是已审核状态，不能退回已执行数量，请先打开它",
        )


class TestLink:
    def test_other_goods_are_refused(self, desk: BillClient, order: SavedBill) -> None:
        answer = desk.add("purchase_inbound", build_receipt_line(desk, order, "1", goods_id=desk.world.tube))
        assert (answer.code, answer.msg) == (400, "第1行：来源采购订单与本单不匹配")

    def test_another_supplier_is_refused(self, desk: BillClient, order: SavedBill) -> None:
        answer = desk.add(
            "purchase_inbound", build_receipt_line(desk, order, "1"), supplier_id=desk.world.supplier2
        )
        assert (answer.code, answer.msg) == (400, "第1行：来源采购订单与本单不匹配")

    def test_another_company_is_refused(self, desk: BillClient, order: SavedBill) -> None:
        world = desk.world
        answer = desk.add(
            "purchase_inbound",
            build_receipt_line(desk, order, "1"),
            company_id=world.company_b,
            warehouse_id=world.warehouse_b,
        )
        assert (answer.code, answer.msg) == (400, "第1行：来源采购订单与本单不匹配")

    def test_an_unknown_line_is_refused(self, desk: BillClient, order: SavedBill) -> None:
        answer = desk.add("purchase_inbound", build_receipt_line(desk, order, "1", order_line_id=999_999))
        assert answer.code == 400

    def test_an_order_that_a_draft_names_is_neither_deleted_nor_rewritten(self, desk: BillClient) -> None:
        order = desk.draft("purchase_order", {"goods_id": desk.world.oil, "quantity": "1", "price": "1"})
        assert desk.add("purchase_inbound", build_receipt_line(desk, order, "1")).ok
        deleted = desk.apply_action("del", order)
        assert (deleted.code, deleted.msg) == (
            400,
            "单据已被其他单据引用，不能删除，请先删除引用它的单据",
        )
        info = desk.read_bill(order)
        edited = desk.caller.post(desk.path("purchase_order", "edit"), {**info, "id": order.id})
        assert (edited.code, edited.msg) == (
            400,
            "单据已被其他单据引用，不能修改，请先删除引用它的单据",
        )


class TestDraft:
    def test_it_offers_what_is_left(self, desk: BillClient, order: SavedBill) -> None:
        desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "4"))
        answer = desk.caller.get(desk.path("purchase_inbound", "getDraft"), id=order.id)
        assert answer.ok
        assert answer.data["supplier_id"] == desk.world.supplier
        [line] = answer.data["lines"]
        assert (line["quantity"], line["order_line_id"]) == ("6.000", desk.line_ids(order)[0])
        body = {**answer.data, "business_date": "2026-03-06"}
        assert desk.caller.post(desk.path("purchase_inbound", "add"), body).ok

    def test_a_received_order_offers_nothing(self, desk: BillClient, order: SavedBill) -> None:
        desk.add_audited("purchase_inbound", build_receipt_line(desk, order, "10"))
        answer = desk.caller.get(desk.path("purchase_inbound", "getDraft"), id=order.id)
        assert (answer.code, answer.msg) == (400, "采购订单已全部执行")

    def test_an_unaudited_order_offers_nothing(self, desk: BillClient) -> None:
        order = desk.draft("purchase_order", {"goods_id": desk.world.oil, "quantity": "1", "price": "1"})
        answer = desk.caller.get(desk.path("purchase_inbound", "getDraft"), id=order.id)
        assert (answer.code, answer.msg) == (400, f"采购订单{order.no}不是已审核状态")
