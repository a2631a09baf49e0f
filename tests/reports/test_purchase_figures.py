"""Purchases: plans, prices, payments and rebates over the small snapshot, by hand."""

from __future__ import annotations

import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, PLAIN
from tests.reports.snapshot_figures import ELAPSED_SHARE, read_figure
from tests.support.superset import EVERYTHING


class TestPurchases:
    @pytest.mark.parametrize(
        ("variant", "planned", "ordered", "in_plan", "unplanned"),
        [(COST, 14400, 10800, 5400, 1800), (PLAIN, 72, 54, 27, 9)],
    )
    def test_plans_stand_beside_what_was_ordered_and_bought(
        self, snapshot, variant, planned, ordered, in_plan, unplanned
    ):
        def read(metric):
            return read_figure(
                snapshot, "inPurchasingAnalysisTable", metric, "month_label = '2026-11'", variant
            )

        assert (read("planned"), read("ordered")) == (planned, ordered)
        assert (read("carried_share"), read("in_plan_share")) == (0.75, 0.375)
        assert (read("in_plan"), read("unplanned")) == (in_plan, unplanned)

    def test_purchases_of_a_month(self, snapshot):
        where = "month_label = '2026-11'"
        code = "inPurchasingAnalysisTable"
        assert read_figure(snapshot, code, "bought", where) == pytest.approx(3 * 600 * 4)
        assert read_figure(snapshot, code, "bought", where, PLAIN) == 36
        assert read_figure(snapshot, code, "bought_growth", where) == pytest.approx(1 / ELAPSED_SHARE - 1)
        assert read_figure(snapshot, code, "bought_change", "month_label = '2026-10'") == 0
        assert read_figure(snapshot, code, "return_share", where) == pytest.approx(0.2)

    def test_purchases_beside_sales(self, snapshot):
        where = "month_label = '2026-11'"
        for code in ("SalesBuy", "categorySalesPurchase"):
            assert read_figure(snapshot, code, "ratio", where) == pytest.approx(0.75)
            assert read_figure(snapshot, code, "ratio", where, PLAIN) == pytest.approx(0.75)
            assert read_figure(snapshot, code, "balance", where) == pytest.approx(600 * 3)
            assert read_figure(snapshot, code, "balance", where, PLAIN) == pytest.approx(9)

    def test_prices_of_a_month(self, snapshot):
        where = "month_label = '2026-11' and goods_num = 'G002'"
        code = "inPurchasingPriceAnalysisTable"
        assert read_figure(snapshot, code, "price", where) == pytest.approx(220)
        assert read_figure(snapshot, code, "price_before", where) == pytest.approx(200)
        for variant in (PLAIN, COST):
            assert read_figure(snapshot, code, "price_change", where, variant) == pytest.approx(0.1)

    def test_prices_of_different_goods_have_no_mean_and_no_change(self, snapshot):
        """It would follow what was bought more of; the index says how prices moved."""
        code, where = "inPurchasingPriceAnalysisTable", "month_label = '2026-11'"
        assert read_figure(snapshot, code, "pieces", where) > read_figure(
            snapshot, code, "pieces", f"{where} and goods_num = 'G002'"
        )
        assert read_figure(snapshot, code, "price", where) is None
        for variant in (PLAIN, COST):
            assert read_figure(snapshot, code, "price_change", where, variant) is None

    @pytest.mark.parametrize("code", ["purchasecenterpriceindex", "purchasingPriceIndex"])
    def test_price_index_against_either_base_month(self, snapshot, code):
        where = "month_label = '2026-11' and base_label = "
        for base, months in (("去年同月", 12), ("本年1月", 10)):
            assert read_figure(snapshot, code, "price_index", f"{where}'{base}'", PLAIN) == pytest.approx(
                100 + months
            )
            assert read_figure(snapshot, code, "index_before", f"{where}'{base}'", PLAIN) == pytest.approx(
                99 + months
            )
        assert read_figure(snapshot, code, "bought_share", f"{where}'去年同月'", PLAIN) == pytest.approx(0.5)
        assert read_figure(snapshot, code, "index_year", f"{where}'去年同月'", PLAIN) == 100

    def test_diffusion_index_is_what_rose_and_half_of_what_did_not_change(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {
            **{"price_index": 200 / 3, "quantity_index": 200 / 3, "delivery_index": 50, "pmi": 550 / 9},
            **{"pmi_year": 550 / 9, "rose": 2, "same": 4, "fell": 0, "compared": 6, "delivered": 4},
        }
        for metric, value in expected.items():
            assert read_figure(snapshot, "pmi", metric, where, PLAIN) == pytest.approx(value), metric

    def test_payments_of_a_month(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {"paid_share": 0.625, "invoiced_share": 0.75, "days": 40, "closing": 2400}
        for metric, value in expected.items():
            found = read_figure(snapshot, "inAnalysisTablePayment", metric, where, PLAIN)
            assert found == pytest.approx(value), metric

    @pytest.mark.parametrize("key", ["all", "days"])
    def test_purchases_and_payments_stand_beside_last_year(self, key):
        board = find_report("inAnalysisTablePayment").tab(key).plain
        [head], [table] = board.kpi_charts, board.tables
        for name in ("purchased", "settled"):
            assert name in head.metrics, "where last year has its row"
            assert {f"{name}_year", f"{name}_growth"} <= {*table.metrics}
            assert f"{name}_growth" in table.on_screen.metrics

    def test_rebates_by_the_quarter_in_which_their_cycles_end(self, snapshot):
        where = "quarter_label = '2026-Q4'"
        expected = {
            **{"accrued": 800, "accrued_change": 92 / 51 - 1, "accrued_growth": 92 / 51 - 1},
            **{"confirmed": 400, "used": 300},
            **{"left": 100, "due": 200, "rate": 400 / 15000, "used_share": 0.75, "confirmed_share": 0.5},
        }
        for metric, value in expected.items():
            found = read_figure(snapshot, "ScheduleSupplierRebate", metric, where, PLAIN)
            assert found == pytest.approx(value), metric
        uses = find_report("ScheduleSupplierRebate").first_tab.plain.dataset("supplier_rebate_use")
        used = f"select {uses.metric('used_amount').sql}, count(*) from ({uses.sql}) where role_id = {EVERYTHING}"
        assert snapshot.sql(used).fetchone() == (50 * 14 * 2, 28)

    def test_suggested_is_what_the_days_will_sell_beyond_what_there_is(self, snapshot):
        """Of each warehouse 12 on hand, 13 claimed, 6 to come; goods 3 sells 2 a month, goods 2 one,
        goods 1 none. One of the three warehouses holds defective goods, for which nothing is bought."""
        for days, pieces in ((30, 0), (60, 0), (90, 2)):
            where = f"cover_label = '备{days}天'"
            assert read_figure(snapshot, "inDecisionAnalysisTable", "suggested", where, PLAIN) == pieces
            found = read_figure(snapshot, "inDecisionAnalysisTable", "suggested_amount", where)
            assert found == pytest.approx(pieces * 270)
        where = "cover_label = '备90天' and goods_num = 'G003'"
        assert read_figure(snapshot, "inDecisionAnalysisTable", "supply", where, PLAIN) == pytest.approx(270)
        assert read_figure(snapshot, "inDecisionAnalysisTable", "cover", where, PLAIN) == pytest.approx(180)
        assert read_figure(snapshot, "commodityStocksQuery", "ordered", variant=PLAIN) == 54
        assert read_figure(snapshot, "commodityStocksQuery", "change") == pytest.approx(0.2)
