"""发布：把集市库复制为不可变快照 snap/<n>/wh.duckdb，再原子地切换 current。

Readers resolve `current` at each connection; a snapshot that is open stays readable after its directory is gone.
A directory whose name starts with a dot was being written when its process died.

A cycle changes few blocks of the marts. The file of the oldest snapshot becomes the next one, if nobody reads it: what
is in it already need not be written, and a gigabyte of new pages costs more than all models of a small cycle.
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

from warehouse.files import Files
from warehouse.position import Position

KEEP = 3
NAME = "wh.duckdb"
PIECE = 64 * 1024
"""Bytes that are compared, and written where they differ, at a time."""


@contextmanager
def copying(files: Files) -> Iterator[Future[Path]]:
    """Copy the marts while they are read by what runs inside."""
    _fold(files)
    with ThreadPoolExecutor(1) as beside:
        yield beside.submit(_copy, files)


def copy(files: Files) -> Path:
    """Copy the marts into a draft of the next snapshot."""
    with copying(files) as draft:
        return draft.result()


def publish(
    files: Files,
    draft: Path,
    *,
    position: Position,
    as_of: str,
    project: str,
    now: datetime | None = None,
) -> int:
    """Stamp a draft and make it the current snapshot. Returns its number.

    The stamp says what the figures show: of which database (`identity`) which transactions (`seen`), up to which
    business date, and the version of the models that built them (`project`).
    """
    number = _next(files)
    read = [position.next_xid, position.identity, position.snapshot]
    _stamp(draft / NAME, [now or datetime.now(UTC), number, *read, as_of, project])
    os.replace(draft, files.snapshots / str(number))
    link = files.root / ".current"
    link.unlink(missing_ok=True)
    link.symlink_to(f"{files.snapshots.name}/{number}")
    os.replace(link, files.current)
    clean(files)
    return number


def clean(files: Files) -> None:
    """Remove half-written snapshots and all but the newest ones."""
    for draft in files.snapshots.glob(".*"):
        shutil.rmtree(draft, ignore_errors=True)
    current = _current(files)
    for number in sorted(_numbers(files), reverse=True)[KEEP:]:
        if number != current:
            shutil.rmtree(files.snapshots / str(number), ignore_errors=True)


def readable(files: Files) -> bool:
    """Whether the current snapshot opens and carries its stamp."""
    try:
        with duckdb.connect(str(files.current / NAME), read_only=True) as conn:
            return conn.execute("select count(*) from refreshed_at").fetchone() == (1,)
    except (duckdb.Error, OSError):
        return False


def _fold(files: Files) -> None:
    """Fold the write-ahead log, where a killed process left one, into the one file that is copied."""
    if files.marts.with_name(f"{files.marts.name}.wal").exists():
        with duckdb.connect(str(files.marts)) as conn:
            conn.execute("force checkpoint")


def _copy(files: Files) -> Path:
    place = files.snapshots / f".{_next(files)}"
    shutil.rmtree(place, ignore_errors=True)
    oldest = min(_numbers(files), default=0)
    if len(_numbers(files)) == KEEP and oldest != _current(files):
        os.replace(files.snapshots / str(oldest), place)
    place.mkdir(parents=True, exist_ok=True)
    draft = place / NAME
    if not _is_unread(draft):
        draft.unlink(missing_ok=True)
    draft.touch()
    _write_differences(files.marts, draft)
    return place


def _is_unread(path: Path) -> bool:
    """Whether no process, this one included, has a file open: only then the system leases it. None answers so elsewhere
    than on Linux."""
    try:
        with path.open("rb+") as file:
            # Who opens it this very moment would otherwise end this process by the signal that tells of it.
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except (OSError, AttributeError):
        return False
    return True


def _write_differences(source: Path, target: Path) -> None:
    """Make a file the same as another, writing only what differs."""
    with source.open("rb") as right, target.open("rb+") as wrong:
        for at in range(0, source.stat().st_size, PIECE):
            piece = os.pread(right.fileno(), PIECE, at)
            if os.pread(wrong.fileno(), PIECE, at) != piece:
                wrong.seek(at)
                wrong.write(piece)
        wrong.truncate(source.stat().st_size)


def _stamp(path: Path, values: list[Any]) -> None:
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


def _next(files: Files) -> int:
    return max([_current(files), *_numbers(files)]) + 1


def _numbers(files: Files) -> list[int]:
    return [int(path.name) for path in files.snapshots.iterdir() if path.name.isdecimal()]


def _current(files: Files) -> int:
    try:
        return int(files.current.readlink().name)
    except (FileNotFoundError, ValueError):
        return 0
