"""Period offsets (对比期): how far back prior periods lie, what they are called, and the SQL of rows beside them.

One rule holds wherever a day stands beside that of another month: the same day, or the last one where there is none;
and to the end of a month belongs the end of the other. The warehouse has it as its macro `as_far_in`.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from reports.semantics.datasets import FIRST_DAY, LAST_DAY, PERIOD_OFFSET

MONTHS_OF_YEAR = 12
ELAPSED = "elapsed"
"""How much of a row's period has passed; nothing is known of it before its first day is over."""
SO_FAR = "（未过完）"
"""Beside what a period is called that has no whole day yet."""


@dataclass(frozen=True)
class PeriodOffset:
    """How far back a prior period lies: months or days."""

    months: int = 0
    days: int = 0

    @property
    def sql(self) -> str:
        """The interval."""
        years, months = divmod(self.months, MONTHS_OF_YEAR)
        if years and not months:
            return f"interval {years} year"
        return f"interval {self.months} month" if self.months else f"interval {self.days} day"


@dataclass(frozen=True)
class PriorPeriods:
    """The period before and last year's: how far back each begins, and what they are called."""

    previous: PeriodOffset
    last_year: PeriodOffset
    labels: tuple[str, str]

    @property
    def offsets(self) -> tuple[PeriodOffset, PeriodOffset]:
        return self.previous, self.last_year


ONE_DAY = PeriodOffset(days=1)
ONE_WEEK, YEAR_OF_WEEKS = PeriodOffset(days=7), PeriodOffset(days=364)
ONE_MONTH, ONE_QUARTER, ONE_YEAR = PeriodOffset(1), PeriodOffset(3), PeriodOffset(MONTHS_OF_YEAR)
WHOLE_WEEKS = PriorPeriods(ONE_WEEK, YEAR_OF_WEEKS, ("上周整周", "去年同周整周"))
WHOLE_MONTHS = PriorPeriods(ONE_MONTH, ONE_YEAR, ("上月整月", "去年同月整月"))
WHOLE_QUARTERS = PriorPeriods(ONE_QUARTER, ONE_YEAR, ("上季整季", "去年同季整季"))
MONTH_ENDS_BEFORE = PriorPeriods(ONE_MONTH, ONE_YEAR, ("上月末", "去年同月末"))
SAME_DAYS_BEFORE = PriorPeriods(ONE_MONTH, ONE_YEAR, ("上月同期", "去年同期"))
"""Of several days, each beside the same one."""
SAME_DAY_BEFORE = PriorPeriods(ONE_MONTH, ONE_YEAR, ("上月同日", "去年同日"))
PERIOD_LABELS = ("上期", "去年同期")
"""What prior periods are called whatever their length."""


