"""Which day a day stands beside: one rule, in Python and in SQL."""

from __future__ import annotations

from datetime import date, timedelta

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.semantics.period_offsets import (
    ONE_DAY,
    ONE_MONTH,
    ONE_QUARTER,
    ONE_WEEK,
    ONE_YEAR,
    YEAR_OF_WEEKS,
    PeriodOffset,
    find_same_day,
    numbered_periods_sql,
    period_offsets_sql,
    shift_day_sql,
    shift_months_back,
    stack_periods_sql,
)

LABELS = ("所选", "上期", "去年同期")
DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def shifted(day: date, offset: PeriodOffset) -> date:
    """By the SQL."""
    found = duckdb.sql(
        f"select {shift_day_sql('d.day')} from (select date '{day}' as day) as d"
        f" cross join {period_offsets_sql(LABELS, offset)} as l where l.beside_order = 1"
    ).fetchone()
    assert found and isinstance(found[0], date)
    return found[0]


@settings(deadline=None)
@given(DAYS, st.sampled_from([ONE_MONTH, ONE_QUARTER, ONE_YEAR]))
def test_the_sql_shifts_days_as_python_does(day: date, offset: PeriodOffset) -> None:
    assert shifted(day, offset) == shift_months_back(day, offset.months)


@settings(deadline=None)
@given(DAYS, st.sampled_from([ONE_WEEK, YEAR_OF_WEEKS]))
def test_weeks_are_so_many_days_back(day: date, offset: PeriodOffset) -> None:
    assert shifted(day, offset) == day - timedelta(days=offset.days)


@settings(deadline=None)
@given(DAYS, st.integers(1, 24))
def test_the_ends_of_months_stand_beside_each_other(day: date, months: int) -> None:
    is_end = (day + timedelta(days=1)).day == 1
    back = shift_months_back(day, months)
    assert not is_end or (back + timedelta(days=1)).day == 1
    assert (day.year - back.year) * 12 + day.month - back.month == months
    assert back == find_same_day(day, months) or is_end


@pytest.mark.parametrize(
    ("offset", "sql"),
    [
        (PeriodOffset(), "interval 0 day"),
        (ONE_DAY, "interval 1 day"),
        (YEAR_OF_WEEKS, "interval 364 day"),
        (ONE_QUARTER, "interval 3 month"),
        (ONE_YEAR, "interval 1 year"),
        (PeriodOffset(18), "interval 18 month"),
    ],
)
def test_an_offset_is_written_as_an_interval(offset: PeriodOffset, sql: str) -> None:
    assert offset.sql == sql


def test_periods_are_numbered_from_the_chosen_one() -> None:
    rows = duckdb.sql(stack_periods_sql(LABELS, "select 5 as sold", "select 6 as sold", "select 7 as sold"))
    assert sorted(rows.fetchall()) == [(0, "所选", 5), (1, "上期", 6), (2, "去年同期", 7)]
    assert len([*numbered_periods_sql(LABELS)]) == 3
    assert len(duckdb.sql(period_offsets_sql(LABELS, ONE_MONTH)).fetchall()) == 2, (
        "as many as there are offsets"
    )
