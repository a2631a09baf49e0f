"""How charts look follows from what they show: red is what is bad, grey is what was, one unit has one axis."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from api.exporting.text_format import format_value
from reports.catalogue import find_report
from reports.semantics.dashboards import COST
from reports.semantics.datasets import CHANGE, MONEY, POINTS, WHOLE_MONEY
from reports.superset.assets import CatalogueError, compile_assets, list_dashboards, validate_dashboard
from reports.superset.chart_params import (
    BEFORE_COLOR,
    LAST_YEAR_COLOR,
    LEAST_NAMED,
    UNMARKED,
    chart_params,
    label_colors,
    stored_queries,
)
from reports.superset.theme import BUCKET_COLORS, OTHERS, ROOM_FOR_VALUES, THEME, UNKNOWN_COLOR

LOOKS = (
    *("number_format", "min_width", "is_wrapped", "is_unwrapped", "is_horizontal", "has_all_labels"),
    *("measure_word", "min_slice"),
)


def find_board(code: str, tab: str = "all"):
    found = find_report(code)
    assert found
    return found.tab(tab).board(COST)


def list_marked_changes(board, key: str) -> dict[str, str]:
    """Return a table's marked changes and their conditions."""
    chart = board.chart(key)
    dataset = board.dataset(chart.dataset)
    rules = chart_params(chart, dataset)["conditional_formatting"]
    for rule in rules:
        least = {CHANGE: 0.0005, POINTS: 0.05}[dataset.metric(rule["column"]).format]
        assert rule["targetValue"] == (-least if rule["operator"] == "<" else least)
        assert rule["useGradient"] is False
    return {rule["column"]: rule["operator"] for rule in rules}


class TestMarks:
    def test_less_sold_is_marked_and_less_bought_is_not(self):
        board = find_board("OperationMonthlyReport")
        assert list_marked_changes(board, "detail") == {"sales_change": "<", "sales_growth": "<"}
        assert list_marked_changes(board, "others") == {"receipts_change": "<", "receipts_growth": "<"}

    def test_more_owed_by_customers_is_marked_and_more_owed_to_suppliers_is_not(self):
        assert list_marked_changes(find_board("ScheduleAccountsReceivable"), "detail") == {
            "closing_change": ">"
        }
        assert list_marked_changes(find_board("ScheduleAccountsPayable", "months"), "detail") == {}

    def test_a_running_quarter_that_has_less_than_a_whole_one_is_no_alarm(self):
        board = find_board("ScheduleSupplierRebate")
        assert list_marked_changes(board, "suppliers") == {}
        assert list_marked_changes(board, "beside") == {"due_moved": ">"}

    def test_stock_may_rise_and_fall(self):
        assert list_marked_changes(find_board("inventoryOccupation"), "detail") == {}

    def test_what_reads_as_no_change_is_not_marked(self):
        board = find_board("CommodityProfit")
        head = board.chart("beside")
        dataset = board.dataset(head.dataset)
        rules = chart_params(head, dataset)["conditional_formatting"]
        assert {dataset.metric(rule["column"]).format for rule in rules} == {CHANGE, POINTS}
        for rule in rules:
            # The least that is marked reads as more than nothing, and what is just below it as nothing.
            form, target = dataset.metric(rule["column"]).format, rule["targetValue"]
            assert rule["operator"] == ("<" if target < 0 else ">")
            assert format_value(target * 0.999, form).strip("+%") == "0.0"
            assert format_value(target * 1.001, form).strip("+-%") == "0.1"

    def test_dearer_goods_are_marked(self):
        assert set(list_marked_changes(find_board("inPurchasingPriceAnalysisTable"), "detail").values()) == {
            ">"
        }


