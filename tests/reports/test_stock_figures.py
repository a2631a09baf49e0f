"""Stock: turnover, occupation, age and cover over the small snapshot, by hand."""

from __future__ import annotations

import pytest

from reports.semantics.dashboards import COST, PLAIN
from tests.reports.snapshot_figures import read_figure


class TestStock:
    def test_turnover_is_cost_over_the_mean_daily_value(self, snapshot):
        # Each goods: cost 2 × price in the month, mean value 5 × price.
        where = "period_label = '2026-11'"
        assert read_figure(snapshot, "inventoryturnover", "turnover_rate", where) == pytest.approx(0.4)
        assert read_figure(snapshot, "inventoryturnover", "turnover_days", where) == pytest.approx(75)

    def test_cover_days(self, snapshot):
        where = "period_label = '近7天'"
        assert read_figure(snapshot, "BestSeller", "cover", where) == pytest.approx(60)

    def test_occupation_of_a_month(self, snapshot):
        """Two warehouses hold 3 on odd days and 7 on even ones, one the other way round; prices sum to 600."""
        where = "period_label = '2026-11'"

        def read(metric, more="", variant=COST):
            return read_figure(snapshot, "inventoryOccupation", metric, where + more, variant)

        assert read("mean") == pytest.approx((10 + 20) / 2 * 600)
        assert read("peak") == pytest.approx((7 + 7 + 3) * 600)
        assert read("closing") == pytest.approx((7 + 7 + 3) * 600)
        assert read("peak", " and warehouse_name = '上海残次仓' and brand_name = '博世'") == pytest.approx(
            2100
        )
        assert read("mean_before") == read("mean_year") == read("mean")
        assert read("mean_change") == read("year_change") == pytest.approx(0)
        assert read("mean", variant=PLAIN) == pytest.approx(45)
        assert read("peak", variant=PLAIN) == pytest.approx(51)

    def test_occupation_of_a_month_without_predecessor(self, snapshot):
        for metric in ("mean_before", "mean_change", "peak_before", "closing_before"):
            assert read_figure(snapshot, "inventoryOccupation", metric, "period_label = '2026-03'") is None

    def test_sluggish_share_is_of_all_stock(self, snapshot):
        now = "month_label = '2026-11'"
        where = f"threshold = '90天以上' and {now}"
        assert read_figure(snapshot, "sluggishstock", "sluggish", where) == pytest.approx(14400)
        assert read_figure(snapshot, "sluggishstock", "share", where) == pytest.approx(2 / 3)
        assert read_figure(snapshot, "sluggishstock", "sluggish", where, PLAIN) == pytest.approx(72)
        oldest = f"threshold = '365天以上' and {now}"
        assert read_figure(snapshot, "sluggishstock", "share", oldest) == pytest.approx(1 / 3)

    def test_dot_ages_are_told_of_known_weeks_only(self, snapshot):
        now = "month_label = '2026-11'"
        assert read_figure(snapshot, "inventoryDOTReport", "amount", now, variant=PLAIN) == 108
        assert read_figure(snapshot, "inventoryDOTReport", "dated", now, variant=PLAIN) == 72
        assert read_figure(snapshot, "inventoryDOTReport", "mean_weeks", now) == pytest.approx((21 + 73) / 2)
        assert read_figure(snapshot, "inventoryDOTReport", "over_year", now) == pytest.approx(0.5)
        assert read_figure(snapshot, "inventoryDOTReport", "unknown", now) == pytest.approx(1 / 3)

    def test_cover_days_of_stock(self, snapshot):
        # Of the three goods 0, 1 and 2 were sold in 30 days from each of the three warehouses.
        assert read_figure(snapshot, "goodsinventoryrpt", "cover") == pytest.approx(108 * 30 / 9)
        assert read_figure(snapshot, "goodsinventoryrpt", "cover", "goods_num = 'G001'") is None
        assert read_figure(snapshot, "goodsinventoryrpt", "change") == pytest.approx(0.2)

    def test_a_company_s_turnover_is_told_for_a_year(self, snapshot):
        assert read_figure(snapshot, "CompanyInventoryreport", "rate") == pytest.approx(24 / 12 / 360 * 365)
        assert read_figure(snapshot, "CompanyInventoryreport", "turnover_days") == pytest.approx(180)
        assert read_figure(snapshot, "CompanyInventoryreport", "movement") == pytest.approx(2 * 600 * 3)
        assert read_figure(snapshot, "CompanyInventoryreport", "aged_90") == pytest.approx(2 / 3)
