"""Which rows of a table have something to say, and of which periods rows are needed for that."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, PLAIN
from reports.semantics.datasets import PERIOD_OFFSET, Dataset, Metric
from reports.semantics.expressions import (
    ColumnRef,
    Constant,
    CountRows,
    count_distinct,
    max_of,
    quoted_sum,
    sum_of,
    sum_over_rows,
)
from reports.semantics.metrics import change_metric, total_of
from reports.semantics.row_visibility import EVERY, find_read_periods, find_row_visibility
from tests.reports.guest_requests import PLACES

LASTING = max_of(ColumnRef("sold") - ColumnRef("elapsed"))
OWN, BEFORE, YEAR = (frozenset({number}) for number in range(3))
DATA = {data.key: data for at in PLACES for data in at.board.datasets}
COMPARED = [pytest.param(data, id=key) for key, data in DATA.items() if data.periods]


@pytest.fixture
def trade() -> Dataset:
    """Goods sold and returned, each beside the period before and last year's."""
    measures = [f"{name}{end}" for name in ("sold", "returned") for end in ("", "_before", "_year")]
    metrics = (
        *(Metric(name, name, total_of(name)) for name in measures),
        change_metric("grown", "增减", total_of("sold"), total_of("sold_before")),
        Metric("net", "净额", sum_of("sold") - sum_of("returned")),
        Metric("share", "占比", sum_of("sold") / sum_over_rows(sum_of("sold"))),
        Metric("bills", "单数", count_distinct("bill_no")),
        Metric("lasting", "天数", LASTING),
    )
    return Dataset(
        "trade",
        "购销",
        "mart",
        "company",
        columns=(),
        measures=("elapsed", PERIOD_OFFSET, *measures),
        metrics=metrics,
    )


class TestPeriods:
    def test_a_figure_is_made_of_those_whose_measures_it_has(self, trade: Dataset):
        assert find_read_periods(trade, sum_of("sold")) == OWN
        assert find_read_periods(trade, quoted_sum("sold_before")) == BEFORE
        assert find_read_periods(trade, sum_of("sold") - sum_of("sold_year")) == OWN | YEAR
        for figure in (CountRows(ColumnRef("sold")), CountRows(), LASTING, Constant(1)):
            assert find_read_periods(trade, figure) == EVERY, figure

    def test_where_they_are_not_told_apart_it_is_made_of_all(self, trade: Dataset):
        whole = replace(trade, measures=("sold", "sold_before"))
        assert whole.has_comparisons and find_read_periods(whole, sum_of("sold")) == EVERY


class TestTelling:
    @pytest.mark.parametrize(
        ("names", "periods", "conditions"),
        [
            (("sold",), OWN, 0),
            (("sold", "grown", "net"), OWN, 0),
            (("sold", "returned_before"), OWN | BEFORE, 0),
            (("sold", "returned_before", "sold_year", "lasting"), EVERY, 0),
            (("sold_before", "grown"), BEFORE, 1),
            (("sold", "lasting"), OWN, 1),
            (("net",), frozenset(), 1),
            (("bills", "share"), EVERY, 0),
        ],
    )
    def test_of_which_periods_each_row_tells_something(self, trade: Dataset, names, periods, conditions):
        found = find_row_visibility(trade, names)
        assert (found.periods, len(found.conditions)) == (periods, conditions)

    def test_rows_stand_in_their_own_period_alone_where_nothing_is_compared(self, trade: Dataset):
        assert (
            find_row_visibility(replace(trade, measures=("sold",)), ("sold", "net")).condition_sql(EVERY)
            == ""
        )

    @pytest.mark.parametrize("names", [("sold",), ("sold", "lasting"), ("sold_before", "grown"), ("net",)])
    def test_its_condition_leaves_the_rows_of_which_a_figure_is_known(self, trade: Dataset, names):
        """Goods of all periods and of each alone; a row has the measures of its period and no others."""
        periods = {"all": (0, 1, 2), "now": (0,), "then": (1,), "last": (2,)}
        ends = ("", "_before", "_year")
        rows = " union all by name ".join(
            f"select '{key}' as key, {number} as {PERIOD_OFFSET}, 0.5 as elapsed,"
            f" 0 as sold{ends[number]}, 5 as returned{ends[number]}"
            for key, numbers in periods.items()
            for number in numbers
        )
        of = ", ".join(trade.metric(name).sql for name in names)
        asked = f"select key, {of} from ({rows}) group by key"
        known = {key for key, *figures in duckdb.sql(asked).fetchall() if any(x is not None for x in figures)}
        condition = find_row_visibility(trade, names).condition_sql(EVERY)
        assert {key for key, *_ in duckdb.sql(f"{asked} having {condition}").fetchall()} == known != set()


class TestCatalogue:
    @pytest.mark.parametrize("data", COMPARED)
    def test_of_no_row_of_its_periods_a_figure_tells_nothing(self, data: Dataset):
        """Else a row could have something to say that none of its periods tells."""
        others = {*(column.name for column in data.columns), *data.measures, *data.keys} - data.periods.keys()
        nothing = [f'null::double as "{name}"' for name in data.periods]
        row = ", ".join([*nothing, *(f'1 as "{name}"' for name in others)])
        for metric in data.metrics:
            if find_read_periods(data, metric.expression) != EVERY:
                assert duckdb.sql(f"select {metric.sql} from (select {row})").fetchall() == [(None,)], metric

    def test_of_a_table_of_sums_nothing_is_added_up_to_know_its_rows(self):
        report = find_report("CommodityProfit")
        assert report
        for tab in report.tabs:
            for variant, periods in ((PLAIN, EVERY), (COST, OWN)):
                board = tab.board(variant)
                chart = board.chart("detail").on_screen
                found = find_row_visibility(board.dataset(chart.dataset), chart.metrics)
                assert (found.periods, found.conditions) == (periods, ())
