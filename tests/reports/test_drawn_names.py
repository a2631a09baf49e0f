"""What an analyst's charts call their figures: by their labels in every kind of chart, as it is drawn and as it says where
it is pointed at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.reports.browser_charts import create_board, explorer_page, read_drawn_board
from tests.reports.explore_client import Analyst
from tests.reports.test_date_axes import SALES, SOLD
from tests.support.superset import EVERYTHING, SupersetClient, publish_snapshot

pytestmark = pytest.mark.timeout(600)

SAID = {"user": 83, "role_id": EVERYTHING, "reports": ["OperatingRevenue"]}
REVENUE, BILLS = "营业收入", "单据数"
INTERNAL = re.compile(r"revenue|per_bill|\bbills\b|\bago\b|of total|of parent")
NOTE_WRITTEN = """(() => {
  window.written = new Map();
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    const holder = this.canvas.closest?.('[class*="dashboard-chart-id-"]');
    const number = holder && /dashboard-chart-id-(\\d+)/.exec(holder.className)[1];
    if (number) window.written.set(number, [...(window.written.get(number) ?? []), text]);
    return write.call(this, text, ...place);
  };
})()"""
"""Keeps what is written on each chart's canvas."""

POINTED = 24
"""At how many places across and down a chart is pointed at."""
ACROSS = {"row_limit": 100, "number_format": ",.2~f"}
COMPANY = {**ACROSS, "groupby": ["company_name"]}
THIS_YEAR = {
    "clause": "WHERE",
    "expressionType": "SIMPLE",
    "subject": "day",
    "operator": "TEMPORAL_RANGE",
    "comparator": "2026-06-02 : 2026-11-01",
}
OVER_TIME = {
    "x_axis": "day",
    "time_grain_sqla": "P1M",
    "metrics": ["revenue"],
    "row_limit": 1000,
    "adhoc_filters": [THIS_YEAR],
}
TWO = {"metrics": ["revenue", "bills"]}
A_YEAR_AGO = {**OVER_TIME, "time_compare": ["1 year ago"], "comparison_type": "values"}
LINE = {"viz_type": "echarts_timeseries_line", "show_legend": True}
TREE = ["company_name", "warehouse_name"]
KINDS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "box_plot": (
        {
            **COMPANY,
            "columns": ["day"],
            "metrics": ["revenue", "bills"],
            "whiskerOptions": "Tukey",
            "x_ticks_layout": "45°",
        },
        {f"上海公司, {REVENUE}", f"上海公司, {BILLS}"},
    ),
    "radar": ({**COMPANY, "metrics": ["revenue", "bills", "quantity"]}, {REVENUE, BILLS, "销售数量"}),
    "treemap_v2": ({**ACROSS, "groupby": TREE, "metric": "revenue"}, {REVENUE}),
    "sunburst_v2": ({**ACROSS, "columns": TREE, "metric": "revenue"}, {REVENUE, "占全部"}),
    "heatmap_v2": (
        {
            **ACROSS,
            "x_axis": "warehouse_name",
            "groupby": "company_name",
            "metric": "revenue",
            "normalize_across": "heatmap",
            "show_percentage": True,
        },
        {REVENUE},
    ),
    "bubble_v2": (
        {**ACROSS, "entity": "company_name", "x": "revenue", "y": "bills", "size": "quantity"},
        {REVENUE, BILLS},
    ),
    "gauge_chart": ({**COMPANY, "metric": "revenue"}, {"公司: 上海公司"}),
    "funnel": ({**COMPANY, "metric": "revenue"}, {"上海公司"}),
    "pie": ({**COMPANY, "metric": "revenue"}, {"上海公司"}),
    "waterfall": ({**ACROSS, "x_axis": "company_name", "groupby": [], "metric": "revenue"}, {"上海公司"}),
    "a year ago": ({**A_YEAR_AGO, **LINE}, {REVENUE, "1年前"}),
    "a year ago split": (
        {**A_YEAR_AGO, **LINE, "groupby": ["company_name"]},
        {"上海公司", "1年前, 上海公司"},
    ),
    "two a year ago": ({**A_YEAR_AGO, **LINE, **TWO}, {REVENUE, BILLS, f"{REVENUE}, 1年前"}),
    "two a year ago split": (
        {**A_YEAR_AGO, **LINE, **TWO, "groupby": ["company_name"]},
        {f"{REVENUE}, 上海公司", f"{REVENUE}, 1年前, 上海公司"},
    ),
    "mixed a year ago": (
        {
            **A_YEAR_AGO,
            "viz_type": "mixed_timeseries",
            "show_legend": True,
            "groupby": [],
            **{f"{name}_b": value for name, value in A_YEAR_AGO.items() if name != "metrics"},
            "metrics_b": ["bills"],
            "groupby_b": ["company_name"],
        },
        {REVENUE, "1年前", "上海公司"},
    ),
    "against a year ago": (
        {**A_YEAR_AGO, **LINE, **TWO, "comparison_type": "percentage"},
        {f"{REVENUE}, 1年前"},
    ),
}
"""What an analyst clicks together, by kind, and what the chart then says."""


@pytest.fixture(scope="module")
def analyst(superset: SupersetClient) -> Iterator[Analyst]:
    warehouse = Path(superset.environment["ERP_DATA_DIR"]) / "warehouse"
    publish_snapshot(warehouse, 43, SALES)
    yield Analyst(superset, **SAID)
    publish_snapshot(warehouse, 44)


@pytest.fixture(scope="module")
def captions(superset: SupersetClient, analyst: Analyst) -> Iterator[dict[str, list[str]]]:
    """What each chart says, on its canvas and where it is pointed at."""
    forms = {name: {"viz_type": name, **form} for name, (form, _) in KINDS.items()}
    board, charts = create_board(analyst, "各种图表的名称", analyst.datasets[SOLD], forms)
    with explorer_page(SAID) as page:
        page.add_init_script(NOTE_WRITTEN)
        read_drawn_board(page, f"{superset.url}/superset/dashboard/{board}/", charts)
        yield {name: describe_chart(page, number, KINDS[name][1]) for name, number in charts.items()}


def describe_chart(page: Page, number: int, wanted: set[str]) -> list[str]:
    """What a chart has written, and what it says where it is pointed at, until it has said what is wanted."""
    box = page.locator(f".dashboard-chart-id-{number} canvas").first.bounding_box()
    assert box
    said = {*page.evaluate(f"window.written.get('{number}') ?? []")}
    for place in range(POINTED * POINTED):
        down, across = divmod(place, POINTED)
        page.mouse.move(
            box["x"] + box["width"] * (across + 0.5) / POINTED,
            box["y"] + box["height"] * (down + 0.5) / POINTED,
        )
        page.wait_for_timeout(20)
        said.update(page.locator(".echarts-tooltip:visible").all_inner_texts())
        if all(any(word in text for text in said) for word in wanted):
            break
    return [*said]


@pytest.mark.parametrize("kind", [*KINDS])
def test_figures_are_called_by_their_labels(captions: dict[str, list[str]], kind: str) -> None:
    said = captions[kind]
    assert said
    assert [text for text in said if INTERNAL.search(text)] == []
    assert {wanted for wanted in KINDS[kind][1] if not any(wanted in text for text in said)} == set(), said
