"""Sales, orders, guarantees and income over the small snapshot, by hand."""

from __future__ import annotations

import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, PLAIN
from tests.reports.snapshot_figures import BOARDS, ELAPSED_SHARE, read_figure
from tests.support.superset import EVERYTHING


class TestSales:
    def test_profit_before_and_after_rebates(self, snapshot):
        """Of a goods' price, a half is profit, a tenth goes back, a twentieth comes in and a fiftieth is expected."""
        where = "month_label = '2026-11'"
        expected = {
            **{
                "profit": 900,
                "rebate": 180,
                "supplier_rebate": 90,
                "after_rebate": 810,
                "expected_rebate": 36,
            },
            **{"after_expected": 846, "margin": 0.2, "margin_after": 0.18, "margin_expected": 0.188},
        }
        for code in ("CommodityProfit", "ClassifiedProfit"):
            for metric, value in expected.items():
                assert read_figure(snapshot, code, metric, where) == pytest.approx(value), (code, metric)
        for metric, value in {
            **{"profit": 1200, "rebate": 300, "supplier_rebate": 100, "after_rebate": 1000},
            **{"after_expected": 1040, "margin_after": 1000 / 6000},
        }.items():
            assert read_figure(snapshot, "CustomerProfit", metric, where) == pytest.approx(value), metric

    def test_margin_comes_from_sums(self, snapshot):
        assert read_figure(snapshot, "CustomerProfit", "margin", "month_label = '2026-11'") == pytest.approx(
            0.2
        )

    def test_previous_period_stands_beside_the_figure(self, snapshot):
        assert read_figure(
            snapshot, "inventoryturnover", "rate_before", "period_label = '2026-11'"
        ) == pytest.approx(0.4)
        assert read_figure(snapshot, "inventoryturnover", "rate_before", "period_label = '2025-10'") is None
        assert read_figure(
            snapshot, "CommodityProfit", "revenue_year", "month_label = '2026-11'"
        ) == pytest.approx(4500)
        assert read_figure(snapshot, "CommodityProfit", "revenue_year", "month_label = '2026-08'") is None

    def test_a_day_and_its_month_so_far(self, snapshot):
        where = "day_label = '2026-11-20'"
        for metric, value in {"sales": 200, "mtd_sales": 4000, "profit": 40, "mtd_margin": 0.2}.items():
            assert read_figure(snapshot, "BusinessDailyReport", metric, where) == pytest.approx(value)
        assert read_figure(snapshot, "BusinessDailyReport", "sales_change", where, PLAIN) == pytest.approx(
            0.25
        )
        assert read_figure(snapshot, "OperationMonthlyReport", "sales_growth", "month_label = '2026-11'") == (
            pytest.approx(4000 / 2000 - 1)
        )

    def test_the_month_so_far_beside_a_month_and_a_year_ago(self, snapshot):
        """Of two companies, 20 days: 70 bought a day, 56 a month ago and 35 a year ago, and so on."""
        expected = {
            "BusinessDailyReport": ("day_label = '2026-11-20'", "mtd_"),
            "OperationMonthlyReport": ("month_label = '2026-11'", ""),
        }
        for code, (where, prefix) in expected.items():
            for flow, (now, before, year) in {
                **{"sales": (4000, 3200, 2000), "purchase": (2800, 2240, 1400)},
                **{"receipts": (2400, 2000, 1600), "payments": (2000, 1600, 1000)},
            }.items():
                if prefix:
                    assert read_figure(snapshot, code, f"{prefix}{flow}", where) == pytest.approx(now)
                found = [
                    read_figure(snapshot, code, f"{flow}_{end}", where)
                    for end in ("before", "change", "year", "growth")
                ]
                change, growth = (now / then - 1 for then in (before, year))
                assert found == pytest.approx([before, change, year, growth]), (code, flow)

    def test_what_is_of_a_day_says_so_beside_what_is_of_its_month(self):
        """But for levels, which are of the day alone."""
        board = find_report("BusinessDailyReport").first_tab.board(COST)
        for key in ("detail", "spent", "received"):
            chart = board.chart(key)
            data = board.dataset(chart.dataset)
            of_day = {data.metric(name).label for name in chart.metrics if f"mtd_{name}" in chart.metrics}
            assert of_day and all(label.startswith("当日") for label in of_day)
            assert chart.order.startswith("-mtd_"), "a day has too little to rank companies by"

    def test_best_sellers_beside_the_days_before_and_last_year_s(self, snapshot):
        for variant, names in ((PLAIN, ("amount", "quantity")), (COST, ("amount", "quantity", "profit"))):
            board = find_report("BestSeller").first_tab.board(variant)
            dataset = board.dataset(board.chart("compared").dataset)
            for name in names:
                change, growth = (dataset.metric(f"{name}_{kind}").sql for kind in ("change", "growth"))
                found = snapshot.sql(
                    f"select {change}, {growth} from ({dataset.sql}) where role_id = {EVERYTHING}"
                    " and period_label = '近30天'"
                ).fetchone()
                assert found == pytest.approx((-0.5, 1))

    def test_goods_are_ranked_by_pieces_by_revenue_and_by_profit(self, snapshot):
        """All sell alike in pieces; the dearest is first in revenue and profit."""
        placed = next(item for item in BOARDS if item.report.code == "BestSeller" and item.variant == COST)
        dataset = placed.board.datasets[0]
        places = ", ".join(dataset.metric(name).sql for name in ("place", "amount_place", "profit_place"))
        rows = snapshot.sql(
            f"select goods_num, {places} from ({dataset.sql}) where role_id = {EVERYTHING}"
            " and period_label = '近30天' group by goods_num order by 1"
        ).fetchall()
        assert rows == [("G001", 1, 3, 3), ("G002", 1, 2, 2), ("G003", 1, 1, 1)]
        assert read_figure(snapshot, "BestSeller", "amount_place") is None

    def test_orders_by_how_they_were_filled(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {"fill_rate": 0.8, "lead": 1.5, "late_share": 1, "rest": 18, "orders": 9}
        for metric, value in expected.items():
            found = read_figure(snapshot, "SalesOrder", metric, where, PLAIN)
            assert found == pytest.approx(value)

    def test_what_guarantees_cost_once_factories_have_settled(self, snapshot):
        """Of 400 paid a month, company and goods, 250 come back; all of it for the second symptom."""
        where = "month_label = '2026-11'"
        expected = {
            **{"paid": 2400, "paid_quantity": 18, "settled": 1500, "settled_quantity": 12, "net": 900},
            **{
                "recovery": 0.625,
                "paid_change": 1 / ELAPSED_SHARE - 1,
                "net_before": 900,
                "net_year": 900,
                "recovery_year": 0.625,
            },
        }
        for metric, value in expected.items():
            found = read_figure(snapshot, "aftersalesprofit", metric, where, PLAIN)
            assert found == pytest.approx(value), metric
        for symptom, (left, borne) in {"胎侧鼓包": (900, 0.5), "胎面脱层": (0, 1)}.items():
            of_it = f"{where} and symptom_name = '{symptom}'"
            assert read_figure(snapshot, "aftersalesprofit", "net", of_it, PLAIN) == pytest.approx(left)
            assert read_figure(snapshot, "aftersalesprofit", "recovery", of_it, PLAIN) == pytest.approx(borne)
        waiting = find_report("aftersalesprofit").first_tab.plain.dataset("guarantee_waiting")
        rest = f"select {waiting.metric('waiting').sql} from ({waiting.sql}) where role_id = {EVERYTHING}"
        assert snapshot.sql(rest).fetchone() == (2 * 60,)
        of_none = "month_label = '2025-09'"
        assert read_figure(snapshot, "aftersalesprofit", "recovery", of_none, PLAIN) is None

    def test_income_of_a_month_and_its_subtotals(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {
            **{
                "revenue": 2000,
                "gross": 400,
                "margin": 0.2,
                "corrections": -40,
                "rebates": 80,
                "expenses": -70,
            },
            **{
                "result": 370,
                "result_share": 0.185,
                "result_growth": 1 / ELAPSED_SHARE - 1,
                "open_companies": 2,
            },
        }
        for metric, value in expected.items():
            assert read_figure(snapshot, "IncomeStatement", metric, where) == pytest.approx(value), metric
        assert read_figure(snapshot, "IncomeStatement", "open_companies", "month_label = '2026-10'") == 0
        statement = find_report("IncomeStatement").first_tab.cost.dataset("income_statement_cost")
        amount, share, order = (statement.metric(name).sql for name in ("amount", "share", "line"))
        rows = snapshot.sql(
            f"select line_name, {amount}, {share} from ({statement.sql}) where role_id = {EVERYTHING} and {where}"
            f" group by line_name order by {order} desc"
        ).fetchall()
        assert rows == [
            *(
                ("营业收入", 2000, 1),
                ("销售成本", -1600, -0.8),
                ("销售毛利", 400, 0.2),
                ("盘点盈亏", -40, -0.02),
            ),
            *(
                ("供应商返利（已确认）", 100, 0.05),
                ("客户返利（已确认）", -20, -0.01),
                ("三包理赔净支出", -10, -0.005),
                ("配送运费", -60, -0.03),
                ("现金折扣（抹零）", 0, 0),
            ),
            ("经营利润", 370, 0.185),
        ]
        assert snapshot.sql(f"select {amount} from ({statement.sql})").fetchone() == (None,)
