"""发布：把集市库复制为不可变快照 snap/<n>/wh.duckdb，再原子地切换 current。

Readers resolve `current` at each connection; a snapshot that is open stays readable after its directory is gone.
A directory whose name starts with a dot was being written when its process died.
"""

from __future__ import annotations

import os
import shutil
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


@contextmanager
def copying(files: Files) -> Iterator[Future[Path]]:
    """Copy the marts into a draft of the next snapshot, while they are read by what runs inside."""
    _fold(files)
    with ThreadPoolExecutor(1) as beside:
        yield beside.submit(_copy, files)


def publish(
    files: Files,
    draft: Future[Path] | None = None,
    *,
    position: Position,
    as_of: str,
    project: str,
    now: datetime | None = None,
) -> int:
    """Stamp a copy of the marts, the `draft` or one made now, and make it current. Returns its number.

    The stamp says what the figures show: of which database (`identity`) which transactions (`seen`), up to which
    business date, and the version of the models that built them (`project`).
    """
    if draft is None:
        with copying(files) as draft:
            pass
    place, number = draft.result(), _next(files)
    read = [position.next_xid, position.identity, position.snapshot]
    _stamp(place / NAME, [now or datetime.now(UTC), number, *read, as_of, project])
    os.replace(place, files.snapshots / str(number))
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
    place.mkdir(parents=True)
    shutil.copyfile(files.marts, place / NAME)
    return place


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
