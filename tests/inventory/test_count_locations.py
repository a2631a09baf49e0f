"""Locations of counted goods: named by a line, or derived from the stock; nothing is assumed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


def build_place(desk: BillClient) -> dict[str, Any]:
    return {"warehouse_id": desk.world.warehouse2_a}


def list_stock_places(books: PostingReader, goods: int) -> list[tuple[Any, ...]]:
    """List stock by location and batch: location, batch, quantity."""
    return books.rows(
        "select b.allocation_id, g.batch, b.quantity::numeric(16, 0)::text from stock_balance b"
        " left join goods_batch g using (batch_id) where b.goods_id = %s and b.quantity <> 0 order by 1, 2",
        goods,
    )


def list_spots(desk: BillClient, take: SavedBill) -> list[tuple[Any, ...]]:
    return [
        (line["allocation_id"], line["batch"], line["book_quantity"])
        for line in desk.read_bill(take)["lines"]
    ]


def create_batched_goods(desk: BillClient, spare: int, batches: dict[str, int]) -> int:
    """Create goods kept by batch, with stock of each batch in the second warehouse."""
    goods = desk.world.spares[spare]
    info = desk.caller.get("v2/system/Goods/getInfo", id=goods).data
    answer = desk.caller.post("v2/system/Goods/edit", {**info, "id": goods, "is_batch": True})
    assert answer.ok, answer
    for batch, quantity in batches.items():
        desk.stock_in(goods, quantity, batch=batch, **build_place(desk))
    return goods


class TestAnOpenPlace:
    def test_it_is_where_the_goods_lie(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, shelf = desk.world.spares[0], desk.world.allocation2_a
        desk.stock_in(goods, 20, allocation_id=shelf, **build_place(desk))
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "18"}, **build_place(desk))
        assert list_spots(desk, take) == [(shelf, None, "20.000")]
        assert desk.apply_action("auditorPass", take).ok
        assert list_stock_places(books, goods) == [(shelf, None, "18")]
        assert find_broken_checks(conn) == {}

    def test_it_is_where_they_lay_on_the_day(self, desk: BillClient) -> None:
        goods, shelf = desk.world.spares[1], desk.world.allocation2_a
        desk.stock_in(goods, 20, allocation_id=shelf, business_date="2026-03-02", **build_place(desk))
        gone = {"goods_id": goods, "quantity": "20", "allocation_id": shelf}
        desk.add_audited("other_outbound", gone, business_date="2026-03-05", **build_place(desk))
        desk.stock_in(goods, 4, business_date="2026-03-06", **build_place(desk))
        line = {"goods_id": goods, "counted_quantity": "18"}
        take = desk.draft("stock_take", line, business_date="2026-03-03", **build_place(desk))
        assert list_spots(desk, take) == [(shelf, None, "20.000")]

    def test_of_several_it_must_be_named(self, desk: BillClient, books: PostingReader) -> None:
        goods = create_batched_goods(desk, 2, {"0126": 8, "0226": 6})
        refused = desk.add("stock_take", {"goods_id": goods, "counted_quantity": "14"}, **build_place(desk))
        told = "第1行：商品在无库位批次0126（8）、无库位批次0226（6），请按库位、批次分行录入实盘数量"
        assert (refused.code, refused.msg) == (400, told)
        lines = [
            {"goods_id": goods, "batch": batch, "counted_quantity": counted}
            for batch, counted in (("0126", "7"), ("0226", "7"))
        ]
        take = desk.draft("stock_take", *lines, **build_place(desk))
        assert desk.apply_action("auditorPass", take).ok
        assert list_stock_places(books, goods) == [(0, "0126", "7"), (0, "0226", "7")]

    def test_no_location_is_a_place_like_any_other(self, desk: BillClient, books: PostingReader) -> None:
        goods, shelf = desk.world.spares[3], desk.world.allocation2_a
        desk.stock_in(goods, 5, **build_place(desk))
        desk.stock_in(goods, 20, allocation_id=shelf, **build_place(desk))
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "4"}, **build_place(desk))
        assert list_spots(desk, take) == [(None, None, "5.000")]
        assert desk.apply_action("auditorPass", take).ok
        assert list_stock_places(books, goods) == [(0, None, "4"), (shelf, None, "20")]

    def test_a_batch_is_needed_where_nothing_tells_it(self, desk: BillClient) -> None:
        goods = create_batched_goods(desk, 4, {})
        refused = desk.add("stock_take", {"goods_id": goods, "counted_quantity": "1"}, **build_place(desk))
        assert (refused.code, refused.msg) == (400, "第1行：请录入批次(DOT)")

    def test_a_batch_that_never_came_in_can_be_found(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = create_batched_goods(desk, 5, {"0126": 8})
        line = {"goods_id": goods, "batch": "0326", "counted_quantity": "1"}
        take = desk.draft("stock_take", line, **build_place(desk))
        assert list_spots(desk, take) == [(None, "0326", "0.000")]
        assert desk.apply_action("auditorPass", take).ok
        assert list_stock_places(books, goods) == [(0, "0126", "8"), (0, "0326", "1")]
        assert find_broken_checks(conn) == {}

    def test_a_count_that_was_saved_without_it_is_not_audited(
        self, desk: BillClient, conn: Connection
    ) -> None:
        goods, shelf = desk.world.spares[6], desk.world.allocation2_a
        desk.stock_in(goods, 20, allocation_id=shelf, **build_place(desk))
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "18"}, **build_place(desk))
        conn.exec_driver_sql(
            "update stock_take_line set allocation_id = null, book_quantity = 0, snapshot_quantity = 0"
            " where bill_id = %s",
            (take.id,),
        )
        conn.commit()
        refused = desk.apply_action("auditorPass", take)
        assert (refused.code, refused.msg.endswith("（20），请修改盘点明细后再审核")) == (400, True)
        info = desk.read_bill(take)
        assert desk.caller.post(desk.path("stock_take", "edit"), {**info, "id": take.id}).ok
        assert list_spots(desk, take) == [(shelf, None, "20.000")]
        assert desk.apply_action("auditorPass", take).ok


class TestTheRange:
    def test_a_stocktake_of_a_location_counts_there(self, desk: BillClient, books: PostingReader) -> None:
        goods, shelf = desk.world.spares[7], desk.world.allocation2_a
        desk.stock_in(goods, 5, **build_place(desk))
        line = {"goods_id": goods, "counted_quantity": "2", "unit_cost": "9"}
        take = desk.draft("stock_take", line, allocation_id=shelf, **build_place(desk))
        assert list_spots(desk, take) == [(shelf, None, "0.000")]

    def test_what_is_of_another_type_or_brand_is_refused(self, desk: BillClient) -> None:
        world = desk.world
        oil = desk.caller.post("v2/system/GoodsType/add", {"goods_type_name": "发动机油", "level": 1}).data
        line = {"goods_id": world.spares[8], "counted_quantity": "1"}
        ranges = {
            "商品类型“发动机油”": {"goods_type_id": oil["id"]},
            "品牌“米其林”": {"brand_id": world.brand},
        }
        for name, asked in ranges.items():
            refused = desk.add("stock_take", line, **asked, **build_place(desk))
            told = f"第1行：不在本盘点单的{name}内，请删除该行或修改盘点范围"
            assert (refused.code, refused.msg) == (400, told)
        assert desk.add("stock_take", line, goods_type_id=world.type1, **build_place(desk)).ok


class TestAnOpenCount:
    def test_it_shows_what_it_will_post(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[10]
        desk.stock_in(goods, 20, **build_place(desk))
        line = {"goods_id": goods, "counted_quantity": "18"}
        late, first, second = (desk.draft("stock_take", line, **build_place(desk)) for _ in range(3))
        before = desk.read_bill(second)["lines"][0]
        assert (before["difference"], before["corrected_by"]) == ("-2.000", None)
        assert desk.apply_action("auditorPass", first).ok
        [(loss,)] = books.rows("select bill_no from stock_loss where stock_take_id = %s", first.id)
        shown = desk.read_bill(second)["lines"][0]
        assert (shown["difference"], shown["corrected_by"], shown["superseded_by_no"]) == (
            "0.000",
            loss,
            None,
        )
        given_way = desk.read_bill(late)["lines"][0]
        assert (given_way["difference"], given_way["superseded_by_no"]) == ("0.000", first.no)
        assert desk.apply_action("auditorPass", second).ok
        audited = desk.read_bill(second)["lines"][0]
        assert (audited["difference"], audited["corrected_quantity"]) == ("0.000", "-2.000")
        assert list_stock_places(books, goods) == [(0, None, "18")]


class TestThePicker:
    def test_a_stocktake_is_offered_every_place(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[9], desk.world
        desk.stock_in(goods, 5, **build_place(desk))
        desk.stock_in(goods, 20, allocation_id=world.allocation2_a, batch="A1", **build_place(desk))
        asked = {"goods_id": goods, "company_id": world.company_a, **build_place(desk)}
        path = "v2/inventory/Goods/getGoodsListPopup"
        [row] = desk.caller.get(path, bill_type="stock_take", **asked).data["data"]
        found = [(one["allocation_id"], one["batch"], one["quantity"]) for one in row["places"]]
        assert found == [(None, None, "5"), (world.allocation2_a, "A1", "20")]
        [row] = desk.caller.get(path, bill_type="other_outbound", **asked).data["data"]
        assert row["places"] is None
