"""QTRK 其他入库 and QTCK 其他出库: stock comes at the given price or the average, and leaves at the average."""

from __future__ import annotations

from tests.support.bill_client import BillClient, PostingReader


class TestInbound:
    def test_a_given_price_is_taken_net_of_tax(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[0]
        bill = desk.stock_in(goods, 2)
        assert books.stock(bill) == [(goods, "2", "100", "200.00")]
        assert (books.settlements(bill), books.money(bill)) == ([], [])

    def test_without_a_price_the_average_is_taken(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 2)
        bill = desk.add_audited("other_inbound", {"goods_id": goods, "quantity": "3"})
        assert books.stock(bill) == [(goods, "3", "100", "300.00")]

    def test_a_gift_is_worth_nothing(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 2)
        bill = desk.add_audited("other_inbound", {"goods_id": goods, "quantity": "2", "is_gift": True})
        assert books.stock(bill) == [(goods, "2", "0", "0.00")]
        assert books.cost(goods, desk.world.company_a) == ("4", "200.00")

    def test_a_reason_is_asked_for(self, desk: BillClient) -> None:
        answer = desk.add("other_inbound", {"goods_id": desk.world.oil, "quantity": "1"}, reason=" ")
        assert (answer.code, answer.msg) == (400, "请输入入库原因")

    def test_a_bill_without_lines_is_refused(self, desk: BillClient) -> None:
        answer = desk.add("other_inbound")
        assert (answer.code, answer.msg) == (400, "请录入入库明细")


class TestOutbound:
    def test_it_leaves_at_the_average_whatever_its_price(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 2)
        bill = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1", "price": "999"})
        assert books.stock(bill) == [(goods, "-1", "100", "-100.00")]
        assert (books.settlements(bill), books.money(bill)) == ([], [])

    def test_companies_have_averages_of_their_own(self, desk: BillClient, books: PostingReader) -> None:
        goods, world = desk.world.spares[4], desk.world
        desk.stock_in(goods, 1)
        other = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        desk.stock_in(goods, 1, "226", **other)
        bill = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"}, **other)
        assert books.stock(bill) == [(goods, "-1", "200", "-200.00")]
        assert books.cost(goods, world.company_a) == ("1", "100.00")
