"""What a chart is answered is put as it is drawn: figures in the chart's order, small slices as one."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from reports.catalogue import find_report
from reports.semantics.dashboards import Chart
from reports.semantics.datasets import CHANGE, MONEY
from reports.superset.theme import OTHERS
from reports.superset_patches.chart_postprocessing import (
    fill_time_gaps,
    group_small_slices,
    label_series,
    order_series,
    strip_negative_zero,
)
from tests.reports.guest_requests import PLACES
from tests.support.superset import EVERYTHING, DashboardPlace, SupersetClient

DAYS_SOLD = (
    ("2026-11-01", 1.0, 2.0, None),
    ("2026-11-02", math.nan, 4.0, None),
    ("2026-11-03", 5.0, math.nan, 7.0),
    ("2026-11-04", None, 6.0, None),
)
FORM = {"viz_type": "pie", "metric": "sold", "groupby": ["brand_name"], "least_slice": 3}


def test_figures_stand_as_the_chart_names_them_and_what_they_are_of_before_them():
    rows = [{"a_year": 1, "month": "2026-01", "a": 2, "b": 3}]
    form = {"metrics": ["a", "a_year"], "metrics_b": ["b"]}
    assert [list(row) for row in order_series(rows, form)] == [["month", "a", "a_year", "b"]]
    assert order_series(rows, {}) == rows


def test_split_series_are_called_by_the_labels_of_their_figures():
    report = find_report("BestSeller")
    assert report
    dataset = report.first_tab.plain.datasets[0]
    label = dataset.metric("quantity").label
    parts = {
        "day": ["day"],
        "quantity": ["quantity"],
        "上海公司": ["上海公司"],
        "quantity, 上海公司": ["quantity", "上海公司"],
        "quantity__1 year ago, 上海公司": ["quantity__1 year ago", "上海公司"],
        "商品数, 上海公司": ["商品数", "上海公司"],
    }
    assert label_series(parts, {"viz_type": "echarts_timeseries_line"}, dataset) == {
        "quantity, 上海公司": f"{label}, 上海公司",
        "quantity__1 year ago, 上海公司": f"{label}__1 year ago, 上海公司",
    }
    assert label_series(parts, {"viz_type": "table"}, dataset) == {}


def test_slices_under_the_least_are_one_and_all_is_told():
    sold = {"大": 90.0, "中": 6.0, "小": 2.0, "微": 2.0}
    rows = [{"brand_name": name, "sold": value} for name, value in sold.items()]
    assert group_small_slices(rows, FORM) == [*rows[:2], {"brand_name": OTHERS, "sold": 4.0}]
    assert group_small_slices(rows, FORM | {"least_slice": 0}) == rows
    assert group_small_slices(rows[:3], FORM) == rows[:3], "one small slice keeps its name"
    assert group_small_slices([], FORM) == []


def test_parts_of_a_whole_tell_what_they_leave_out():
    sold = {
        "大": 90.0,
        "中": 8.0,
        "退甲": -1234.5,
        "小": 1.0,
        "微": 1.0,
        "退乙": -1.0,
        "退丙": -1.0,
        "退丁": -1.0,
    }
    rows = [{"brand_name": name, "sold": value} for name, value in sold.items()]
    told = "未画出负数 4 项（退甲、退乙、退丙等），合计 -1,237.50"
    drawn = [{**rows[0], "left_out": told}, rows[1], {"brand_name": OTHERS, "sold": 2.0}]
    assert group_small_slices(rows, FORM) == drawn
    [first, *rest] = group_small_slices(rows, FORM | {"viz_type": "treemap_v2", "least_slice": None})
    assert first["left_out"] == told
    assert [row["brand_name"] for row in rest] == ["中", "小", "微"]
    assert "left_out" not in group_small_slices(rows[:2], FORM)[0]


def test_a_change_that_rounds_to_none_has_no_minus():
    form = {"column_config": {"grown": {"d3NumberFormat": CHANGE}, "sold": {"d3NumberFormat": MONEY}}}
    values = (-0.0006, -0.0004, -0.0, 0.0004, None)
    rows = [{"grown": value, "sold": -0.0004, "brand_name": "大"} for value in values]
    read = strip_negative_zero(rows, form)
    assert [str(row["grown"]) for row in read] == ["-0.0006", "0.0", "0.0", "0.0004", "None"]
    assert all(row | {"grown": 0} == told | {"grown": 0} for row, told in zip(rows, read, strict=True))
    assert strip_negative_zero(rows, {}) == rows


def test_series_are_answered_in_their_order(superset: SupersetClient):
    """Pivoting sorts the figures by their names."""
    at, chart = next(
        (at, one)
        for at in PLACES
        for one in at.board.charts
        if one.kind == "bar" and not one.by and sorted(one.metrics) != [*one.metrics]
    )
    rows = query_as_frame(superset, at, chart)
    assert list(rows[0]) == [chart.x, *chart.metrics]


def test_days_without_bills_are_answered_between_those_with_some(superset: SupersetClient):
    at = next(at for at in PLACES if (at.report.code, at.tab.key) == ("CommodityProfit", "days"))
    data = at.board.dataset(at.board.chart("trend").dataset)
    chart = replace(at.board.chart("trend"), metrics=("revenue", "quantity"), second=())
    days = [date.fromisoformat(row[chart.x]) for row in query_as_frame(superset, at, chart)]
    assert len(days) > 2 and {later - day for day, later in pairwise(days)} == {timedelta(days=1)}
    assert {data.zero_value(data.metric(name)) for name in chart.metrics} == {0}


def test_a_day_of_which_only_earlier_ones_tell_is_none_of_its_own():
    """A curve would be torn where a branch sold nothing on a day on which it had sold a month before, or nothing then;
    before the first and after the last day that an earlier period tells of nothing is known of it. Of pandas' numbers
    none is one that is not even itself."""
    data = find_report("OperatingRevenue").first_tab.plain.datasets[0]
    names = ("revenue", "revenue_before", "revenue_year")
    sold = [dict(zip(("day_label", *names), row, strict=True)) for row in DAYS_SOLD]
    drawn = fill_time_gaps(sold, {"x_axis": "day_label", "metrics": [*names]}, data)
    assert [tuple(row.values()) for row in drawn] == [
        ("2026-11-01", 1.0, 2.0, None),
        ("2026-11-02", 0, 4.0, None),
        ("2026-11-03", 5.0, 0, 7.0),
        ("2026-11-04", 0, 6.0, None),
    ]


def test_days_without_bills_are_answered_at_the_ends_of_those_that_are_chosen(superset: SupersetClient):
    at = next(at for at in PLACES if (at.report.code, at.tab.key) == ("CommodityProfit", "days"))
    chart = replace(at.board.chart("trend"), metrics=("revenue", "quantity"), second=())
    sold = [row[chart.x] for row in query_as_frame(superset, at, chart)]
    first, last = (
        date.fromisoformat(sold[place]) + timedelta(days=more) for place, more in ((0, -3), (-1, 3))
    )
    days = [row[chart.x] for row in query_as_frame(superset, at, chart, f"{first} : {last}")]
    assert days[:4] == [*(str(first + timedelta(days=more)) for more in range(3)), sold[0]]
    assert days[-3:] == [sold[-1], *(str(last - timedelta(days=more)) for more in (2, 1))]


def query_as_frame(
    superset: SupersetClient, at: DashboardPlace, chart: Chart, days: str = ""
) -> list[dict[str, Any]]:
    """Send the frame's own request, which pivots by the axis."""
    token = superset.token(at, EVERYTHING)
    body = superset.chart_body(at, chart, token)
    pivot = {
        "operation": "pivot",
        "options": {
            "index": [chart.x],
            "columns": [],
            "aggregates": {name: {"operator": "mean"} for name in chart.metrics},
            "drop_missing_columns": False,
        },
    }
    if days:
        body["queries"][0]["filters"][0]["val"] = days
    body["queries"][0]["post_processing"] = [pivot, {"operation": "flatten"}]
    [result] = superset.post("/api/v1/chart/data", token, body).json()["result"]
    rows: list[dict[str, Any]] = result["data"]
    return rows


def test_what_is_owed_stands_on_days_without_bills_too(superset: SupersetClient):
    """All of a month moves on its fifth day."""
    at = next(at for at in PLACES if (at.report.code, at.tab.key) == ("ScheduleAccountsReceivable", "days"))
    chart = replace(at.board.chart("months"), metrics=at.board.chart("months").second, second=())
    rows = query_as_frame(superset, at, chart, "2026-11-01 : 2026-11-08")
    assert [row[chart.x] for row in rows] == [f"2026-11-0{day}" for day in range(1, 8)]
    assert [row["standing"] for row in rows] == [2000] * 4 + [2400] * 3
