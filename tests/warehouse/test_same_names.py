"""Two figures of one name in two reports: equal for the same time and filters, or a stated reason why not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import Connection

from api.exporting.export_request import ExportRequest, Values
from api.figures.report_figures import ReportFigure, list_figures, read_value, read_values
from api.kit.scope import Principal
from reports.catalogue import REPORTS, find_report
from reports.semantics.dashboards import COST, Board, Filter
from reports.semantics.name_differences import DIFFERENCES, FigureDifference, find_reason
from reports.superset.snapshot import SnapshotCache
from tests.support.demo_database import TODAY
from warehouse.files import Files

EVERYBODY = 1
MONTH, DAYS = "2026-10", "2026-10-01T00:00:00 : 2026-11-01T00:00:00"
"""The same month, as reports of months and as reports of days are asked for it: it is over."""
YEAR = f"business_date between date '{TODAY.year}-01-01' and date '{TODAY}'"
COMPANY = "company_name"


@pytest.fixture(scope="module")
def source(figures: Files) -> Iterator[Connection]:
    """A connection to the group's figures, as exports read them."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(figures.root.parent))
        engine = SnapshotCache().newest().engine
        with engine.connect() as conn:
            yield conn
        # Other modules open the same file in their own ways.
        engine.dispose()


def is_of_months(item: Filter) -> bool:
    """Return whether a filter chooses a month; weeks and periods of sales have labels of their own."""
    return item.column == "month_label" or (item.column == "period_label" and item.label == "月")


def build_filters(board: Board, company: str | None) -> dict[str, Values]:
    """Return the filters of a board for the month and a company."""
    found: dict[str, Values] = {}
    for item in board.filters:
        if item.ranged:
            found[item.key] = (DAYS,)
        elif is_of_months(item):
            found[item.key] = (MONTH,)
        elif item.column == COMPANY and company:
            found[item.key] = (company,)
    return found


def build_request(code: str, board: Board, company: str | None) -> ExportRequest:
    return ExportRequest(
        code,
        code,
        board,
        Principal(0, "", "", EVERYBODY, 0),
        "detail",
        build_filters(board, company),
        board.pivot,
    )


Told = Mapping[str, dict[str, list[tuple[str, float | None]]]]
"""By name and place (`code/tab`) what each figure that bears it comes to there."""


@pytest.fixture(scope="module")
def everywhere(source: Connection) -> dict[str | None, Told]:
    """What the figures come to in the whole group and in one company."""
    return {company: figure_values(company, source) for company in (None, "公司1")}


@pytest.fixture(params=[None, "公司1"], ids=["group", "company"])
def values(request: pytest.FixtureRequest, everywhere: dict[str | None, Told]) -> Told:
    return everywhere[request.param]


def figure_values(company: str | None, source: Connection) -> Told:
    found: dict[str, dict[str, list[tuple[str, float | None]]]] = defaultdict(lambda: defaultdict(list))
    for report in REPORTS:
        for tab in report.tabs:
            board = tab.board(COST)
            figures = [one for one in list_figures(board) if not is_of_all_periods(board, one)]
            told = read_values(build_request(report.code, board, company), figures, source)
            for figure in figures:
                found[figure.label][f"{report.code}/{tab.key}"].append((figure.key, told[figure.key]))
    return found


def is_of_all_periods(board: Board, figure: ReportFigure) -> bool:
    """Return whether a metric stands in a table that shows all periods: it is the figure of another time."""
    heeded = board.filters_of(figure.chart)
    return any(item not in heeded for item in board.filters if is_of_months(item) or item.ranged)


def bills_of(source: Connection, code: str, tab: str, key: str, value: str) -> float:
    """How many bills a report's head tells where one of its filters has a value."""
    board = find_report(code).tab(tab).board(COST)
    asked = build_request(code, board, None)
    [figure] = [one for one in list_figures(board) if one.key == "beside/bills/0"]
    found = read_value(replace(asked, filters={key: (value,)}), figure, source)
    assert found is not None
    return found


def is_same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == pytest.approx(other, abs=0.005 if max(abs(one), abs(other)) > 10 else 1e-6)


def list_differences(values: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any, Any]]:
    """Yield every pair of one name in two reports with different values."""
    for name, places in values.items():
        for (one, these), (other, those) in combinations(places.items(), 2):
            if one.split("/")[0] == other.split("/")[0]:
                continue
            for (_, value), (_, beside) in ((a, b) for a in these for b in those):
                if not is_same(value, beside):
                    yield name, one, other, value, beside


def reports_with(places: Mapping[str, list[tuple[str, float | None]]]) -> set[str]:
    """The reports in which a figure of a name is known."""
    return {
        place.split("/")[0] for place, told in places.items() if any(value is not None for _, value in told)
    }


class TestFiguresOfOneName:
    def test_each_pair_of_two_reports_is_compared(self) -> None:
        told = {"收入": {"A/all": [("a", 1.0)], "A/days": [("b", 3.0)], "B/all": [("c", 1.0), ("d", None)]}}
        assert list(list_differences(told)) == [
            ("收入", "A/all", "B/all", 1.0, None),
            ("收入", "A/days", "B/all", 3.0, 1.0),
            ("收入", "A/days", "B/all", 3.0, None),
        ]

    def test_are_equal_in_all_reports_or_it_is_said_why_not(self, values: Any) -> None:
        assert sum(len(reports_with(places)) > 1 for places in values.values()) > 200
        untold = [
            f"{name}: {one} {value} ≠ {other} {beside}"
            for name, one, other, value, beside in list_differences(values)
            if find_reason(name, one, other) is None
        ]
        assert untold == []

    def test_all_reasons_of_a_pair_are_told(self, source: Connection) -> None:
        """Of bills the reason is not the time alone: of the same days the returns are still apart."""
        told = find_reason("单据数", "OperatingRevenue/days", "BestSellerInfo/all")
        assert told == "畅销商品的是所选销售期间的；畅销商品明细的是出库单和退货单，营业收入的只有出库单"
        returned = source.exec_driver_sql(
            f"select count(distinct bill_id) from facts.fct_sales_line where bill_type = 'XSTH' and {YEAR}"
        ).scalar_one()
        sold, all_bills = (
            bills_of(source, code, tab, key, value)
            for code, tab, key, value in (
                ("OperatingRevenue", "days", "days", f"{TODAY.year}-01-01 : {TODAY + timedelta(days=1)}"),
                ("BestSellerInfo", "all", "period", "本年"),
            )
        )
        assert returned > 0
        assert all_bills - sold == returned

    @pytest.mark.parametrize("told", DIFFERENCES, ids=lambda one: f"{one.names} {'、'.join(one.places)}")
    def test_a_reason_is_told_of_figures_that_differ(
        self, told: FigureDifference, everywhere: dict[str | None, Told]
    ) -> None:
        """In the group or in the company: numbers of two periods may happen to be the same."""
        assert any(
            told.explains(name, one, other)
            for values in everywhere.values()
            for name, one, other, *_ in list_differences(values)
        )
