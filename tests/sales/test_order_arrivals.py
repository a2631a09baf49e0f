"""Arrivals are reserved for orders audited before: the more urgent first, until they are covered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection

from api.identity import sessions
from api.kit.bills import bulk_posting, drafts
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site

NUMBERS = count(1)


@pytest.fixture
def goods(desk: BillClient) -> int:
    """Goods of this test alone."""
    body = {"goods_num": f"DH{next(NUMBERS)}", "goods_name": "到货件"}
    more = {"goods_type_id": desk.world.type1, "unit_id": desk.world.unit}
    answer = desk.caller.post("v2/system/Goods/add", {**body, **more})
    assert answer.ok, answer
    return int(answer.data["id"])


def audit_order(desk: BillClient, goods: int, quantity: str, **header: Any) -> SavedBill:
    return desk.add_audited("sales_order", {"goods_id": goods, "quantity": quantity, "price": "10"}, **header)


def list_reserved(desk: BillClient, *orders: SavedBill) -> list[str]:
    """List the reserved quantity of each order's only line."""
    return [desk.read_bill(one)["lines"][0]["reserved_quantity"].removesuffix(".000") for one in orders]


def audit_outbound(desk: BillClient, order: SavedBill, goods: int, quantity: str) -> SavedBill:
    [line] = desk.line_ids(order)
    return desk.add_audited(
        "sales_outbound", {"goods_id": goods, "quantity": quantity, "price": "10", "order_line_id": line}
    )


