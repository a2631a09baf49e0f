"""Two figures of one name in two reports: equal for the same time and filters, or a stated reason why not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from api.exporting.asked import Asked, Values
from api.figures.found import Figure, figures_of, value_of
from reports.catalogue import REPORTS
from reports.catalogue.boards import COST, Board, Filter
from reports.catalogue.differences import DIFFERENCES, Difference, reason
from warehouse.files import Files

EVERYBODY = 1
MONTH, DAYS = "2026-10", "2026-10-01T00:00:00 : 2026-11-01T00:00:00"
"""The same month, as reports of months and as reports of days are asked for it: it is over."""
COMPANY = "company_name"


class Reading:
    """A connection as exports read it."""

    def __init__(self, conn: duckdb.DuckDBPyConnection) -> None:
        self._conn = conn

    def exec_driver_sql(self, sql: str, values: tuple[Any, ...] = ()) -> Any:
        found = self._conn.cursor().execute(sql, list(values))
        return SimpleNamespace(cursor=found, scalar=lambda: (found.fetchone() or (None,))[0])


@pytest.fixture(scope="module")
def source(request: pytest.FixtureRequest) -> Iterator[Reading]:
    files: Files = request.getfixturevalue("figures")
    with duckdb.connect(str(files.current / "wh.duckdb"), read_only=True) as conn:
        yield Reading(conn)


def is_of_months(item: Filter) -> bool:
    """Whether a filter chooses a month; weeks and periods of sales have labels of their own."""
    return item.column == "month_label" or (item.column == "period_label" and item.label == "月")


def chosen(board: Board, company: str | None) -> dict[str, Values]:
    """The filters of a board for the month and a company."""
    found: dict[str, Values] = {}
    for item in board.filters:
        if item.ranged:
            found[item.key] = (DAYS,)
        elif is_of_months(item):
            found[item.key] = (MONTH,)
        elif item.column == COMPANY and company:
            found[item.key] = (company,)
    return found


def asked_of(code: str, board: Board, company: str | None) -> Asked:
    return Asked(code, code, board, EVERYBODY, "detail", chosen(board, company), board.pivot)


@pytest.fixture(scope="module", params=[None, "公司1"], ids=["group", "company"])
def values(
    request: pytest.FixtureRequest, source: Reading
) -> Mapping[str, dict[str, list[tuple[str, float | None]]]]:
    """By name and place (`code/tab`) what each figure that bears it comes to there."""
    found: dict[str, dict[str, list[tuple[str, float | None]]]] = defaultdict(lambda: defaultdict(list))
    for report in REPORTS:
        for tab in report.tabs:
            board = tab.board(COST)
            asked = asked_of(report.code, board, request.param)
            for figure in figures_of(board):
                if is_of_all_periods(board, figure):
                    continue
                value = value_of(asked, figure, source)  # type: ignore[arg-type]
                found[figure.label][f"{report.code}/{tab.key}"].append((figure.key, value))
    return found


def is_of_all_periods(board: Board, figure: Figure) -> bool:
    """Whether it stands in a table that shows all periods: it is the figure of another time."""
    heeded = board.filters_of(figure.chart)
    return any(item not in heeded for item in board.filters if is_of_months(item) or item.ranged)


def is_same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == pytest.approx(other, abs=0.005 if max(abs(one), abs(other)) > 10 else 1e-6)


def differing(values: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any, Any]]:
    """Every pair of one name in two reports of which a value is not the other's."""
    for name, places in values.items():
        for (one, these), (other, those) in combinations(places.items(), 2):
            if one.split("/")[0] == other.split("/")[0]:
                continue
            for (_, value), (_, beside) in ((a, b) for a in these for b in those):
                if not is_same(value, beside):
                    yield name, one, other, value, beside


class TestFiguresOfOneName:
    def test_are_equal_in_all_reports_or_it_is_said_why_not(self, values: Any) -> None:
        assert sum(len(places) > 1 for places in values.values()) > 100
        untold = [
            f"{name}: {one} {value} ≠ {other} {beside}"
            for name, one, other, value, beside in differing(values)
            if reason(name, one, other) is None
        ]
        assert untold == []

    @pytest.mark.parametrize("told", DIFFERENCES, ids=lambda one: f"{one.names} {'、'.join(one.places)}")
    def test_a_reason_is_told_of_figures_that_differ(self, told: Difference, values: Any) -> None:
        assert any(told.tells(name, one, other) for name, one, other, *_ in differing(values))
