"""The figures at the head of every report: each row is what the report itself tells of that period."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import PERCENT, SERIES, Dataset, bind_range
from reports.semantics.kpi_comparison import BY_PROGRESS, KPI_KEY, change_name, list_kpi_names
from reports.semantics.period_offsets import ELAPSED
from reports.superset.assets import DashboardVariant, list_dashboards
from tests.support.superset import bind_sample_range
from tests.warehouse.conftest import Mart

BOARDS = list(list_dashboards())
STEPS = {
    "month": ("1mo", "12mo"),
    "period_start": ("1mo", "12mo"),
    "quarter": ("3mo", "12mo"),
    "week": ("7d", "364d"),
}
PASSED = {"2026-11": 20 / 30, "2026年第47周": 5 / 7, "2026-Q4": 51 / 92}
"""Of the periods that run on 20 November, a Friday; of all others everything."""
TABLES = [
    pytest.param(placed, chart, id="-".join((*placed.names, chart.key)))
    for placed in BOARDS
    for chart in placed.board.kpi_charts
]


def by_time(mart: Mart, dataset: Dataset, chart: Chart, *by: str) -> pl.DataFrame:
    """The figures, of a dataset's rows that a role sees who sees all."""
    figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in list_kpi_names(chart))
    return mart(
        f"select {', '.join((*by, figures))} from ({bind_sample_range(dataset.sql)}) as d where role_id = 1 group by all"
    )


def find_dataset(board: Board, chart: Chart) -> Dataset:
    """Return the dataset of the figures; of two the one of single periods, which is not tripled."""
    key = chart.dataset.removesuffix(f"_{KPI_KEY}")
    series = [dataset for dataset in board.datasets if dataset.key == f"{key}{SERIES}"]
    return series[0] if series and not _has_missing_metrics(series[0], chart) else board.dataset(key)


def _has_missing_metrics(dataset: Dataset, chart: Chart) -> bool:
    return not set(list_kpi_names(chart)) <= {metric.name for metric in dataset.metrics}


def list_choices(board: Board, dataset: Dataset) -> list[str]:
    """Return the columns of which a reader chooses one value, besides the period."""
    return [
        item.column
        for item in board.filters
        if item.default and not item.ranged and dataset.has_column(item.column)
    ]


def assert_alike(found: pl.DataFrame, expected: pl.DataFrame, by: list[str]) -> int:
    """Assert that both frames have equal figures in common rows; returns the number of these."""
    names = [name for name in found.columns if name not in by]
    both = found.join(expected, on=by, suffix="_expected", nulls_equal=True)
    for name in names:
        pairs = both.select(name, f"{name}_expected").rows()
        for one, other in pairs:
            told = pytest.approx(other, rel=1e-9, abs=1e-6) if isinstance(other, float) else other
            assert one == told, name
    return len(both)


@pytest.mark.parametrize(("placed", "chart"), TABLES)
def test_the_first_row_is_what_the_report_tells(mart: Mart, placed: DashboardVariant, chart: Chart) -> None:
    whole = placed.board.dataset(chart.dataset)
    told = find_dataset(placed.board, chart)
    by = [*list_choices(placed.board, told), *([told.time_column] if told.time_column else [])]
    rows = by_time(mart, whole, chart, "beside_order", *by).filter(pl.col("beside_order") == 0)
    expected = by_time(mart, told, chart, *by)
    if not by:
        by = ["beside_order"]
        expected = expected.with_columns(pl.lit(0).cast(rows["beside_order"].dtype).alias("beside_order"))
    found = rows.select(*by, *list_kpi_names(chart))
    assert assert_alike(found, expected, by) == len(found) > 0


