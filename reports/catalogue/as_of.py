"""按截至日：任意一天的未结和账龄，旁边是上个月和去年的同一天。

Items are kept with the days through which the same of them stood open. What stood open on a day is found by it, as of
the day itself and of those that it stands beside, so that nothing is kept day by day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reports.catalogue.boards import Filter
from reports.catalogue.compare import MONTH_COLUMNS, MONTH_END, Period, Source
from reports.catalogue.datasets import BESIDE_ORDER, NO_ENDS, UNTIL, Column, Dataset, Metric
from reports.catalogue.expressions import max_of
from reports.catalogue.parts import UNTIL_MONTH_END, as_of_filter, period_filter
from reports.catalogue.period_offsets import SAME_DAY_BEFORE, PeriodOffset, period_offsets_sql, shift_day_sql

AS_OF = Period(
    "as_of",
    "按截至日",
    "截至日",
    SAME_DAY_BEFORE,
    runs=False,
    told=(),
)
AS_OF_COLUMNS = (Column("day", "截至日期", "date"), Column("day_label", "截至日", starts="day"))
UNTIL_DAY = {"business_date_end": "strftime({day}, '%Y-%m-%d')"}
"""Where rows lead of what stood on a day."""
DAYS_KNOWN = Dataset(
    key="days_known",
    label="截至日",
    source=(
        "(select c.company_id, cast(d.day as varchar) as day_label from dim_date as d cross join refreshed_at as r"
        " cross join dim_company as c where d.day <= r.as_of)"
    ),
    grain="company",
    columns=(Column("day_label", "截至日"),),
    measures=(),
    metrics=(Metric("newest", "最近截至日", max_of("day_label")),),
    explorable=False,
)
"""What the filter offers."""


def day_filter() -> Filter:
    """The day at whose end things are looked at, opening on today."""
    hint = "当日终了时的未结，按业务日期；上月同日、去年同日是那两天终了时的，没有同一天的算到月末最后一天"
    return period_filter(DAYS_KNOWN, "day_label", "截至日期", hint=hint, searched=True)


DEBT_BUCKETS = ("未到期", "1–30天", "31–60天", "61–90天", "91–180天", "180天以上")
"""The buckets of days past due as columns are called after them; where each ends the warehouse knows."""
_BUCKETS = (
    "(select list(last_day order by bucket_order) as ends, list(bucket order by bucket_order) as names"
    " from dim_past_due_bucket)"
)
_ORDER = "1 + len(list_filter(u.ends, lambda last: last < b.days_past_due))"


def standing(mart: str, period: Period, *steps: PeriodOffset) -> str:
    """Items of a mart as they stood open on a day and, for each of `steps`, so far back: looked at as of a day
    (`as_of`), due for so long (`days_past_due`). A month's last day stands beside the last ones of others."""
    days = (
        f"(select e.{UNTIL} as day, cast(e.{UNTIL} as varchar) as day_label, l.{BESIDE_ORDER}, l.beside,"
        f" {shift_day_sql(f'e.{UNTIL}')} as as_of from (select {NO_ENDS}) as e cross join refreshed_at as r"
        f" cross join {period_offsets_sql(period.words, *steps)} as l where e.{UNTIL} <= r.as_of)"
    )
    past_due = "case when t.is_unapplied then 0 else greatest(date_diff('day', t.due_date, k.as_of), 0) end"
    return (
        f"(select b.*, {_ORDER} as bucket_order, u.names[{_ORDER}] as bucket"
        f" from (select k.*, t.*, {past_due} as days_past_due from {days} as k"
        f" inner join {mart} as t on t.valid_from <= k.as_of and t.valid_to >= k.as_of) as b"
        f" cross join {_BUCKETS} as u)"
    )


@dataclass(frozen=True)
class Standing(Source):
    """Items of a mart that tells of each from which day to which it stood open, as of days."""

    @property
    def alone(self) -> str:
        return self._told(standing(self.mart, self.period))

    @property
    def beside(self) -> str:
        offsets = self.period.prior.offsets
        return self._told(standing(self.mart, self.period, *offsets), BESIDE_ORDER, "beside")


@dataclass(frozen=True)
class Moments:
    """When a board looks at what stands open, at the ends of months or of any days: `columns` name the moment, `days`
    is where its links lead, `mart` how the marts' names end and `rows` how they are read; `mark` and `word` tell its
    datasets from those of months."""

    period: Period
    columns: tuple[Column, Column]
    days: Mapping[str, str]
    mart: str
    rows: type[Source]
    mark: str = ""
    word: str = ""

    @property
    def any_day(self) -> bool:
        return self.period is AS_OF

    def source(self, side: str) -> str:
        mart = f"mart_{side}_{self.mart}"
        return standing(mart, self.period) if self.any_day else mart

    def offering(self, offered: Dataset) -> tuple[Dataset, ...]:
        """What else a board needs to offer values: those of all days are beyond looking through."""
        return (DAYS_KNOWN, offered) if self.any_day else ()

    def filter(self, dataset: Dataset) -> Filter:
        return day_filter() if self.any_day else as_of_filter(dataset)


MONTH_ENDS = Moments(MONTH_END, MONTH_COLUMNS, UNTIL_MONTH_END, "aging", Source)
DAY_ENDS = Moments(AS_OF, AS_OF_COLUMNS, UNTIL_DAY, "item", Standing, "_day", AS_OF.label)
