"""Balances of a range of days (按起止日).

Opening, flows and closing, with the same days a month and a year before.

A range's opening is that of the month of its first day and the flows before that day; whole months in it
are read as such. So only the days of partial months are read, and no balance is stored day by day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reports.semantics.dashboards import Filter
from reports.semantics.datasets import PERIOD_OFFSET, RANGE_PLACEHOLDER, SINCE, UNTIL, Column, Dataset
from reports.semantics.period_comparison import PeriodSource
from reports.semantics.period_offsets import ELAPSED, PeriodOffset, period_offsets_sql, shift_day_sql
from reports.semantics.time_grains import ANY_DAYS, DAYS, days_filter

ENDS = (Column(SINCE, "起始日", "date"), Column(UNTIL, "截止日", "date"))
RANGE_LINK = {
    "business_date_start": f"strftime({{{SINCE}}}, '%Y-%m-%d')",
    "business_date_end": f"strftime({{{UNTIL}}}, '%Y-%m-%d')",
}
"""Page filter of links of rows of a range."""
OPENING, CLOSING, CHANGE = "opening", "closing", "change_amount"
MONTHS_BACK = 24
"""The months before this one of which it is known what they opened on, as the macro `months_back` has it."""
WHOLE_CHANGE = "t.closing_amount - t.opening_amount"


def build_range_filter(dataset: Dataset) -> Filter:
    opens = "期初是起始日前一天终了时的余额，余额最早从两年前的月初算起"
    chosen = days_filter(dataset)
    return replace(chosen, column=SINCE, hint=f"{chosen.hint}；{opens}")


BALANCE_DAYS = replace(
    ANY_DAYS,
    period=replace(DAYS, extra_measures=(ELAPSED,)),
    columns=ENDS,
    days=RANGE_LINK,
    filter=build_range_filter,
)
"""Any days that have an opening and a closing."""


@dataclass(frozen=True)
class RangeBalances(PeriodSource):
    """Opening, flows and closing of a range of days; closing = opening + flows.

    `mart` is that of months, which has openings; the mart of days has the same name with `_day`.
    """

    @property
    def rows_sql(self) -> str:
        """SQL of the rows day by day."""
        ranges = self._ranges_sql()
        return self._balances_sql(ranges, self._day_moves_sql(_days_sql(ranges, "opened + 1", "closed")))

    @property
    def prior_periods_sql(self) -> str:
        ranges = self._ranges_sql(*self.period.prior.offsets)
        head = _days_sql(ranges, "opened + 1", "least(closed, whole_since - 1)")
        tail = _days_sql(ranges, "greatest(whole_since, whole_until)", "closed")
        months = _days_sql(ranges, "whole_since", "whole_until - 1", "month")
        whole = self._moves_sql(f"{months} as k inner join {self.mart} as t on t.month = k.day", WHOLE_CHANGE)
        return self._balances_sql(ranges, self._day_moves_sql(head), whole, self._day_moves_sql(tail))

    def _balances_sql(self, ranges: str, *moved: str) -> str:
        """Return SQL of the openings of ranges united with the flows in them."""
        month = f"{ranges} as k inner join {self.mart} as t on t.month = k.month"
        before = f"{_days_sql(ranges, 'month', 'opened')} as k {self._day_join_sql}"
        still = ", ".join(f'0 as "{name}"' for name in self._move_columns)
        return (
            f"({' union all by name '.join(moved)} union all by name select * exclude (amount),"
            f" sum(amount) as {OPENING}, {still}, sum(amount) as {CLOSING}"
            f" from (select {self._key_columns_sql}, k.opened + 1 as day,"
            f" t.{self.measures[OPENING]} as amount from {month}"
            f" union all by name select {self._key_columns_sql}, k.opened + 1 as day,"
            f" t.{CHANGE} as amount from {before})"
            f" group by all having sum(amount) <> 0)"
        )

    def _day_moves_sql(self, days: str) -> str:
        return self._moves_sql(f"{days} as k {self._day_join_sql}", f"t.{CHANGE}")

    def _moves_sql(self, rows: str, change: str) -> str:
        moves = ", ".join(f't."{column}" as "{name}"' for name, column in self._move_columns.items())
        return f"select {self._key_columns_sql}, k.day, 0 as {OPENING}, {moves}, {change} as {CLOSING} from {rows}"

    @property
    def _day_join_sql(self) -> str:
        return f"inner join {self.mart.removesuffix('_month')}_day as t on t.day = k.day"

    @property
    def _key_columns_sql(self) -> str:
        names = ", ".join(f't."{name}"' for name in self.dimensions)
        return f"k.{SINCE}, k.{UNTIL}, k.{PERIOD_OFFSET}, k.beside, k.{ELAPSED}, {names}"

    @property
    def _move_columns(self) -> dict[str, str]:
        return {name: column for name, column in self.measures.items() if name not in (OPENING, CLOSING)}

    def _ranges_sql(self, *steps: PeriodOffset) -> str:
        """Return SQL of the range and, for each of `steps`, the one so far back.

        The days before its first and of its last, its first month, and from when to when it has whole
        months. A range that begins before the first known month begins with it, and has no prior one.
        """
        opened = shift_day_sql(f"(greatest(e.{SINCE}, r.known) - interval 1 day)")
        closed = shift_day_sql(f"least(e.{UNTIL}, r.as_of)")
        known = f"cast(date_trunc('month', as_of) - interval {MONTHS_BACK} month as date)"
        return (
            f"(select *, cast(date_trunc('month', opened + 1) as date) as month,"
            f" cast(date_trunc('month', opened) + interval 1 month as date) as whole_since,"
            f" case when closed = as_of then closed + 1 else cast(date_trunc('month', closed + 1) as date) end"
            f" as whole_until from (select e.*, l.{PERIOD_OFFSET}, l.beside, r.*, {opened} as opened,"
            f" {closed} as closed, case when e.{SINCE} < r.as_of then 1 end as {ELAPSED}"
            f" from (select {RANGE_PLACEHOLDER}) as e"
            f" cross join (select as_of, {known} as known from refreshed_at) as r"
            f" cross join {period_offsets_sql(self.period.labels, *steps)} as l"
            f" where e.{SINCE} <= least(e.{UNTIL}, r.as_of)) where opened + 1 >= known)"
        )


def _days_sql(ranges: str, first: str, last: str, step: str = "day") -> str:
    """Return SQL of each day of ranges between two expressions, or of the first days of months."""
    return (
        f"(select k.*, cast(unnest(generate_series({first}, {last}, interval 1 {step})) as date) as day"
        f" from {ranges} as k)"
    )
