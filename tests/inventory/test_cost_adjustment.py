"""CBTZ 成本调整: the amount changes at quantity 0 where there is stock, else it goes to the period's result."""

from __future__ import annotations

from tests.support.bill_client import BillClient, PostingReader


class TestAdjusting:
    def test_it_changes_what_stock_is_worth(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 4)
        bill = desk.add_audited("cost_adjustment", {"goods_id": goods, "amount": "-40"})
        assert books.stock(bill) == [(goods, "0", "0", "-40.00")]
        assert books.cost(goods, desk.world.company_a) == ("4", "360.00")
        [line] = desk.read_bill(bill)["lines"]
        assert (line["stock_amount"], line["result_amount"]) == ("-40.00", "0.00")

    def test_without_stock_it_goes_to_the_result(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        bill = desk.add_audited("cost_adjustment", {"goods_id": goods, "amount": "12.5"})
        assert books.stock(bill) == []
        [line] = desk.read_bill(bill)["lines"]
        assert (line["stock_amount"], line["result_amount"]) == ("0.00", "12.50")
        assert desk.apply_action("antiAuditor", bill).ok
        assert desk.read_bill(bill)["lines"][0]["result_amount"] == "0.00"

    def test_not_below_zero(self, desk: BillClient) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 1)
        bill = desk.draft("cost_adjustment", {"goods_id": goods, "amount": "-100.01"})
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, "调整后金额不能为负：备件2现有金额 100.00")

    def test_zero_is_no_adjustment(self, desk: BillClient) -> None:
        answer = desk.add("cost_adjustment", {"goods_id": desk.world.oil, "amount": "0"})
        assert (answer.code, answer.msg) == (400, "第1行：请输入调整金额，可为负数")

    def test_it_stands_once_the_goods_left_with_it(self, desk: BillClient) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 1)
        bill = desk.add_audited("cost_adjustment", {"goods_id": goods, "amount": "20"})
        desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"})
        answer = desk.apply_action("antiAuditor", bill)
        assert answer.code == 400
        assert answer.msg.startswith("该单据的成本已结转到后续出库，不能反审核或作废：备件3")

    def test_whoever_sees_no_cost_sees_no_amount(self, desk: BillClient, site: object) -> None:
        goods = desk.world.spares[4]
        bill = desk.add_audited("cost_adjustment", {"goods_id": goods, "amount": "5"})
        info = BillClient(desk.site, "clerk_a").read_bill(bill)
        assert (info["adjusted_amount"], info["lines"][0]["amount"]) == ("无权限", "无权限")
