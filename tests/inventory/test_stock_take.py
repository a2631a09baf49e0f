"""KCPD 盘点单 with PYRK, PKCK and PYCK: snapshot, counts that must be answered, recount, and differences by its audit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site


def draft_plan(desk: BillClient, *goods: int, **header: Any) -> SavedBill:
    """Draft a stocktake of some goods, not counted yet."""
    return desk.draft("stock_take", *({"goods_id": key} for key in goods), **header)


def enter_counts(
    desk: BillClient, take: SavedBill, *counts: str | None, name: str = "counted_quantity", **changed: Any
) -> Answer:
    """Enter counts, line by line."""
    info = desk.read_bill(take)
    lines = [
        {**line, name: counted} if counted is not None else line
        for line, counted in zip(info["lines"], counts, strict=True)
    ]
    body = {**info, "id": take.id, "lines": lines, **changed}
    return desk.caller.post(desk.path("stock_take", "edit"), body)


def list_differences(books: PostingReader, take: SavedBill) -> list[tuple[Any, ...]]:
    return books.rows(
        "select d.bill_no like 'PYRK%%', l.quantity, l.amount from stock_ledger l join ("
        " select bill_no, stock_take_id from stock_surplus union all select bill_no, stock_take_id from stock_loss) d"
        " using (bill_no) where d.stock_take_id = %s and l.reverses is null order by 1 desc, l.ledger_id",
        take.id,
    )


class TestPlan:
    def test_it_takes_down_what_its_filters_cover(self, desk: BillClient) -> None:
        world = desk.world
        desk.stock_in(world.tyre, 3, batch="0126", warehouse_id=world.warehouse2_a)
        desk.stock_in(world.oil, 2, warehouse_id=world.warehouse2_a, allocation_id=world.allocation2_a)
        here = {"warehouse_id": world.warehouse2_a}
        whole = desk.read_bill(
            desk.draft("stock_take", **here, goods_type_id=world.type1, brand_id=world.brand)
        )
        found = [
            (row["goods_id"], row["batch"], row["allocation_id"], row["snapshot_quantity"])
            for row in whole["lines"]
        ]
        assert found == [
            (world.tyre, "0126", None, "3.000"),
            (world.oil, None, world.allocation2_a, "2.000"),
        ]
        assert whole["open_lines"] == 2
        shelf = desk.read_bill(desk.draft("stock_take", **here, allocation_id=world.allocation2_a))
        assert [row["goods_id"] for row in shelf["lines"]] == [world.oil]

    def test_a_plan_without_stock_is_refused(self, desk: BillClient) -> None:
        answer = desk.add("stock_take", allocation_id=desk.world.allocation_a)
        assert (answer.code, answer.msg) == (400, "盘点范围内没有库存，请修改范围或自行添加商品")

    def test_a_goods_stands_once_at_a_place(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.tube}
        answer = desk.add("stock_take", line, line)
        assert (answer.code, answer.msg) == (400, "第2行：同一商品、库位、批次重复")


class TestCount:
    def test_every_line_must_be_answered(self, desk: BillClient) -> None:
        goods = desk.world.spares[:3]
        for key in goods:
            desk.stock_in(key, 2)
        take = draft_plan(desk, *goods)
        assert enter_counts(desk, take, "2", None, None).ok
        answer = desk.apply_action("auditorPass", take)
        assert (answer.code, answer.msg) == (400, "第2、3行未盘点（共2行），请录入实盘数量，没有的录入0")
        assert desk.read_bill(take)["status"] == 1

    def test_a_line_of_the_snapshot_is_not_dropped(self, desk: BillClient) -> None:
        one, other = desk.world.spares[3:5]
        desk.stock_in(one, 2)
        desk.stock_in(other, 2)
        take = draft_plan(desk, one, other)
        info = desk.read_bill(take)
        answer = desk.caller.post(
            desk.path("stock_take", "edit"), {**info, "id": take.id, "lines": info["lines"][:1]}
        )
        assert (answer.code, answer.msg) == (400, "第2行：盘点范围内的行不能删除，没有实物请录入0")

    def test_the_warehouse_stays(self, desk: BillClient) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 2)
        answer = enter_counts(desk, draft_plan(desk, goods), "2", warehouse_id=desk.world.warehouse2_a)
        assert (answer.code, answer.msg) == (400, "快照后不能更换盘点仓库，请另建盘点单")

    def test_moves_since_the_snapshot_are_in_the_book(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 10)
        take = draft_plan(desk, goods)
        desk.stock_in(goods, 5)
        assert enter_counts(desk, take, "15").ok
        [line] = desk.read_bill(take)["lines"]
        assert (line["snapshot_quantity"], line["book_quantity"], line["difference"]) == (
            "10.000",
            "15.000",
            "0.000",
        )
        assert desk.apply_action("auditorPass", take).ok
        assert list_differences(books, take) == []

    def test_moves_after_a_count_leave_its_difference(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 10)
        take = draft_plan(desk, goods)
        assert enter_counts(desk, take, "9").ok
        desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "4"})
        assert enter_counts(desk, take, None, remark="只改备注").ok
        assert desk.apply_action("auditorPass", take, counted=False).ok
        assert list_differences(books, take) == [(False, "-1", "-100.00")]
        assert books.cost(goods, desk.world.company_a) == ("5", "500.00")

    def test_a_recount_counts(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 10)
        take = draft_plan(desk, goods)
        assert enter_counts(desk, take, "8").ok
        assert enter_counts(desk, take, "10", name="recount_quantity").ok
        assert desk.apply_action("auditorPass", take).ok
        assert list_differences(books, take) == []


class TestDifferences:
    def test_surplus_comes_in_and_loss_goes_out_at_the_average(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        more, less, world = desk.world.spares[9], desk.world.spares[10], desk.world
        desk.stock_in(more, 2)
        desk.stock_in(less, 3, allocation_id=world.allocation_a)
        take = desk.draft(
            "stock_take",
            {"goods_id": more, "counted_quantity": "3"},
            {"goods_id": less, "allocation_id": world.allocation_a, "counted_quantity": "0"},
        )
        assert desk.apply_action("auditorPass", take).ok
        assert list_differences(books, take) == [(True, "1", "100.00"), (False, "-3", "-300.00")]
        made = desk.read_bill(take)["difference_bills"].split("、")
        assert [number[:4] for number in made] == ["PKCK", "PYRK"]
        screen = desk.caller.get("v2/Open/Screen/getScreen", route="/inventory/takestockSee").data
        assert [field["bill"] for field in screen["fields"] if field["name"] == "difference_bills"] == [True]
        for number in made:
            assert desk.caller.get("v2/open/BillAddress/getAddress", bill_no=number).ok
        assert find_broken_checks(conn) == {}

    def test_a_surplus_without_stock_takes_the_last_cost(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[11]
        desk.stock_in(goods, 1, "226")
        desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"})
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "2"})
        assert desk.apply_action("auditorPass", take).ok
        assert list_differences(books, take) == [(True, "2", "400.00")]

    def test_a_batch_is_kept(self, desk: BillClient, books: PostingReader) -> None:
        tyre = desk.world.tyre
        desk.stock_in(tyre, 2, batch="3025")
        [batch] = books.rows("select batch_id from goods_batch where batch = '3025'")[0]
        take = desk.draft("stock_take", {"goods_id": tyre, "batch_id": batch, "counted_quantity": "3"})
        assert desk.apply_action("auditorPass", take).ok
        found = books.rows("select quantity from stock_balance where batch_id = %s", batch)
        assert Decimal(found[0][0]) == 3

    def test_a_batch_is_kept_beside_goods_without_one(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[41]
        desk.stock_in(goods, 2)
        desk.stock_in(desk.world.tyre, 3, batch="0126", warehouse_id=desk.world.warehouse2_a)
        desk.stock_in(goods, 2, warehouse_id=desk.world.warehouse2_a)
        take = desk.draft("stock_take", warehouse_id=desk.world.warehouse2_a)
        before = desk.read_bill(take)["lines"]
        more = [str(Decimal(line["book_quantity"]) + 1) for line in before]
        assert enter_counts(desk, take, *more).ok
        answer = desk.apply_action("auditorPass", take)
        assert answer.ok, answer
        assert len(list_differences(books, take)) == len(before)

    def test_they_are_taken_back_with_the_stocktake_only(
        self, site: Site, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[12]
        desk.stock_in(goods, 5)
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "4"})
        assert desk.apply_action("auditorPass", take).ok
        [(key, number)] = books.rows(
            "select bill_id, bill_no from stock_loss where stock_take_id = %s", take.id
        )
        answer = desk.apply_action("antiAuditor", SavedBill("stock_loss", key, number))
        assert (answer.code, answer.msg) == (400, f"该单据由盘点单{take.no}生成，请反审核或作废盘点单")
        assert desk.apply_action("antiAuditor", take).ok
        assert books.cost(goods, desk.world.company_a) == ("5", "500.00")
        assert desk.read_bill(SavedBill("stock_loss", key, number))["status"] == 3
        assert desk.apply_action("auditorPass", take).ok
        assert books.cost(goods, desk.world.company_a) == ("4", "400.00")
        assert find_broken_checks(conn) == {}

    def test_a_surplus_that_proves_none_goes_out_again(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[14]
        desk.stock_in(goods, 1)
        desk.add_audited("stock_surplus", {"goods_id": goods, "quantity": "1"})
        bill = desk.add_audited("surplus_out", {"goods_id": goods, "quantity": "1"})
        assert books.stock(bill) == [(goods, "-1", "100", "-100.00")]


def audit_order(desk: BillClient, goods: int, quantity: str, **header: Any) -> SavedBill:
    return desk.add_audited("sales_order", {"goods_id": goods, "quantity": quantity, "price": "1"}, **header)


def list_reserved(desk: BillClient, *orders: SavedBill) -> list[str]:
    """List the reserved quantity of each order's only line."""
    return [desk.read_bill(one)["lines"][0]["reserved_quantity"].removesuffix(".000") for one in orders]


