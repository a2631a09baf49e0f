"""CGTH 采购退货: stock leaves at the average, the supplier is owed less by the agreed price."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader
from tests.support.database_state import find_broken_checks


class TestPostings:
    def test_the_average_leaves_whatever_the_supplier_credits(
        self, desk: BillClient, conn: Connection
    ) -> None:
        """In at 100 and 130 net, average 110; credited 113 gross = 100 net: the variance of 10 stays a difference."""
        world, goods, books = desk.world, desk.world.spares[0], PostingReader(conn)
        line = {"goods_id": goods, "tax_rate": "13"}
        desk.add_audited("purchase_inbound", {**line, "quantity": "10", "price": "113"})
        desk.add_audited("purchase_inbound", {**line, "quantity": "5", "price": "146.9"})
        bill = desk.add_audited("purchase_return", {**line, "quantity": "1", "price": "113"})
        assert books.stock(bill) == [(goods, "-1", "110", "-110.00")]
        assert books.cost(goods, world.company_a) == ("14", "1540.00")
        assert books.settlements(bill) == [
            ("supplier", world.supplier, "bill", "-113.00", "-113.00", "2026-03-05")
        ]
        assert desk.read_bill(bill)["lines"][0]["cost_amount"] == "110.00"

    def test_more_than_is_there_is_refused(self, desk: BillClient, conn: Connection) -> None:
        bill = desk.draft("purchase_return", {"goods_id": desk.world.spares[1], "quantity": "1"})
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, "库存不足：备件1缺 1")
        assert find_broken_checks(conn) == {}


class TestLink:
    def test_returns_never_pass_what_was_delivered(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[2]
        inbound = desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "5", "price": "10"})
        desk.stock_in(goods, 20)
        [source] = desk.line_ids(inbound)
        line = {"goods_id": goods, "price": "10", "source_line_id": source}
        desk.add_audited("purchase_return", {**line, "quantity": "3"})
        late = desk.draft("purchase_return", {**line, "quantity": "3"})
        answer = desk.apply_action("auditorPass", late)
        assert (answer.code, answer.msg) == (
            400,
            f"超过采购入库{inbound.no}第1行的可执行数量（数量 5，已执行 3，可执行 2，本次 3），请核对数量",
        )
        assert find_broken_checks(conn) == {}

    def test_what_goes_back_is_of_the_batch_that_came(self, desk: BillClient, conn: Connection) -> None:
        """The oldest batch would be picked for who names none; another's is refused."""
        goods, books = desk.world.spares[4], PostingReader(conn)
        line = {"goods_id": goods, "quantity": "2", "price": "10"}
        desk.add_audited("purchase_inbound", {**line, "batch": "3025"})
        [source] = desk.line_ids(desk.add_audited("purchase_inbound", {**line, "batch": "4025"}))
        batches = dict(books.rows("select batch, batch_id from goods_batch where goods_id = %s", goods))
        linked = {**line, "quantity": "1", "source_line_id": source}
        strange = desk.draft("purchase_return", {**linked, "batch_id": batches["3025"]})
        assert desk.apply_action("auditorPass", strange).msg == (
            "第1行退回的批次不在来源采购入库的批次中，该来源可退：4025 2，请核对批次和数量"
        )
        desk.add_audited("purchase_return", linked)
        desk.add_audited("purchase_return", {**linked, "batch_id": batches["4025"]})
        left = books.rows("select batch_id, quantity from stock_balance where goods_id = %s", goods)
        assert dict(left) == {batches["3025"]: "2", batches["4025"]: "0"}
        assert find_broken_checks(conn) == {}

    def test_the_draft_offers_the_rest(self, desk: BillClient) -> None:
        goods = desk.world.spares[3]
        inbound = desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "5", "price": "10"})
        answer = desk.caller.get(desk.path("purchase_return", "getDraft"), id=inbound.id)
        assert answer.ok
        assert [line["quantity"] for line in answer.data["lines"]] == ["5.000"]
