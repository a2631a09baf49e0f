"""按起止日：任意一段日子的期初、发生和期末，旁边是上个月和去年的同样日子。

What a range opens on is what the month of its first day opened on and what moved in it before that day: no more is read
than the days of the range and a part of a month, and no balance is kept day by day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reports.catalogue.beside import lags, stepped_back
from reports.catalogue.boards import Filter
from reports.catalogue.compare import Source
from reports.catalogue.datasets import BESIDE_ORDER, SINCE, UNTIL, Column, Dataset
from reports.catalogue.days import ANY_DAYS, DAYS, days_filter
from reports.ranges import EARLIEST, FURTHEST

ENDS = (Column(SINCE, "起始日", "date"), Column(UNTIL, "截止日", "date"))
BETWEEN_LINK = {
    "business_date_start": f"strftime(m.{SINCE}, '%Y-%m-%d')",
    "business_date_end": f"strftime(m.{UNTIL}, '%Y-%m-%d')",
}
"""Where rows lead of what moved in a range."""
OPENING, CLOSING, CHANGE = "opening", "closing", "change_amount"
MONTHS_BACK = 24
"""The months before this one of which it is known what they opened on."""


def between_filter(dataset: Dataset) -> Filter:
    opens = "期初是起始日前一天终了时的余额，余额最早从两年前的月初算起"
    chosen = days_filter(dataset)
    return replace(chosen, column=SINCE, hint=f"{chosen.hint}；{opens}")


BETWEEN = replace(
    ANY_DAYS,
    period=replace(DAYS, told=(), momentary=True),
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
        return self._balances()

    @property
    def beside(self) -> str:
        return self._balances(self.period.step, self.period.year)

    def _balances(self, *steps: str) -> str:
        ranges = self._ranges(*steps)
        range_ = f"k.{SINCE}, k.{UNTIL}, k.{BESIDE_ORDER}, k.beside"
        whose = ", ".join(f't."{name}"' for name in self.dimensions)
        moves = {name: column for name, column in self.measures.items() if name not in (OPENING, CLOSING)}
        moved = ", ".join(f't."{column}" as "{name}"' for name, column in moves.items())
        still = ", ".join(f'0 as "{name}"' for name in moves)
        opening = f't."{self.measures[OPENING]}"'
        on_days = f"inner join {self.mart.removesuffix('_month')}_day as t on t.day = k.day"
        return (
            f"(select {range_}, k.day, {whose}, 0 as {OPENING}, {moved}, t.{CHANGE} as {CLOSING}"
            f" from {_days(ranges, 'k.opened + 1', 'k.closed')} as k {on_days}"
            f" union all by name select * exclude (amount), sum(amount) as {OPENING}, {still}, sum(amount) as {CLOSING}"
            f" from (select {range_}, k.opened + 1 as day, {whose}, {opening} as amount"
            f" from {ranges} as k inner join {self.mart} as t on t.month = k.month"
            f" union all by name select {range_}, k.opened + 1 as day, {whose}, t.{CHANGE} as amount"
            f" from {_days(ranges, 'k.month', 'k.opened')} as k {on_days})"
            f" group by all having sum(amount) <> 0)"
        )

    def _ranges(self, *steps: str) -> str:
        """Each range and, for each of `steps`, the one so far back: the days at whose ends they open and close, and the
        month of their first one. What begins before the first month known begins with it, and has none before it."""
        day = (
            "(select cast(day as date) as day from"
            f" generate_series(date '{EARLIEST}', date '{FURTHEST}', interval 1 day) as days(day))"
        )
        known = f"cast(date_trunc('month', r.as_of) - interval {MONTHS_BACK} month as date)"
        opened = stepped_back(f"(greatest(s.day, {known}) - interval 1 day)")
        closed = stepped_back("least(u.day, r.as_of)")
        return (
            f"(select *, cast(date_trunc('month', opened + 1) as date) as month"
            f" from (select s.day as {SINCE}, u.day as {UNTIL}, l.{BESIDE_ORDER}, l.beside, {known} as known,"
            f" {opened} as opened, {closed} as closed from {day} as s cross join {day} as u"
            f" cross join refreshed_at as r cross join {lags(self.period.words, *steps)} as l"
            f" where s.day <= least(u.day, r.as_of)) where opened + 1 >= known)"
        )


def _days(ranges: str, first: str, last: str) -> str:
    """Each day of ranges from one to another."""
    return (
        f"(select k.*, cast(unnest(generate_series({first}, {last}, interval 1 day)) as date) as day"
        f" from {ranges} as k)"
    )