@pytest.mark.parametrize(
    ("placed", "chart"),
    [param for param in TABLES if find_dataset(param.values[0].board, param.values[1]).time_column in STEPS],
)
def test_the_others_are_the_first_rows_of_earlier_periods(
    mart: Mart, placed: DashboardVariant, chart: Chart
) -> None:
    whole = placed.board.dataset(chart.dataset)
    axis = whole.time_column
    by = [*list_choices(placed.board, whole), axis]
    rows = by_time(mart, whole, chart, "beside_order", *by)
    if whole.key.startswith("business_month"):
        # The running month is told of with the day that it has come to.
        rows = rows.filter(pl.col(axis) < pl.col(axis).max())
    alone = [name for name in list_kpi_names(chart) if change_name(name) not in chart.metrics]
    rows = rows.drop(alone)
    first = rows.filter(pl.col("beside_order") == 0).drop("beside_order")
    running = pl.col(axis) == first[axis].max()
    of_whole = [name for name in list_kpi_names(chart) if ELAPSED in whole.metric(name).sql]
    steps = STEPS["week" if whole.key.startswith("turnover_week") else axis]
    for order, step in enumerate(steps, 1):
        earlier = rows.filter(pl.col("beside_order") == order).drop("beside_order")
        moved = first.with_columns(pl.col(axis).dt.offset_by(step)).filter(pl.col(axis) <= first[axis].max())
        moved = moved.with_columns(pl.when(~running).then(pl.col(name)).alias(name) for name in of_whole)
        assert assert_alike(earlier, moved, by) == len(earlier)
        told = {day for day in moved[axis] if day in set(first[axis])}
        assert told == set(earlier[axis]), step


@pytest.mark.parametrize(("placed", "chart"), TABLES)
def test_beside_each_earlier_figure_stands_how_far_the_chosen_one_is_from_it(
    mart: Mart, placed: DashboardVariant, chart: Chart
) -> None:
    dataset, board = placed.board.dataset(chart.dataset), placed.board
    chosen = [
        f"{item.column} = '{item.default[0]}'" for item in board.filters if item.default and not item.ranged
    ]
    [latest] = [item.column for item in board.filters if item.latest] or [""]
    newest = ""
    if latest:
        newest = str(
            mart(
                f"select max({latest}) from ({bind_sample_range(dataset.sql)}) as d where role_id = 1"
            ).item()
        )
        chosen.append(f"{latest} = '{newest}'")
    figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in chart.metrics)
    rows = mart(
        f"select {figures} from ({bind_sample_range(dataset.sql)}) as d where {' and '.join(('role_id = 1', *chosen))}"
        f" group by beside order by {dataset.metric('nearest').sql} desc"
    ).to_dicts()
    now, *earlier = rows
    for name in list_kpi_names(chart):
        moved = change_name(name)
        if moved not in chart.metrics:
            assert all(then[name] is None for then in earlier), name
            continue
        assert now[moved] is None, name
        for then in earlier:
            # Bills know no hour: a running day is compared with no whole one.
            day_runs = newest == "2026-11-20" and ELAPSED in dataset.metric(moved).sql
            if (
                day_runs
                or None in (now[name], then[name])
                or (then[name] <= 0 and dataset.metric(name).format != PERCENT)
            ):
                assert then[moved] is None, name
            elif dataset.metric(name).format == PERCENT:
                assert then[moved] == pytest.approx((now[name] - then[name]) * 100, abs=1e-9), name
            else:
                by_progress = dataset.metric(moved).heading.startswith(BY_PROGRESS)
                passed = PASSED.get(newest, 1) if by_progress else 1
                assert then[moved] == pytest.approx(now[name] / (then[name] * passed) - 1), name


