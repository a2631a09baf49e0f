"""Own charts over a date axis show the mart's numbers: each kind of chart by each step of time of each kind of figure, as
it is answered and as it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path
from statistics import mean, median
from typing import Any

import duckdb
import pytest
from playwright.sync_api import Page

from tests.reports.browser_charts import create_board, explorer_page, read_drawn_board
from tests.reports.explore_client import Analyst
from tests.support.report_snapshot import snapshot_sql
from tests.support.superset import EVERYTHING, SupersetClient, publish_snapshot

pytestmark = pytest.mark.timeout(900)

SOLD = "营业收入"
SAID = {"user": 78, "role_id": EVERYTHING, "reports": ["OperatingRevenue"]}
# A year and a half, in which two of three days have sales, of some fortnights none, of one company many less.
SALES = """
create or replace table mart_operating_revenue as
select
    cast(d as date) as "day", c.*, c.company_id * 10 + 1 as warehouse_id, c.company_name || '的仓库' as warehouse_name,
    7 as department_id, '销售部' as department_name, c.company_id as employee_id, '张伟' as employee_name,
    cast(n * 7.25 + c.company_id * 100 - n % 5 as double) as revenue,
    cast(n * 7.25 + c.company_id * 100 as double) as sales_revenue, cast(-(n % 5) as double) as return_revenue,
    cast(1 + n % 3 as integer) as bill_count, cast(n % 11 as double) as quantity
from (
    select d, datediff('day', date '2025-06-02', d) as n
    from generate_series(date '2025-06-02', date '2026-11-18', interval 1 day) as t(d)
) as days cross join (select company_id, company_name from dim_company) as c
where n % 3 < 2 and n % 45 > 14 and (n % 90 > 60 or c.company_id = 1);
"""
STEPS = {"P1D": "day", "P1W": "week", "P1M": "month", "P3M": "quarter", "P1Y": "year"}
COMPANIES = {
    "expressionType": "SIMPLE",
    "column": {"column_name": "company_name"},
    "aggregate": "COUNT_DISTINCT",
    "label": "公司数",
}
FIGURES = {
    "revenue": "sum(revenue)",
    "bills": "sum(bill_count)",
    "per_bill": "sum(revenue) / sum(bill_count)",
    "return_share": "abs(sum(return_revenue)) / sum(sales_revenue)",
    "公司数": "count(distinct company_name)",
}
"""A sum, a count, a mean, a ratio, a count of what differs: by the names under which they are answered."""
LABELS = {
    "revenue": "营业收入",
    "bills": "单据数",
    "per_bill": "单均收入",
    "return_share": "退货率",
    "公司数": "公司数",
}
NAMES = {label: name for name, label in LABELS.items()}
CURVES = (
    *("echarts_timeseries_line", "echarts_area", "echarts_timeseries_bar", "echarts_timeseries_smooth"),
    *("echarts_timeseries_scatter", "echarts_timeseries_step", "echarts_timeseries"),
)
ONE_FIGURE = ("big_number", "heatmap_v2", "waterfall")
ADDED_UP = ("revenue", "bills")
"""What a chart may show that adds up its steps."""
Steps = dict[int, dict[str, Any]]


@pytest.fixture(scope="module")
def mart(superset: SupersetClient) -> Iterator[duckdb.DuckDBPyConnection]:
    warehouse = Path(superset.environment["ERP_DATA_DIR"]) / "warehouse"
    publish_snapshot(warehouse, 41, SALES)
    with duckdb.connect() as conn:
        conn.execute(snapshot_sql() + SALES)
        yield conn
    publish_snapshot(warehouse, 42)


@pytest.fixture(scope="module")
def analyst(superset: SupersetClient, mart: duckdb.DuckDBPyConnection) -> Analyst:
    return Analyst(superset, **SAID)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with explorer_page(SAID) as opened:
        yield opened


def to_milliseconds(day: date) -> int:
    """Return a day in milliseconds, as answers and charts have it."""
    return int(datetime.combine(day, time(), UTC).timestamp() * 1000)


def compute_figures(mart: duckdb.DuckDBPyConnection, grain: str, where: str = "true") -> Steps:
    """Return the figures of each step, computed from the mart's rows."""
    figures = ", ".join(FIGURES.values())
    found = mart.execute(
        f"select cast(date_trunc('{STEPS[grain]}', day) as date), {figures} from mart_operating_revenue"
        f" where {where} group by all order by all"
    ).fetchall()
    assert len(found) > 1
    return {to_milliseconds(day): dict(zip(FIGURES, map(float, told), strict=True)) for day, *told in found}


