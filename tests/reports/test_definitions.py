"""Datasets over a small snapshot: figures by hand."""

from __future__ import annotations

import re

import pytest

from reports.assets import boards
from reports.catalogue import find_report
from reports.catalogue.boards import COST, PLAIN
from reports.catalogue.datasets import HAIR, UNSEEN
from tests.kit.superset import EVERYTHING

BOARDS = list(boards())
PASSED = 20 / 30
"""Of the month that runs on the snapshot's day."""


class TestDefinitions:
    """Figures of the small snapshot, by hand."""

    def figure(self, snapshot, code, metric, where="true", variant=COST):
        placed = next(item for item in BOARDS if item.report.code == code and item.variant == variant)
        dataset = placed.board.datasets[0]
        sql = next(item.sql for item in dataset.metrics if item.name == metric)
        return snapshot.sql(
            f"select {sql} from ({dataset.sql}) where role_id = {EVERYTHING} and {where}"
        ).fetchone()[0]

    def test_turnover_is_cost_over_the_mean_daily_value(self, snapshot):
        # Each goods: cost 2 × price in the month, mean value 5 × price.
        where = "period_label = '2026-11'"
        assert self.figure(snapshot, "inventoryturnover", "turnover_rate", where) == pytest.approx(0.4)
        assert self.figure(snapshot, "inventoryturnover", "turnover_days", where) == pytest.approx(75)

    @pytest.mark.parametrize(("variant", "planned", "ordered"), [(COST, 14400, 10800), (PLAIN, 72, 54)])
    def test_plans_stand_beside_what_was_ordered_and_bought(self, snapshot, variant, planned, ordered):
        def told(metric):
            return self.figure(
                snapshot, "inPurchasingAnalysisTable", metric, "month_label = '2026-11'", variant
            )

        assert (told("planned"), told("ordered")) == (planned, ordered)
        assert (told("carried_share"), told("bought_of_plan")) == (0.75, 0.5)

    def test_previous_period_stands_beside_the_figure(self, snapshot):
        assert self.figure(
            snapshot, "inventoryturnover", "rate_before", "period_label = '2026-11'"
        ) == pytest.approx(0.4)
        assert self.figure(snapshot, "inventoryturnover", "rate_before", "period_label = '2025-10'") is None
        assert self.figure(
            snapshot, "CommodityProfit", "revenue_year", "month_label = '2026-11'"
        ) == pytest.approx(4500)
        assert self.figure(snapshot, "CommodityProfit", "revenue_year", "month_label = '2026-08'") is None

    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_series_show_the_same_figures_as_the_compared_rows(self, placed, snapshot):
        datasets = {dataset.key: dataset for item in BOARDS for dataset in item.board.datasets}
        for series in placed.board.datasets:
            if not series.key.endswith("_series"):
                continue
            whole = datasets[series.key.removesuffix("_series")]
            period = next(column.name for column in series.columns if column.name.endswith("_label"))
            assert len(series.metrics) >= 2
            for metric in series.metrics:
                answers = [
                    snapshot.sql(
                        f"select {period}, {metric.sql} from ({dataset.sql}) where role_id = {EVERYTHING}"
                        " group by 1 order by 1"
                    ).fetchall()
                    for dataset in (series, whole)
                ]
                assert answers[0] == answers[1] != []

    def test_no_period_beyond_the_last(self, snapshot):
        placed = next(item for item in BOARDS if item.report.code == "CommodityProfit")
        last = snapshot.sql(f"select max(month_label) from ({placed.board.datasets[0].sql})").fetchone()[0]
        assert last == "2026-11"

    @pytest.mark.parametrize("code", ["accountsReceivable", "facyorypayment"])
    def test_buckets_sum_to_the_balance(self, snapshot, code):
        dataset = find_report(code).first_tab.plain.datasets[0]
        buckets = " + ".join(
            f"coalesce({item.sql}, 0)" for item in dataset.metrics if item.name.startswith("bucket_")
        )
        whole = next(item.sql for item in dataset.metrics if item.name == "open_amount")
        row = snapshot.sql(
            f"select {buckets}, {whole} from ({dataset.sql}) where role_id = {EVERYTHING}"
            + (" and month_label = '2026-11'" if dataset.has_column("month_label") else "")
        ).fetchone()
        assert row[0] == row[1] == 6000

    def test_payables_by_the_days_until_they_are_due(self, snapshot):
        for month in ("2026-10", "2026-11"):
            where = f"month_label = '{month}'"
            assert self.figure(snapshot, "facyorypayment", "bucket_1", where, PLAIN) == 4000
            assert self.figure(snapshot, "facyorypayment", "bucket_2", where, PLAIN) == 2000
            assert self.figure(snapshot, "facyorypayment", "soonest", where, PLAIN) == -200

    def test_what_is_overdue_stands_by_how_long_beside_what_is_to_be_paid(self, snapshot):
        """As in the report of what is owed: of each company 1,000 not due, 45 and 200 days late."""
        where = "month_label = '2026-11'"
        expected = {1: 2000, 2: None, 3: 2000, 4: None, 5: None, 6: 2000}
        for number, amount in expected.items():
            assert self.figure(snapshot, "facyorypayment", f"overdue_{number}", where, PLAIN) == amount
        assert self.figure(snapshot, "facyorypayment", "longest", where, PLAIN) == 200
        board = find_report("facyorypayment").first_tab.plain
        aged = find_report("ScheduleAccountsPayable").tab("aging").plain.datasets[0]
        labels = [board.dataset("payable_due").metric(f"overdue_{number}").label for number in expected]
        assert tuple(labels) == aged.buckets
        [chosen] = [item for item in board.filters if item.column == "overdue"]
        heed = {chart.key for chart in board.charts if chosen in board.filters_of(chart)}
        assert {chart.key for chart in (*board.tables, *board.figures)} <= heed

    def test_a_partner_s_month_goes_from_opening_to_closing(self, snapshot):
        where = "month_label = '2026-11'"
        for code in ("ScheduleAccountsReceivable", "ScheduleAccountsPayable"):
            opening, delivery, back, other, settled, offset, closing = (
                self.figure(snapshot, code, name, where, PLAIN)
                for name in ("opening", "delivery", "return", "other", "settled", "offset", "closing")
            )
            assert opening + delivery - back + other - settled - offset == closing == 2400
            assert self.figure(snapshot, code, "rate", where, PLAIN) == pytest.approx(600 / 1900)
            assert self.figure(snapshot, code, "closing_change", where, PLAIN) == pytest.approx(0)

    def test_write_offs_are_weighed_by_their_amounts(self, snapshot):
        where = "month_label = '2026-11'"
        for metric, expected in (
            ("mean_held", 37.5),
            ("mean_late", 5),
            ("late_share", 0.25),
            ("amount", 800),
        ):
            found = self.figure(snapshot, "verificationDetails", metric, where, PLAIN)
            assert found == pytest.approx(expected)

    def test_a_bill_that_is_written_off_bit_by_bit_counts_once(self, snapshot):
        """Of two companies two items of 500 each, of which every month writes off a part."""
        for where in ("month_label = '2026-11'", "month_label > '2026-08'", "true"):
            assert self.figure(snapshot, "verificationDetails", "item_amount", where, PLAIN) == 2 * 2 * 500
        assert self.figure(snapshot, "verificationDetails", "item_amount", "false", PLAIN) is None

    def test_purchases_beside_sales(self, snapshot):
        where = "month_label = '2026-11'"
        for code in ("SalesBuy", "categorySalesPurchase"):
            assert self.figure(snapshot, code, "ratio", where) == pytest.approx(0.75)
            assert self.figure(snapshot, code, "ratio", where, PLAIN) == pytest.approx(0.75)
            assert self.figure(snapshot, code, "balance", where) == pytest.approx(600 * 3)
            assert self.figure(snapshot, code, "balance", where, PLAIN) == pytest.approx(9)

    def test_rebates_by_the_quarter_in_which_their_cycles_end(self, snapshot):
        where = "quarter_label = '2026-Q4'"
        expected = {
            **{"accrued": 800, "accrued_change": 0, "accrued_growth": 0, "confirmed": 400, "used": 300},
            **{"left": 100, "due": 200, "rate": 400 / 15000, "used_share": 0.75, "confirmed_share": 0.5},
        }
        for metric, value in expected.items():
            found = self.figure(snapshot, "ScheduleSupplierRebate", metric, where, PLAIN)
            assert found == pytest.approx(value), metric
        uses = find_report("ScheduleSupplierRebate").first_tab.plain.dataset("supplier_rebate_use")
        used = f"select {uses.metric('used_amount').sql}, count(*) from ({uses.sql}) where role_id = {EVERYTHING}"
        assert snapshot.sql(used).fetchone() == (50 * 14 * 2, 28)

    def test_purchases_of_a_month(self, snapshot):
        where = "month_label = '2026-11'"
        code = "inPurchasingAnalysisTable"
        assert self.figure(snapshot, code, "bought", where) == pytest.approx(3 * 600 * 4)
        assert self.figure(snapshot, code, "bought", where, PLAIN) == 36
        assert self.figure(snapshot, code, "bought_growth", where) == pytest.approx(1 / PASSED - 1)
        assert self.figure(snapshot, code, "bought_change", "month_label = '2026-10'") == 0
        assert self.figure(snapshot, code, "return_share", where) == pytest.approx(0.2)

    def test_prices_of_a_month(self, snapshot):
        where = "month_label = '2026-11' and goods_num = 'G002'"
        code = "inPurchasingPriceAnalysisTable"
        assert self.figure(snapshot, code, "price", where) == pytest.approx(220)
        assert self.figure(snapshot, code, "price_before", where) == pytest.approx(200)
        for variant in (PLAIN, COST):
            assert self.figure(snapshot, code, "price_change", where, variant) == pytest.approx(0.1)

    @pytest.mark.parametrize("code", ["purchasecenterpriceindex", "purchasingPriceIndex"])
    def test_price_index_against_either_base_month(self, snapshot, code):
        where = "month_label = '2026-11' and base_label = "
        for base, months in (("去年同月", 12), ("本年1月", 10)):
            assert self.figure(snapshot, code, "price_index", f"{where}'{base}'", PLAIN) == pytest.approx(
                100 + months
            )
            assert self.figure(snapshot, code, "index_before", f"{where}'{base}'", PLAIN) == pytest.approx(
                99 + months
            )
        assert self.figure(snapshot, code, "bought_share", f"{where}'去年同月'", PLAIN) == pytest.approx(0.5)
        assert self.figure(snapshot, code, "index_year", f"{where}'去年同月'", PLAIN) == 100

    def test_diffusion_index_is_what_rose_and_half_of_what_did_not_change(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {
            **{"price_index": 200 / 3, "quantity_index": 200 / 3, "delivery_index": 50, "pmi": 550 / 9},
            **{"pmi_year": 550 / 9, "rose": 2, "same": 4, "fell": 0, "compared": 6, "delivered": 4},
        }
        for metric, value in expected.items():
            assert self.figure(snapshot, "pmi", metric, where, PLAIN) == pytest.approx(value), metric

    def test_payments_of_a_month(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {"paid_share": 0.625, "invoiced_share": 0.75, "days": 40, "closing": 2400}
        for metric, value in expected.items():
            found = self.figure(snapshot, "inAnalysisTablePayment", metric, where, PLAIN)
            assert found == pytest.approx(value), metric

    def test_suggested_is_what_the_days_will_sell_beyond_what_there_is(self, snapshot):
        """Of each warehouse 12 on hand, 13 claimed, 6 to come; goods 3 sells 2 a month, goods 2 one,
        goods 1 none. One of the three warehouses holds defective goods, for which nothing is bought."""
        for days, pieces in ((30, 0), (60, 0), (90, 2)):
            where = f"cover_label = '备{days}天'"
            assert self.figure(snapshot, "inDecisionAnalysisTable", "suggested", where, PLAIN) == pieces
            found = self.figure(snapshot, "inDecisionAnalysisTable", "suggested_amount", where)
            assert found == pytest.approx(pieces * 270)
        where = "cover_label = '备90天' and goods_num = 'G003'"
        assert self.figure(snapshot, "inDecisionAnalysisTable", "supply", where, PLAIN) == pytest.approx(270)
        assert self.figure(snapshot, "inDecisionAnalysisTable", "cover", where, PLAIN) == pytest.approx(180)
        assert self.figure(snapshot, "commodityStocksQuery", "ordered", variant=PLAIN) == 54
        assert self.figure(snapshot, "commodityStocksQuery", "change") == pytest.approx(0.2)

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
            **{"result": 370, "result_share": 0.185, "result_growth": 1 / PASSED - 1, "open_companies": 2},
        }
        for metric, value in expected.items():
            assert self.figure(snapshot, "IncomeStatement", metric, where) == pytest.approx(value), metric
        assert self.figure(snapshot, "IncomeStatement", "open_companies", "month_label = '2026-10'") == 0
        statement = find_report("IncomeStatement").first_tab.cost.dataset("income_statement_cost")
        amount, share, order = (statement.metric(name).sql for name in ("amount", "share", "line"))
        rows = snapshot.sql(
            f"select line_name, {amount}, {share} from ({statement.sql}) where role_id = {EVERYTHING} and {where}"
            f" group by line_name order by {order} desc"
        ).fetchall()
        assert rows == [
            *(
                ("营业收入", 2000, 1),
                ("减：销售成本", -1600, -0.8),
                ("销售毛利", 400, 0.2),
                ("加：盘点盈亏", -40, -0.02),
            ),
            *(
                ("加：供应商返利（已确认）", 100, 0.05),
                ("减：客户返利（已确认）", -20, -0.01),
                ("减：三包理赔净支出", -10, -0.005),
                ("减：配送运费", -60, -0.03),
            ),
            ("经营利润", 370, 0.185),
        ]
        assert snapshot.sql(f"select {amount} from ({statement.sql})").fetchone() == (None,)

    def test_what_guarantees_cost_once_factories_have_settled(self, snapshot):
        """Of 400 paid a month, company and goods, 250 come back; all of it for the second symptom."""
        where = "month_label = '2026-11'"
        expected = {
            **{"paid": 2400, "paid_quantity": 18, "settled": 1500, "settled_quantity": 12, "net": 900},
            **{
                "recovery": 0.625,
                "paid_change": 1 / PASSED - 1,
                "net_before": 900,
                "net_year": 900,
                "recovery_year": 0.625,
            },
        }
        for metric, value in expected.items():
            found = self.figure(snapshot, "aftersalesprofit", metric, where, PLAIN)
            assert found == pytest.approx(value), metric
        for symptom, (left, borne) in {"胎侧鼓包": (900, 0.5), "胎面脱层": (0, 1)}.items():
            of_it = f"{where} and symptom_name = '{symptom}'"
            assert self.figure(snapshot, "aftersalesprofit", "net", of_it, PLAIN) == pytest.approx(left)
            assert self.figure(snapshot, "aftersalesprofit", "recovery", of_it, PLAIN) == pytest.approx(borne)
        waiting = find_report("aftersalesprofit").first_tab.plain.dataset("guarantee_waiting")
        rest = f"select {waiting.metric('waiting').sql} from ({waiting.sql}) where role_id = {EVERYTHING}"
        assert snapshot.sql(rest).fetchone() == (2 * 60,)
        of_none = "month_label = '2025-09'"
        assert self.figure(snapshot, "aftersalesprofit", "recovery", of_none, PLAIN) is None

    def test_orders_by_how_they_were_filled(self, snapshot):
        where = "month_label = '2026-11'"
        expected = {"fill_rate": 0.8, "lead": 1.5, "late_share": 1, "rest": 18, "orders": 9}
        for metric, value in expected.items():
            found = self.figure(snapshot, "SalesOrder", metric, where, PLAIN)
            assert found == pytest.approx(value)

    def test_a_day_and_its_month_so_far(self, snapshot):
        where = "day_label = '2026-11-20'"
        for metric, value in {"sales": 200, "mtd_sales": 4000, "profit": 40, "mtd_margin": 0.2}.items():
            assert self.figure(snapshot, "BusinessDailyReport", metric, where) == pytest.approx(value)
        assert self.figure(snapshot, "BusinessDailyReport", "sales_change", where, PLAIN) == pytest.approx(
            0.25
        )
        assert self.figure(snapshot, "OperationMonthlyReport", "sales_growth", "month_label = '2026-11'") == (
            pytest.approx(4000 / 2000 - 1)
        )

    def test_cover_days(self, snapshot):
        where = "period_label = '近7天'"
        assert self.figure(snapshot, "BestSeller", "cover", where) == pytest.approx(60)

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

    def test_occupation_of_a_month(self, snapshot):
        """Two warehouses hold 3 on odd days and 7 on even ones, one the other way round; prices sum to 600."""
        where = "period_label = '2026-11'"

        def held(metric, more="", variant=COST):
            return self.figure(snapshot, "inventoryOccupation", metric, where + more, variant)

        assert held("mean") == pytest.approx((10 + 20) / 2 * 600)
        assert held("peak") == pytest.approx((7 + 7 + 3) * 600)
        assert held("closing") == pytest.approx((7 + 7 + 3) * 600)
        assert held("peak", " and warehouse_name = '上海残次仓' and brand_name = '博世'") == pytest.approx(
            2100
        )
        assert held("mean_before") == held("mean_year") == held("mean")
        assert held("mean_change") == held("year_change") == pytest.approx(0)
        assert held("mean", variant=PLAIN) == pytest.approx(45)
        assert held("peak", variant=PLAIN) == pytest.approx(51)

    def test_occupation_of_a_month_without_predecessor(self, snapshot):
        for metric in ("mean_before", "mean_change", "peak_before", "closing_before"):
            assert self.figure(snapshot, "inventoryOccupation", metric, "period_label = '2026-03'") is None

    def test_sluggish_share_is_of_all_stock(self, snapshot):
        now = "month_label = '2026-11'"
        where = f"threshold = '90天以上' and {now}"
        assert self.figure(snapshot, "sluggishstock", "sluggish", where) == pytest.approx(14400)
        assert self.figure(snapshot, "sluggishstock", "share", where) == pytest.approx(2 / 3)
        assert self.figure(snapshot, "sluggishstock", "sluggish", where, PLAIN) == pytest.approx(72)
        oldest = f"threshold = '365天以上' and {now}"
        assert self.figure(snapshot, "sluggishstock", "share", oldest) == pytest.approx(1 / 3)

    def test_thresholds_stand_in_their_order(self, snapshot):
        dataset = find_report("sluggishstock").first_tab.plain.datasets[0]
        axis = snapshot.sql(f"select distinct threshold_axis from ({dataset.sql}) order by 1").fetchall()
        assert [label.lstrip(UNSEEN) for (label,) in axis] == [
            f"{days}天以上" for days in (30, 60, 90, 180, 365)
        ]

    @pytest.mark.parametrize(
        "code", ["accountsReceivable", "inventoryAgingReport", "facyorypayment", "inventoryDOTReport"]
    )
    def test_buckets_stand_in_their_order(self, snapshot, code):
        """Also where a label starts with a digit and its neighbour with a Chinese character."""
        dataset = find_report(code).first_tab.plain.datasets[0]
        axis = snapshot.sql(f"select distinct bucket_axis from ({dataset.sql})").fetchall()
        ordered = sorted(text for (text,) in axis)
        found = [label.lstrip(UNSEEN) for label in ordered]
        assert found == [label for label in dataset.buckets if label in found]
        assert len(found) == len(axis) > 1
        # A browser orders the series of a chart as a dictionary does: the more space in front, the sooner.
        space = [label.count(chr(HAIR)) for label in ordered]
        assert space == sorted(set(space), reverse=True)

    def test_dot_ages_are_told_of_known_weeks_only(self, snapshot):
        now = "month_label = '2026-11'"
        assert self.figure(snapshot, "inventoryDOTReport", "amount", now, variant=PLAIN) == 108
        assert self.figure(snapshot, "inventoryDOTReport", "dated", now, variant=PLAIN) == 72
        assert self.figure(snapshot, "inventoryDOTReport", "mean_weeks", now) == pytest.approx((21 + 73) / 2)
        assert self.figure(snapshot, "inventoryDOTReport", "over_year", now) == pytest.approx(0.5)
        assert self.figure(snapshot, "inventoryDOTReport", "unknown", now) == pytest.approx(1 / 3)

    def test_shares_of_a_table_sum_to_one(self, snapshot):
        for code, by in (("inventoryDOTReport", "dot_week"), ("CompanyInventoryreport", "company_name")):
            dataset = find_report(code).first_tab.cost.datasets[0]
            rows = snapshot.sql(
                f"select {dataset.metric('share').sql} from ({dataset.sql}) where role_id = {EVERYTHING} group by {by}"
            ).fetchall()
            assert len(rows) > 1
            assert sum(share for (share,) in rows) == pytest.approx(1)

    def test_cover_days_of_stock(self, snapshot):
        # Of the three goods 0, 1 and 2 were sold in 30 days from each of the three warehouses.
        assert self.figure(snapshot, "goodsinventoryrpt", "cover") == pytest.approx(108 * 30 / 9)
        assert self.figure(snapshot, "goodsinventoryrpt", "cover", "goods_num = 'G001'") is None
        assert self.figure(snapshot, "goodsinventoryrpt", "change") == pytest.approx(0.2)

    def test_a_company_s_turnover_is_told_for_a_year(self, snapshot):
        assert self.figure(snapshot, "CompanyInventoryreport", "rate") == pytest.approx(24 / 12 / 360 * 365)
        assert self.figure(snapshot, "CompanyInventoryreport", "turnover_days") == pytest.approx(180)
        assert self.figure(snapshot, "CompanyInventoryreport", "movement") == pytest.approx(2 * 600 * 3)
        assert self.figure(snapshot, "CompanyInventoryreport", "aged_90") == pytest.approx(2 / 3)

    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_links_open_a_page_of_the_product(self, placed, snapshot):
        for dataset in placed.board.datasets:
            for column in dataset.columns:
                if column.kind != "link":
                    continue
                links = snapshot.sql(f"select distinct {column.name} from ({dataset.sql})").fetchall()
                assert links
                for (address,) in links:
                    assert re.fullmatch(
                        r'<a target="_top" href="/[\w/]+\?(\w+=[\w.%-]+&amp;)*\w+=[\w.%-]+">\w+</a>', address
                    ), address

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
                assert self.figure(snapshot, code, metric, where) == pytest.approx(value), (code, metric)
        for metric, value in {
            **{"profit": 1200, "rebate": 300, "supplier_rebate": 100, "after_rebate": 1000},
            **{"after_expected": 1040, "margin_after": 1000 / 6000},
        }.items():
            assert self.figure(snapshot, "CustomerProfit", metric, where) == pytest.approx(value), metric

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
                    assert self.figure(snapshot, code, f"{prefix}{flow}", where) == pytest.approx(now)
                found = [
                    self.figure(snapshot, code, f"{flow}_{end}", where)
                    for end in ("before", "change", "year", "growth")
                ]
                change, growth = (now / then - 1 for then in (before, year))
                assert found == pytest.approx([before, change, year, growth]), (code, flow)

    def test_what_is_of_a_day_says_so_beside_what_is_of_its_month(self):
        """But for levels, which are of the day alone."""
        board = find_report("BusinessDailyReport").first_tab.board(COST)
        for key in ("detail", "others"):
            chart = board.chart(key)
            data = board.dataset(chart.dataset)
            of_day = {data.metric(name).label for name in chart.metrics if f"mtd_{name}" in chart.metrics}
            assert of_day and all(label.startswith("当日") for label in of_day)
            assert chart.order.startswith("-mtd_"), "a day has too little to rank companies by"

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
        assert self.figure(snapshot, "BestSeller", "amount_place") is None

    def test_every_report_leads_down_to_its_bills(self):
        """A table of each tab has a link; statements of shares of what another table lists need none."""
        for placed in BOARDS:
            linked = {
                column.name
                for table in placed.board.tables
                for column in placed.board.dataset(table.dataset).columns
                if column.kind == "link" and column.name in table.by
            }
            assert linked, placed.names

    @pytest.mark.parametrize(
        ("code", "key", "variant"),
        [
            ("OperatingRevenue", "all", PLAIN),
            *(
                (code, key, variant)
                for code, key in (("CustomerProfit", "all"), ("stationProfitAnalysis", "customers"))
                for variant in (PLAIN, COST)
            ),
        ],
    )
    def test_what_was_sold_is_asked_for_by_warehouse(self, snapshot, code, key, variant):
        board = find_report(code).tab(key).board(variant)
        chosen = board.filter("warehouse")
        assert all(chosen in board.filters_of(chart) for chart in board.charts)
        dataset = board.datasets[0]
        assert dataset.grain == "company", "what is of no warehouse is the company's"
        ask = f"select {dataset.metric('revenue').sql} from ({dataset.sql}) where role_id = {EVERYTHING}"
        whole, *parts = (
            snapshot.sql(f"{ask} and {where}").fetchone()[0]
            for where in ("true", *(f"warehouse_name = '{name}公司的仓库'" for name in ("上海", "苏州")))
        )
        assert sum(parts) == whole > max(parts)

    def test_margin_comes_from_sums(self, snapshot):
        assert self.figure(snapshot, "CustomerProfit", "margin", "month_label = '2026-11'") == pytest.approx(
            0.2
        )
