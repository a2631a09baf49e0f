"""时间轴的各格：日、周、月一格不缺，没有单据的也在；屏幕与纸上相同。"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from reports.catalogue.datasets import WEEK, first_day
from reports.ranges import WHOLE, DayRange

ONE_DAY = timedelta(days=1)
LONGEST = timedelta(days=7305)
"""Twenty years: a bill of a mistyped year leaves no room for the days between it and the others."""


def every_step(labels: Sequence[Any], chosen: DayRange = WHOLE) -> list[Any]:
    """The labels of an axis with the days, weeks or months that are missing between them; other axes as they are.

    What is of no time may stand behind them, as tyres of an unknown week do. An axis of days has all that are chosen.
    """
    told = [day for label in labels if (day := _day(label) or first_day(label))]
    timed, rest = labels[: len(told)], labels[len(told) :]
    if not told or told != sorted(told) or any(_day(label) or first_day(label) for label in rest):
        return [*labels]
    first, last = told[0], told[-1]
    if _day(timed[0]):
        first = min(first, chosen.since or first)
        last = max(last, chosen.until - ONE_DAY if chosen.until else last)
    if first == last or last - first > LONGEST:
        return [*labels]
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [*dict.fromkeys(_label(day, like=str(timed[0])) for day in days), *rest]


def _day(label: Any) -> date | None:
    try:
        return date.fromisoformat(str(label))
    except ValueError:
        return None


def _label(day: date, like: str) -> str:
    if WEEK.fullmatch(like):
        year, week, _ = day.isocalendar()
        return f"{year}年第{week:02}周"
    return day.isoformat() if _day(like) else f"{day:%Y-%m}"
