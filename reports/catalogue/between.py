"""按起止日：任意一段日子的期初、发生和期末，旁边是上个月和去年的同样日子。

What a range opens on is what the month of its first day opened on and what moved in it before that day; whole months in
it are read as such. So no more days are read than those of parts of months, and no balance is kept day by day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reports.catalogue.boards import Filter
from reports.catalogue.compare import Source
from reports.catalogue.datasets import BESIDE_ORDER, NO_ENDS, SINCE, UNTIL, Column, Dataset
from reports.catalogue.days import ANY_DAYS, DAYS, days_filter
from reports.catalogue.period_offsets import ELAPSED, PeriodOffset, period_offsets_sql, shift_day_sql

ENDS = (Column(SINCE, "起始日", "date"), Column(UNTIL, "截止日", "date"))
BETWEEN_LINK = {
    "business_date_start": f"strftime({{{SINCE}}}, '%Y-%m-%d')",
    "business_date_end": f"strftime({{{UNTIL}}}, '%Y-%m-%d')",
}
"""Where rows lead of what moved in a range."""
OPENING, CLOSING, CHANGE = "opening", "closing", "change_amount"
MONTHS_BACK = 24
"""The months before this one of which it is known what they opened on, as the macro `months_back` has it."""
WHOLE_CHANGE = "t.closing_amount - t.opening_amount"


def between_filter(dataset: Dataset) -> Filter:
    opens = "期初是起始日前一天终了时的余额，余额最早从两年前的月初算起"
    chosen = days_filter(dataset)
    return replace(chosen, column=SINCE, hint=f"{chosen.hint}；{opens}")


BETWEEN = replace(
    ANY_DAYS,
    period=replace(DAYS, told=(ELAPSED,)),
    columns=ENDS,
    days=BETWEEN_LINK,
    filter=between_filter,
)
"""Any days that have an opening and a closing."""


@dataclass(frozen=True)
class Balances(Source):
    """What moved on the days of a range, and on its first what it opened on; closing = opening + what moved.

    `mart` is that of months, which know their opening; beside it lies that of days.
    """

    @property
    def alone(self) -> str:
        """Day by day."""
        ranges = self._ranges()
        return self._balances(ranges, self._moved_on(_days(ranges, "opened + 1", "closed")))

    @property
    def beside(self) -> str:
        ranges = self._ranges(*self.period.prior.offsets)
        head = _days(ranges, "opened + 1", "least(closed, whole_since - 1)")
        tail = _days(ranges, "greatest(whole_since, whole_until)", "closed")
        months = _days(ranges, "whole_since", "whole_until - 1", "month")
        whole = self._moved(f"{months} as k inner join {self.mart} as t on t.month = k.day", WHOLE_CHANGE)
        return self._balances(ranges, self._moved_on(head), whole, self._moved_on(tail))

    def _balances(self, ranges: str, *moved: str) -> str:
        """What ranges open on and what moved in them."""
        month = f"{ranges} as k inner join {self.mart} as t on t.month = k.month"
        before = f"{_days(ranges, 'month', 'opened')} as k {self._on_day}"
        still = ", ".join(f'0 as "{name}"' for name in self._moves)
        return (
            f"({' union all by name '.join(moved)} union all by name select * exclude (amount),"
            f" sum(amount) as {OPENING}, {still}, sum(amount) as {CLOSING}"
            f" from (select {self._whose}, k.opened + 1 as day, t.{self.measures[OPENING]} as amount from {month}"
            f" union all by name select {self._whose}, k.opened + 1 as day, t.{CHANGE} as amount from {before})"
            f" group by all having sum(amount) <> 0)"
        )

    def _moved_on(self, days: str) -> str:
        return self._moved(f"{days} as k {self._on_day}", f"t.{CHANGE}")

    def _moved(self, rows: str, change: str) -> str:
        moves = ", ".join(f't."{column}" as "{name}"' for name, column in self._moves.items())
        return f"select {self._whose}, k.day, 0 as {OPENING}, {moves}, {change} as {CLOSING} from {rows}"

    @property
    def _on_day(self) -> str:
        return f"inner join {self.mart.removesuffix('_month')}_day as t on t.day = k.day"

    @property
    def _whose(self) -> str:
        names = ", ".join(f't."{name}"' for name in self.dimensions)
        return f"k.{SINCE}, k.{UNTIL}, k.{BESIDE_ORDER}, k.beside, k.{ELAPSED}, {names}"

    @property
    def _moves(self) -> dict[str, str]:
        return {name: column for name, column in self.measures.items() if name not in (OPENING, CLOSING)}

    def _ranges(self, *steps: PeriodOffset) -> str:
        """The range and, for each of `steps`, the one so far back: the days at whose ends they open and close, the
        month of their first one, and since and until when they have whole months. What begins before the first month
        known begins with it, and has none before it."""
        opened = shift_day_sql(f"(greatest(e.{SINCE}, r.known) - interval 1 day)")
        closed = shift_day_sql(f"least(e.{UNTIL}, r.as_of)")
        known = f"cast(date_trunc('month', as_of) - interval {MONTHS_BACK} month as date)"
        return (
            f"(select *, cast(date_trunc('month', opened + 1) as date) as month,"
            f" cast(date_trunc('month', opened) + interval 1 month as date) as whole_since,"
            f" case when closed = as_of then closed + 1 else cast(date_trunc('month', closed + 1) as date) end"
            f" as whole_until from (select e.*, l.{BESIDE_ORDER}, l.beside, r.*, {opened} as opened,"
            f" {closed} as closed, case when e.{SINCE} < r.as_of then 1 end as {ELAPSED}"
            f" from (select {NO_ENDS}) as e cross join (select as_of, {known} as known from refreshed_at) as r"
            f" cross join {period_offsets_sql(self.period.words, *steps)} as l"
            f" where e.{SINCE} <= least(e.{UNTIL}, r.as_of)) where opened + 1 >= known)"
        )


def _days(ranges: str, first: str, last: str, step: str = "day") -> str:
    """Each day of ranges from one to another, or the first ones of months."""
    return (
        f"(select k.*, cast(unnest(generate_series({first}, {last}, interval 1 {step})) as date) as day"
        f" from {ranges} as k)"
    )