class TestColors:
    def test_what_is_overdue_is_red_and_what_is_due_last_green(self):
        colors = label_colors(find_board("facyorypayment"))
        assert (colors["已逾期"], colors["60天以后"]) == (BUCKET_COLORS[-1], BUCKET_COLORS[0])

    def test_old_stock_is_red_and_fresh_stock_green(self):
        colors = label_colors(find_board("inventoryAgingReport"))
        assert (colors["365天以上"], colors["0–30天"]) == (BUCKET_COLORS[-1], BUCKET_COLORS[0])

    def test_what_is_left_of_many_is_grey(self):
        assert label_colors(find_board("BestSeller"))[OTHERS] == UNKNOWN_COLOR

    def test_what_stood_earlier_steps_back(self):
        colors = label_colors(find_board("inventoryOccupation"))
        assert (colors["上月"], colors["去年同月"]) == (BEFORE_COLOR, LAST_YEAR_COLOR)
        assert colors["所选月份"] not in (BEFORE_COLOR, LAST_YEAR_COLOR)


class TestRows:
    def test_a_ranking_leaves_out_what_has_nothing_to_draw(self):
        board = find_board("OperationMonthlyReport")
        chart = board.chart("companies")
        [query] = stored_queries(chart, board.dataset(chart.dataset))
        assert query["extras"]["having"].count(" <> 0") == len(chart.metrics) == 2
        [condition] = chart_params(chart, board.dataset(chart.dataset))["adhoc_filters"]
        assert query["extras"]["having"] == f"({condition['sqlExpression']})"

    @pytest.mark.parametrize(
        ("code", "key"), [("OperationMonthlyReport", "months"), ("facyorypayment", "due")]
    )
    def test_months_and_ages_stand_also_where_nothing_is(self, code, key):
        board = find_board(code)
        chart = board.chart(key)
        assert chart_params(chart, board.dataset(chart.dataset))["adhoc_filters"] == []

    def test_what_is_only_filed_is_not_on_the_screen(self):
        board = find_board("CommodityProfit")
        chart = board.chart("detail")
        params = chart_params(chart.on_screen, board.dataset(chart.dataset))
        shown = {*params["metrics"], *params["groupby"]}
        assert "rebate" in chart.metrics and "rebate" not in shown
        assert {*chart.metrics, *chart.by} - shown == {*chart.export_only}


