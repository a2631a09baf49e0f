"""TCYK 移库: goods change their location; stock, cost and what is available stay."""

from __future__ import annotations

from tests.support.bill_client import BillClient, PostingReader


class TestMove:
    def test_only_the_location_changes(self, desk: BillClient, books: PostingReader) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 5)
        before = books.available(goods, world.warehouse_a), books.cost(goods, world.company_a)
        line = {"goods_id": goods, "quantity": "3", "to_allocation_id": world.allocation_a}
        desk.add_audited("location_move", line)
        places = books.rows(
            "select allocation_id, quantity from stock_balance where goods_id = %s order by 1", goods
        )
        assert places == [(0, "2"), (world.allocation_a, "3")]
        assert (books.available(goods, world.warehouse_a), books.cost(goods, world.company_a)) == before

    def test_reserved_goods_may_move(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[1], desk.world
        desk.stock_in(goods, 2)
        desk.add_audited("sales_order", {"goods_id": goods, "quantity": "2", "price": "1"})
        line = {"goods_id": goods, "quantity": "2", "to_allocation_id": world.allocation_a}
        desk.add_audited("location_move", line)
        # So the form of a move doesn't count them, that of a transfer does.
        for route, counted in (("/inventory/placeallot/add", False), ("/inventory/transferwareAdd", True)):
            screen = desk.caller.get("v2/Open/Screen/getScreen", route=route).data
            assert screen["blocks"][0]["takes_available"] is counted
        taken = {"goods_id": goods, "quantity": "2"}
        sent = desk.draft("transfer_out", taken, to_warehouse_id=world.warehouse2_a)
        assert desk.apply_action("auditorPass", sent).msg == "库存不足：备件1缺 2（已被订单占用或冻结）"

    def test_the_same_location_is_refused(self, desk: BillClient) -> None:
        world = desk.world
        line = {"goods_id": world.oil, "quantity": "1", "allocation_id": world.allocation_a}
        answer = desk.add("location_move", {**line, "to_allocation_id": world.allocation_a})
        assert (answer.code, answer.msg) == (400, "第1行：移入库位与移出库位相同")

    def test_another_warehouses_location_is_refused(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "to_allocation_id": desk.world.allocation2_a}
        answer = desk.add("location_move", line)
        assert (answer.code, answer.msg) == (400, "第1行：“移入库位”与单据不匹配，请重新选择")

    def test_more_than_lies_there_is_refused(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[2], desk.world
        desk.stock_in(goods, 2)
        line = {"goods_id": goods, "quantity": "3", "to_allocation_id": world.allocation_a}
        answer = desk.apply_action("auditorPass", desk.draft("location_move", line))
        assert (answer.code, answer.msg) == (400, "库存不足：备件2缺 1")