def list_forms(grain: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the forms of an analyst's charts over days, by a name."""
    several = [name for name in FIGURES if name in LABELS and name != "公司数"]
    axis = {"x_axis": "day", "time_grain_sqla": grain, "row_limit": 10_000}
    days = {"time_grain_sqla": grain, "row_limit": 1000, "temporal_columns_lookup": {"day": True}}
    for kind in CURVES:
        yield kind, {**axis, "viz_type": kind, "metrics": [*several, COMPANIES], "groupby": []}
        split = {"metrics": ["revenue", "per_bill"], "groupby": ["company_name"]}
        yield f"{kind} split", {**axis, "viz_type": kind, **split}
    mixed = {"metrics": several[:2], "groupby": [], "metrics_b": several[2:], "groupby_b": []}
    yield "mixed", {**axis, "viz_type": "mixed_timeseries", **mixed}
    for name in several:
        yield f"big_number {name}", {**axis, "viz_type": "big_number", "metric": name}
        across = {"groupby": "company_name", "sort_x_axis": "alpha_asc", "sort_y_axis": "alpha_asc"}
        heat = {**across, "metric": name, "normalize_across": "heatmap"}
        yield f"heatmap_v2 {name}", {**axis, "viz_type": "heatmap_v2", **heat}
    for name in ADDED_UP:
        yield f"waterfall {name}", {**axis, "viz_type": "waterfall", "metric": name, "groupby": []}
    boxes = {"columns": ["day"], "groupby": ["company_name"], "metrics": several, "whiskerOptions": "Tukey"}
    yield "box_plot", {**days, "viz_type": "box_plot", **boxes}
    rows = {"query_mode": "aggregate", "groupby": ["day"], "metrics": [*several, COMPANIES]}
    yield "table", {**days, "viz_type": "table", "table_timestamp_format": "%Y-%m-%d", **rows}
    cross = {"groupbyRows": ["day"], "groupbyColumns": [], "metrics": several, "aggregateFunction": "Sum"}
    shape = {"metricsLayout": "COLUMNS", "rowOrder": "key_a_to_z", "date_format": "%Y-%m-%d"}
    yield "pivot_table_v2", {**days, "viz_type": "pivot_table_v2", **cross, **shape}


def list_points(series: Mapping[str, Any]) -> dict[int, float]:
    """Return a drawn series' values by their moments; a step without a value is none."""
    told = (at["value"] if isinstance(at, dict) else at for at in series["data"])
    return {int(day): value for day, value in told if value is not None}


def parse_number(text: str) -> float:
    """Return the number of a written figure."""
    return float(text.replace(",", "").removesuffix("%")) / (100 if text.endswith("%") else 1)


def is_written_as(told: str, figure: float) -> bool:
    digits = 3 if told.endswith("%") else 2
    return parse_number(told) == pytest.approx(figure, abs=0.51 * 10**-digits)


@pytest.mark.parametrize("grain", [*STEPS], ids=[*STEPS.values()])
class TestOverDays:
    @pytest.fixture(scope="class")
    def drawn(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The charts by their steps."""
        return {}

    @pytest.fixture
    def charts(
        self, superset: SupersetClient, analyst: Analyst, page: Page, grain: str, drawn: dict[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """All charts of the step, on one board that is opened once."""
        if grain not in drawn:
            dataset = analyst.datasets[SOLD]
            board, charts = create_board(analyst, f"按{STEPS[grain]}", dataset, dict(list_forms(grain)))
            drawn[grain] = read_drawn_board(page, f"{superset.url}/superset/dashboard/{board}/", charts)
        found: dict[str, dict[str, Any]] = drawn[grain]
        return found

    def test_are_answered_as_the_mart_has_them(self, charts, mart: duckdb.DuckDBPyConnection, grain: str):
        whole = compute_figures(mart, grain)
        split = {
            label: compute_figures(mart, grain, f"company_name = '{label}'")
            for label in ("上海公司", "苏州公司")
        }
        for name, chart in charts.items():
            for rows in chart["answers"]:
                if name == "box_plot":
                    continue
                held = [row for row in rows if row.get("day") is not None]
                assert {int(row["day"]) for row in held} == {*whole}, name
                for row in held:
                    day = int(row["day"])
                    for told, figure in row.items():
                        metric, _, label = told.partition(", ")
                        metric = NAMES.get(metric, metric)
                        label = label or row.get("company_name", "")
                        if metric not in FIGURES:
                            continue
                        wanted = (split[label] if label else whole).get(day, {}).get(metric)
                        assert figure == (None if wanted is None else pytest.approx(wanted)), (
                            name,
                            told,
                            day,
                        )

    def test_curves_bars_and_points_are_drawn_so(self, charts, mart: duckdb.DuckDBPyConnection, grain: str):
        whole = compute_figures(mart, grain)
        for kind in CURVES:
            series = {one["name"]: list_points(one) for one in charts[kind]["series"] if one["data"]}
            assert series == {
                LABELS[name]: pytest.approx({day: row[name] for day, row in whole.items()})
                for name in FIGURES
            }, kind

    def test_each_company_has_its_own_line(self, charts, mart: duckdb.DuckDBPyConnection, grain: str):
        wanted = {
            f"{LABELS[name]}, {label}": pytest.approx(
                {
                    day: row[name]
                    for day, row in compute_figures(mart, grain, f"company_name = '{label}'").items()
                }
            )
            for name in ("revenue", "per_bill")
            for label in ("上海公司", "苏州公司")
        }
        for kind in CURVES:
            series = {
                one["name"]: list_points(one) for one in charts[f"{kind} split"]["series"] if one["data"]
            }
            assert series == wanted, kind

    def test_two_kinds_in_one(self, charts, mart: duckdb.DuckDBPyConnection, grain: str):
        whole = compute_figures(mart, grain)
        series = {one["name"]: list_points(one) for one in charts["mixed"]["series"] if one["data"]}
        assert series == {
            LABELS[name]: pytest.approx({day: row[name] for day, row in whole.items()})
            for name in ("revenue", "bills", "per_bill", "return_share")
        }

    @pytest.mark.parametrize("name", ["revenue", "bills", "per_bill", "return_share"])
    def test_a_large_number_is_the_last_step(
        self, charts, mart: duckdb.DuckDBPyConnection, grain: str, name: str
    ):
        whole, chart = compute_figures(mart, grain), charts[f"big_number {name}"]
        assert list_points(chart["series"][0]) == pytest.approx(
            {day: row[name] for day, row in whole.items()}
        )
        assert is_written_as(chart["text"].splitlines()[-1], whole[max(whole)][name])

    @pytest.mark.parametrize("name", ["revenue", "bills", "per_bill", "return_share"])
    def test_a_field_of_colours(self, charts, mart: duckdb.DuckDBPyConnection, grain: str, name: str):
        days = [*compute_figures(mart, grain)]
        wanted = {
            (days.index(day), place): row[name]
            for place, label in enumerate(("上海公司", "苏州公司"))
            for day, row in compute_figures(mart, grain, f"company_name = '{label}'").items()
        }
        [field] = charts[f"heatmap_v2 {name}"]["series"]
        assert {(x, y): value for x, y, value in field["data"]} == pytest.approx(wanted)

    @pytest.mark.parametrize("name", ADDED_UP)
    def test_steps_that_add_up(self, charts, mart: duckdb.DuckDBPyConnection, grain: str, name: str):
        whole = compute_figures(mart, grain)
        series = {one["name"]: one["data"] for one in charts[f"waterfall {name}"]["series"]}
        steps = [at["originalValue"] for at in series["增加"] if "originalValue" in at]
        assert steps[: len(whole)] == pytest.approx([row[name] for row in whole.values()])
        assert series["合计"][-1]["value"] == pytest.approx(sum(row[name] for row in whole.values()))

    def test_boxes_tell_of_the_steps(self, charts, mart: duckdb.DuckDBPyConnection, grain: str):
        boxes = {one["name"]: one["value"] for one in charts["box_plot"]["series"][0]["data"]}
        for label in ("上海公司", "苏州公司"):
            steps = compute_figures(mart, grain, f"company_name = '{label}'").values()
            for name in ("revenue", "bills", "per_bill", "return_share"):
                values = [row[name] for row in steps]
                _, _, middle, _, _, average, count, _ = boxes[f"{label}, {name}"]
                told = (middle, average, count)
                assert told == pytest.approx((median(values), mean(values), len(values))), (label, name)

    @pytest.mark.parametrize("kind", ["table", "pivot_table_v2"])
    def test_rows_of_a_table(self, charts, mart: duckdb.DuckDBPyConnection, grain: str, kind: str):
        whole = {
            datetime.fromtimestamp(day / 1000, UTC).date(): row
            for day, row in compute_figures(mart, grain).items()
        }
        lines = [line for line in charts[kind]["lines"] if line[0][:2] == "20"]
        assert lines
        for day, *told in lines:
            figures = whole[date.fromisoformat(day)]
            for text, (name, figure) in zip(told, figures.items(), strict=kind == "table"):
                assert is_written_as(text, figure), (day, name, text, figure)
        assert kind == "table" or {date.fromisoformat(day) for day, *_ in lines} == {*whole}


def list_company_forms() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield forms of charts without an axis of days."""
    metric = {"metric": "revenue", "row_limit": 100, "time_grain_sqla": "P1M"}
    by = {**metric, "groupby": ["company_name"]}
    for kind in ("pie", "funnel", "gauge_chart", "treemap_v2"):
        yield kind, {**by, "viz_type": kind}
    yield "sunburst_v2", {**metric, "viz_type": "sunburst_v2", "columns": ["company_name"]}
    yield "word_cloud", {**metric, "viz_type": "word_cloud", "series": "company_name"}
    radar = {"metrics": ["revenue", "per_bill"], "groupby": ["company_name"], "row_limit": 100}
    yield "radar", {**radar, "viz_type": "radar"}
    ends = {"source": "company_name", "target": "department_name"}
    yield "graph_chart", {**metric, **ends, "viz_type": "graph_chart"}
    yield "sankey_v2", {**metric, **ends, "viz_type": "sankey_v2"}
    bubble = {"entity": "company_name", "x": "revenue", "y": "per_bill", "size": "bills", "row_limit": 100}
    yield "bubble_v2", {**bubble, "viz_type": "bubble_v2"}
    yield "big_number_total", {**metric, "viz_type": "big_number_total"}


class TestOverCompanies:
    @pytest.fixture(scope="class")
    def charts(self, superset: SupersetClient, analyst: Analyst, page: Page) -> dict[str, dict[str, Any]]:
        board, charts = create_board(analyst, "各公司", analyst.datasets[SOLD], dict(list_company_forms()))
        return read_drawn_board(page, f"{superset.url}/superset/dashboard/{board}/", charts)

    @pytest.fixture(scope="class")
    def companies(self, mart: duckdb.DuckDBPyConnection) -> dict[str, dict[str, float]]:
        found = mart.execute(
            f"select company_name, {', '.join(FIGURES.values())} from mart_operating_revenue group by all"
        ).fetchall()
        return {label: dict(zip(FIGURES, map(float, told), strict=True)) for label, *told in found}

    def test_are_answered_as_the_mart_has_them(self, charts, companies):
        whole = {"revenue": sum(row["revenue"] for row in companies.values())}
        for name, chart in charts.items():
            [rows, *_] = chart["answers"]
            told = {row.get("company_name"): row for row in rows}
            assert {*told} == ({None} if name == "big_number_total" else {*companies}), name
            for label, row in told.items():
                for metric in row.keys() & FIGURES.keys():
                    wanted = companies.get(label, whole)[metric]
                    assert row[metric] == pytest.approx(wanted), (name, label, metric)

    @pytest.mark.parametrize("kind", ["pie", "funnel"])
    def test_parts_are_drawn_so(self, charts, companies, kind: str):
        [parts] = charts[kind]["series"]
        told = {part["name"]: part["value"] for part in parts["data"]}
        assert told == pytest.approx({label: row["revenue"] for label, row in companies.items()})

    def test_a_number_is_the_whole(self, charts, companies):
        told = charts["big_number_total"]["text"].splitlines()[-1]
        assert is_written_as(told, sum(row["revenue"] for row in companies.values()))


@pytest.mark.parametrize("counted", [(), (COMPANIES,)], ids=["declared", "own-count"])
def test_pages_of_steps_and_their_number(analyst: Analyst, mart: duckdb.DuckDBPyConnection, counted: tuple):
    whole = compute_figures(mart, "P1M")
    axis = {"columnType": "BASE_AXIS", "expressionType": "SQL", "sqlExpression": "day", "label": "day"}
    asked = {"columns": [{**axis, "timeGrain": "P1M"}], "metrics": ["revenue", "per_bill", *counted]}
    dataset = analyst.datasets[SOLD]
    page = analyst.query_dataset(dataset, **asked, orderby=[["revenue", False]], row_limit=5)
    told = {int(row["day"]): row["revenue"] for row in page.json()["result"][0]["data"]}
    largest = sorted(whole, key=lambda day: -whole[day]["revenue"])[:5]
    assert told == pytest.approx({day: whole[day]["revenue"] for day in largest})
    number = analyst.query_dataset(dataset, **asked, row_limit=5, is_rowcount=True).json()["result"][0][
        "data"
    ]
    assert number == [{"rowcount": len(whole)}]
