"""Refresh notifier (唤醒数仓): audits notify the refresh worker, at most a few times a second a process.

NOTIFY inside the audit would make commits queue up behind one lock, so a thread sends it
afterwards.
"""

from __future__ import annotations

import threading

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from api.kit.storage.database import main_engine

CHANNEL = "erp_audit"
PAUSE_SECONDS = 0.2

_pending = threading.Event()
_start_lock = threading.Lock()
_thread: threading.Thread | None = None


def notify_refresh_worker() -> None:
    """Notify the refresh worker that ledgers changed; return at once."""
    global _thread
    _pending.set()
    with _start_lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_notify_forever, name="wake-warehouse", daemon=True)
            _thread.start()


def _notify_forever() -> None:
    while _pending.wait():
        _pending.clear()
        try:
            with main_engine().begin() as conn:
                conn.execute(text(f"notify {CHANNEL}"))
        except SQLAlchemyError:
            pass  # the worker polls as well: a lost wake-up costs seconds, not data
        threading.Event().wait(PAUSE_SECONDS)
