"""Any days (按日期): figures of a chosen range of days, with the same days a month and a year before.

Each day's rows stand also a month later and a year later, so that the sums over any days have their prior
sums too. A month's last day takes those that have no day of their own: whole months stay whole. Nothing
stands beyond the snapshot's day: days to come have no comparison, nor has that day as long as it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reports.semantics.dashboards import Board, Filter, Report, Tab
from reports.semantics.datasets import FIRST_DAY, LAST_DAY, Column, Dataset
from reports.semantics.kpi_comparison import UNFINISHED
from reports.semantics.period_comparison import MONTH, MONTH_COLUMNS, Period
from reports.semantics.period_offsets import ELAPSED, SAME_DAYS_BEFORE, with_prior_days_sql
from reports.semantics.report_builders import MONTH_DAYS, running_filter

THIS_MONTH = "Current month"
"""The words for this month of the filter of days, which it opens on."""
DAY = Column("day", "日期", "date")
DAY_COLUMNS = (DAY, Column("day_label", "日", sql="cast(m.day as varchar)", determined_by=("day",)))
DAY_LINK = {
    "business_date_start": f"strftime({{{FIRST_DAY}}}, '%Y-%m-%d')",
    "business_date_end": f"strftime({{{LAST_DAY}}}, '%Y-%m-%d')",
}
"""A page's filter by the days of a row."""


@dataclass(frozen=True)
class Days(Period):
    """Any days, from one to another."""

    def prior_periods_sql(self, rows: str, axis: tuple[Column, Column], periods: str = "") -> str:
        return with_prior_days_sql(rows, self.labels, self.prior.offsets, DAY.name)


DAYS = Days(
    "days",
    "按日期",
    "日期",
    SAME_DAYS_BEFORE,
    extra_measures=(FIRST_DAY, LAST_DAY, ELAPSED),
    ranged=True,
    by_day=True,
)


def days_filter(dataset: Dataset) -> Filter:
    """Return the filter of a range of days; it opens on this month."""
    hint = f"自定义的结束日期不含当天；上月同期、去年同期是上个月和去年的同样日子，只算到数据所属的业务日；{UNFINISHED}"
    return Filter(
        "days",
        DAYS.name,
        dataset.key,
        DAY.name,
        multiple=False,
        default=(THIS_MONTH,),
        ranged=True,
        hint=hint,
    )


@dataclass(frozen=True)
class TimeGrain:
    """Time grain of a board: months or any days.

    `key` is that of its tab, `axis` the column of its steps, `each` their label, `days` the link filter;
    `mark` and `word` are added to the keys and labels of its datasets.
    """

    key: str
    period: Period
    columns: tuple[Column, Column]
    axis: str
    each: str
    days: Mapping[str, str]
    filter: Callable[[Dataset], Filter]
    mark: str = ""
    word: str = ""

    @property
    def is_whole(self) -> bool:
        """Return whether its steps are whole periods; only these have plans and closing balances."""
        return not self.period.ranged

    @property
    def is_dense(self) -> bool:
        """Whether it has too many steps for bars."""
        return not self.is_whole

    @property
    def step(self) -> str:
        """Name of a step in the names of marts: month or day."""
        return self.columns[0].name

    def build_line_datasets(
        self,
        lines: Callable[[], Dataset],
        months: Callable[[], tuple[Dataset, Dataset]],
        days: Callable[[], tuple[Dataset, Dataset]],
    ) -> tuple[Dataset, Dataset, Dataset]:
        """Return a line report's datasets: the lines, their comparison and their series.

        Months are compared and drawn from an aggregate; the lines of any days have prior days themselves.
        """
        if self.is_whole:
            return lines(), *months()
        data, series = days()
        return data, data, series


MONTHS = TimeGrain("all", MONTH, MONTH_COLUMNS, "month_label", "各月", MONTH_DAYS, running_filter)
ANY_DAYS = TimeGrain("days", DAYS, DAY_COLUMNS, "day_label", "每日", DAY_LINK, days_filter, "_day", "按日")


def build_time_grain_report(
    code: str,
    label: str,
    question: str,
    group: str,
    make: Callable[[bool, TimeGrain], Board],
    has_cost: bool = True,
    **place: str,
) -> Report:
    """Return a report by months, which it opens on, and by days. `place` is its path, module and words."""
    tabs = (
        Tab(span.key, span.period.label, make(False, span), make(True, span) if has_cost else None)
        for span in (MONTHS, ANY_DAYS)
    )
    return Report(code, label, question, group, tuple(tabs), **place)
