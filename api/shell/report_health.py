"""The report platform's health (报表平台的状态), as the health check tells it; asked aside: nobody waits for it.

A board that every installation has must answer; that the platform runs says nothing of what it has to show.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Thread

import httpx

from api.kit.settings import settings
from reports.health import known_board

OK, DOWN, UNKNOWN = "ok", "down", "unknown"
FRESH_SECONDS = 10
PATIENCE = 5
"""Seconds that a board may take."""
AT_ONCE = 0.3
"""Seconds that who asks waits for a new answer, before he is told the last one."""


def answers_board() -> bool:
    """Whether the report platform answers with a known board."""
    try:
        with httpx.Client(trust_env=False, timeout=PATIENCE) as client:
            return client.get(f"{settings().report_upstream}{known_board()}").status_code == 200
    except httpx.HTTPError:
        return False


class ReportHealth:
    """What a board answered last; one question at a time is on its way."""

    def __init__(self, ask: Callable[[], bool] = answers_board) -> None:
        self._ask = ask
        self._lock = Lock()
        self._asking: Thread | None = None
        self._asked_at = float("-inf")
        self._state = UNKNOWN

    def state(self) -> str:
        """The state, not older than a few seconds unless a question is on its way."""
        with self._lock:
            if self._asking is None and time.monotonic() - self._asked_at > FRESH_SECONDS:
                self._asking = Thread(target=self._find, name="report-health", daemon=True)
                self._asking.start()
            asking = self._asking
        if asking is not None:
            asking.join(AT_ONCE)
        return self._state

    def _find(self) -> None:
        try:
            self._state = OK if self._ask() else DOWN
        finally:
            with self._lock:
                self._asked_at, self._asking = time.monotonic(), None


report_health = ReportHealth()