class TestAxes:
    @pytest.mark.parametrize(
        ("code", "tab", "key", "second"),
        [
            ("ScheduleAccountsPayable", "months", "months", 0),
            ("ScheduleAccountsPayable", "days", "months", 1),
            ("CommodityProfit", "all", "trend", 1),
        ],
    )
    def test_amounts_share_an_axis_and_a_ratio_and_a_level_beside_moves_have_their_own(
        self, code, tab, key, second
    ):
        board = find_board(code, tab)
        chart = board.chart(key)
        assert chart_params(chart, board.dataset(chart.dataset))["yAxisIndexB"] == second

    def test_days_of_next_to_no_purchases_are_drawn_as_amounts_on_one_axis(self):
        for tab, second in (("all", "ratio"), ("days", "balance")):
            for code in ("SalesBuy", "categorySalesPurchase"):
                board = find_board(code, tab)
                chart = board.chart("trend")
                params = chart_params(chart, board.dataset(chart.dataset))
                assert params["metrics_b"] == [second]
                assert params["yAxisIndexB"] == (1 if second == "ratio" else 0), (code, tab)

    def test_a_day_by_itself_is_seen_and_bars_bear_no_marks(self):
        """A line of one point is nothing to see."""
        for tab, lines in (("all", False), ("days", True)):
            board = find_board("SalesOrder", tab)
            chart = board.chart("trend")
            params = chart_params(chart, board.dataset(chart.dataset))
            assert (params["seriesType"] == "line") is params["markerEnabled"] is lines, tab
            assert params["markerEnabledB"] is True, tab

    def test_lying_bars_have_room_for_what_is_less_than_nothing_and_no_more(self):
        apart = {"yAxis": {"axisLabel": {"margin": ROOM_FOR_VALUES}}}
        for code, key, drawn in (
            ("accountsReceivable", "companies", {"scale": False, "max": "dataMax"}),
            ("inventoryAgingReport", "warehouses", {"scale": False, "max": "dataMax"}),
            ("IncomeStatement", "items", apart),
            ("IncomeStatement", "companies", apart),
            ("aftersalesprofit", "companies", apart),
            ("purchasingPriceIndex", "companies", apart),
            ("purchasecenterpriceindex", "types", apart),
            ("CommodityProfit", "goods", {}),
        ):
            chart = find_board(code).chart(key)
            params = chart_params(chart, find_board(code).dataset(chart.dataset))
            options = json.loads(params["echart_options"])
            marks = {**UNMARKED, **(drawn if chart.stacked else {})}
            assert options.pop("xAxis") == marks, "values stand at the bars"
            assert options == ({} if chart.stacked else drawn), (code, key)
            assert params["show_value"] and params["only_total"]
            assert params["truncateYAxis"] is chart.stacked

    def test_bars_of_several_figures_are_read_off_their_axis(self):
        board = find_board("OperationMonthlyReport")
        chart = board.chart("companies")
        params = chart_params(chart, board.dataset(chart.dataset))
        assert not params["show_value"] and params["echart_options"] == "{}"

    def test_no_ring_is_of_companies(self):
        """Of their names some are cut beside a ring."""
        drawn = [(chart, placed.board) for placed in list_dashboards() for chart in placed.board.charts]
        donuts = [(chart, board) for chart, board in drawn if chart.kind == "donut"]
        named = [board.dataset(chart.dataset).column(name) for chart, board in donuts for name in chart.by]
        assert named and not any(column.is_wrapped for column in named)

    def test_a_chart_of_the_first_few_is_sorted_by_what_it_shows(self):
        placed = next(item for item in list_dashboards() if item.report.code == "BestSeller")
        cut = next(chart for chart in placed.board.charts if chart.kind == "bar" and chart.limit)
        charts = tuple(
            replace(chart, order="") if chart.key == cut.key else chart for chart in placed.board.charts
        )
        with pytest.raises(CatalogueError, match="须按自己的指标排序"):
            validate_dashboard(replace(placed, board=replace(placed.board, charts=charts)))

    @pytest.mark.parametrize(
        ("code", "key", "sorting", "limited"),
        [
            ("inventoryAgingReport", "warehouses", "sum", "amount"),
            ("inventoryDOTReport", "warehouses", "sum", "amount"),
            ("accountsReceivable", "companies", "sum", None),
            ("accountsReceivable", "months", "month_label", None),
            ("CompanyInventoryreport", "companies", "amount", "amount"),
        ],
    )
    def test_names_stand_by_what_their_bars_sum_to_and_months_in_their_order(
        self, code, key, sorting, limited
    ):
        board = find_board(code)
        chart = board.chart(key)
        params = chart_params(chart, board.dataset(chart.dataset))
        assert (params["x_axis_sort"], params["timeseries_limit_metric"]) == (sorting, limited)

    def test_many_names_beneath_bars_are_steeper_and_lying_bars_need_no_slope(self):
        slopes = set()
        for placed in list_dashboards():
            for chart in (one for one in placed.board.charts if one.kind == "bar"):
                dataset = placed.board.dataset(chart.dataset)
                if not dataset.column(chart.x).has_all_labels:
                    continue
                slope = chart_params(chart, dataset)["xAxisLabelRotation"]
                few = 0 < chart.limit < 15 or not chart.x.endswith("_name")
                assert slope == (0 if chart.horizontal else 30 if few else 45), (placed.title, chart.title)
                slopes.add(slope)
        assert slopes == {0, 30, 45}

    def test_a_lying_bar_of_the_first_item_is_the_highest(self):
        board = find_board("IncomeStatement")
        chart = board.chart("items")
        params = chart_params(chart, board.dataset(chart.dataset))
        assert (params["orientation"], params["x_axis_sort_asc"]) == ("horizontal", False)


class TestTitles:
    @pytest.mark.parametrize(
        ("code", "key", "title"),
        [
            ("inventoryOccupation", "warehouses", "前十五仓库日均库存金额（元）"),
            ("ClassifiedProfit", "second", "前十五个二级分类收入与毛利（元）"),
            ("CommodityProfit", "brands", "前十二品牌收入与毛利（元）"),
            ("CompanyInventoryreport", "rates", "各公司年周转率（次）"),
            ("BestSeller", "types", "销售额结构（类型与品牌，元）"),
            ("BestSeller", "brands", "销售额构成（品牌）"),
            ("SalesOrder", "warehouses", "前十五仓库未发数量"),
            ("inventoryturnover", "detail", "商品周转明细"),
        ],
    )
    def test_tell_how_many_are_drawn_and_the_unit_of_amounts(self, code, key, title):
        assert find_board(code).chart(key).title == title

    def test_every_chart_of_the_first_warehouses_brands_or_suppliers_says_so(self):
        for placed in list_dashboards():
            for chart in placed.board.charts:
                if chart.kind != "bar" or not chart.limit:
                    continue
                if placed.board.dataset(chart.dataset).column(chart.x).measure_word is not None:
                    assert "前" in chart.title, (placed.title, chart.title)


