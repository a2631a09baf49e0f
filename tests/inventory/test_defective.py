"""CCPD 残次品: defective goods are frozen in their warehouse, and leave it only by the same kind of bill."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


def move_into(desk: BillClient, goods: int, quantity: str) -> SavedBill:
    line = {"goods_id": goods, "quantity": quantity}
    return desk.add_audited("defective", line, kind=1, to_warehouse_id=desk.world.warehouse4_a)


def draft_move_out(desk: BillClient, goods: int, quantity: str, **header: Any) -> SavedBill:
    header = {"kind": 2, "warehouse_id": desk.world.warehouse4_a, **header}
    return desk.draft("defective", {"goods_id": goods, "quantity": quantity}, **header)


class TestInto:
    def test_they_are_stock_but_not_available(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 5)
        move_into(desk, goods, "2")
        assert books.available(goods, world.warehouse_a) == ("3", "0", "3")
        assert books.available(goods, world.warehouse4_a) == ("2", "0", "0")
        assert books.cost(goods, world.company_a) == ("5", "500.00")
        line, there = {"goods_id": goods, "quantity": "1"}, {"warehouse_id": world.warehouse4_a}
        desk.add_audited("surplus_out", line, **there)
        assert books.available(goods, world.warehouse4_a) == ("1", "0", "0")
        assert find_broken_checks(conn) == {}

    def test_a_defective_warehouse_must_be_named(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1"}
        answer = desk.add("defective", line, kind=1)
        assert (answer.code, answer.msg) == (400, "请选择转入仓库（残次品仓）")
        answer = desk.add("defective", line, kind=1, to_warehouse_id=desk.world.warehouse2_a)
        assert (answer.code, answer.msg) == (400, "请选择残次品仓")

    @pytest.mark.parametrize("bill", ["other_outbound", "sales_order", "purchase_inbound", "sales_outbound"])
    def test_other_bills_take_no_defective_warehouse(self, desk: BillClient, bill: str) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "1"}
        answer = desk.add(bill, line, warehouse_id=desk.world.warehouse4_a)
        assert (answer.code, answer.msg) == (400, "请选择正品仓")


class TestOutOf:
    def test_repaired_goods_become_available(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[1], desk.world
        desk.stock_in(goods, 5)
        move_into(desk, goods, "2")
        bill = draft_move_out(desk, goods, "1", to_warehouse_id=world.warehouse_a)
        assert desk.apply_action("auditorPass", bill).ok
        assert books.available(goods, world.warehouse_a) == ("4", "0", "4")
        assert books.available(goods, world.warehouse4_a) == ("1", "0", "0")
        assert find_broken_checks(conn) == {}

    def test_scrapped_goods_leave_at_cost(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 5)
        move_into(desk, goods, "2")
        bill = draft_move_out(desk, goods, "2")
        assert desk.apply_action("auditorPass", bill).ok
        assert books.stock(bill) == [(goods, "-2", "100", "-200.00")]
        assert find_broken_checks(conn) == {}

    def test_more_than_is_frozen_is_refused(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[3], desk.world
        desk.stock_in(goods, 5)
        move_into(desk, goods, "2")
        found = {"goods_id": goods, "quantity": "5"}
        desk.add_audited("stock_surplus", found, warehouse_id=world.warehouse4_a)
        answer = desk.apply_action("auditorPass", draft_move_out(desk, goods, "8"))
        assert (answer.code, answer.msg) == (400, "库存不足：备件3缺 1")

    def test_what_went_out_is_not_taken_back_in(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[4], desk.world
        desk.stock_in(goods, 5)
        came = move_into(desk, goods, "2")
        assert desk.apply_action(
            "auditorPass", draft_move_out(desk, goods, "1", to_warehouse_id=world.warehouse_a)
        ).ok
        answer = desk.apply_action("antiAuditor", came)
        assert answer.code == 400
        assert answer.msg.startswith("该单据的库存已被使用，不能反审核或作废：备件4")
