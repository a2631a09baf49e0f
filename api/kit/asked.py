"""What a list was asked (查询条件): days and ranges of days, as `field_start` and `field_end`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from api.kit.database import today
from api.kit.errors import Refusal

BEGINNING, END = date(1900, 1, 1), date(9999, 12, 30)
ONE_DAY = timedelta(days=1)
USUAL_DAYS = 30


def this_month(field: str) -> dict[str, str]:
    """The filter of a day field that keeps the current month up to today."""
    now = today()
    return {f"{field}_start": now.replace(day=1).isoformat(), f"{field}_end": now.isoformat()}


def lately(field: str) -> dict[str, str]:
    """The filter of a field of days or moments that pages of logs open with: a month back."""
    return {f"{field}_start": (today() - timedelta(days=USUAL_DAYS)).isoformat()}


def asked_day(asked: Mapping[str, Any], name: str, label: str) -> date | None:
    """A day that a list is asked for."""
    told = str(asked.get(name) or "")
    try:
        return date.fromisoformat(told[:10]) if told else None
    except ValueError as error:
        raise Refusal(f"“{label}”的查询条件不正确") from error


def asked_days(asked: Mapping[str, Any], field: str, label: str) -> tuple[date, date]:
    """The first and last day of the range that a list is asked for: from the beginning, until today."""
    first = asked_day(asked, f"{field}_start", label)
    return max(first or BEGINNING, BEGINNING), asked_until(asked, field, label)


def asked_until(asked: Mapping[str, Any], field: str, label: str) -> date:
    """The last day that a list is asked for: until today."""
    return min(asked_day(asked, f"{field}_end", label) or today(), END)
