"""Report health (报表平台的状态): state of the report platform for the health check, probed in a thread.

The probe loads a dashboard that every installation has: a running platform alone says nothing of
its content.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Thread

from api.kit.settings import read_settings
from reports.superset.health import is_showing_boards

OK, DOWN, UNKNOWN = "ok", "down", "unknown"
FRESH_SECONDS = 10
AT_ONCE = 0.3
"""Seconds that the first request waits for a result; later ones get the last result at once."""


def is_board_available() -> bool:
    """Return whether the report platform serves a known dashboard to this process."""
    return is_showing_boards(read_settings().report_upstream)


class ReportHealth:
    """Cached result of the last probe; at most one probe runs at a time."""

    def __init__(self, ask: Callable[[], bool] = is_board_available) -> None:
        self._ask = ask
        self._lock = Lock()
        self._asking: Thread | None = None
        self._asked_at = float("-inf")
        self._state = UNKNOWN

    def state(self) -> str:
        """Return the last result; start a new probe where it is older than a few seconds."""
        with self._lock:
            if self._asking is None and time.monotonic() - self._asked_at > FRESH_SECONDS:
                thread = Thread(target=self._probe, name="report-health", daemon=True)
                thread.start()
                # It can't have ended: it takes the lock for that.
                self._asking = thread
            asking = self._asking
        if asking is not None and self._state == UNKNOWN:
            asking.join(AT_ONCE)
        return self._state

    def _probe(self) -> None:
        found = DOWN
        try:
            found = OK if self._ask() else DOWN
        finally:
            with self._lock:
                self._state, self._asked_at, self._asking = found, time.monotonic(), None


report_health = ReportHealth()
