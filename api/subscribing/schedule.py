"""Schedules (订阅周期): a full hour each day, weekday or day of the month, in the group's time zone."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count
from typing import Literal

from api.kit.errors import InvalidInput
from api.kit.storage.database import TIME_ZONE

Rhythm = Literal["day", "week", "month"]
WEEKDAYS = "一二三四五六日"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule; `day` is 1 (Monday) to 7 of a week, 1 to 31 of a month.

    A shorter month takes its last day.
    """

    rhythm: Rhythm
    day: int | None
    hour: int

    def validate(self) -> None:
        """Raise Invalid, with what to choose."""
        if not 0 <= self.hour <= 23:
            raise InvalidInput("请选择 0 到 23 点之间的整点")
        if self.rhythm == "week" and not 1 <= (self.day or 0) <= 7:
            raise InvalidInput("请选择星期几")
        if self.rhythm == "month" and not 1 <= (self.day or 0) <= 31:
            raise InvalidInput("请选择每月的 1 到 31 日")

    def next_run(self, moment: datetime) -> datetime:
        """Return the first run after a moment."""
        first = moment.astimezone(TIME_ZONE).date()
        days = (first + timedelta(days=further) for further in count())
        runs = (datetime.combine(day, time(self.hour), TIME_ZONE) for day in days if self._is_due_on(day))
        return next(run for run in runs if run > moment)

    def _is_due_on(self, on: date) -> bool:
        if self.rhythm == "week":
            return on.isoweekday() == self.day
        if self.rhythm == "month":
            return on.day == min(self.day or 1, monthrange(on.year, on.month)[1])
        return True

    @property
    def label(self) -> str:
        return f"{self._days_label} {self.hour:02}:00"

    @property
    def _days_label(self) -> str:
        if self.rhythm == "week":
            return f"每周{WEEKDAYS[(self.day or 1) - 1]}"
        return f"每月 {self.day} 日" if self.rhythm == "month" else "每天"
