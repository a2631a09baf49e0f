"""QTFH 其他发货: stock leaves for a consignee at the average, and nobody owes anything."""

from __future__ import annotations

from tests.support.bill_client import BillClient, PostingReader


class TestDelivery:
    def test_it_leaves_at_the_average_and_nobody_owes(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 2)
        bill = desk.add_audited("other_delivery", {"goods_id": goods, "quantity": "1"}, consignee="王师傅")
        assert books.stock(bill) == [(goods, "-1", "100", "-100.00")]
        assert (books.settlements(bill), books.money(bill)) == ([], [])
        assert desk.read_bill(bill)["total_quantity"] == "1.000"

    def test_a_consignee_is_asked_for(self, desk: BillClient) -> None:
        answer = desk.add("other_delivery", {"goods_id": desk.world.oil, "quantity": "1"})
        assert (answer.code, answer.msg) == (400, "请输入收货人")
