"""Refresh status (刷新状态): status.json with the last success, the last failure, duration and rows, for
pages and monitoring."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EMPTY: dict[str, Any] = {
    "state": "idle",
    "checked_at": None,
    "last_ok": None,
    "last_error": None,
    "error": None,
    "snapshot": None,
    "last_xid": None,
    "seconds": None,
    "lag": None,
    "rows": None,
    "mode": None,
    "mended": [],
    "failures": 0,
    "failing_since": None,
    "waiting_since": None,
    "proved_at": None,
    "tests": 0,
    "failed_tests": [],
}
"""`lag`: seconds of the last publication, see `extract`; `waiting_since`: the commit of the oldest change that was read
and is not published; `tests`: how many ran last, `failed_tests` their names, labels and numbers of rows found."""

_writing = threading.Lock()


def read_status(path: Path) -> dict[str, Any]:
    """Read the status, with empty values before the first refresh. Times are ISO 8601 in UTC, seconds a
    float."""
    try:
        return {**EMPTY, **json.loads(path.read_text("utf-8"))}
    except (FileNotFoundError, ValueError):
        return dict(EMPTY)


def update_status(path: Path, **changes: Any) -> None:
    """Change some values; a reader sees the old file or the new one."""
    with _writing:
        replace_file(path, json.dumps({**read_status(path), **changes}, ensure_ascii=False, indent=2))


def replace_file(path: Path, text: str) -> None:
    """Replace a file's text atomically."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, "utf-8")
    os.replace(draft, path)


def format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