class TestLossOfReserved:
    """A count is a fact: it is posted, and the orders that can't be kept are named."""

    def test_one_short_line_stops_nothing(
        self, site: Site, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        short, fine, world = desk.world.spares[13], desk.world.spares[15], desk.world
        desk.stock_in(short, 5)
        desk.stock_in(fine, 5)
        kept = audit_order(desk, short, "5")
        take = desk.draft(
            "stock_take",
            {"goods_id": short, "counted_quantity": "4"},
            {"goods_id": fine, "counted_quantity": "3"},
        )
        answer = desk.apply_action("auditorPass", take)
        assert answer.ok, answer
        assert answer.data["notes"] == [f"盘亏后以下销售订单占用不足：{kept.no}（备件13减少 1）"]
        assert books.available(short, world.warehouse_a) == ("4", "4", "0")
        assert books.available(fine, world.warehouse_a) == ("3", "0", "3")
        assert list_reserved(desk, kept) == ["4"]
        assert desk.read_bill(kept)["cover"] == 2
        told = [
            item for item in desk.caller.get("v2/open/Message/getPendingMessage").data if item["type"] == 3
        ]
        assert [(item["content"], [bill["bill_no"] for bill in item["bills"]]) for item in told] == [
            ("1 张销售订单的占用因盘亏减少", [kept.no])
        ]
        logged = books.rows(
            "select bill_no, after ->> '占用减少' from business_log where action = 'reservationCut' and record_id = %s",
            kept.id,
        )
        assert logged == [(kept.no, "备件13减少 1")]
        assert find_broken_checks(conn) == {}

        assert desk.apply_action("antiAuditor", take).ok
        assert books.available(short, world.warehouse_a) == ("5", "5", "0")
        assert list_reserved(desk, kept) == ["5"]
        assert not [
            item for item in desk.caller.get("v2/open/Message/getPendingMessage").data if item["type"] == 3
        ]
        assert find_broken_checks(conn) == {}

    def test_the_last_and_least_urgent_orders_lose_first(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[16]
        desk.stock_in(goods, 12)
        late = audit_order(desk, goods, "3", delivery_date="2026-03-20")
        urgent = audit_order(desk, goods, "3", delivery_date="2026-03-30", priority=3)
        never = audit_order(desk, goods, "3")
        early = audit_order(desk, goods, "3", delivery_date="2026-03-08")
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "5"})
        answer = desk.apply_action("auditorPass", take)
        [note] = answer.data["notes"]
        assert [one.no in note for one in (late, urgent, never, early)] == [True, False, True, True]
        assert list_reserved(desk, never, late, early, urgent) == ["0", "0", "2", "3"]
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", take).ok
        assert list_reserved(desk, never, late, early, urgent) == ["3", "3", "3", "3"]

    def test_what_was_covered_again_since_is_not_reserved_twice(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[17]
        desk.stock_in(goods, 5)
        kept = audit_order(desk, goods, "5")
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "2"})
        assert desk.apply_action("auditorPass", take).ok
        desk.stock_in(goods, 10, business_date="2026-03-06")
        assert list_reserved(desk, kept) == ["5"]
        assert desk.apply_action("antiAuditor", take).ok
        assert books.available(goods, desk.world.warehouse_a) == ("15", "5", "10")
        assert list_reserved(desk, kept) == ["5"]
        assert find_broken_checks(conn) == {}

    def test_an_order_that_was_closed_since_gets_nothing_back(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[18]
        desk.stock_in(goods, 5)
        kept = audit_order(desk, goods, "5")
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "2"})
        assert desk.apply_action("auditorPass", take).ok
        assert desk.apply_action("close", kept).ok
        assert desk.apply_action("antiAuditor", take).ok
        assert books.available(goods, desk.world.warehouse_a) == ("5", "0", "5")
        assert find_broken_checks(conn) == {}

    def test_a_loss_by_hand_is_refused_as_any_issue(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[19]
        desk.stock_in(goods, 5)
        audit_order(desk, goods, "5")
        for resource in ("stock_loss", "surplus_out"):
            answer = desk.apply_action(
                "auditorPass", desk.draft(resource, {"goods_id": goods, "quantity": "1"})
            )
            assert (answer.code, answer.msg) == (400, "库存不足：备件19缺 1（已被订单占用或冻结）")
        assert books.available(goods, desk.world.warehouse_a) == ("5", "5", "0")
