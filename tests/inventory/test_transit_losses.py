"""途损: what a transfer lost on the road is booked at its receipt, and the month can close."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import Connection

from api.ledger import close_checks
from tests.inventory.test_transfer import draft_receipt, send_goods
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


def draft_receipt_with_loss(desk: BillClient, sent: SavedBill, lost: str, **header: Any) -> SavedBill:
    """Draft a receipt of a transfer's only line, part of which was lost."""
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    [line] = draft.pop("lines")
    line |= {"lost_quantity": lost, "loss_reason": "运输破损"}
    return desk.draft("transfer_in", line, **{**draft, **header})


def list_transit(books: PostingReader, goods: int) -> list[tuple[Any, ...]]:
    return books.rows(
        "select t.quantity, t.frozen from stock_total t join warehouse w using (warehouse_id)"
        " where w.type = 4 and t.goods_id = %s",
        goods,
    )


class TestBooking:
    def test_what_was_lost_leaves_the_road_at_its_value(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 10)
        sent = send_goods(desk, goods, "10")
        bill = draft_receipt_with_loss(
            desk,
            sent,
            "2",
            liable_logistics_id=world.ids["logistics"],
            compensation_amount="150",
            freight_amount="8",
        )
        assert desk.apply_action("auditorPass", bill).ok
        info = desk.read_bill(bill)
        [(key, number)] = books.rows(
            "select bill_id, bill_no from stock_loss where transfer_in_id = %s", bill.id
        )
        assert (info["loss_bills"], info["lost_amount"]) == (number, "200.00")
        assert (info["compensation_amount"], info["lines"][0]["cost_amount"]) == ("150.00", "800.00")
        loss = SavedBill("stock_loss", key, number)
        assert books.stock(loss) == [(goods, "-2", "100", "-200.00")]
        assert desk.read_bill(loss)["transfer_in_no"] == bill.no
        assert books.stock(bill) == [(goods, "-8", "100", "-800.00"), (goods, "8", "101", "808.00")]
        assert books.available(goods, world.warehouse2_a) == ("8", "0", "8")
        assert list_transit(books, goods) == [("0", "0")]
        assert desk.read_bill(sent)["receiving_status"] == 2
        assert find_broken_checks(conn) == {}

    def test_all_may_be_lost(self, desk: BillClient, books: PostingReader, conn: Connection) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 3)
        bill = draft_receipt_with_loss(desk, send_goods(desk, goods, "3"), "3")
        assert desk.apply_action("auditorPass", bill).ok
        assert (books.stock(bill), list_transit(books, goods)) == ([], [("0", "0")])
        assert books.cost(goods, desk.world.company_a) == ("0", "0.00")
        assert find_broken_checks(conn) == {}

    def test_the_month_can_close(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 3)
        sent = send_goods(desk, goods, "3", remark="月末")

        def waiting() -> set[str]:
            asked = close_checks.run_close_checks(
                conn, desk.world.company_a, date(2026, 3, 1), date(2026, 3, 31)
            )
            found = {
                row["serial"]
                for obstacle in asked
                if obstacle.question.name == "transfers_received"
                for row in obstacle.rows
            }
            conn.rollback()
            return found

        assert sent.no in waiting()
        assert desk.apply_action("auditorPass", draft_receipt_with_loss(desk, sent, "1")).ok
        assert sent.no not in waiting()

    def test_parts_are_lost_of_parts(self, desk: BillClient, books: PostingReader, conn: Connection) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 10)
        sent = send_goods(desk, goods, "10")
        assert desk.apply_action("auditorPass", draft_receipt(desk, sent, "4")).ok
        assert desk.apply_action("auditorPass", draft_receipt_with_loss(desk, sent, "1")).ok
        assert books.available(goods, desk.world.warehouse2_a) == ("9", "0", "9")
        assert list_transit(books, goods) == [("0", "0")]
        assert find_broken_checks(conn) == {}

    def test_a_keeper_of_the_receiving_warehouse_books_it(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods, world = desk.world.spares[4], desk.world
        here = {"warehouse_id": world.warehouse2_a}
        desk.stock_in(goods, 4, **here)
        line = {"goods_id": goods, "quantity": "4"}
        sent = desk.add_audited("transfer_out", line, **here, to_warehouse_id=world.warehouse_a)
        keeper = BillClient(desk.site, "keeper_a")
        bill = draft_receipt_with_loss(desk, sent, "1")
        assert keeper.apply_action("auditorPass", bill).ok
        assert books.available(goods, world.warehouse_a) == ("3", "0", "3")

    def test_lost_numbers_are_lost(self, desk: BillClient, books: PostingReader, conn: Connection) -> None:
        goods, world = desk.world.ids["numbered"], desk.world
        numbers = [f"ROAD-{number}" for number in range(4)]
        line = {"goods_id": goods, "quantity": "4", "price": "113", "tire_numbers": " ".join(numbers)}
        desk.add_audited("other_inbound", line)
        sent = send_goods(desk, goods, "4", tire_numbers=" ".join(numbers))
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        [line] = draft.pop("lines")
        line |= {"lost_quantity": "1", "loss_reason": "丢失", "tire_numbers": " ".join(numbers)}
        answer = desk.add("transfer_in", {**line, "lost_tire_numbers": f"{numbers[0]} X"}, **draft)
        assert "第1行：途损胎号有2个，与途损数量不一致" in answer.msg
        bill = desk.draft("transfer_in", {**line, "lost_tire_numbers": numbers[0].lower()}, **draft)
        assert desk.read_bill(bill)["lines"][0]["tire_numbers"] == " ".join(numbers[1:])
        assert desk.apply_action("auditorPass", bill).ok
        found = books.rows("select number, place from tire_number where number like 'ROAD-%%' order by 1")
        lost, stocked = found[0][1], {place for _, place in found[1:]}
        assert books.rows(
            "select distinct place from tire_number where warehouse_id = %s", world.warehouse2_a
        )[0] == (*stocked,)
        assert lost not in stocked
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", bill).ok
        assert find_broken_checks(conn) == {}


class TestRefusing:
    @pytest.mark.parametrize(
        ("line", "header", "msg"),
        [
            ({"lost_quantity": "3"}, {}, "第1行：途损数量不能超过数量，数量含途损"),
            ({"lost_quantity": "1", "loss_reason": ""}, {}, "第1行：请填写途损原因"),
            ({"lost_quantity": "2"}, {"freight_amount": "5"}, "全部途损，没有到货可分摊运费，请清空运费"),
            (
                {"lost_quantity": "1"},
                {"compensation_amount": "5"},
                "录入途损赔偿时请选择途损物流公司或途损责任人",
            ),
            (
                {"lost_quantity": "0"},
                {"liable_logistics_id": "logistics", "compensation_amount": "5"},
                "没有途损，请清空途损物流公司、途损责任人和途损赔偿",
            ),
            (
                {"lost_quantity": "1"},
                {"liable_logistics_id": "logistics", "liable_employee_id": "employee_a"},
                "途损物流公司和途损责任人请只选一个",
            ),
        ],
    )
    def test_what_does_not_fit(
        self, desk: BillClient, line: dict[str, Any], header: dict[str, Any], msg: str
    ) -> None:
        goods, ids = desk.world.spares[5], desk.world.ids
        desk.stock_in(goods, 2)
        sent = send_goods(desk, goods, "2")
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        [drawn] = draft.pop("lines")
        given = {name: ids.get(value, value) for name, value in header.items()}
        answer = desk.add("transfer_in", {**drawn, "loss_reason": "破损", **line}, **{**draft, **given})
        assert (answer.code, answer.msg) == (400, msg)
        assert desk.apply_action("antiAuditor", sent).ok


class TestTakingBack:
    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_the_loss_stands_and_falls_with_the_receipt(
        self, desk: BillClient, books: PostingReader, conn: Connection, action: str
    ) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 4)
        bill = draft_receipt_with_loss(desk, send_goods(desk, goods, "4"), "1")
        assert desk.apply_action("auditorPass", bill).ok
        [(key, number)] = books.rows(
            "select bill_id, bill_no from stock_loss where transfer_in_id = %s", bill.id
        )
        loss = SavedBill("stock_loss", key, number)
        answer = desk.apply_action("antiAuditor", loss)
        assert (answer.code, answer.msg) == (400, f"该单据由调拨入库{bill.no}生成，请反审核或作废调拨入库")
        assert desk.apply_action(action, bill).ok
        assert desk.read_bill(loss)["status"] == 3
        assert ("4", "4") in list_transit(books, goods) or list_transit(books, goods) == [("8", "8")]
        assert find_broken_checks(conn) == {}


class TestChecks:
    def test_a_loss_that_was_not_posted_is_found(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 4)
        bill = draft_receipt_with_loss(desk, send_goods(desk, goods, "4"), "1")
        assert desk.apply_action("auditorPass", bill).ok
        conn.exec_driver_sql("update transfer_in_line set lost_quantity = 2 where bill_id = %s", (bill.id,))
        assert {"losses_of_transfers_are_posted", "transfer_in_moves"} <= find_broken_checks(conn).keys()
        conn.rollback()
        assert find_broken_checks(conn) == {}