def find_same_day(day: date, months: int) -> date:
    """Return the same day of an earlier month, or its last one."""
    year, month = divmod(max(12 * day.year + day.month - 1 - months, 12), 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def shift_months_back(day: date, months: int) -> date:
    """Return up to which day an earlier month stands beside a month up to a day: at the end to the end."""
    same = find_same_day(day, months)
    is_end = day.day == monthrange(day.year, day.month)[1]
    return same.replace(day=monthrange(same.year, same.month)[1]) if is_end else same


def shift_day_sql(day: str) -> str:
    """Return the SQL of `shift_months_back` by the step of `period_offsets_sql` (alias l)."""
    return (
        f"greatest(cast({day} - l.step as date),"
        f" cast({day} + interval 1 day - l.step - interval 1 day as date))"
    )


def period_offsets_sql(labels: tuple[str, str, str], *offsets: PeriodOffset) -> str:
    """Return a query, in parentheses, of the chosen period and those so far back: number, label and step."""
    rows = " union all ".join(
        f"select {number} as {PERIOD_OFFSET}, '{label}' as beside, {offset.sql} as step"
        for number, (label, offset) in enumerate(zip(labels, (PeriodOffset(), *offsets), strict=False))
    )
    return f"({rows})"


def with_prior_periods_sql(
    rows: str,
    axis: tuple[str, str],
    labels: tuple[str, str, str],
    offsets: tuple[PeriodOffset, PeriodOffset],
    periods: str = "",
    length: PeriodOffset | None = None,
    runs: bool = False,
) -> str:
    """Return the rows of a mart in their own period, in the next one and a year later, but never in one that it lacks.

    Each knows how much of its period has passed, as `elapsed`: 1 of those that are over.

    `axis` are the columns of a period's first day and label, `offsets` how far back the other two lie, `length` how
    long it is, by default the first of them; `periods` is a query of the axis, where the rows are too many to find it
    in. What `runs` says so where it is compared with nothing yet. A period may be a day: a month's last one stands
    beside the last ones of others. It groups: beside a `distinct` DuckDB reads all columns of the rows, used or not.
    """
    start, label = (f'"{name}"' for name in axis)
    own = periods or f"select t.{start}, t.{label} from {rows} as t group by t.{start}, t.{label}"
    elapsed = _elapsed_sql(f"p.{start}", length or offsets[0])
    so_far = f" || case when l.{PERIOD_OFFSET} = 0 and {elapsed} is null then '{SO_FAR}' else '' end"
    named = f"l.beside{so_far if runs else ''}"
    return (
        f"(select p.{start}, p.{label}, l.{PERIOD_OFFSET}, {named} as beside, {elapsed} as {ELAPSED},"
        f" t.* exclude ({start}, {label}) from ({own}) as p cross join refreshed_at as r"
        f" cross join {period_offsets_sql(labels, *offsets)} as l"
        f" inner join {rows} as t on t.{start} = {shift_day_sql(f'p.{start}')})"
    )


def with_prior_days_sql(
    rows: str, labels: tuple[str, str, str], offsets: tuple[PeriodOffset, PeriodOffset], day: str
) -> str:
    """Return rows of days on their own day, on the same day of the next month and of the next year.

    A condition on the days has to reach where the rows lie: each is a branch of its own, and those of earlier days are
    found by the few days that they come from.
    """
    own, *earlier = labels
    branches = " union all by name ".join(
        f"select k.day as {day}, t.* exclude ({day}), {order} as {PERIOD_OFFSET}, '{label}' as beside"
        f" from (select cast(d.day + {offset.sql} as date) as day, d.day as came_from from dim_date as d"
        f" cross join refreshed_at as a where cast(d.day + {offset.sql} as date) <= a.as_of) as k"
        f" inner join {rows} as t on t.{day} = k.came_from"
        for order, (label, offset) in enumerate(zip(earlier, offsets, strict=True), 1)
    )
    return (
        f"(select b.*, cast(date_trunc('month', r.as_of) as date) as {FIRST_DAY}, r.as_of as {LAST_DAY},"
        f" case when b.{day} < r.as_of then 1 end as {ELAPSED} from (select t.*, 0 as {PERIOD_OFFSET},"
        f" '{own}' as beside from {rows} as t union all by name {branches}) as b cross join refreshed_at as r)"
    )


def stack_periods_sql(labels: tuple[str, str, str], *queries: str) -> str:
    """Return a query, in parentheses, of queries of the same columns, one for each period."""
    numbered = numbered_periods_sql(labels)
    parts = (
        f"select {which}, q.* from ({query}) as q" for which, query in zip(numbered, queries, strict=True)
    )
    return f"({' union all '.join(parts)})"


def numbered_periods_sql(labels: tuple[str, str, str]) -> Iterator[str]:
    """Yield the columns that tell rows of each period apart: its number and label."""
    for number, label in enumerate(labels):
        yield f"{number} as {PERIOD_OFFSET}, '{label}' as beside"


def _elapsed_sql(start: str, length: PeriodOffset) -> str:
    passed, whole = (
        f"date_diff('day', {start}, cast({end} as date))"
        for end in ("r.as_of + interval 1 day", f"{start} + {length.sql}")
    )
    return f"case when {start} < r.as_of then least(1, {passed} / {whole}) end"
