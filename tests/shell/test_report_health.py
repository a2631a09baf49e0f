"""The health check tells the core's state and the report platform's apart: the core serves on while reports are down."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest

from api.launch.process import wait_until
from api.shell.operations import report_health
from api.shell.operations.report_health import ReportHealth
from tests.support.fixtures import Site
from tests.support.ports import free_port


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
    monkeypatch.setattr("api.shell.files.export_calls.report_health", ReportHealth())
    monkeypatch.setattr(report_health, "AT_ONCE", 20)
    answer = site.anonymous().get("healthz")
    assert (answer.status, answer.data) == (200, {"status": "ok", "reports": "down"})


def test_it_is_asked_again_when_its_answer_is_old(clock: Clock) -> None:
    answers = [True, False]
    health = ReportHealth(lambda: answers.pop(0))
    assert [health.state(), health.state()] == ["ok", "ok"]
    clock.now += report_health.FRESH_SECONDS + 1
    health.state()
    assert wait_until(lambda: health.state() == "down", 20)
    assert answers == []


def test_who_knows_an_answer_tells_it_at_once(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform that hangs holds nobody who asks: each would hold a connection of the database meanwhile."""
    hangs = Event()
    answers: list[Callable[[], bool]] = [lambda: True, hangs.wait]
    health = ReportHealth(lambda: answers.pop(0)())
    assert health.state() == "ok"
    clock.now += report_health.FRESH_SECONDS + 1
    joined: list[Thread] = []
    monkeypatch.setattr(Thread, "join", lambda thread, *_: joined.append(thread))
    assert [health.state(), health.state()] == ["ok", "ok"]
    assert joined == []
    hangs.set()


def test_a_thread_that_does_not_start_is_tried_again(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    health = ReportHealth(lambda: True)
    with monkeypatch.context() as crowded:
        crowded.setattr(Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="start new thread"):
            health.state()
    assert health.state() == "ok"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_question_that_fails_is_no_sign_of_health(clock: Clock) -> None:
    answers = [True]
    health = ReportHealth(lambda: answers.pop())
    assert health.state() == "ok"
    clock.now += report_health.FRESH_SECONDS + 1
    health.state()
    assert wait_until(lambda: health.state() == "down", 20)


def test_nobody_waits_for_one_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_health, "AT_ONCE", 0)
    answered = Event()
    health = ReportHealth(answered.wait)
    assert [health.state(), health.state()] == ["unknown", "unknown"]
    monkeypatch.setattr(report_health, "AT_ONCE", 20)
    answered.set()
    assert health.state() == "ok"
