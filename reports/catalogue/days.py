"""按日期：选任意一段日子，旁边是上个月和去年的同样日子。

Each day's rows stand also a month later and a year later, so that the sums over any days are right for what they are
compared with too. A month's last day takes what has no day of its own: whole months stay whole. Nothing stands beyond
the day that the figures are of: what has not come yet is compared with nothing, nor is that day as long as it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reports.catalogue.beside import UNFINISHED
from reports.catalogue.boards import Board, Filter, Report, Tab
from reports.catalogue.compare import MONTH, MONTH_COLUMNS, Period
from reports.catalogue.datasets import FIRST_DAY, LAST_DAY, Column, Dataset
from reports.catalogue.parts import MONTH_DAYS, running_filter
from reports.catalogue.period_offsets import ELAPSED, SAME_DAYS_BEFORE, with_prior_days_sql

THIS_MONTH = "Current month"
"""The words for this month of the filter of days, which it opens on."""
DAY = Column("day", "日期", "date")
DAY_COLUMNS = (DAY, Column("day_label", "日", sql="cast(m.day as varchar)", follows=("day",)))
DAY_LINK = {
    "business_date_start": f"strftime({{{FIRST_DAY}}}, '%Y-%m-%d')",
    "business_date_end": f"strftime({{{LAST_DAY}}}, '%Y-%m-%d')",
}
"""A page's filter by the days of a row."""


@dataclass(frozen=True)
class Days(Period):
    """Any days, from one to another."""

    def beside(self, rows: str, axis: tuple[Column, Column], periods: str = "") -> str:
        return with_prior_days_sql(rows, self.words, self.prior.offsets, DAY.name)


DAYS = Days(
    "days",
    "按日期",
    "日期",
    SAME_DAYS_BEFORE,
    told=(FIRST_DAY, LAST_DAY, ELAPSED),
    ranged=True,
    by_day=True,
)


def days_filter(dataset: Dataset) -> Filter:
    """From which day to which; it opens on this month."""
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
class Span:
    """What a board is of at a time, a month or any days: `key` is that of its tab, `axis` the column of its steps,
    `each` what these are called, `days` where its links lead; `mark` and `word` tell its datasets from those of months.
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
    def whole(self) -> bool:
        """Whether its steps are whole periods: of these alone plans and what stands at an end are told."""
        return not self.period.ranged

    @property
    def dense(self) -> bool:
        """Whether it has too many steps for bars."""
        return not self.whole

    @property
    def step(self) -> str:
        """What one of its steps is called in the names of marts: month or day."""
        return self.columns[0].name

    def lines_beside(
        self,
        lines: Callable[[], Dataset],
        months: Callable[[], tuple[Dataset, Dataset]],
        days: Callable[[], tuple[Dataset, Dataset]],
    ) -> tuple[Dataset, Dataset, Dataset]:
        """Of a report of single lines: these, what is compared of them, and what is drawn over many steps.

        Months are compared and drawn of an aggregate; the lines of any days stand beside those of earlier ones.
        """
        if self.whole:
            return lines(), *months()
        data, series = days()
        return data, data, series


MONTHS = Span("all", MONTH, MONTH_COLUMNS, "month_label", "各月", MONTH_DAYS, running_filter)
ANY_DAYS = Span("days", DAYS, DAY_COLUMNS, "day_label", "每日", DAY_LINK, days_filter, "_day", "按日")


def spanned_report(
    code: str,
    label: str,
    question: str,
    group: str,
    make: Callable[[bool, Span], Board],
    has_cost: bool = True,
    **place: str,
) -> Report:
    """A report by months, which it opens on, and by days. `place` is its path, module and words."""
    tabs = (
        Tab(span.key, span.period.label, make(False, span), make(True, span) if has_cost else None)
        for span in (MONTHS, ANY_DAYS)
    )
    return Report(code, label, question, group, tuple(tabs), **place)
