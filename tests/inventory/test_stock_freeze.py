"""盘点冻结: a stocktake that freezes lets nobody else move its goods, until it is audited, voided, deleted or thaws."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from api.ledger import holds
from tests.inventory.test_stock_take import count, plan
from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken, fingerprint


def freeze(desk: Desk, *goods: int) -> Made:
    return plan(desk, *goods, freezes=True)


def told(take: Made, goods: int) -> str:
    return f"盘点单{take.no}正在盘点并冻结出入库：备件{goods}，请等盘点审核、作废或取消冻结后再操作"


def issue(desk: Desk, goods: int, quantity: str = "1") -> Made:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity})


class TestFreezing:
    def test_its_stock_is_there_but_not_available(self, desk: Desk, books: Books, conn: Connection) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 5)
        freeze(desk, goods)
        assert books.available(goods, world.warehouse_a) == ("5", "0", "0")
        asked = {"goods_id": goods, "company_id": world.company_a, "warehouse_id": world.warehouse_a}
        [picked] = desk.caller.get("v2/inventory/Goods/getGoodsListPopup", **asked).data["data"]
        assert (Decimal(picked["stocks"]), Decimal(picked["available_stocks"])) == (5, 0)
        assert broken(conn) == {}

    def test_by_default_a_stocktake_freezes_nothing(self, desk: Desk, books: Books) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 5)
        plan(desk, goods)
        assert desk.act("auditorPass", issue(desk, goods)).ok
        assert books.available(goods, desk.world.warehouse_a) == ("4", "0", "4")

    @pytest.mark.parametrize("resource", ["other_outbound", "other_inbound", "transfer_out", "location_move"])
    def test_no_other_bill_moves_its_goods(self, desk: Desk, conn: Connection, resource: str) -> None:
        goods, world = desk.world.spares[2], desk.world
        desk.stock_in(goods, 5)
        more: dict[str, Any] = {"transfer_out": {"to_warehouse_id": world.warehouse2_a}}.get(resource, {})
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        bill = desk.draft(resource, {**line, "to_allocation_id": world.allocation_a}, **more)
        take = freeze(desk, goods)
        before = fingerprint(conn)
        conn.rollback()
        answer = desk.act("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, told(take, 2))
        assert fingerprint(conn) == before
        assert desk.act("del", take).ok

    def test_what_lands_in_the_warehouse_is_refused_too(self, desk: Desk) -> None:
        goods, world = desk.world.spares[3], desk.world
        desk.stock_in(goods, 5)
        desk.stock_in(goods, 5, warehouse_id=world.warehouse2_a)
        line = {"goods_id": goods, "quantity": "1"}
        sent = desk.audited(
            "transfer_out", line, warehouse_id=world.warehouse2_a, to_warehouse_id=world.warehouse_a
        )
        take = freeze(desk, goods)
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        made = desk.draft("transfer_in", *draft.pop("lines"), **draft)
        assert desk.act("auditorPass", made).msg == told(take, 3)

    def test_another_warehouse_goes_on(self, desk: Desk) -> None:
        goods, world = desk.world.spares[4], desk.world
        desk.stock_in(goods, 5)
        desk.stock_in(goods, 5, warehouse_id=world.warehouse2_a)
        freeze(desk, goods)
        line = {"goods_id": goods, "quantity": "1"}
        desk.audited("other_outbound", line, warehouse_id=world.warehouse2_a)

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_nothing_is_taken_back_meanwhile(self, desk: Desk, action: str) -> None:
        goods = desk.world.spares[5]
        came = desk.stock_in(goods, 5)
        gone = issue(desk, goods)
        assert desk.act("auditorPass", gone).ok
        take = freeze(desk, goods)
        for bill in (gone, came):
            assert desk.act(action, bill).msg == told(take, 5)
        assert desk.act("invalid", take).ok

    def test_an_order_reserves_nothing_of_it(self, desk: Desk, books: Books) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 5)
        freeze(desk, goods)
        desk.audited("sales_order", {"goods_id": goods, "quantity": "2", "price": "1"})
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "0")

    def test_goods_are_held_by_one_stocktake(self, desk: Desk, conn: Connection) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 5)
        take = freeze(desk, goods)
        answer = desk.add("stock_take", {"goods_id": goods}, freezes=True)
        assert (answer.code, answer.msg) == (400, told(take, 7))
        assert plan(desk, goods)
        assert broken(conn) == {}


class TestRelease:
    @pytest.mark.parametrize("action", ["invalid", "del"])
    def test_given_up_it_holds_nothing(self, desk: Desk, books: Books, conn: Connection, action: str) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 5)
        take = freeze(desk, goods)
        assert desk.act(action, take).ok
        bill = issue(desk, goods, "5")
        assert desk.act("auditorPass", bill).ok
        assert books.available(goods, desk.world.warehouse_a) == ("0", "0", "0")
        assert broken(conn) == {}

    def test_thawed_it_goes_on_counting(self, desk: Desk, books: Books) -> None:
        goods = desk.world.spares[9]
        desk.stock_in(goods, 5)
        take = freeze(desk, goods)
        assert count(desk, take, None, freezes=False).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "5")
        assert count(desk, take, None, freezes=True).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "0")

    def test_goods_that_are_added_are_held_too(self, desk: Desk, books: Books) -> None:
        goods, other = desk.world.spares[10:12]
        desk.stock_in(goods, 5)
        desk.stock_in(other, 3)
        take = freeze(desk, goods)
        info = desk.info(take)
        lines = [*info["lines"], {"goods_id": other}]
        answer = desk.caller.post(desk.path("stock_take", "edit"), {**info, "id": take.id, "lines": lines})
        assert answer.ok, answer
        assert books.available(other, desk.world.warehouse_a) == ("3", "0", "0")

    def test_its_audit_sets_the_stock_right_and_releases_it(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[12]
        desk.stock_in(goods, 5)
        take = freeze(desk, goods)
        assert count(desk, take, "4").ok
        assert desk.act("auditorPass", take).ok
        assert books.available(goods, desk.world.warehouse_a) == ("4", "0", "4")
        assert broken(conn) == {}
        assert desk.act("antiAuditor", take).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "0")
        assert broken(conn) == {}

    def test_an_audit_that_is_refused_leaves_it_frozen(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[13]
        desk.stock_in(goods, 5)
        desk.audited("other_outbound", {"goods_id": goods, "quantity": "5"}, business_date="2026-03-06")
        take = plan(desk, goods, freezes=True)
        assert count(desk, take, "4").ok
        assert desk.act("auditorPass", take).msg.startswith("库存不足：备件13")
        assert desk.act("auditorPass", issue(desk, goods)).msg == told(take, 13)
        assert broken(conn) == {}


class TestAtOnce:
    def test_either_the_issue_is_in_the_snapshot_or_it_is_refused(
        self, site: Site, desk: Desk, books: Books, conn: Connection
    ) -> None:
        """A plan and issues of the same goods race; whatever came first, the books agree with the snapshot."""
        goods = desk.world.spares[14]
        desk.stock_in(goods, 20)
        bills = [issue(desk, goods) for _ in range(8)]
        answers: list[Answer] = []
        takes: list[Made] = []

        def audit(bill: Made) -> None:
            answers.append(Desk(site).act("auditorPass", bill))

        def begin() -> None:
            takes.append(freeze(Desk(site), goods))

        threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
        threads.insert(4, threading.Thread(target=begin))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        [take] = takes
        done = sum(answer.ok for answer in answers)
        raced = "库存不足：备件14缺 1（已被订单占用或冻结）"
        assert {answer.msg for answer in answers if not answer.ok} <= {told(take, 14), raced}
        [line] = desk.info(take)["lines"]
        assert Decimal(line["snapshot_quantity"]) == 20 - done
        assert books.available(goods, desk.world.warehouse_a) == (str(20 - done), "0", "0")
        assert broken(conn) == {}

    def test_two_plans_of_the_same_goods_one_holds_it(self, site: Site, desk: Desk, conn: Connection) -> None:
        goods = desk.world.spares[15:20]
        for one in goods:
            desk.stock_in(one, 1)
        answers: list[Answer] = []

        def begin(order: list[int]) -> None:
            lines = [{"goods_id": one} for one in order]
            answers.append(Desk(site).add("stock_take", *lines, freezes=True))

        threads = [threading.Thread(target=begin, args=(order,)) for order in (goods, goods[::-1])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert broken(conn) == {}


class TestChecks:
    """What was planted is found; the planting is rolled back."""

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
    def test_a_corruption_is_found(self, desk: Desk, conn: Connection, planted: str, name: str) -> None:
        goods = desk.world.spares[20]
        desk.stock_in(goods, 5)
        take = freeze(desk, goods)
        conn.exec_driver_sql(planted.format(take=take.id))
        assert name in broken(conn)
        conn.rollback()
        assert desk.act("del", take).ok

    def test_a_hold_stands_until_its_transaction_is_over(self, desk: Desk, conn: Connection) -> None:
        """Begun and not committed, as when the process is killed, it leaves nothing behind."""
        goods, world = desk.world.spares[21], desk.world
        desk.stock_in(goods, 5)
        holds.settle(conn, world.company_a, world.warehouse_a, (1, "KCPD1"), [goods])
        assert holds.standing(conn, [(world.warehouse_a, goods)])
        conn.rollback()
        assert not holds.standing(conn, [(world.warehouse_a, goods)])
        assert broken(conn) == {}
