"""Date filters (查询条件): dates and date ranges of a list's query, as `field_start` and `field_end`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from api.kit.errors import Refusal
from api.kit.storage.database import today

FIRST_DATE, LAST_DATE = date(1900, 1, 1), date(9999, 12, 30)
ONE_DAY = timedelta(days=1)
DEFAULT_DAYS = 30


def this_month_filter(field: str) -> dict[str, str]:
    """Return the filter of a date field from the first of this month to today."""
    now = today()
    return {f"{field}_start": now.replace(day=1).isoformat(), f"{field}_end": now.isoformat()}


def last_days_filter(field: str) -> dict[str, str]:
    """Return the filter of a date or datetime field for the last `DEFAULT_DAYS` days.

    Pages of logs open with it.
    """
    return {f"{field}_start": (today() - timedelta(days=DEFAULT_DAYS)).isoformat()}


def parse_date(params: Mapping[str, Any], name: str, label: str) -> date | None:
    """Parse one date of a query; None if it is not given. Raises Refusal for a malformed one."""
    given = str(params.get(name) or "")
    try:
        return date.fromisoformat(given[:10]) if given else None
    except ValueError as error:
        raise Refusal(f"“{label}”的查询条件不正确") from error


def parse_date_range(params: Mapping[str, Any], field: str, label: str) -> tuple[date, date]:
    """Parse a date range of a query; open ends are the first date and today."""
    first = parse_date(params, f"{field}_start", label)
    return max(first or FIRST_DATE, FIRST_DATE), parse_end_date(params, field, label)


def parse_end_date(params: Mapping[str, Any], field: str, label: str) -> date:
    """Parse the last date of a query; today if it is not given."""
    return min(parse_date(params, f"{field}_end", label) or today(), LAST_DATE)
