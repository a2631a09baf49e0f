"""时间轴的各格：日、周、月一格不缺，没有单据的也在；屏幕与纸上相同。"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from reports.catalogue.datasets import SUFFIXES, WEEK, Dataset, first_day
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


def figures_of(
    steps: Iterable[Any], held: Mapping[Any, Mapping[str, Any]], empty: Mapping[str, Any], dataset: Dataset
) -> list[dict[str, Any]]:
    """The figures of each step: those that are `held` of it, and where a step of time has none of its own, but perhaps
    of earlier periods, the `empty` ones or what stood at the step before. Between steps of which an earlier period
    tells something it has the `empty` ones too; before and after them nothing may be known of it."""
    stands = {metric.name for metric in dataset.metrics if metric.stands}
    earlier = [name for name in empty if name.endswith(SUFFIXES)]
    found: list[dict[str, Any]] = []
    timed: list[dict[str, Any]] = []
    for step in steps:
        last, row = found[-1] if found else empty, held.get(step)
        none = {name: last[name] if name in stands else empty[name] for name in empty}
        found.append(none if row is None else {**row})
        if _day(step) or first_day(step):
            timed.append(found[-1])
            own = (name for name in none if name not in earlier and _untold(found[-1][name]))
            found[-1] |= {name: none[name] for name in own}
    for name in earlier:
        told = [place for place, row in enumerate(timed) if not _untold(row[name])]
        for row in timed[told[0] : told[-1]] if told else ():
            row[name] = empty[name] if _untold(row[name]) else row[name]
    return found


def _untold(figure: Any) -> bool:
    """Whether there is none: pandas has no None among numbers, but one that is not even itself."""
    return figure is None or figure != figure


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