@pytest.mark.parametrize(
    "code",
    [
        *("accountsReceivable", "ScheduleAccountsReceivable", "ScheduleAccountsPayable", "facyorypayment"),
        *("inAnalysisTablePayment", "pmi", "inventoryturnover", "inventoryAgingReport", "inventoryDOTReport"),
        "sluggishstock",
    ],
)
def test_an_earlier_month_has_its_last_year_too(mart: Mart, code: str) -> None:
    """Not the running month alone: of the twelve before it too, as far back as there was trade at all."""
    told = [
        placed for placed in BOARDS if placed.report.code == code and not placed.tab.key.startswith("days")
    ]
    for placed in told:
        [chart] = placed.board.kpi_charts
        dataset = placed.board.dataset(chart.dataset)
        [period] = [item for item in placed.board.filters if item.latest]
        offered = placed.board.dataset(period.dataset)
        moments = mart(f"select distinct {period.column} from ({offered.sql}) as d where role_id = 1")
        for month in ("2026-10", "2026-09", "2026-08"):
            moment = f"{month}-15" if dataset.has_range else month
            assert moment in set(moments.to_series())
            day = dt.date.fromisoformat(f"{month}-15")
            of_day = replace(dataset, source=bind_range(dataset.source, day, day))
            found = _query_figures(mart, of_day, f"{period.column} = '{moment}'", list_kpi_names(chart)[0])
            assert len(found) == 3, (placed.names, moment)


@pytest.mark.parametrize(("code", "figure"), [("inventoryturnover", "idle_share"), ("pmi", "compared")])
def test_what_changes_with_the_days_stands_beside_whole_months_once_its_own_is_over(
    mart: Mart, code: str, figure: str
) -> None:
    for month, is_over in (("2026-11", False), ("2026-10", True)):
        now, *earlier = _query_figures(
            mart,
            _find_key_dataset(code),
            f"{'period' if code != 'pmi' else 'month'}_label = '{month}'",
            figure,
        )
        assert now[1] is not None
        assert {value is not None for _, value in earlier} == {is_over}


@pytest.mark.parametrize("day", ["2026-11-20", "2026-09-30"])
def test_a_day_and_its_month_stand_beside_the_same_days_of_earlier_months(mart: Mart, day: str) -> None:
    """At a month's end beside all of the others."""
    columns = ", ".join(f"sum(mtd_sales{then})" for then in ("", "_before", "_year"))
    expected = mart(f"select {columns} from mart_business_day where day = date '{day}'").row(0)
    for code, where, figure in (
        ("BusinessDailyReport", f"day = date '{day}'", "mtd_sales"),
        ("OperationMonthlyReport", f"month_label = '{day[:7]}'", "sales"),
    ):
        found = _query_figures(mart, _find_key_dataset(code), where, figure)
        assert [value for _, value in found] == pytest.approx(expected), code


def test_a_running_day_is_said_to_run_and_compared_with_no_whole_one(mart: Mart) -> None:
    """What it comes to, and the month with it, is told as of any day; the day before has changes."""
    dataset = _find_key_dataset("BusinessDailyReport")
    names = ("sales", "mtd_sales", "receivable_closing")
    figures = ", ".join(
        f'{dataset.metric(told).sql} as "{told}"' for name in names for told in (name, change_name(name))
    )
    for day, word in (("2026-11-20", "所选日（未过完）"), ("2026-11-19", "所选日")):
        now, month, year = mart(
            f"select beside, {figures} from ({dataset.sql}) as d where role_id = 1 and day_label = '{day}'"
            f" group by beside order by {dataset.metric('nearest').sql} desc"
        ).to_dicts()
        date = dt.date.fromisoformat(day)
        assert [row["beside"] for row in (now, month, year)] == [word, "上月同日", "去年同日"]
        for then, at in ((now, date), (month, date.replace(month=10)), (year, date.replace(year=2025))):
            sold = mart(f"select sum(sales) from mart_business_day where day = '{at}'").item()
            assert then["sales"] == pytest.approx(sold)
        for then in (month, year):
            grown = None if day == "2026-11-20" else pytest.approx(now["sales"] / then["sales"] - 1)
            assert then["sales_moved"] == grown
            for name in names[1:]:
                assert then[change_name(name)] == pytest.approx(now[name] / then[name] - 1)


