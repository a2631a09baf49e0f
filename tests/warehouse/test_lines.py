"""Facts of one row a line, bill or move against polars over the tables of Postgres: nothing lost, doubled or changed."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, assert_frames_agree
from tests.warehouse.settlement import ADVANCE

TODAY = dt.date.fromisoformat(AS_OF)
COUNTING = "h.status in (2, 4, 5)"


@pytest.fixture(scope="module")
def ledger(core_rows: Core) -> pl.DataFrame:
    return core_rows(
        "select ledger_id, company_id, warehouse_id, goods_id, batch_id, bill_id, business_date, quantity, amount as value,"
        " reverses from stock_ledger"
    )


@pytest.fixture(scope="module")
def sold(core_rows: Core) -> pl.DataFrame:
    """Lines of sales bills that count, returns negative."""
    parts = (
        f"select '{kind}' as bill_type, h.company_id, h.warehouse_id, h.business_date, l.line_id, l.goods_id,"
        f" {sign} * l.quantity as quantity, {sign} * l.no_tax_amount as amount"
        f" from {bill} h join {bill}_line l using (bill_id) where {COUNTING}"
        for kind, bill, sign in (("XSCK", "sales_outbound", 1), ("XSTH", "sales_return", -1))
    )
    return core_rows(" union all ".join(parts))


@BOTH
class TestPurchases:
    def test_lines(self, mart: Mart, core_rows: Core) -> None:
        parts = (
            f"select '{kind}' as bill_type, l.line_id, h.bill_id, h.company_id, h.warehouse_id, h.supplier_id, l.goods_id,"
            f" l.price, {sign} * l.quantity as quantity, {sign} * l.amount as amount,"
            f" {sign} * l.no_tax_amount as no_tax_amount"
            f" from {bill} h join {bill}_line l using (bill_id) where {COUNTING}"
            for kind, bill, sign in (("CGRK", "purchase_inbound", 1), ("CGTH", "purchase_return", -1))
        )
        expected = core_rows(" union all ".join(parts))
        found = mart(f"select {', '.join(expected.columns)} from facts.fct_purchase_line")
        assert_frames_agree(found, expected, ["bill_type", "line_id"])

    def test_orders_with_what_arrived(self, mart: Mart, core_rows: Core) -> None:
        ordered = core_rows(
            "select l.line_id, h.bill_id, h.company_id, h.supplier_id, l.goods_id, l.quantity, l.amount"
            f" from purchase_order h join purchase_order_line l using (bill_id) where {COUNTING}"
        )
        arrived = core_rows(
            "select l.order_line_id as line_id, l.quantity as received_quantity"
            f" from purchase_inbound h join purchase_inbound_line l using (bill_id) where {COUNTING}"
            " union all select l.order_line_id, -l.quantity"
            f" from purchase_return h join purchase_return_line l using (bill_id) where {COUNTING}"
        )
        sums = arrived.drop_nulls("line_id").group_by("line_id").agg(pl.col("received_quantity").sum())
        expected = ordered.join(sums, on="line_id", how="left").with_columns(
            pl.col("received_quantity").fill_null(0)
        )
        found = mart(f"select {', '.join(expected.columns)} from facts.fct_purchase_order_line")
        assert_frames_agree(found, expected, ["line_id"])


@BOTH
class TestReceipts:
    def test_what_each_settled_and_what_it_left(self, mart: Mart, core_rows: Core) -> None:
        receipts = core_rows(
            "select h.bill_id, h.company_id, h.customer_id, h.receivables_mode_id, h.amount from customer_receipt h"
            f" where {COUNTING}"
        )
        entries = core_rows(
            f"select l.bill_id, l.amount, {ADVANCE} as advance from settlement_ledger l"
            " join settlement_item i using (settlement_id) where l.bill_type = 'KHSK'"
        )
        sums = entries.group_by("bill_id").agg(
            (-pl.col("amount").filter(~pl.col("advance")).sum()).alias("written_off_amount"),
            (-pl.col("amount").filter("advance").sum()).alias("advance_change"),
        )
        expected = receipts.join(sums, on="bill_id", how="left").fill_null(0)
        found = mart(f"select {', '.join(expected.columns)} from facts.fct_receipt")
        assert_frames_agree(found, expected, ["bill_id"])


@BOTH
class TestStock:
    def test_moves(self, mart: Mart, ledger: pl.DataFrame) -> None:
        expected = ledger.drop("reverses", "business_date")
        found = mart(f"select {', '.join(expected.columns)} from facts.fct_stock_move")
        assert_frames_agree(found, expected, ["ledger_id"])
        days = mart("select ledger_id, business_date from facts.fct_stock_move")
        assert set(days.rows()) == set(ledger.select("ledger_id", "business_date").rows())

    def test_batches(self, mart: Mart, ledger: pl.DataFrame) -> None:
        """A reversal takes from what its bill had brought; value is that of the batch's layers."""
        keys = ["company_id", "warehouse_id", "goods_id", "batch_id"]
        inbound = (pl.col("quantity") > 0) == pl.col("reverses").is_null()
        moved = ledger.filter((pl.col("quantity") != 0) & (pl.col("business_date") <= TODAY))
        expected = moved.group_by(keys).agg(
            pl.col("quantity").filter(inbound).sum().alias("in_quantity"),
            (-pl.col("quantity").filter(~inbound).sum()).alias("out_quantity"),
            pl.col("quantity").sum(),
        )
        found = mart(
            f"select {', '.join(expected.columns)} from facts.fct_stock_batch"
            " where in_quantity <> 0 or out_quantity <> 0"
        )
        assert_frames_agree(
            found, expected.filter((pl.col("in_quantity") != 0) | (pl.col("out_quantity") != 0)), keys
        )
        layers = mart(
            f"select warehouse_id, goods_id, batch_id, sum(value) as value from mart_inventory_aging"
            f" where as_of = date '{TODAY}' group by all having sum(value) <> 0"
        )
        values = mart(
            "select warehouse_id, goods_id, batch_id, value from facts.fct_stock_batch where value <> 0"
        )
        assert_frames_agree(values, layers, keys[1:])


