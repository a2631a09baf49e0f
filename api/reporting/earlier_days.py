"""Earlier days (上期、同期): what days are compared with.

The period before whole months, or the days of a month from its first on, are as many months earlier; before any other
days it is as many days that end the day before. Of days that are asked for only those that have come are compared: a
running month stands beside the same part of the other one. Bills know their day, not their hour: a day that runs is
told so far, and grows or falls by nothing while no whole one stands with it.
"""

from __future__ import annotations

from datetime import date

from api.kit.asked import ONE_DAY
from api.kit.database import today
from reports.catalogue.period_offsets import MONTHS_OF_YEAR, shift_months_back

YEAR = MONTHS_OF_YEAR
"""Months."""


def come(first: date, last: date) -> tuple[date, date]:
    """Those of some days that have come; all of them if none has."""
    return (first, min(last, today())) if first <= today() else (first, last)


def has_whole_day(first: date) -> bool:
    """Whether of days from this one on one is over, so that they are compared with earlier ones."""
    return first < today()


def previous(first: date, last: date) -> tuple[date, date]:
    """The period before days."""
    last = max(first, last)
    if first.day == 1:
        months = _months(first, last)
        return shift_months_back(first, months), shift_months_back(last, months)
    start = max(2 * first.toordinal() - last.toordinal() - 1, 1)
    return date.fromordinal(start), first - ONE_DAY


def previous_come(first: date, last: date) -> tuple[date, date]:
    """The period before days, up to where these have come."""
    come_up_to = come(first, last)[1]
    if first.day != 1:
        return previous(first, come_up_to)
    months = _months(first, last)
    return shift_months_back(first, months), shift_months_back(come_up_to, months)


def _months(first: date, last: date) -> int:
    """How many months some days are of."""
    return 12 * (last.year - first.year) + last.month - first.month + 1
