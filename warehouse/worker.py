"""Refresh worker (刷新进程): woken by notifications of audits, refreshes the warehouse and publishes
snapshots; reconnects after a restart of the database.

The API sends a throttled NOTIFY on `erp_audit` after commits; a poll each few seconds finds unannounced
changes.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import psycopg

from api.kit.settings import read_settings
from warehouse import publish, status
from warehouse.extract import changes_sql
from warehouse.files import Files
from warehouse.refresh import DataTestsFailedError, Refresher, RefreshResult, find_business_date

log = logging.getLogger(__name__)

CHANNEL = "erp_audit"
POLL_SECONDS = 5.0
SLICE_SECONDS = 0.5
DEBOUNCE_SECONDS = 0.3
DEEP_SECONDS = 900.0
BEAT_SECONDS = 30.0
LONGEST_SECONDS = 7200.0
"""A refresh that takes longer is taken to hang."""
RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 30.0)


def refresh_once(full: bool = False) -> RefreshResult:
    """Refresh the warehouse of these settings now, reconciling every table.

    `full` reads and builds everything anew. Raises BusyError when a worker already runs.
    """
    refresher = _build_refresher()
    with refresher.exclusive():
        publish.clean_snapshots(refresher.files)
        return refresher.refresh(full=full, deep=True)


def run_worker(stop: threading.Event | None = None, published: Callable[[], None] | None = None) -> None:
    """Refresh until `stop` is set or the process is told to end; `published` is called after each
    publication. Raises BusyError at once when another worker runs."""
    stop = stop or _stop_on_signals()
    refresher = _build_refresher()
    with refresher.exclusive():
        publish.clean_snapshots(refresher.files)
        _Loop(refresher, read_settings().database_url, stop, published).run()


def _build_refresher() -> Refresher:
    current = read_settings()
    return Refresher(Files(current.warehouse_dir), current.database_url)


class _Loop:
    """The worker's loop: wait for changes, refresh, and reconcile the whole copy now and then."""

    def __init__(
        self, refresher: Refresher, url: str, stop: threading.Event, published: Callable[[], None] | None
    ) -> None:
        self._refresher = refresher
        self._published = published
        self._url = url
        self._stop = stop
        self._last: RefreshResult | None = None
        self._proved: float | None = None
        self._failures = 0

    def run(self) -> None:
        """Listen; when Postgres goes away, wait for it and listen again."""
        while not self._stop.is_set():
            try:
                with psycopg.connect(self._url, autocommit=True, connect_timeout=5) as listener:
                    listener.execute(f"listen {CHANNEL}")
                    self._serve(listener)
            except psycopg.Error as error:
                # Refreshed when it is back, news or not: the status then says that all is well again.
                self._last = None
                self._refresher.record_failure(error, status.format_now())
                self._pause(error)

    def _serve(self, listener: psycopg.Connection) -> None:
        while not self._stop.is_set():
            if self._is_news(listener):
                with heartbeat(self._refresher.files):
                    self._refresh()
            status.update_status(self._refresher.files.status, checked_at=status.format_now())
            self._wait(listener)

    def _wait(self, listener: psycopg.Connection) -> None:
        """Wait for a notification (and those right behind it) or the next poll; in slices, so that a stop is
        quick."""
        deadline = time.monotonic() + POLL_SECONDS
        while not self._stop.is_set() and time.monotonic() < deadline:
            if _receive_notifications(listener, SLICE_SECONDS):
                self._stop.wait(DEBOUNCE_SECONDS)
                _receive_notifications(listener, 0)
                return

    def _is_news(self, listener: psycopg.Connection) -> bool:
        if self._last is None or self._is_proof_due() or self._last.as_of != find_business_date():
            return True
        return listener.execute(changes_sql(self._last.position)).fetchone() is not None

    def _is_proof_due(self) -> bool:
        return self._proved is None or time.monotonic() - self._proved > DEEP_SECONDS

    def _refresh(self) -> None:
        """Refresh once; a failure is logged, and tried again after a growing pause, or with other data."""
        deep = self._is_proof_due()
        try:
            self._last = self._refresher.refresh(deep=deep)
        except DataTestsFailedError as refused:
            log.error("not published: %s", refused)
            self._last = refused.outcome
        except Exception as error:
            self._last = None
            self._pause(error)
            return
        self._failures = 0
        self._announce(self._last)
        self._warm_up(self._last)
        if deep:
            self._proved = time.monotonic()
            self._document(self._last)

    def _announce(self, outcome: RefreshResult) -> None:
        """Call the listener of publications; readers that aren't notified find the figures by themselves."""
        if self._published is None or outcome.snapshot is None:
            return
        try:
            self._published()
        except Exception:
            log.exception("nobody told of snapshot %s", outcome.snapshot)

    def _warm_up(self, outcome: RefreshResult) -> None:
        """Warm up; failures are only logged, since they show again when a patch is due."""
        try:
            self._refresher.warm_up(outcome)
        except Exception:
            log.exception("patches not rehearsed")

    def _document(self, outcome: RefreshResult) -> None:
        """Write the data dictionary; failures are only logged, since it holds no figures, and tried again
        later."""
        try:
            self._refresher.write_dictionary(outcome)
        except Exception:
            log.exception("no data dictionary")

    def _pause(self, error: Exception) -> None:
        pause = RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)]
        self._failures += 1
        log.error("refresh failed, next try in %.0f s: %s", pause, error, exc_info=self._failures == 1)
        self._stop.wait(pause)


@contextmanager
def heartbeat(files: Files) -> Iterator[None]:
    """A heartbeat during a refresh that takes minutes: the supervisor takes silence for a hang."""
    done = threading.Event()

    def beat() -> None:
        until = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < until and not done.wait(BEAT_SECONDS):
            status.update_status(files.status, checked_at=status.format_now())

    teller = threading.Thread(target=beat, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _receive_notifications(listener: psycopg.Connection, seconds: float) -> bool:
    """Wait up to `seconds` for a notification; takes all that have arrived."""
    return len(list(listener.notifies(timeout=seconds, stop_after=1 if seconds else None))) > 0


def _stop_on_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set, so that a running refresh ends cleanly."""
    stop = threading.Event()

    def set_stop(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, set_stop)
    signal.signal(signal.SIGINT, set_stop)
    return stop
