"""CGRK 采购入库: stock at the net price, the supplier owed the gross total, batches by DOT."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader
from tests.support.database_state import find_broken_checks


class TestFreight:
    @pytest.mark.parametrize(
        ("by", "worth"), [(1, ["166.67", "83.33"]), (2, ["162.50", "87.50"])], ids=["amount", "quantity"]
    )
    def test_it_adds_to_the_value_and_not_to_what_is_owed(
        self, desk: BillClient, books: PostingReader, conn: Connection, by: int, worth: list[str]
    ) -> None:
        """100 and 50 net with 100 of freight: two thirds and one third, or 5 to 3 pieces."""
        world = desk.world
        lines = [
            {"goods_id": goods, "quantity": quantity, "price": price, "tax_rate": "13"}
            for goods, quantity, price in (
                (world.spares[20 + by], "5", "22.6"),
                (world.spares[24], "3", "18.833333"),
            )
        ]
        bill = desk.add_audited("purchase_inbound", *lines, freight_amount="100", freight_by=by)
        assert [row[3] for row in books.stock(bill)] == worth
        assert [row[3] for row in books.settlements(bill)] == ["169.50"]
        assert find_broken_checks(conn) == {}


class TestPostings:
    def test_stock_cost_and_payable_to_the_cent(self, desk: BillClient, books: PostingReader) -> None:
        """4 × 450 − 100 = 1700 gross, 195.58 tax, 1504.42 net: 376.105 a piece."""
        world = desk.world
        bill = desk.add_audited(
            "purchase_inbound",
            {
                "goods_id": world.tube,
                "quantity": "4",
                "price": "450",
                "discount_amount": "100",
                "tax_rate": "13",
            },
        )
        assert books.stock(bill) == [(world.tube, "4", "376.105", "1504.42")]
        assert books.cost(world.tube, world.company_a) == ("4", "1504.42")
        assert books.settlements(bill) == [
            ("supplier", world.supplier, "bill", "1700.00", "1700.00", "2026-04-04")
        ]
        info = desk.read_bill(bill)
        assert (info["total_amount"], info["tax_amount"], info["no_tax_amount"]) == (
            "1700.00",
            "195.58",
            "1504.42",
        )

    def test_a_second_price_moves_the_average(self, desk: BillClient, books: PostingReader) -> None:
        """10 at 100 and 5 at 130 net: 1650 / 15 = 110."""
        goods = desk.world.spares[0]
        desk.add_audited(
            "purchase_inbound", {"goods_id": goods, "quantity": "10", "price": "113", "tax_rate": "13"}
        )
        desk.add_audited(
            "purchase_inbound", {"goods_id": goods, "quantity": "5", "price": "146.9", "tax_rate": "13"}
        )
        assert books.cost(goods, desk.world.company_a) == ("15", "1650.00")
        out = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "3"})
        assert books.stock(out) == [(goods, "-3", "110", "-330.00")]

    def test_a_gift_counts_into_the_average_at_nothing(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[1]
        bill = desk.add_audited(
            "purchase_inbound",
            {"goods_id": goods, "quantity": "4", "price": "100", "tax_rate": "0"},
            {"goods_id": goods, "quantity": "1", "price": "100", "tax_rate": "0", "is_gift": True},
        )
        assert books.cost(goods, desk.world.company_a) == ("5", "400.00")
        assert [row[3] for row in books.settlements(bill)] == ["400.00"]
        lines = desk.read_bill(bill)["lines"]
        assert [(line["price"], line["amount"]) for line in lines] == [
            ("100.000000", "400.00"),
            ("0.000000", "0.00"),
        ]

    def test_a_given_due_date_is_kept(self, desk: BillClient, books: PostingReader) -> None:
        line = {"goods_id": desk.world.spares[2], "quantity": "1", "price": "10"}
        bill = desk.add_audited("purchase_inbound", line, due_date="2026-12-31")
        assert books.settlements(bill)[0][5] == "2026-12-31"

    def test_an_all_gift_bill_opens_no_payable(self, desk: BillClient, books: PostingReader) -> None:
        line = {"goods_id": desk.world.spares[2], "quantity": "1", "price": "10", "is_gift": True}
        assert books.settlements(desk.add_audited("purchase_inbound", line)) == []


class TestBatch:
    def test_a_dot_code_dates_the_batch(self, desk: BillClient, books: PostingReader) -> None:
        line = {"goods_id": desk.world.tyre, "quantity": "2", "price": "1000", "batch": "2325"}
        bill = desk.add_audited("purchase_inbound", line)
        [stored] = desk.read_bill(bill)["lines"]
        assert (stored["batch"], stored["production_date"]) == ("2325", "2025-06-02")
        assert books.rows(
            "select b.batch, s.quantity, s.production_date::text from stock_balance s"
            " join goods_batch b using (batch_id) where s.goods_id = %s",
            desk.world.tyre,
        ) == [("2325", "2", "2025-06-02")]

    def test_the_same_code_is_the_same_batch(self, desk: BillClient, books: PostingReader) -> None:
        for _ in range(2):
            desk.add_audited(
                "purchase_inbound",
                {"goods_id": desk.world.tyre, "quantity": "1", "price": "9", "batch": "0126"},
            )
        assert books.rows("select count(*) from goods_batch where batch = '0126'") == [(1,)]

    @pytest.mark.parametrize("code", ["0026", "5426", "9926"])
    def test_a_week_that_does_not_exist_is_refused(self, desk: BillClient, code: str) -> None:
        answer = desk.add(
            "purchase_inbound", {"goods_id": desk.world.tyre, "quantity": "1", "price": "9", "batch": code}
        )
        assert answer.code == 400
        assert "批次(DOT)应为周数加年份" in answer.msg
        assert answer.msg.startswith("第1行")

    def test_week_53_and_the_lot_of_what_is_no_tyre_are_taken(self, desk: BillClient) -> None:
        for goods, code in ((desk.world.tyre, "5325"), (desk.world.oil, "LOT-7")):
            line = {"goods_id": goods, "quantity": "1", "price": "9", "batch": code}
            assert desk.add("purchase_inbound", line).ok

    def test_batch_managed_goods_must_name_one(self, desk: BillClient) -> None:
        answer = desk.add("purchase_inbound", {"goods_id": desk.world.tyre, "quantity": "1", "price": "9"})
        assert (answer.code, answer.msg) == (400, "第1行：请录入批次(DOT)")


class TestUnaudit:
    def test_used_stock_is_named_with_the_bill_that_used_it(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[3]
        bill = desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "5", "price": "10"})
        out = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"})
        answer = desk.apply_action("antiAuditor", bill)
        assert answer.code == 400
        assert "已被使用" in answer.msg or "成本已结转" in answer.msg
        assert "备件3" in answer.msg
        assert desk.apply_action("antiAuditor", out).ok
        assert desk.apply_action("antiAuditor", bill).ok
        assert find_broken_checks(conn) == {}

    def test_a_paid_bill_is_refused_with_the_payment(self, desk: BillClient, books: PostingReader) -> None:
        bill = desk.add_audited(
            "purchase_inbound", {"goods_id": desk.world.spares[4], "quantity": "1", "price": "10"}
        )
        paid = desk.add_audited(
            "supplier_payment", {"settlement_id": books.item(bill), "amount": "4"}, amount="4"
        )
        answer = desk.apply_action("antiAuditor", bill)
        assert (answer.code, answer.msg) == (
            400,
            f"该单据已核销，不能反审核或作废（相关单据：{paid.no}）",
        )

    def test_a_returned_bill_is_refused_though_other_stock_is_there(
        self, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[5]
        line = {"goods_id": goods, "quantity": "10", "price": "10"}
        bill = desk.add_audited("purchase_inbound", line)
        desk.add_audited("purchase_inbound", line)
        [source] = desk.line_ids(bill)
        back = desk.add_audited(
            "purchase_return", {"goods_id": goods, "quantity": "2", "price": "10", "source_line_id": source}
        )
        for action in ("antiAuditor", "invalid"):
            answer = desk.apply_action(action, bill)
            assert (answer.code, answer.msg) == (400, "该单据已有退货，不能反审核或作废，请先处理退货单")
        assert desk.apply_action("antiAuditor", back).ok
        assert desk.apply_action("antiAuditor", bill).ok
        assert find_broken_checks(conn) == {}
