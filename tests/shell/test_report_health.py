"""The health check tells the core's state and the report platform's apart: the core serves on while reports are down."""

from __future__ import annotations

from threading import Event

import pytest

from api.shell import report_health
from api.shell.report_health import ReportHealth
from tests.kit.fixtures import Site
from tests.kit.ports import free_port


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(report_health.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(report_health, "AT_ONCE", 20)
    return Clock(monkeypatch)


def test_a_platform_that_is_down_is_told_beside_a_core_that_is_well(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERP_REPORT_UPSTREAM", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr("api.shell.calls.report_health", ReportHealth())
    monkeypatch.setattr(report_health, "AT_ONCE", 20)
    answer = site.anonymous().get("healthz")
    assert (answer.status, answer.data) == (200, {"status": "ok", "reports": "down"})


def test_it_is_asked_again_when_its_answer_is_old(clock: Clock) -> None:
    answers = [True, False]
    health = ReportHealth(lambda: answers.pop(0))
    assert [health.state(), health.state()] == ["ok", "ok"]
    clock.now += report_health.FRESH_SECONDS + 1
    assert [health.state(), health.state()] == ["down", "down"]
    assert answers == []


def test_nobody_waits_for_one_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_health, "AT_ONCE", 0)
    answered = Event()
    health = ReportHealth(answered.wait)
    assert [health.state(), health.state()] == ["unknown", "unknown"]
    monkeypatch.setattr(report_health, "AT_ONCE", 20)
    answered.set()
    assert health.state() == "ok"