class TestTheme:
    def test_one_bar_by_itself_is_slim_and_names_are_read_on_all_colors(self):
        drawn = THEME["token"]["echartsOptionsOverridesByChartType"]
        for kind in ("echarts_timeseries_bar", "mixed_timeseries"):
            assert drawn[kind]["series"]["barMaxWidth"] == 36
        assert drawn["treemap_v2"]["series"]["label"]["backgroundColor"].startswith("rgba(255, 255, 255,")


class TestGroundedAxes:
    def test_shares_begin_at_nothing_and_other_ratios_say_that_they_may_not(self):
        found = set()
        for placed in list_dashboards():
            for chart in (one for one in placed.board.charts if one.kind == "line"):
                dataset = placed.board.dataset(chart.dataset)
                params = chart_params(chart, dataset)
                metrics = [dataset.metric(name) for name in chart.metrics]
                share = any(metric.format.endswith("%") for metric in metrics)
                divided = any(metric.expression.has_division for metric in metrics)
                assert params["truncateYAxis"] is not share
                assert params["y_axis_title"] == ("纵轴不一定从 0 起" if divided and not share else "")
                found.add((share, divided))
        assert (False, True) in found, "there are such lines"


class TestDonuts:
    def test_small_brands_are_one_slice_and_few_kinds_keep_their_names(self):
        board = find_board("BestSeller")
        brands = board.chart("brands")
        assert chart_params(brands, board.dataset(brands.dataset))["least_slice"] == 3
        board = find_board("CommodityProfit")
        types = board.chart("types")
        assert chart_params(types, board.dataset(types.dataset))["least_slice"] == 0

    def test_thin_slices_bear_no_name_and_empty_ones_are_none(self):
        for placed in list_dashboards():
            for chart in (one for one in placed.board.charts if one.kind == "donut"):
                dataset = placed.board.dataset(chart.dataset)
                params = chart_params(chart, dataset)
                assert params["show_labels_threshold"] == LEAST_NAMED == 1
                [query] = stored_queries(chart, dataset)
                figure = dataset.metric(chart.metrics[0]).expression
                # What looks at other rows is no condition.
                assert query["extras"]["having"] == ("" if figure.has_window else f"({figure.sql} <> 0)")


class TestHeads:
    @pytest.mark.parametrize(
        ("code", "whole", "to_the_cent"),
        [("BestSellerInfo", "amount", "price"), ("OperationMonthlyReport", "sales", "")],
    )
    def test_amounts_leave_their_cents_to_the_tables_and_prices_keep_them(self, code, whole, to_the_cent):
        board = find_board(code)
        [head] = board.kpi_charts
        config = chart_params(head, board.dataset(head.dataset))["column_config"]
        assert config[whole]["d3NumberFormat"] == WHOLE_MONEY
        assert not to_the_cent or config[to_the_cent]["d3NumberFormat"] == MONEY


def test_a_filter_explains_itself():
    dashboard = yaml.safe_load(compile_assets()["dashboards/accountsReceivable_all_plain.yaml"])
    period = dashboard["metadata"]["native_filter_configuration"][0]
    assert (period["name"], period["description"]) == (
        "截至月末",
        "当月截至今天，以前的月份截至当月最后一天",
    )


def test_a_column_looks_alike_wherever_it_is():
    """A dataset that declares a column of its own takes its looks from the shared one."""
    looks: dict[str, set[tuple[object, ...]]] = {}
    for placed in list_dashboards():
        for dataset in placed.board.datasets:
            for column in dataset.columns:
                looks.setdefault(column.name, set()).add(tuple(getattr(column, name) for name in LOOKS))
    assert {name: found for name, found in looks.items() if len(found) > 1} == {}