@pytest.mark.parametrize(
    ("first", "compares"),
    [("2026-11-20", False), ("2026-11-19", True)],
    ids=["the running day", "a whole day too"],
)
def test_any_days_are_compared_if_one_of_them_is_over(mart: Mart, first: str, compares: bool) -> None:
    tab = find_report("OperatingRevenue").tab("days").plain
    day = dt.date.fromisoformat(first)
    last = dt.date(2026, 11, 20)
    now, *earlier = (
        _sum_between(mart, "revenue", *days)
        for days in (
            (day, last),
            (day.replace(month=10), last.replace(month=10)),
            (day.replace(year=2025), last.replace(year=2025)),
        )
    )
    assert all(earlier)
    changes = [pytest.approx(now / then - 1) if compares else None for then in earlier]
    data, head = tab.datasets[0], tab.dataset(tab.chart(KPI_KEY).dataset)
    where = f"role_id = 1 and day >= '{first}' and day <= '{last}'"

    def query_metrics(dataset: Dataset, *metrics: str, by: str = "") -> list[tuple[float | None, ...]]:
        told = ", ".join(dataset.metric(name).sql for name in metrics)
        return mart(f"select {told} from ({dataset.sql}) as d where {where} {by}").rows()

    assert query_metrics(data, "revenue", "revenue_change", "revenue_growth") == [
        (pytest.approx(now), *changes)
    ]
    by = f"group by beside order by {head.metric('nearest').sql} desc"
    assert query_metrics(head, "revenue", "revenue_moved", by=by) == [
        (pytest.approx(now), None),
        *((pytest.approx(then), change) for then, change in zip(earlier, changes, strict=True)),
    ]


def test_revenue_stands_beside_as_many_days_of_earlier_months(mart: Mart) -> None:
    dataset = _find_key_dataset("OperatingRevenue")
    for metric, column in (("revenue", "revenue"), ("bills", "bill_count")):
        found = _query_figures(mart, dataset, "month_label = '2026-11'", metric)
        assert found == [
            (word, pytest.approx(_sum_between(mart, column, first, last)))
            for word, first, last in (
                ("所选月", dt.date(2026, 11, 1), dt.date(2026, 11, 20)),
                ("上月同期", dt.date(2026, 10, 1), dt.date(2026, 10, 20)),
                ("去年同期", dt.date(2025, 11, 1), dt.date(2025, 11, 20)),
            )
        ]


@pytest.mark.parametrize("code", ["goodsinventoryrpt", "CompanyInventoryreport", "commodityStocksQuery"])
def test_stock_stands_beside_earlier_month_ends(mart: Mart, code: str) -> None:
    dataset = _find_key_dataset(code)
    name = "mart_company_stock" if code == "CompanyInventoryreport" else "mart_goods_stock"
    expected = mart(f"select sum(value), sum(last_month_value), sum(last_year_value) from {name}").row(0)
    assert [value for _, value in _query_figures(mart, dataset, "true", "amount")] == pytest.approx(expected)


def test_best_sellers_stand_beside_what_was_sold_before(mart: Mart) -> None:
    where = "period_label = '近30天'"
    columns = ", ".join(f"sum(profit{then})" for then in ("", "_before", "_year"))
    expected = mart(f"select {columns} from mart_best_seller_compared where period_key = 'd30'").row(0)
    found = _query_figures(mart, _find_key_dataset("BestSeller"), where, "profit")
    assert [value for _, value in found] == pytest.approx(expected)


def _find_key_dataset(code: str) -> Dataset:
    tab = next(placed.tab for placed in BOARDS if placed.report.code == code)
    board = tab.cost or tab.plain
    return board.dataset(board.chart(KPI_KEY).dataset)


def _query_figures(mart: Mart, dataset: Dataset, where: str, metric: str) -> list[tuple[str, float]]:
    return mart(
        f"select beside, {dataset.metric(metric).sql} from ({dataset.sql}) as d where role_id = 1 and {where}"
        f" group by beside order by {dataset.metric('nearest').sql} desc"
    ).rows()


def _sum_between(mart: Mart, column: str, first: dt.date, last: dt.date) -> float:
    return mart(
        f"select sum({column}) from mart_operating_revenue where day between '{first}' and '{last}'"
    ).item()
