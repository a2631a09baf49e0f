"""Time axis (时间轴): days, weeks and months without gaps, on the screen as on paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from reports.semantics.datasets import SUFFIXES, WEEK, Dataset, parse_first_day
from reports.semantics.day_ranges import WHOLE, DayRange

ONE_DAY = timedelta(days=1)
LONGEST = timedelta(days=7305)
"""Twenty years: a bill of a mistyped year leaves no room for the days between it and the others."""


def fill_steps(labels: Sequence[Any], chosen: DayRange = WHOLE) -> list[Any]:
    """Return the axis labels with missing days, weeks or months between them; other axes as they are.

    Labels of no time may follow, as tyres of an unknown week do. An axis of days has all that are chosen.
    """
    known_days = [day for label in labels if (day := _parse_day(label) or parse_first_day(label))]
    timed, rest = labels[: len(known_days)], labels[len(known_days) :]
    if (
        not known_days
        or known_days != sorted(known_days)
        or any(_parse_day(label) or parse_first_day(label) for label in rest)
    ):
        return [*labels]
    first, last = known_days[0], known_days[-1]
    if _parse_day(timed[0]):
        first = min(first, chosen.since or first)
        last = max(last, chosen.until - ONE_DAY if chosen.until else last)
    if first == last or last - first > LONGEST:
        return [*labels]
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [*dict.fromkeys(_format_label(day, like=str(timed[0])) for day in days), *rest]


def fill_figures(
    steps: Iterable[Any], known: Mapping[Any, Mapping[str, Any]], empty: Mapping[str, Any], dataset: Dataset
) -> list[dict[str, Any]]:
    """Return the figures of each step.

    The `known` ones; else the `empty` ones, or for levels those of the step before.

    Between two steps with prior-period figures a step has the `empty` ones of the prior period too; before
    and after them nothing may be known of it.
    """
    stands = {metric.name for metric in dataset.metrics if metric.carries_forward}
    earlier = [name for name in empty if name.endswith(SUFFIXES)]
    found: list[dict[str, Any]] = []
    timed: list[dict[str, Any]] = []
    for step in steps:
        last, row = found[-1] if found else empty, known.get(step)
        none = {name: last[name] if name in stands else empty[name] for name in empty}
        found.append(none if row is None else {**row})
        if _parse_day(step) or parse_first_day(step):
            timed.append(found[-1])
            own = (name for name in none if name not in earlier and _is_missing(found[-1][name]))
            found[-1] |= {name: none[name] for name in own}
    for name in earlier:
        filled = [place for place, row in enumerate(timed) if not _is_missing(row[name])]
        for row in timed[filled[0] : filled[-1]] if filled else ():
            row[name] = empty[name] if _is_missing(row[name]) else row[name]
    return found


def _is_missing(figure: Any) -> bool:
    """Return whether there is no figure: pandas has no None among numbers, but NaN."""
    return figure is None or figure != figure


def _parse_day(label: Any) -> date | None:
    try:
        return date.fromisoformat(str(label))
    except ValueError:
        return None


def _format_label(day: date, like: str) -> str:
    if WEEK.fullmatch(like):
        year, week, _ = day.isocalendar()
        return f"{year}年第{week:02}周"
    return day.isoformat() if _parse_day(like) else f"{day:%Y-%m}"
