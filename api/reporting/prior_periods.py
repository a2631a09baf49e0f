"""Prior periods (上期、同期): the days that a range of days is compared with.

The period before whole months, or the days of a month from its first on, is as many months earlier; before
any other days it is as many days that end the day before. Only days up to today are compared: a running
month is compared with the same part of the other one. Bills have a date and no hour: a running day counts
so far, and has no growth until one whole day is compared.
"""

from __future__ import annotations

from datetime import date

from api.kit.http.date_filters import ONE_DAY
from api.kit.storage.database import today
from reports.semantics.period_offsets import MONTHS_OF_YEAR, shift_months_back

YEAR = MONTHS_OF_YEAR
"""Months."""


def clip_to_today(first: date, last: date) -> tuple[date, date]:
    """Return the days of a range up to today; the whole range if it begins later."""
    return (first, min(last, today())) if first <= today() else (first, last)


def has_whole_day(first: date) -> bool:
    """Return whether at least one day from `first` on is over, so that days are compared with earlier ones."""
    return first < today()


def find_previous_period(first: date, last: date) -> tuple[date, date]:
    """Return the period before a range of days."""
    last = max(first, last)
    if first.day == 1:
        months = _count_months(first, last)
        return shift_months_back(first, months), shift_months_back(last, months)
    start = max(2 * first.toordinal() - last.toordinal() - 1, 1)
    return date.fromordinal(start), first - ONE_DAY


def find_comparable_period(first: date, last: date) -> tuple[date, date]:
    """Return the period before a range of days, as far as the range has come by today."""
    come_up_to = clip_to_today(first, last)[1]
    if first.day != 1:
        return find_previous_period(first, come_up_to)
    months = _count_months(first, last)
    return shift_months_back(first, months), shift_months_back(come_up_to, months)


def _count_months(first: date, last: date) -> int:
    """Return the number of calendar months that a range of days touches."""
    return 12 * (last.year - first.year) + last.month - first.month + 1
