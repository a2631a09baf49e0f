"""Waking the warehouse (唤醒数仓): audits notify the refresh worker, at most a few times a second a process.

NOTIFY inside the audit would make commits queue up behind one lock, so it is sent afterwards, from a thread.
"""

from __future__ import annotations

import threading

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from api.kit.database import engine

CHANNEL = "erp_audit"
PAUSE_SECONDS = 0.2

_pending = threading.Event()
_start = threading.Lock()
_thread: threading.Thread | None = None


def warehouse() -> None:
    """Say that ledgers changed; returns at once."""
    global _thread
    _pending.set()
    with _start:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_notify_forever, name="wake-warehouse", daemon=True)
            _thread.start()


def _notify_forever() -> None:
    while _pending.wait():
        _pending.clear()
        try:
            with engine().begin() as conn:
                conn.execute(text(f"notify {CHANNEL}"))
        except SQLAlchemyError:
            pass  # the worker polls as well: a lost wake-up costs seconds, not data
        threading.Event().wait(PAUSE_SECONDS)
