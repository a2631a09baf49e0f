"""Publication (发布): copies the marts into an immutable snapshot snap/<n>/wh.duckdb and switches
`current` atomically.

Readers resolve `current` at each connection; a snapshot that is open stays readable after its directory is
gone. A directory whose name starts with a dot was being written when its process died.

A refresh changes few blocks of the marts. The file of the oldest snapshot becomes the next one, if nobody
reads it: equal blocks need not be written, and a gigabyte of new pages costs more than all models of a
small refresh.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from warehouse.extraction_state import Watermark
from warehouse.files import Files

MAX_SNAPSHOTS = 3
SNAPSHOT_FILE = "wh.duckdb"
CHUNK_SIZE = 64 * 1024
"""Bytes that are compared, and written where they differ, at a time."""


@contextmanager
def marts_copy(files: Files) -> Iterator[Future[Path]]:
    """A copy of the marts, made while they are read by the code inside."""
    _fold_wal(files)
    with ThreadPoolExecutor(1) as executor:
        yield executor.submit(_copy_into_draft, files)


def copy_marts(files: Files) -> Path:
    """Copy the marts into a draft of the next snapshot."""
    with marts_copy(files) as draft:
        return draft.result()


def publish_snapshot(
    files: Files,
    draft: Path,
    *,
    position: Watermark,
    as_of: str,
    project: str,
    now: datetime | None = None,
) -> int:
    """Stamp a draft and make it the current snapshot. Returns its number.

    The stamp tells the database (`identity`) and the transactions (`seen`) that the figures show, their
    business date, and the version of the models that built them (`project`).
    """
    number = _next_number(files)
    read = [position.next_xid, position.identity, position.snapshot]
    _write_stamp(draft / SNAPSHOT_FILE, [now or datetime.now(UTC), number, *read, as_of, project])
    os.replace(draft, files.snapshots / str(number))
    link = files.root / ".current"
    link.unlink(missing_ok=True)
    link.symlink_to(f"{files.snapshots.name}/{number}")
    os.replace(link, files.current)
    clean_snapshots(files)
    return number


def clean_snapshots(files: Files) -> None:
    """Remove half-written snapshots and all but the newest ones."""
    for draft in files.snapshots.glob(".*"):
        shutil.rmtree(draft, ignore_errors=True)
    current = _current_number(files)
    for number in sorted(_list_numbers(files), reverse=True)[MAX_SNAPSHOTS:]:
        if number != current:
            shutil.rmtree(files.snapshots / str(number), ignore_errors=True)


def is_readable(files: Files) -> bool:
    """Return whether the current snapshot opens and carries its stamp."""
    try:
        with duckdb.connect(str(files.current / SNAPSHOT_FILE), read_only=True) as conn:
            return conn.execute("select count(*) from refreshed_at").fetchone() == (1,)
    except (duckdb.Error, OSError):
        return False


def _fold_wal(files: Files) -> None:
    """Fold the write-ahead log, where a killed process left one, into the one file that is copied."""
    if files.marts.with_name(f"{files.marts.name}.wal").exists():
        with duckdb.connect(str(files.marts)) as conn:
            conn.execute("force checkpoint")


def _copy_into_draft(files: Files) -> Path:
    place = files.snapshots / f".{_next_number(files)}"
    shutil.rmtree(place, ignore_errors=True)
    oldest = min(_list_numbers(files), default=0)
    if len(_list_numbers(files)) == MAX_SNAPSHOTS and oldest != _current_number(files):
        os.replace(files.snapshots / str(oldest), place)
    place.mkdir(parents=True, exist_ok=True)
    draft = place / SNAPSHOT_FILE
    if not _is_unread(draft):
        draft.unlink(missing_ok=True)
    draft.touch()
    _write_differences(files.marts, draft)
    return place


def _is_unread(path: Path) -> bool:
    """Return whether no process, this one included, has a file open: only then the system leases it. False
    outside of Linux."""
    try:
        with path.open("rb+") as file:
            # Who opens it this very moment would otherwise end this process by the signal that tells of it.
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except (OSError, AttributeError):
        return False
    return True


def _write_differences(source: Path, target: Path) -> None:
    """Make a file equal to another, writing only the differing chunks."""
    with source.open("rb") as right, target.open("rb+") as wrong:
        for at in range(0, source.stat().st_size, CHUNK_SIZE):
            piece = os.pread(right.fileno(), CHUNK_SIZE, at)
            if os.pread(wrong.fileno(), CHUNK_SIZE, at) != piece:
                wrong.seek(at)
                wrong.write(piece)
        wrong.truncate(source.stat().st_size)


def _write_stamp(path: Path, values: list[Any]) -> None:
    """Write refreshed_at into a copy of the marts."""
    with duckdb.connect(str(path)) as conn:
        conn.execute("begin")
        conn.execute(
            "create or replace table refreshed_at (refreshed_at timestamptz, snapshot bigint, last_xid ubigint,"
            " identity varchar, seen varchar, as_of date, project varchar)"
        )
        conn.execute("insert into refreshed_at values (?, ?, ?, ?, ?, ?, ?)", values)
        conn.execute("commit")
        conn.execute("force checkpoint")


def _next_number(files: Files) -> int:
    return max([_current_number(files), *_list_numbers(files)]) + 1


def _list_numbers(files: Files) -> list[int]:
    return [int(path.name) for path in files.snapshots.iterdir() if path.name.isdecimal()]


def _current_number(files: Files) -> int:
    try:
        return int(files.current.readlink().name)
    except (FileNotFoundError, ValueError):
        return 0