@BOTH
class TestSold:
    def test_bills(self, mart: Mart, core_rows: Core) -> None:
        parts = (
            f"select '{kind}' as bill_type, h.bill_id, h.company_id, h.customer_id, h.employee_id, h.maker_id,"
            f" {sign} * l.amount as amount, {sign} * l.no_tax_amount as revenue"
            f" from {bill} h join {bill}_line l using (bill_id) where {COUNTING}"
            for kind, bill, sign in (("XSCK", "sales_outbound", 1), ("XSTH", "sales_return", -1))
        )
        lines = core_rows(" union all ".join(parts))
        expected = lines.group_by("bill_type", "bill_id").agg(
            pl.col("company_id", "customer_id", "employee_id", "maker_id").first(),
            pl.len().alias("line_count"),
            pl.col("amount", "revenue").sum(),
        )
        found = mart(f"select {', '.join(expected.columns)} from facts.fct_sales_bill")
        assert_frames_agree(found, expected, ["bill_type", "bill_id"])

    def test_goods_by_their_last_days(self, mart: Mart, sold: pl.DataFrame) -> None:
        keys = ["company_id", "warehouse_id", "goods_id"]

        def within(days: int) -> pl.Expr:
            recent = pl.col("business_date").is_between(TODAY - dt.timedelta(days - 1), TODAY)
            return pl.col("quantity").filter(recent).sum().alias(f"quantity_{days}")

        expected = sold.group_by(keys).agg(
            within(30),
            within(90),
            pl.col("business_date").filter(pl.col("bill_type") == "XSCK").max().alias("last_sale_date"),
        )
        found = mart(f"select {', '.join([*keys, 'quantity_30', 'quantity_90'])} from facts.fct_goods_sale")
        assert_frames_agree(found, expected.drop("last_sale_date"), keys)
        told = mart(
            "select company_id, warehouse_id, goods_id, last_sale_date, days_since_sale, sales_quantity_90"
            " from mart_goods_sale"
        )
        since = (pl.lit(TODAY) - pl.col("last_sale_date")).dt.total_days()
        wanted = expected.select(*keys, "last_sale_date", since.alias("days"), "quantity_90")
        assert {row[:5]: row[5] for row in told.rows()} == pytest.approx(
            {row[:5]: row[5] for row in wanted.rows()}
        )

    @pytest.mark.parametrize(("period", "days"), [("d7", 7), ("d30", 30), ("d90", 90)])
    def test_lines_behind_the_ranks(self, mart: Mart, sold: pl.DataFrame, period: str, days: int) -> None:
        expected = sold.filter(pl.col("business_date") > TODAY - dt.timedelta(days)).select(
            "bill_type", "line_id", "company_id", "goods_id", "quantity", "amount"
        )
        found = mart(
            f"select {', '.join(expected.columns)} from mart_best_seller_info where period_key = '{period}'"
        )
        assert_frames_agree(found, expected, ["bill_type", "line_id"])
