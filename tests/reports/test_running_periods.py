"""Bills know their day, not their hour: a running day, and a month whose first day runs, are compared with no whole one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import duckdb
import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import Board
from reports.semantics.datasets import Dataset
from reports.semantics.kpi_comparison import KPI_KEY, change_name
from tests.support.report_snapshot import snapshot_sql

Rows = list[tuple[object, ...]]


@pytest.fixture
def snapshot() -> Iterator[duckdb.DuckDBPyConnection]:
    """Days up to 20 November 2026, each with sales of 200 in the two companies."""
    with duckdb.connect() as conn:
        conn.execute(snapshot_sql())
        yield conn


def find_board(code: str, key: str = "all") -> Board:
    report = find_report(code)
    assert report
    return report.tab(key).plain


def find_header_dataset(shown: Board) -> Dataset:
    return shown.dataset(shown.chart(KPI_KEY).dataset)


def query_header(
    conn: duckdb.DuckDBPyConnection, data: Dataset, names: tuple[str, ...], where: str, by: str = ""
) -> Rows:
    figures = ", ".join((*((by,) if by else ()), *(data.metric(name).sql for name in names)))
    order = f"group by {by} order by {data.metric('nearest').sql} desc" if by else ""
    rows: Rows = conn.execute(
        f"select {figures} from ({data.sql}) as d where role_id = 1 and {where} {order}"
    ).fetchall()
    return rows


def rewind_snapshot(conn: duckdb.DuckDBPyConnection, day: str) -> None:
    """Return the snapshot as it would be published on an earlier day."""
    conn.execute(f"update refreshed_at set as_of = date '{day}'")
    conn.execute(f"delete from mart_business_day where day > date '{day}'")


def test_the_head_of_a_running_day_says_so(snapshot: duckdb.DuckDBPyConnection) -> None:
    head = find_header_dataset(find_board("BusinessDailyReport"))
    names = ("sales", change_name("sales"), "mtd_sales", change_name("mtd_sales"))
    assert query_header(snapshot, head, names, "day_label = '2026-11-20'", "beside") == [
        ("所选日（未过完）", 200, None, 4000, None),
        ("上月同日", 200, None, 4000, 0),
    ]
    assert query_header(snapshot, head, names, "day_label = '2026-11-19'", "beside") == [
        ("所选日", 200, None, 3800, None),
        ("上月同日", 200, 0, 3800, 0),
    ]


@pytest.mark.parametrize(("first", "change"), [("2026-11-20", None), ("2026-11-19", 0)])
def test_any_days_are_compared_once_one_of_them_is_over(
    snapshot: duckdb.DuckDBPyConnection, first: str, change: float | None
) -> None:
    shown = find_board("OperatingRevenue", "days")
    days = (dt.date(2026, 11, 20) - dt.date.fromisoformat(first)).days + 1
    where, sold = f"day >= date '{first}' and day <= date '2026-11-20'", 200 * days
    names = ("revenue", "revenue_before", "revenue_change")
    assert query_header(snapshot, shown.datasets[0], names, where) == [(sold, sold, change)]
    assert query_header(
        snapshot, find_header_dataset(shown), ("revenue", change_name("revenue")), where, "beside"
    ) == [
        ("所选日期", sold, None),
        ("上月同期", sold, change),
    ]


@pytest.mark.parametrize(("day", "is_over"), [("2026-11-01", False), ("2026-11-02", True)])
def test_a_month_is_compared_once_its_first_day_is_over(
    snapshot: duckdb.DuckDBPyConnection, day: str, is_over: bool
) -> None:
    rewind_snapshot(snapshot, day)
    sold = 400 if is_over else 200
    change = 0 if is_over else None
    head = find_header_dataset(find_board("OperationMonthlyReport"))
    names = ("sales", change_name("sales"))
    assert query_header(snapshot, head, names, "month_label = '2026-11'", "beside") == [
        ("所选月", sold, None),
        ("上月同期", sold, change),
    ]
    daily = find_board("BusinessDailyReport").datasets[0]
    told = query_header(
        snapshot, daily, ("mtd_sales", "sales_before", "sales_change"), f"day_label = '{day}'"
    )
    # What the snapshot's days had come to a month before is four fifths.
    assert told == [(sold, sold * 0.8, pytest.approx(0.25) if is_over else None)]


@pytest.mark.parametrize(("day", "is_over"), [("2026-11-01", False), ("2026-11-02", True)])
def test_a_share_of_the_month_counts_once_a_day_is_over(
    snapshot: duckdb.DuckDBPyConnection, day: str, is_over: bool
) -> None:
    """What a line has more than 2 of the 30 days of the month before, as November has."""
    rewind_snapshot(snapshot, day)
    board_of_cost = find_report("IncomeStatement").tabs[0].cost  # type: ignore[union-attr]
    assert board_of_cost
    data = board_of_cost.dataset(board_of_cost.chart("statement").dataset)
    [(amount, before, moved)] = query_header(
        snapshot,
        data,
        ("amount", "before", "moved"),
        "month_label = '2026-11' and line_name = '营业收入'",
    )
    assert amount and before
    assert moved == (pytest.approx(amount - before * 2 / 30) if is_over else None)


@pytest.mark.parametrize(("day", "part"), [("2026-11-20", 51 / 92), ("2026-12-31", 1), ("2026-10-01", None)])
def test_a_quarter_of_rebates_is_compared_with_as_much_of_others(
    snapshot: duckdb.DuckDBPyConnection, day: str, part: float | None
) -> None:
    """Each quarter of the snapshot has rebates of 400 in each company."""
    rewind_snapshot(snapshot, day)
    shown = find_board("ScheduleSupplierRebate")
    change = None if part is None else pytest.approx(1 / part - 1)
    names = ("accrued", "accrued_before", "accrued_change", "accrued_growth")
    assert query_header(snapshot, shown.datasets[0], names, "quarter_label = '2026-Q4'") == [
        (800, 800, change, change)
    ]
    labels = [shown.datasets[0].metric(name).label for name in names]
    assert labels == ["应计返利", "上季整季应计", "应计按进度较上季", "应计按进度较去年同季"]
    head = query_header(
        snapshot,
        find_header_dataset(shown),
        ("accrued", change_name("accrued")),
        "quarter_label = '2026-Q4'",
        "beside",
    )
    words = ["所选季（未过完）" if part is None else "所选季", "上季整季", "去年同季整季"]
    assert head == [(words[0], 800, None), (words[1], 800, change), (words[2], 800, change)]
