"""XSTH 销售退货: linked, stock comes back at its issue cost; else at the average. The customer owes less."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks


class TestPostings:
    def test_linked_goods_come_back_at_their_issue_cost(self, desk: BillClient, books: PostingReader) -> None:
        """Sold at an average of 100, which then rises to 150 net: the return still brings 100 a piece."""
        world, goods = desk.world, desk.world.spares[0]
        desk.stock_in(goods, 10)
        sold = desk.add_audited(
            "sales_outbound", {"goods_id": goods, "quantity": "4", "price": "226", "tax_rate": "13"}
        )
        desk.stock_in(goods, 6, "226")
        assert books.cost(goods, world.company_a) == ("12", "1800.00")
        [source] = desk.line_ids(sold)
        line = {
            "goods_id": goods,
            "quantity": "3",
            "price": "226",
            "source_line_id": source,
            "tax_rate": "13",
        }
        bill = desk.add_audited("sales_return", line)
        assert books.stock(bill) == [(goods, "3", "100", "300.00")]
        assert books.settlements(bill) == [
            ("customer", world.customer_a, "bill", "-678.00", "-678.00", "2026-03-05")
        ]

    def test_unlinked_goods_come_back_at_the_average(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 10)
        desk.stock_in(goods, 10, "226")
        bill = desk.add_audited("sales_return", {"goods_id": goods, "quantity": "2", "price": "500"})
        assert books.stock(bill) == [(goods, "2", "150", "300.00")]

    def test_the_last_cents_come_back_with_the_last_piece(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[2]
        desk.add_audited(
            "other_inbound", {"goods_id": goods, "quantity": "3", "price": "333.333333", "tax_rate": "0"}
        )
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "3", "price": "1"})
        [source] = desk.line_ids(sold)
        amounts = []
        for _ in range(3):
            line = {"goods_id": goods, "quantity": "1", "price": "1", "source_line_id": source}
            amounts += [row[3] for row in books.stock(desk.add_audited("sales_return", line))]
        assert amounts == ["333.33", "333.34", "333.33"]
        assert books.cost(goods, desk.world.company_a) == ("3", "1000.00")


class TestLink:
    def test_returns_never_pass_what_was_delivered(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 10)
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "4", "price": "1"})
        [source] = desk.line_ids(sold)
        line = {"goods_id": goods, "price": "1", "source_line_id": source}
        desk.add_audited("sales_return", {**line, "quantity": "3"})
        answer = desk.apply_action("auditorPass", desk.draft("sales_return", {**line, "quantity": "2"}))
        assert (answer.code, answer.msg) == (
            400,
            f"超过销售出库{sold.no}第1行的可执行数量（数量 4，已执行 3，可执行 1，本次 2），请核对数量",
        )
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_a_returned_delivery_is_not_taken_back(self, desk: BillClient, action: str) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 10)
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "4", "price": "1"})
        [source] = desk.line_ids(sold)
        desk.add_audited(
            "sales_return", {"goods_id": goods, "quantity": "1", "price": "1", "source_line_id": source}
        )
        answer = desk.apply_action(action, sold)
        assert (answer.code, answer.msg) == (400, "该单据已有退货，不能反审核或作废，请先处理退货单")

    def test_an_unaudited_delivery_is_not_returned(self, desk: BillClient) -> None:
        goods = desk.world.spares[5]
        sold = desk.draft("sales_outbound", {"goods_id": goods, "quantity": "4", "price": "1"})
        [source] = desk.line_ids(sold)
        line = {"goods_id": goods, "quantity": "1", "price": "1", "source_line_id": source}
        answer = desk.apply_action("auditorPass", desk.draft("sales_return", line))
        assert (answer.code, answer.msg) == (400, f"销售出库{sold.no}不是已审核状态，不能执行")


class TestDraft:
    def test_goods_come_back_under_the_batches_they_were_taken_from(self, desk: BillClient) -> None:
        """Nobody named the batches of the outbound; what came back already is not offered again."""
        goods = desk.world.spares[6]
        desk.stock_in(goods, 3, batch="0124")
        desk.stock_in(goods, 9, batch="0224")
        line = {"goods_id": goods, "quantity": "8", "price": "113", "discount_amount": "0.60"}
        sold = desk.add_audited("sales_outbound", line)
        [source] = desk.line_ids(sold)

        def offered() -> list[tuple[str, str, str]]:
            answer = desk.caller.get(desk.path("sales_return", "getDraft"), id=sold.id)
            assert answer.ok, answer
            lines = answer.data["lines"]
            return [(line["batch"], line["quantity"], line["discount_amount"]) for line in lines]

        assert offered() == [("0124", "3.000", "0.23"), ("0224", "5.000", "0.37")]
        back = {"goods_id": goods, "batch": "0224", "price": "113", "source_line_id": source}
        one = desk.add_audited("sales_return", {**back, "quantity": "2"})
        assert [row[:2] for row in offered()] == [("0124", "3.000"), ("0224", "3.000")]
        assert desk.apply_action("antiAuditor", one).ok
        assert [row[:2] for row in offered()] == [("0124", "3.000"), ("0224", "5.000")]


class TestBatches:
    """Linked returns come back under the batches that were issued."""

    def audit_return(
        self, desk: BillClient, source: int, *batches: tuple[str, str | None], spare: int = 7
    ) -> Answer:
        goods = desk.world.spares[spare]
        lines = [
            {
                "goods_id": goods,
                "quantity": quantity,
                "batch": batch,
                "price": "113",
                "source_line_id": source,
            }
            for quantity, batch in batches
        ]
        return desk.apply_action("auditorPass", desk.draft("sales_return", *lines))

    def test_others_are_refused(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 5, batch="1025")
        desk.stock_in(goods, 2, batch="2025")
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "7", "price": "113"})
        [source] = desk.line_ids(sold)
        told = "第1行退回的批次不在来源销售出库的批次中，该来源可退：1025 5、2025 2，请核对批次和数量"
        for batches in ((("1", "5024"),), (("6", "1025"), ("1", "4025")), (("6", "1025"),), (("1", None),)):
            assert self.audit_return(desk, source, *batches).msg == told
        assert self.audit_return(desk, source, ("4", "1025"), ("2", "2025")).ok
        told = "第1行退回的批次不在来源销售出库的批次中，该来源可退：1025 1，请核对批次和数量"
        assert self.audit_return(desk, source, ("1", "2025")).msg == told
        assert self.audit_return(desk, source, ("1", None)).ok, "only one is left"
        assert find_broken_checks(conn) == {}

    def test_what_went_out_without_one_comes_back_under_any(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[16]
        desk.stock_in(goods, 2)
        sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "2", "price": "113"})
        [source] = desk.line_ids(sold)
        assert self.audit_return(desk, source, ("1", "4025"), spare=16).ok
        assert self.audit_return(desk, source, ("1", None), spare=16).ok
        assert find_broken_checks(conn) == {}


class TestProgress:
    """Progress of a return (spec/3-rules.md 4)."""

    PATH = "v2/sales/SalesReturn/getAuditorProgress"

    def test_it_is_entered_sent_back_audited_and_settled(self, desk: BillClient) -> None:
        goods = desk.world.spares[50]
        desk.stock_in(goods, 10)
        bill = desk.draft("sales_return", {"goods_id": goods, "quantity": "1", "price": "100"})

        def list_steps() -> list[tuple[str, int]]:
            found = desk.caller.get(self.PATH, id=bill.id).data
            return [(step["name"], step["state"]) for step in found["steps"]]

        assert list_steps() == [("录入", 1), ("审核", 0), ("退款核销", 0)]
        assert desk.apply_action("auditorNoPass", bill, reason="数量不对").ok
        assert list_steps() == [("录入", 1), ("审核", 2), ("退款核销", 0)]
        step = desk.caller.get(self.PATH, id=bill.id).data["steps"][1]
        assert step["reason"] == "数量不对"
        assert desk.apply_action("auditorPass", bill).ok
        found = desk.caller.get(self.PATH, id=bill.id).data
        assert (found["bill_no"], found["status_name"]) == (bill.no, "已审核")
        assert list_steps() == [("录入", 1), ("审核", 1), ("退款核销", 0)]
        assert found["steps"][1]["user_name"] == "管理员"

    def test_only_for_who_may_see_it(self, desk: BillClient) -> None:
        bill = desk.draft(
            "sales_return", {"goods_id": desk.world.spares[50], "quantity": "1", "price": "100"}
        )
        assert desk.site.as_("nobody").get(self.PATH, id=bill.id).code == 403
        answer = desk.site.as_("manager_b").get(self.PATH, id=bill.id)
        assert (answer.code, answer.msg) == (400, "销售退货不存在或无权访问")
