"""Schedules of subscriptions: the next run, in the group's time zone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from api.kit.errors import InvalidInput
from api.kit.storage.database import TIME_ZONE
from api.subscribing.schedule import Schedule

NOON = datetime(2026, 2, 27, 12, 0, tzinfo=TIME_ZONE)
"""A Friday."""


@pytest.mark.parametrize(
    ("schedule", "run", "words"),
    [
        (Schedule("day", None, 8), "2026-02-28 08", "每天 08:00"),
        (Schedule("day", None, 13), "2026-02-27 13", "每天 13:00"),
        (Schedule("day", None, 12), "2026-02-28 12", "每天 12:00"),
        (Schedule("week", 5, 0), "2026-03-06 00", "每周五 00:00"),
        (Schedule("week", 1, 23), "2026-03-02 23", "每周一 23:00"),
        (Schedule("month", 1, 8), "2026-03-01 08", "每月 1 日 08:00"),
        (Schedule("month", 31, 8), "2026-02-28 08", "每月 31 日 08:00"),
    ],
)
def test_the_next_run_is_the_first_moment_after(schedule: Schedule, run: str, words: str) -> None:
    schedule.validate()
    assert f"{schedule.next_run(NOON):%Y-%m-%d %H}" == run
    assert schedule.next_run(NOON.astimezone(UTC)) == schedule.next_run(NOON)
    assert schedule.label == words


def test_the_end_of_a_month_is_met_in_each() -> None:
    runs = [datetime(2026, 1, 31, 7, tzinfo=TIME_ZONE)]
    for _ in range(4):
        runs.append(Schedule("month", 31, 8).next_run(runs[-1]))
    assert [f"{run:%m-%d}" for run in runs[1:]] == ["01-31", "02-28", "03-31", "04-30"]


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        (Schedule("day", None, 24), "请选择 0 到 23 点之间的整点"),
        (Schedule("day", None, -1), "请选择 0 到 23 点之间的整点"),
        (Schedule("week", None, 8), "请选择星期几"),
        (Schedule("week", 8, 8), "请选择星期几"),
        (Schedule("month", 0, 8), "请选择每月的 1 到 31 日"),
        (Schedule("month", 32, 8), "请选择每月的 1 到 31 日"),
    ],
)
def test_what_is_no_time_is_refused(schedule: Schedule, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        schedule.validate()
