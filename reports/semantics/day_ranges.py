"""Ranges of days in words (日期范围): the words of Superset's time filter that are allowed here, and their days.

A range is stored in words, so that this month stays this month when it is saved under a name or sent every
week. Superset reads far more than these; guests and exports are limited to these. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

NO_RANGE = "No filter"
RANGE_OPERATOR = "TEMPORAL_RANGE"
LONGEST = 200
UNITS = {"day": "天", "week": "周", "month": "个月", "quarter": "个季度", "year": "年"}
LATEST = {"day": "昨天", "week": "最近7天", "month": "最近1个月", "quarter": "最近3个月", "year": "最近1年"}
CURRENT = {"day": "今天", "week": "本周", "month": "本月", "quarter": "本季度", "year": "本年"}
PREVIOUS = {"week": "上周", "month": "上月", "quarter": "上季度", "year": "上年"}
LAST = re.compile(r"Last (?:(\d{1,4}) )?(day|week|month|quarter|year)s?", re.ASCII | re.IGNORECASE)
NAMED = re.compile(r"(?:(Current)|previous calendar) (day|week|month|quarter|year)")
EARLIEST, FURTHEST = date(2000, 1, 1), date(2099, 12, 31)
"""Ends of open ranges."""
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d)?)?", re.ASCII)
TODAY = re.compile(r"(?:today|now)")
ADDED = re.compile(
    r"DATEADD\(DATETIME\(['\"]([^'\"]{1,30})['\"]\), ?(-?\d{1,4}), ?(day|week|month|quarter|year)s?\)",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True)
class DayRange:
    """A range of days, from `since` on and before `until`; None for an open end."""

    since: date | None
    until: date | None

    @property
    def text(self) -> str:
        first = self.since.isoformat() if self.since else "最早"
        last = (self.until - timedelta(days=1)).isoformat() if self.until else "最晚"
        return first if first == last else f"{first} 至 {last}"

    @property
    def ends(self) -> tuple[date, date]:
        """The first and the last day."""
        last = self.until - timedelta(days=1) if self.until else FURTHEST
        return max(self.since or EARLIEST, EARLIEST), min(last, FURTHEST)


WHOLE = DayRange(None, None)


BUSINESS_ZONE = ZoneInfo("Asia/Shanghai")


def business_day() -> date:
    """Return today's date in the business's time zone."""
    return datetime.now(BUSINESS_ZONE).date()


def parse_day_range(text: str, today: date) -> DayRange | None:
    """Return the days that a range means today; None for unknown words, or if it ends before it begins."""
    if len(text) > LONGEST:
        return None
    if text == NO_RANGE:
        return WHOLE
    try:
        found = _parse_named(text, today) or _parse_last(text, today) or _parse_between(text, today)
    except (ValueError, OverflowError):
        return None
    if found is None or (found.since and found.until and found.since > found.until):
        return None
    return found


def parse_past_range(text: str, today: date) -> DayRange:
    """Return the days of a range up to today; the whole range if it is unknown or means all days."""
    found = parse_day_range(text, today)
    if found is None or found == WHOLE:
        return WHOLE
    tomorrow = today + timedelta(days=1)
    return DayRange(found.since, min(found.until or tomorrow, tomorrow))


def describe_range(text: str, today: date) -> str:
    """Return a range as text for readers: its name, if it has one, and its days."""
    found = parse_day_range(text, today)
    if found is None or found == WHOLE:
        return ""
    named, last = NAMED.fullmatch(text), LAST.fullmatch(text)
    name = ""
    if named:
        name = (CURRENT if named[1] else PREVIOUS)[named[2]]
    elif last:
        unit = last[2].lower()
        name = f"最近{last[1]}{UNITS[unit]}" if last[1] else LATEST[unit]
    return f"{name}（{found.text}）" if name else found.text


def _parse_named(text: str, today: date) -> DayRange | None:
    match = NAMED.fullmatch(text)
    if not match or (not match[1] and match[2] not in PREVIOUS):
        return None
    start, unit = _unit_start(today, match[2]), match[2]
    return (
        DayRange(start, _shift_day(start, 1, unit))
        if match[1]
        else DayRange(_shift_day(start, -1, unit), start)
    )


def _parse_last(text: str, today: date) -> DayRange | None:
    """Parse the last so many units; they end yesterday, since today is not over."""
    match = LAST.fullmatch(text)
    return DayRange(_shift_day(today, -int(match[1] or 1), match[2].lower()), today) if match else None


def _parse_between(text: str, today: date) -> DayRange | None:
    if text.count(" : ") != 1:
        return None
    ends = [end.strip() for end in text.split(" : ")]
    found = [_parse_day(end, today) if end else None for end in ends]
    if any(end and day is None for end, day in zip(ends, found, strict=True)) or not any(ends):
        return None
    return DayRange(*found)


def _parse_day(text: str, today: date) -> date | None:
    if TODAY.fullmatch(text):
        return today
    if match := MOMENT.fullmatch(text):
        return datetime.fromisoformat(text).date()
    if match := ADDED.fullmatch(text):
        start = _parse_day(match[1], today)
        return _shift_day(start, int(match[2]), match[3].lower()) if start else None
    return None


def _unit_start(day: date, unit: str) -> date:
    """Return the first day of the week, month, quarter or year that a day lies in."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}.get(unit)
    return day if month is None else day.replace(month=month, day=1)


def _shift_day(day: date, count: int, unit: str) -> date:
    """Return a day so many units later; a month's last day takes what has no day of its own."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * {"month": 1, "quarter": 3, "year": 12}[unit]
    following = date((months + 1) // 12, (months + 1) % 12 + 1, 1)
    last = (following - timedelta(days=1)).day
    return date(months // 12, months % 12 + 1, min(day.day, last))
