"""The report platform's health (报表平台的状态), as the health check tells it; asked aside: nobody waits for it.

A board that every installation has must answer; that the platform runs says nothing of what it has to show.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Thread

from api.kit.settings import settings
from reports.health import shows_boards

OK, DOWN, UNKNOWN = "ok", "down", "unknown"
FRESH_SECONDS = 10
AT_ONCE = 0.3
"""Seconds that who asks waits for the first answer; who asks later is told the last one at once."""


def answers_board() -> bool:
    """Whether the report platform answers with a known board, where this process finds it."""
    return shows_boards(settings().report_upstream)


class ReportHealth:
    """What a board answered last; one question at a time is on its way."""

    def __init__(self, ask: Callable[[], bool] = answers_board) -> None:
        self._ask = ask
        self._lock = Lock()
        self._asking: Thread | None = None
        self._asked_at = float("-inf")
        self._state = UNKNOWN

    def state(self) -> str:
        """The last answer; one that is older than a few seconds has the next question asked."""
        with self._lock:
            if self._asking is None and time.monotonic() - self._asked_at > FRESH_SECONDS:
                thread = Thread(target=self._find, name="report-health", daemon=True)
                thread.start()
                # It can't have ended: it takes the lock for that.
                self._asking = thread
            asking = self._asking
        if asking is not None and self._state == UNKNOWN:
            asking.join(AT_ONCE)
        return self._state

    def _find(self) -> None:
        found = DOWN
        try:
            found = OK if self._ask() else DOWN
        finally:
            with self._lock:
                self._state, self._asked_at, self._asking = found, time.monotonic(), None


report_health = ReportHealth()
