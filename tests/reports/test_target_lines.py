"""Lines of targets: what companies aim at under the report's own filters, and how much of it is reached."""

from __future__ import annotations

import pytest

from reports.semantics.dashboards import COST, PLAIN
from reports.semantics.datasets import MONEY
from reports.superset.assets import list_dashboards
from reports.superset.chart_params import chart_params
from tests.support.superset import EVERYTHING

MONTH = "2026-11"
AIMED = [
    pytest.param(placed, chart, id="-".join((*placed.names, chart.key)))
    for placed in list_dashboards()
    for chart in placed.board.charts
    if any(name.endswith("target") for name in chart.second)
]


def read_chart(snapshot, placed, chart, where: str = "true") -> list[tuple[float | None, ...]]:
    dataset = placed.board.dataset(chart.dataset)
    figures = ", ".join(dataset.metric(name).sql for name in (*chart.metrics, *chart.second))
    rows = f"({dataset.sql}) where role_id = {EVERYTHING} and month_label = '{MONTH}' and {where}"
    return snapshot.sql(f"select {figures} from {rows}").fetchall()


def test_are_drawn_where_revenue_profit_receipts_and_stock_are() -> None:
    found = {
        (placed.report.code, placed.variant, chart.title) for placed, chart in (one.values for one in AIMED)
    }
    assert found == {
        ("OperationMonthlyReport", PLAIN, "各月营业收入与目标（元）"),
        ("OperationMonthlyReport", PLAIN, "各月收款与目标（元）"),
        ("OperationMonthlyReport", COST, "各月营业收入与目标（元）"),
        ("OperationMonthlyReport", COST, "各月收款与目标（元）"),
        ("OperationMonthlyReport", COST, "各月销售毛利与目标（元）"),
        ("OperationMonthlyReport", COST, "各月期末库存与目标（元）"),
        ("OperatingRevenue", PLAIN, "各月营业收入与目标（元）"),
        ("IncomeStatement", PLAIN, "各月营业收入与目标（元）"),
        ("IncomeStatement", COST, "各月销售毛利与目标（元）"),
        ("ScheduleAccountsReceivable", PLAIN, "各月收款与目标（元）"),
    }


@pytest.mark.parametrize(("placed", "chart"), AIMED)
class TestEachLine:
    def test_stands_on_the_axis_of_what_is_aimed_at(self, placed, chart) -> None:
        dataset = placed.board.dataset(chart.dataset)
        params = chart_params(chart, dataset)
        assert {dataset.metric(name).format for name in (*chart.metrics, *chart.second)} == {MONEY}
        assert (params["yAxisIndexB"], params["seriesType"], params["seriesTypeB"]) == (0, "bar", "line")

    def test_is_the_sum_of_the_companies_that_are_chosen(self, placed, chart, snapshot) -> None:
        [(_, both)] = read_chart(snapshot, placed, chart)
        parts = [
            read_chart(snapshot, placed, chart, f"company_name = '{name}公司'")[0][1]
            for name in ("上海", "苏州")
        ]
        assert sum(parts) == both
        assert both == {"营业": 2000, "销售": 200, "收款": 1000, "期末": 8000}[chart.title[2:4]]

    def test_leaves_all_months_in_sight(self, placed, chart) -> None:
        assert not {item.key for item in placed.board.filters_of(chart)} & {"period"}


def test_a_target_is_of_no_warehouse_and_no_salesman(snapshot) -> None:
    """Under a filter of what it is not of there is none, where the company's would mislead."""
    placed, chart = next(one.values for one in AIMED if one.values[0].report.code == "OperatingRevenue")
    for where in (
        "warehouse_name = '上海公司的仓库'",
        "employee_name = '张伟'",
        "department_name = '销售部'",
    ):
        [(revenue, target)] = read_chart(snapshot, placed, chart, where)
        assert (revenue > 0, target) == (True, None)


def test_what_is_reached_is_of_the_companies_that_aim_at_something(snapshot) -> None:
    placed = next(item for item in list_dashboards() if item.names == ("OperationMonthlyReport", "all", COST))
    dataset = placed.board.datasets[0]
    figures = ", ".join(dataset.metric(name).sql for name in ("sales", "sales_target", "sales_done"))
    rows = dataset.sql.replace("mart_business_month", "aimed_by_one")
    snapshot.sql(
        "create or replace temp view aimed_by_one as select * replace"
        " (case when company_id = 1 then sales_target end as sales_target) from mart_business_month"
    )
    found = f"select {figures} from ({rows}) where role_id = {EVERYTHING} and month_label = '{MONTH}'"
    assert snapshot.sql(found).fetchall() == [(4000.0, 1000.0, 2.0)]
