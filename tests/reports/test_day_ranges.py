"""Ranges of days in words: which days they mean, the same here as in Superset, and nothing else."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reports.semantics.day_ranges import EARLIEST, FURTHEST, NO_RANGE, describe_range, parse_day_range
from tests.reports.guest_requests import find_place
from tests.support.superset import EVERYTHING, SupersetClient

TODAY = date(2026, 11, 26)
"""A Thursday."""
MEANT = {
    "Current day": ("2026-11-26", "2026-11-27", "今天（2026-11-26）"),
    "Current week": ("2026-11-23", "2026-11-30", "本周（2026-11-23 至 2026-11-29）"),
    "Current month": ("2026-11-01", "2026-12-01", "本月（2026-11-01 至 2026-11-30）"),
    "Current quarter": ("2026-10-01", "2027-01-01", "本季度（2026-10-01 至 2026-12-31）"),
    "Current year": ("2026-01-01", "2027-01-01", "本年（2026-01-01 至 2026-12-31）"),
    "previous calendar week": ("2026-11-16", "2026-11-23", "上周（2026-11-16 至 2026-11-22）"),
    "previous calendar month": ("2026-10-01", "2026-11-01", "上月（2026-10-01 至 2026-10-31）"),
    "previous calendar quarter": ("2026-07-01", "2026-10-01", "上季度（2026-07-01 至 2026-09-30）"),
    "previous calendar year": ("2025-01-01", "2026-01-01", "上年（2025-01-01 至 2025-12-31）"),
    "Last day": ("2026-11-25", "2026-11-26", "昨天（2026-11-25）"),
    "Last week": ("2026-11-19", "2026-11-26", "最近7天（2026-11-19 至 2026-11-25）"),
    "Last month": ("2026-10-26", "2026-11-26", "最近1个月（2026-10-26 至 2026-11-25）"),
    "Last 30 days": ("2026-10-27", "2026-11-26", "最近30天（2026-10-27 至 2026-11-25）"),
    "2026-11-01T00:00:00 : 2026-11-21T00:00:00": ("2026-11-01", "2026-11-21", "2026-11-01 至 2026-11-20"),
    "2026-11-01 : ": ("2026-11-01", None, "2026-11-01 至 最晚"),
    'DATEADD(DATETIME("now"), -7, day) : now': ("2026-11-19", "2026-11-26", "2026-11-19 至 2026-11-25"),
    "DATEADD(DATETIME('2026-03-31'), -1, month) : 2026-03-31": (
        *("2026-02-28", "2026-03-31"),
        "2026-02-28 至 2026-03-30",
    ),
    NO_RANGE: (None, None, ""),
}
STRANGE = (
    *("", " : ", "x", "Last 5 hours", "Last 9999 years", "2026-02-30 : now", "now : 2026-01-01", "Next week"),
    *("2026-01-01' : now", "DATETIME('now') : now", "previous calendar day", "Current month; drop table x"),
)


@pytest.mark.parametrize("words", MEANT)
def test_which_days_are_meant(words: str):
    since, until, said = MEANT[words]
    found = parse_day_range(words, TODAY)
    assert found and [day and day.isoformat() for day in (found.since, found.until)] == [since, until]
    assert describe_range(words, TODAY) == said


@pytest.mark.parametrize("words", MEANT)
def test_each_range_has_a_first_and_a_last_day(words: str):
    since, until, _ = MEANT[words]
    found = parse_day_range(words, TODAY)
    assert found
    first, last = found.ends
    assert first == (date.fromisoformat(since) if since else EARLIEST)
    assert last == (date.fromisoformat(until) - timedelta(days=1) if until else FURTHEST)


@pytest.mark.parametrize("words", STRANGE)
def test_others_mean_none(words: str):
    assert parse_day_range(words, TODAY) is None


@pytest.mark.parametrize("words", MEANT)
def test_superset_means_the_same_days(superset: SupersetClient, words: str):
    at = find_place("CommodityProfit", tab="days")
    quoted = words.replace("'", "!'")
    answer = superset.get("/api/v1/time_range/", superset.token(at, EVERYTHING), params={"q": f"'{quoted}'"})
    said = answer.json()["result"][0]
    found = parse_day_range(words, datetime.now(ZoneInfo("Asia/Shanghai")).date())
    ends = [(value and value[:10]) or None for value in (said["since"], said["until"])]
    assert found and [day and day.isoformat() for day in (found.since, found.until)] == ends
