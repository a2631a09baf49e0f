"""Open items as of a day (截至某日): open amounts and aging of any day, with those a month and a year before.

Items have the first and the last day on which they were open. The open ones of a day are found by it, for
the day itself and for its prior days, so that nothing is stored day by day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reports.semantics.dashboards import Filter
from reports.semantics.datasets import PERIOD_OFFSET, RANGE_PLACEHOLDER, UNTIL, Column, Dataset, Metric
from reports.semantics.expressions import max_of
from reports.semantics.period_comparison import MONTH_COLUMNS, MONTH_END, Period, PeriodSource
from reports.semantics.period_offsets import SAME_DAY_BEFORE, PeriodOffset, period_offsets_sql, shift_day_sql
from reports.semantics.report_builders import UNTIL_MONTH_END, as_of_filter, period_filter

AS_OF = Period(
    "as_of",
    "按截至日",
    "截至日",
    SAME_DAY_BEFORE,
    runs=False,
    extra_measures=(),
)
AS_OF_COLUMNS = (Column("day", "截至日期", "date"), Column("day_label", "截至日", starts="day"))
UNTIL_DAY = {"business_date_end": "strftime({day}, '%Y-%m-%d')"}
"""Page filter of links of rows as of a day."""
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
"""Values of the filter."""


def day_filter() -> Filter:
    """Return the filter of the day as of which items are shown; it opens on today."""
    hint = "当日终了时的未结，按业务日期；上月同日、去年同日是那两天终了时的，没有同一天的算到月末最后一天"
    return period_filter(DAYS_KNOWN, "day_label", "截至日期", hint=hint, searched=True)


DEBT_BUCKETS = ("未到期", "1–30天", "31–60天", "61–90天", "91–180天", "180天以上")
"""The buckets of days past due as columns are called after them; where each ends the warehouse knows."""
_BUCKETS = (
    "(select list(last_day order by bucket_order) as ends, list(bucket order by bucket_order) as names"
    " from dim_past_due_bucket)"
)
_ORDER = "1 + len(list_filter(u.ends, lambda last: last < b.days_past_due))"


def open_items_as_of_sql(mart: str, period: Period, *steps: PeriodOffset) -> str:
    """Return SQL of a mart's items that were open on a day and, for each of `steps`, so far back.

    `as_of` is the day, `days_past_due` the days since the due date. A month's last day is compared with
    the last days of other months.
    """
    days = (
        f"(select e.{UNTIL} as day, cast(e.{UNTIL} as varchar) as day_label, l.{PERIOD_OFFSET}, l.beside,"
        f" {shift_day_sql(f'e.{UNTIL}')} as as_of from (select {RANGE_PLACEHOLDER}) as e cross join refreshed_at as r"
        f" cross join {period_offsets_sql(period.labels, *steps)} as l where e.{UNTIL} <= r.as_of)"
    )
    past_due = "case when t.is_unapplied then 0 else greatest(date_diff('day', t.due_date, k.as_of), 0) end"
    return (
        f"(select b.*, {_ORDER} as bucket_order, u.names[{_ORDER}] as bucket"
        f" from (select k.*, t.*, {past_due} as days_past_due from {days} as k"
        f" inner join {mart} as t on t.valid_from <= k.as_of and t.valid_to >= k.as_of) as b"
        f" cross join {_BUCKETS} as u)"
    )


@dataclass(frozen=True)
class OpenItemsAsOf(PeriodSource):
    """Open items as of any day (截至某日), of a mart whose items have their first and last open day."""

    @property
    def rows_sql(self) -> str:
        return self._select_sql(open_items_as_of_sql(self.mart, self.period))

    @property
    def prior_periods_sql(self) -> str:
        offsets = self.period.prior.offsets
        return self._select_sql(
            open_items_as_of_sql(self.mart, self.period, *offsets), PERIOD_OFFSET, "beside"
        )


@dataclass(frozen=True)
class AsOfMode:
    """A point in time at which a board shows open items: month ends or any day.

    `columns` name the moment, `days` is the link filter, `mart` the ending of the marts' names, `rows` the
    kind of source; `mark` and `word` are added to the keys and labels of its datasets.
    """

    period: Period
    columns: tuple[Column, Column]
    days: Mapping[str, str]
    mart: str
    rows: type[PeriodSource]
    mark: str = ""
    word: str = ""

    @property
    def any_day(self) -> bool:
        return self.period is AS_OF

    def source(self, side: str) -> str:
        mart = f"mart_{side}_{self.mart}"
        return open_items_as_of_sql(mart, self.period) if self.any_day else mart

    def list_offered_datasets(self, offered: Dataset) -> tuple[Dataset, ...]:
        """Return further datasets for filter values: those of all days are too many to list."""
        return (DAYS_KNOWN, offered) if self.any_day else ()

    def filter(self, dataset: Dataset) -> Filter:
        return day_filter() if self.any_day else as_of_filter(dataset)


MONTH_ENDS = AsOfMode(MONTH_END, MONTH_COLUMNS, UNTIL_MONTH_END, "aging", PeriodSource)
DAY_ENDS = AsOfMode(AS_OF, AS_OF_COLUMNS, UNTIL_DAY, "item", OpenItemsAsOf, "_day", AS_OF.label)