class TestArrival:
    def test_an_order_that_waits_gets_it(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        waiting = audit_order(desk, goods, "8")
        assert (list_reserved(desk, waiting), desk.read_bill(waiting)["cover"]) == (["0"], 3)
        desk.stock_in(goods, 3)
        line = desk.read_bill(waiting)["lines"][0]
        assert (line["reserved_quantity"], line["short_quantity"]) == ("3.000", "5.000")
        desk.stock_in(goods, 10)
        assert (list_reserved(desk, waiting), desk.read_bill(waiting)["cover"]) == (["8"], 1)
        assert books.available(goods, desk.world.warehouse_a) == ("13", "8", "5")
        answer = desk.apply_action(
            "auditorPass", desk.draft("sales_outbound", {"goods_id": goods, "quantity": "6", "price": "10"})
        )
        assert (answer.code, answer.msg) == (400, "库存不足：到货件缺 1（已被订单占用或冻结）")
        audit_outbound(desk, waiting, goods, "8")
        assert find_broken_checks(conn) == {}

    def test_the_urgent_come_first_then_the_earliest_delivery_then_the_first_ordered(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        whenever = audit_order(desk, goods, "2")
        late = audit_order(desk, goods, "2", delivery_date="2026-05-02")
        early = audit_order(desk, goods, "2", delivery_date="2026-05-01")
        first = audit_order(desk, goods, "2", delivery_date="2026-05-01", business_date="2026-01-02")
        urgent = audit_order(desk, goods, "2", delivery_date="2026-06-01", priority=3)
        orders = (urgent, first, early, late, whenever)
        for arrived in range(1, 6):
            desk.stock_in(goods, 2)
            assert list_reserved(desk, *orders) == ["2"] * arrived + ["0"] * (5 - arrived)
        assert find_broken_checks(conn) == {}

    def test_of_other_warehouses_and_of_closed_orders_nothing_is_kept(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        elsewhere = audit_order(desk, goods, "2", warehouse_id=desk.world.warehouse2_a)
        closed, open_ = audit_order(desk, goods, "2"), audit_order(desk, goods, "2")
        assert desk.apply_action("close", closed).ok
        draft = desk.draft("sales_order", {"goods_id": goods, "quantity": "9", "price": "1"})
        desk.stock_in(goods, 10)
        assert list_reserved(desk, elsewhere, closed, open_, draft) == ["0", "0", "2", "0"]
        assert books.available(goods, desk.world.warehouse_a) == ("10", "2", "8")
        assert find_broken_checks(conn) == {}

    def test_a_company_may_switch_it_off(
        self, desk: BillClient, goods: int, books: PostingReader, switched_off: None
    ) -> None:
        waiting = audit_order(desk, goods, "4")
        desk.stock_in(goods, 3)
        assert list_reserved(desk, waiting) == ["0"]
        assert books.available(goods, desk.world.warehouse_a) == ("3", "0", "3")

    @pytest.fixture
    def switched_off(self, desk: BillClient) -> Iterator[None]:
        row = self._read_setting(desk)
        path, key = "v2/system/BillSetting/edit", row["bill_setting_id"]
        assert desk.caller.post(path, {"id": key, "arrival_mode": 1}).ok
        yield
        assert desk.caller.post(path, {"id": key, "arrival_mode": 0}).ok

    def test_only_sales_bills_have_the_switch(self, desk: BillClient) -> None:
        row = self._read_setting(desk, kind=1)
        answer = desk.caller.post(
            "v2/system/BillSetting/edit", {"id": row["bill_setting_id"], "arrival_mode": 1}
        )
        assert (answer.code, answer.msg) == (
            400,
            "只有销售单据占用库存，“到货给未占足的订单”请选择自动占用",
        )

    @staticmethod
    def _read_setting(desk: BillClient, kind: int = 2) -> dict[str, Any]:
        rows = desk.caller.get(
            "v2/system/BillSetting/getList", company_id=desk.world.company_a, type=kind
        ).data
        found: dict[str, Any] = rows["data"][0]
        return found


class TestEveryWayIn:
    def test_a_transfer_s_receipt(self, desk: BillClient, goods: int, conn: Connection) -> None:
        world = desk.world
        waiting = audit_order(desk, goods, "4", warehouse_id=world.warehouse2_a)
        desk.stock_in(goods, 5)
        sent = desk.add_audited(
            "transfer_out", {"goods_id": goods, "quantity": "5"}, to_warehouse_id=world.warehouse2_a
        )
        assert list_reserved(desk, waiting) == ["0"]
        [line] = desk.line_ids(sent)
        desk.add_audited(
            "transfer_in",
            {"goods_id": goods, "quantity": "5", "source_line_id": line},
            warehouse_id=world.warehouse2_a,
        )
        assert list_reserved(desk, waiting) == ["4"]
        assert find_broken_checks(conn) == {}

    def test_a_surplus_and_a_return(self, desk: BillClient, goods: int, conn: Connection) -> None:
        desk.stock_in(goods, 1)
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": "10"})
        waiting = audit_order(desk, goods, "4")
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "1"})
        assert desk.apply_action("auditorPass", take).ok
        assert list_reserved(desk, waiting) == ["1"]
        [line] = desk.line_ids(sold)
        back = {"goods_id": goods, "quantity": "1", "price": "10", "source_line_id": line}
        desk.add_audited("sales_return", back, business_date="2026-03-06")
        assert list_reserved(desk, waiting) == ["2"]
        assert find_broken_checks(conn) == {}

    def test_what_another_order_gives_back(self, desk: BillClient, goods: int, conn: Connection) -> None:
        desk.stock_in(goods, 5)
        first, second, third = (audit_order(desk, goods, "5") for _ in range(3))
        assert list_reserved(desk, first, second, third) == ["5", "0", "0"]
        assert desk.apply_action("close", first).ok
        assert list_reserved(desk, first, second, third) == ["0", "5", "0"]
        assert desk.apply_action("antiAuditor", second).ok
        assert list_reserved(desk, first, second, third) == ["0", "0", "5"]
        assert desk.apply_action("auditorPass", second).ok
        assert desk.apply_action("invalid", third).ok
        assert list_reserved(desk, first, second, third) == ["0", "5", "0"]
        assert desk.apply_action("open", first).ok
        assert list_reserved(desk, first, second, third) == ["0", "5", "0"]
        assert find_broken_checks(conn) == {}

    def test_an_issue_that_is_taken_back(self, desk: BillClient, goods: int, conn: Connection) -> None:
        desk.stock_in(goods, 5)
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "5", "price": "10"})
        waiting = audit_order(desk, goods, "3")
        assert desk.apply_action("antiAuditor", sold).ok
        assert list_reserved(desk, waiting) == ["3"]
        answer = desk.apply_action("auditorPass", sold)
        assert (answer.code, answer.msg) == (400, "库存不足：到货件缺 3（已被订单占用或冻结）")
        assert find_broken_checks(conn) == {}

    def test_the_end_of_a_stocktake_that_froze(self, desk: BillClient, goods: int, conn: Connection) -> None:
        desk.stock_in(goods, 5)
        take = desk.draft("stock_take", {"goods_id": goods}, freezes=True)
        waiting = audit_order(desk, goods, "3")
        assert list_reserved(desk, waiting) == ["0"]
        assert desk.apply_action("invalid", take).ok
        assert list_reserved(desk, waiting) == ["3"]
        assert find_broken_checks(conn) == {}

    def test_bills_that_are_posted_in_bulk(
        self, site: Site, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        """An order and the arrivals around it in one batch: by date, and nothing is reserved twice."""
        waiting = audit_order(desk, goods, "4", business_date="2026-01-01", delivery_date="2026-01-01")
        world = desk.world
        with site.engine.begin() as writing:
            ctx = Context(writing, sessions.read_principal(writing, world.user_admin))
            entries = []
            for resource, day, quantity in (
                ("other_inbound", "2026-01-10", "3"),
                ("sales_order", "2026-01-11", "6"),
                ("other_inbound", "2026-01-12", "5"),
            ):
                line = {"goods_id": goods, "quantity": quantity, "price": "10", "tax_rate": "0"}
                body = {**desk.build_header(resource, business_date=day), "lines": [line]}
                cls = registry.get_resource(resource)
                assert issubclass(cls, Bill)
                entries.append(bulk_posting.BulkBill(cls, drafts.prepare_draft(ctx, cls, body)))
            bulk_posting.post_bills(ctx, entries)
        [batched] = [entry for entry in entries if entry.cls.name() == "sales_order"]
        late = SavedBill("sales_order", batched.bill_id, batched.bill_no)
        assert list_reserved(desk, waiting, late) == ["4", "4"]
        assert find_broken_checks(conn) == {}


class TestReversal:
    def test_of_an_arrival_gives_back_what_it_reserved(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        waiting = audit_order(desk, goods, "8")
        desk.stock_in(goods, 2)
        arrived = desk.stock_in(goods, 5)
        assert list_reserved(desk, waiting) == ["7"]
        assert desk.apply_action("antiAuditor", arrived).ok
        assert list_reserved(desk, waiting) == ["2"]
        assert books.available(goods, desk.world.warehouse_a) == ("2", "2", "0")
        assert desk.apply_action("auditorPass", arrived).ok
        assert list_reserved(desk, waiting) == ["7"]
        assert find_broken_checks(conn) == {}

    def test_as_far_as_it_is_still_held(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        """3 of the 5 were shipped; more has come for nobody, so that the arrival can go."""
        waiting = audit_order(desk, goods, "5")
        arrived = desk.stock_in(goods, 5)
        desk.stock_in(goods, 9)
        sold = audit_outbound(desk, waiting, goods, "3")
        assert list_reserved(desk, waiting) == ["2"]
        assert desk.apply_action("antiAuditor", arrived).ok
        assert books.available(goods, desk.world.warehouse_a) == ("6", "2", "4")
        assert list_reserved(desk, waiting) == ["2"]
        assert desk.apply_action("antiAuditor", sold).ok
        assert books.available(goods, desk.world.warehouse_a) == ("9", "5", "4")
        assert desk.apply_action("antiAuditor", waiting).ok
        assert books.available(goods, desk.world.warehouse_a) == ("9", "0", "9")
        assert find_broken_checks(conn) == {}

    def test_of_an_order_gives_back_what_arrivals_reserved(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        waiting = audit_order(desk, goods, "5")
        arrived = desk.stock_in(goods, 5)
        for _ in range(2):
            assert desk.apply_action("antiAuditor", waiting).ok
            assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "5")
            assert desk.apply_action("auditorPass", waiting).ok
            assert books.available(goods, desk.world.warehouse_a) == ("5", "5", "0")
        answer = desk.apply_action("antiAuditor", arrived)
        assert answer.code == 400
        assert waiting.no in answer.msg
        assert find_broken_checks(conn) == {}

    def test_closing_and_opening_keep_to_what_is_there(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        waiting = audit_order(desk, goods, "5")
        desk.stock_in(goods, 3)
        assert desk.apply_action("close", waiting).ok
        assert list_reserved(desk, waiting) == ["0"]
        desk.stock_in(goods, 4)
        assert list_reserved(desk, waiting) == ["0"]
        assert desk.apply_action("open", waiting).ok
        assert list_reserved(desk, waiting) == ["5"]
        assert books.available(goods, desk.world.warehouse_a) == ("7", "5", "2")
        assert find_broken_checks(conn) == {}


def test_the_orders_that_are_not_covered_are_found(desk: BillClient, goods: int) -> None:
    none, some = audit_order(desk, goods, "5"), audit_order(desk, goods, "4", priority=2)
    desk.stock_in(goods, 3)
    for state, found in ((3, none), (2, some)):
        answer = desk.caller.get("v2/sales/SalesOrder/getList", goods_id=goods, cover=state)
        assert [row["bill_no"] for row in answer.data["data"]] == [found.no]


@pytest.mark.parametrize(
    "damage",
    [
        "update sales_order set status = 4 where bill_id = %s",
        "update sales_order_line set quantity = 1 where bill_id = %s",
    ],
)
def test_an_order_that_holds_more_than_it_wants_is_found(
    desk: BillClient, goods: int, conn: Connection, damage: str
) -> None:
    desk.stock_in(goods, 3)
    waiting = audit_order(desk, goods, "3")
    conn.rollback()
    assert "orders_hold_what_they_want" not in find_broken_checks(conn)
    conn.exec_driver_sql(damage, (waiting.id,))
    assert "orders_hold_what_they_want" in find_broken_checks(conn)
    conn.rollback()


class TestPromises:
    def test_a_day_that_promises_more_than_comes_is_seen(self, desk: BillClient, goods: int) -> None:
        """5 lie here, 4 are ordered for the 10th: 3 for the 5th and 5 for the 12th are kept, 2 more for the 20th not."""
        desk.stock_in(goods, 5)
        desk.add_audited(
            "purchase_order", {"goods_id": goods, "quantity": "4", "price": "10"}, delivery_date="2026-03-10"
        )
        for quantity, day in (("3", "2026-03-05"), ("5", "2026-03-12"), ("2", "2026-03-20")):
            last = audit_order(desk, goods, quantity, delivery_date=day)
        assert self._list_days(desk, goods) == [
            ("2026-03-05", "3.000", "3.000", "5.000", "0.000", "0.000"),
            ("2026-03-12", "5.000", "8.000", "5.000", "4.000", "0.000"),
            ("2026-03-20", "2.000", "10.000", "5.000", "4.000", "1.000"),
        ]
        answer = desk.caller.get("v2/inventory/DeliveryPromise/getList", goods_id=goods, state=1)
        assert [(row["delivery_date"], row["order_nos"]) for row in answer.data["data"]] == [
            ("2026-03-20", last.no)
        ]

    def test_what_comes_too_late_is_no_help(self, desk: BillClient, goods: int) -> None:
        desk.add_audited(
            "purchase_order", {"goods_id": goods, "quantity": "4", "price": "10"}, delivery_date="2026-03-10"
        )
        audit_order(desk, goods, "3", delivery_date="2026-03-09")
        audit_order(desk, goods, "1")
        assert self._list_days(desk, goods) == [
            ("2026-03-09", "3.000", "3.000", "0.000", "0.000", "3.000"),
            (None, "1.000", "4.000", "0.000", "4.000", "0.000"),
        ]

    def test_what_was_shipped_or_closed_is_promised_no_more(self, desk: BillClient, goods: int) -> None:
        desk.stock_in(goods, 5)
        sent = audit_order(desk, goods, "5", delivery_date="2026-03-05")
        gone = audit_order(desk, goods, "5", delivery_date="2026-03-05")
        audit_outbound(desk, sent, goods, "4")
        assert desk.apply_action("close", gone).ok
        assert self._list_days(desk, goods) == [("2026-03-05", "1.000", "1.000", "1.000", "0.000", "0.000")]

    @staticmethod
    def _list_days(desk: BillClient, goods: int) -> list[tuple[Any, ...]]:
        answer = desk.caller.get("v2/inventory/DeliveryPromise/getList", goods_id=goods)
        assert answer.ok, answer
        names = ("delivery_date", "quantity", "due_quantity", "stocks", "arriving", "shortage")
        return [tuple(row[name] for name in names) for row in answer.data["data"]]
