"""TBRK, TBCK and TBTH 三包: claimed goods in a warehouse and with an average of their own, and back to the factory."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader


def build_place(desk: BillClient) -> dict[str, int]:
    return {"warehouse_id": desk.world.warehouse3_a}


class TestInbound:
    def test_unpriced_goods_are_worth_nothing_and_thin_no_average(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 2)
        bill = desk.add_audited("three_inbound", {"goods_id": goods, "quantity": "2"}, **build_place(desk))
        assert books.stock(bill) == [(goods, "2", "0", "0.00")]
        sold = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"})
        assert books.stock(sold) == [(goods, "-1", "100", "-100.00")]

    def test_an_appraised_price_is_taken_net_of_tax(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        line = {"goods_id": goods, "quantity": "2", "price": "56.5", "tax_rate": "13"}
        assert books.stock(desk.add_audited("three_inbound", line, **build_place(desk))) == [
            (goods, "2", "50", "100.00")
        ]

    def test_another_warehouse_is_refused(self, desk: BillClient) -> None:
        answer = desk.add("three_inbound", {"goods_id": desk.world.oil, "quantity": "1"})
        assert (answer.code, answer.msg) == (400, "请选择三包仓")


class TestOutbound:
    def test_it_leaves_at_its_warehouses_average(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 5)
        line = {"goods_id": goods, "quantity": "2", "price": "22.6", "tax_rate": "13"}
        desk.add_audited("three_inbound", line, **build_place(desk))
        bill = desk.add_audited("three_outbound", {"goods_id": goods, "quantity": "1"}, **build_place(desk))
        assert books.stock(bill) == [(goods, "-1", "20", "-20.00")]

    def test_good_stock_does_not_cover_it(self, desk: BillClient) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 5)
        bill = desk.draft("three_outbound", {"goods_id": goods, "quantity": "1"}, **build_place(desk))
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, "库存不足：备件3缺 1")


class TestTireBack:
    def test_what_goes_back_is_of_the_batches_that_came(self, desk: BillClient, conn: Connection) -> None:
        goods, supplier = desk.world.spares[5], desk.world.supplier
        line = {"goods_id": goods, "quantity": "2"}
        came = desk.add_audited("three_inbound", {**line, "batch": "1025"}, **build_place(desk))
        desk.add_audited("three_inbound", {**line, "batch": "0125"}, **build_place(desk))
        [source] = desk.line_ids(came)
        unnamed = desk.draft(
            "tire_back", {**line, "source_line_id": source}, supplier_id=supplier, **build_place(desk)
        )
        [row] = desk.read_bill(unnamed)["lines"]
        assert row["batch"] == "1025"
        [(other,)] = conn.exec_driver_sql(
            "select batch_id from goods_batch where goods_id = %s and batch = '0125'", (goods,)
        ).all()
        conn.rollback()
        strange = desk.draft(
            "tire_back",
            {**line, "source_line_id": source, "batch_id": other},
            supplier_id=supplier,
            **build_place(desk),
        )
        assert desk.apply_action("auditorPass", strange).msg == (
            "第1行退回的批次不在来源三包入库的批次中，该来源可退：1025 2，请核对批次和数量"
        )
        assert desk.apply_action("auditorPass", unnamed).ok

    def test_no_more_goes_back_than_came(self, desk: BillClient, books: PostingReader) -> None:
        goods, supplier = desk.world.spares[4], desk.world.supplier
        came = desk.add_audited("three_inbound", {"goods_id": goods, "quantity": "3"}, **build_place(desk))
        desk.add_audited("three_inbound", {"goods_id": goods, "quantity": "9"}, **build_place(desk))
        line = {"goods_id": goods, "quantity": "2", "source_line_id": desk.line_ids(came)[0]}
        back = desk.add_audited("tire_back", line, supplier_id=supplier, **build_place(desk))
        assert books.stock(back) == [(goods, "-2", "0", "0.00")]
        again = desk.draft("tire_back", line, supplier_id=supplier, **build_place(desk))
        answer = desk.apply_action("auditorPass", again)
        assert (answer.code, answer.msg) == (
            400,
            f"超过三包入库{came.no}第1行的可执行数量（数量 3，已执行 2，可执行 1，本次 2），请核对数量",
        )
        answer = desk.apply_action("antiAuditor", came)
        assert (answer.code, answer.msg) == (400, "该单据已有退货，不能反审核或作废，请先处理退货单")

    def test_a_draft_is_drawn_from_what_came(self, desk: BillClient) -> None:
        goods = desk.world.spares[5]
        came = desk.add_audited("three_inbound", {"goods_id": goods, "quantity": "3"}, **build_place(desk))
        draft = desk.caller.get(desk.path("tire_back", "getDraft"), id=came.id).data
        assert (draft["warehouse_id"], draft["lines"][0]["quantity"]) == (desk.world.warehouse3_a, "3.000")
        assert desk.caller.post(
            desk.path("tire_back", "add"),
            {**desk.build_header("tire_back"), **draft, "supplier_id": desk.world.supplier},
        ).ok


class TestWarehouseType:
    def test_it_stays_once_goods_moved(self, desk: BillClient) -> None:
        body = {"id": desk.world.warehouse3_a, "type": 1}
        answer = desk.caller.post("v2/system/Warehouse/edit", body)
        assert answer.code == 400
        assert answer.msg.startswith("仓库的仓库类型不能修改：已有出入库流水"), answer
