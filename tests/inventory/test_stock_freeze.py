"""Stock freeze (盘点冻结): a freezing stocktake blocks other bills of its goods until audited, voided or deleted."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from api.ledger import stock_holds
from tests.inventory.test_stock_take import draft_plan, enter_counts
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site


def draft_freeze(desk: BillClient, *goods: int) -> SavedBill:
    return draft_plan(desk, *goods, freezes=True)


def build_message(take: SavedBill, goods: int) -> str:
    return f"盘点单{take.no}正在盘点并冻结出入库：备件{goods}，请等盘点审核、作废或取消冻结后再操作"


def draft_issue(desk: BillClient, goods: int, quantity: str = "1") -> SavedBill:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity})


class TestFreezing:
    def test_its_stock_is_there_but_not_available(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 5)
        draft_freeze(desk, goods)
        assert books.available(goods, world.warehouse_a) == ("5", "0", "0")
        asked = {"goods_id": goods, "company_id": world.company_a, "warehouse_id": world.warehouse_a}
        [picked] = desk.caller.get("v2/inventory/Goods/getGoodsListPopup", **asked).data["data"]
        assert (Decimal(picked["stocks"]), Decimal(picked["available_stocks"])) == (5, 0)
        assert find_broken_checks(conn) == {}

    def test_by_default_a_stocktake_freezes_nothing(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 5)
        draft_plan(desk, goods)
        assert desk.apply_action("auditorPass", draft_issue(desk, goods)).ok
        assert books.available(goods, desk.world.warehouse_a) == ("4", "0", "4")

    @pytest.mark.parametrize("resource", ["other_outbound", "other_inbound", "transfer_out", "location_move"])
    def test_no_other_bill_moves_its_goods(self, desk: BillClient, conn: Connection, resource: str) -> None:
        goods, world = desk.world.spares[2], desk.world
        desk.stock_in(goods, 5)
        more: dict[str, Any] = {"transfer_out": {"to_warehouse_id": world.warehouse2_a}}.get(resource, {})
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        bill = desk.draft(resource, {**line, "to_allocation_id": world.allocation_a}, **more)
        take = draft_freeze(desk, goods)
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, build_message(take, 2))
        assert fingerprint_tables(conn) == before
        assert desk.apply_action("del", take).ok

    def test_what_lands_in_the_warehouse_is_refused_too(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[3], desk.world
        desk.stock_in(goods, 5)
        desk.stock_in(goods, 5, warehouse_id=world.warehouse2_a)
        line = {"goods_id": goods, "quantity": "1"}
        sent = desk.add_audited(
            "transfer_out", line, warehouse_id=world.warehouse2_a, to_warehouse_id=world.warehouse_a
        )
        take = draft_freeze(desk, goods)
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        made = desk.draft("transfer_in", *draft.pop("lines"), **draft)
        assert desk.apply_action("auditorPass", made).msg == build_message(take, 3)

    def test_another_warehouse_goes_on(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[4], desk.world
        desk.stock_in(goods, 5)
        desk.stock_in(goods, 5, warehouse_id=world.warehouse2_a)
        draft_freeze(desk, goods)
        line = {"goods_id": goods, "quantity": "1"}
        desk.add_audited("other_outbound", line, warehouse_id=world.warehouse2_a)

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_nothing_is_taken_back_meanwhile(self, desk: BillClient, action: str) -> None:
        goods = desk.world.spares[5]
        came = desk.stock_in(goods, 5)
        gone = draft_issue(desk, goods)
        assert desk.apply_action("auditorPass", gone).ok
        take = draft_freeze(desk, goods)
        for bill in (gone, came):
            assert desk.apply_action(action, bill).msg == build_message(take, 5)
        assert desk.apply_action("invalid", take).ok

    def test_an_order_reserves_nothing_of_it(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 5)
        draft_freeze(desk, goods)
        desk.add_audited("sales_order", {"goods_id": goods, "quantity": "2", "price": "1"})
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "0")

    def test_goods_are_held_by_one_stocktake(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 5)
        take = draft_freeze(desk, goods)
        answer = desk.add("stock_take", {"goods_id": goods}, freezes=True)
        assert (answer.code, answer.msg) == (400, build_message(take, 7))
        assert draft_plan(desk, goods)
        assert find_broken_checks(conn) == {}


class TestRelease:
    @pytest.mark.parametrize("action", ["invalid", "del"])
    def test_given_up_it_holds_nothing(
        self, desk: BillClient, books: PostingReader, conn: Connection, action: str
    ) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 5)
        take = draft_freeze(desk, goods)
        assert desk.apply_action(action, take).ok
        bill = draft_issue(desk, goods, "5")
        assert desk.apply_action("auditorPass", bill).ok
        assert books.available(goods, desk.world.warehouse_a) == ("0", "0", "0")
        assert find_broken_checks(conn) == {}

    def test_thawed_it_goes_on_counting(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[9]
        desk.stock_in(goods, 5)
        take = draft_freeze(desk, goods)
        assert enter_counts(desk, take, None, freezes=False).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "5")
        assert enter_counts(desk, take, None, freezes=True).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "0")

    def test_goods_that_are_added_are_held_too(self, desk: BillClient, books: PostingReader) -> None:
        goods, other = desk.world.spares[10:12]
        desk.stock_in(goods, 5)
        desk.stock_in(other, 3)
        take = draft_freeze(desk, goods)
        info = desk.read_bill(take)
        lines = [*info["lines"], {"goods_id": other}]
        answer = desk.caller.post(desk.path("stock_take", "edit"), {**info, "id": take.id, "lines": lines})
        assert answer.ok, answer
        assert books.available(other, desk.world.warehouse_a) == ("3", "0", "0")

    def test_its_audit_sets_the_stock_right_and_releases_it(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[12]
        desk.stock_in(goods, 5)
        take = draft_freeze(desk, goods)
        assert enter_counts(desk, take, "4").ok
        assert desk.apply_action("auditorPass", take).ok
        assert books.available(goods, desk.world.warehouse_a) == ("4", "0", "4")
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", take).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "0")
        assert find_broken_checks(conn) == {}

    def test_an_audit_that_is_refused_leaves_it_frozen(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[13]
        desk.stock_in(goods, 5)
        desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "5"}, business_date="2026-03-06")
        take = draft_plan(desk, goods, freezes=True)
        assert enter_counts(desk, take, "4").ok
        assert desk.apply_action("auditorPass", take).msg.startswith("库存不足：备件13")
        assert desk.apply_action("auditorPass", draft_issue(desk, goods)).msg == build_message(take, 13)
        assert find_broken_checks(conn) == {}


class TestAtOnce:
    def test_either_the_issue_is_in_the_snapshot_or_it_is_refused(
        self, site: Site, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        """A plan and issues of the same goods race; whatever came first, the books agree with the snapshot."""
        goods = desk.world.spares[14]
        desk.stock_in(goods, 20)
        bills = [draft_issue(desk, goods) for _ in range(8)]
        answers: list[Answer] = []
        takes: list[SavedBill] = []

        def audit(bill: SavedBill) -> None:
            answers.append(BillClient(site).apply_action("auditorPass", bill))

        def begin() -> None:
            takes.append(draft_freeze(BillClient(site), goods))

        threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
        threads.insert(4, threading.Thread(target=begin))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        [take] = takes
        done = sum(answer.ok for answer in answers)
        raced = "库存不足：备件14缺 1（已被订单占用或冻结）"
        assert {answer.msg for answer in answers if not answer.ok} <= {build_message(take, 14), raced}
        [line] = desk.read_bill(take)["lines"]
        assert Decimal(line["snapshot_quantity"]) == 20 - done
        assert books.available(goods, desk.world.warehouse_a) == (str(20 - done), "0", "0")
        assert find_broken_checks(conn) == {}

    def test_two_plans_of_the_same_goods_one_holds_it(
        self, site: Site, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[15:20]
        for one in goods:
            desk.stock_in(one, 1)
        answers: list[Answer] = []

        def begin(order: list[int]) -> None:
            lines = [{"goods_id": one} for one in order]
            answers.append(BillClient(site).add("stock_take", *lines, freezes=True))

        threads = [threading.Thread(target=begin, args=(order,)) for order in (goods, goods[::-1])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert find_broken_checks(conn) == {}


class TestChecks:
    """Planted faults are found; the planting is rolled back."""

    @pytest.mark.parametrize(
        ("planted", "name"),
        [
            ("delete from stock_hold where bill_id = {take}", "holds_are_of_stocktakes"),
            ("delete from stock_hold where bill_id = {take}", "frozen_is_ledger"),
            ("update stock_hold set quantity = quantity + 1 where bill_id = {take}", "frozen_is_ledger"),
            ("update stock_take set freezes = false where bill_id = {take}", "holds_are_of_stocktakes"),
            ("update stock_hold set bill_no = 'KCPD' where bill_id = {take}", "holds_are_of_stocktakes"),
        ],
    )
    def test_a_corruption_is_found(self, desk: BillClient, conn: Connection, planted: str, name: str) -> None:
        goods = desk.world.spares[20]
        desk.stock_in(goods, 5)
        take = draft_freeze(desk, goods)
        conn.exec_driver_sql(planted.format(take=take.id))
        assert name in find_broken_checks(conn)
        conn.rollback()
        assert desk.apply_action("del", take).ok

    def test_a_hold_stands_until_its_transaction_is_over(self, desk: BillClient, conn: Connection) -> None:
        """Begun and not committed, as when the process is killed, it leaves nothing behind."""
        goods, world = desk.world.spares[21], desk.world
        desk.stock_in(goods, 5)
        stock_holds.sync_stock_holds(conn, world.company_a, world.warehouse_a, (1, "KCPD1"), [goods])
        assert stock_holds.list_active_holds(conn, [(world.warehouse_a, goods)])
        conn.rollback()
        assert not stock_holds.list_active_holds(conn, [(world.warehouse_a, goods)])
        assert find_broken_checks(conn) == {}
