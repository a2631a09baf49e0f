"""Metadata file of the report platform (元数据): integrity check, setting aside, consistent copies, recovery.

The catalogue's part can be written anew at any time; charts and boards that analysts made exist here
alone. Superset itself is not needed for any of this.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
import sqlite3
import tarfile
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

NAME = "metadata.db"
STATE = "installed.json"
"""File beside it with the state that was installed last."""
TABLES = frozenset(
    ("alembic_version", "ab_user", "ab_role", "ab_permission_view_role", "dbs", "tables", "table_columns")
    + ("sql_metrics", "slices", "dashboards", "dashboard_slices", "embedded_dashboards")
)
"""Tables without which it is not Superset's."""
BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
FULL = (errno.ENOSPC, errno.EDQUOT)
LOGS = ("-wal", "-shm", "-journal")
BROKEN_NAME, REPLACED_NAME = ".broken", ".replaced"
"""Endings of files set aside: broken ones, and sound ones replaced from a backup, which are never removed."""
MOST_BROKEN = 3
"""Number of broken files that are kept."""
TIME_ZONE = ZoneInfo("Asia/Shanghai")


def describe_problem(path: Path) -> str:
    """Return what is wrong with a metadata file; empty if it is whole and Superset's.

    Raises sqlite3.Error when that can't be told, as on a full disk.
    """
    try:
        with closing(sqlite3.connect(path)) as conn:
            [verdict] = conn.execute("pragma integrity_check(1)").fetchone()
            found = {name for (name,) in conn.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in BROKEN:
            raise
        return str(error)
    if verdict != "ok":
        return " ".join(str(verdict).split())[:200]
    return f"没有表 {'、'.join(sorted(TABLES - found))}" if TABLES - found else ""


def read_board_uuids(path: Path) -> set[str]:
    """Return the embedding uuids of the boards that a sound file has, with charts on them."""
    query = """
        select distinct lower(hex(e.uuid)) from embedded_dashboards e
        join dashboards d on d.id = e.dashboard_id join dashboard_slices s on s.dashboard_id = d.id
    """
    with closing(sqlite3.connect(path)) as conn:
        return {uuid for (uuid,) in conn.execute(query)}


def is_missing_boards(path: Path, uuids: Iterable[str]) -> bool:
    """Return whether any of these boards is not in a sound file."""
    return not {uuid.replace("-", "") for uuid in uuids} <= read_board_uuids(path)


def set_aside(path: Path) -> Path:
    """Give a broken file and its logs a dated name; the newest of those set aside before are kept."""
    aside = _rename_aside(path, BROKEN_NAME)
    for old in sorted(path.parent.glob(f"{path.stem}-*{BROKEN_NAME}"))[:-MOST_BROKEN]:
        for name in (old.name, *(old.name + log for log in LOGS)):
            old.with_name(name).unlink(missing_ok=True)
    return aside


def _rename_aside(path: Path, ending: str) -> Path:
    """Give a file and its logs, as far as they exist, a dated name."""
    now = datetime.now(TIME_ZONE)
    aside = path.with_name(f"{path.stem}-{now:%Y%m%d-%H%M%S-%f}{ending}")
    for part in ("", *LOGS):
        if (found := path.with_name(path.name + part)).exists():
            found.rename(aside.with_name(aside.name + part))
    return aside


def recover_metadata(path: Path, backups: Iterable[Path]) -> tuple[Path | None, Path | None]:
    """Take the file from the first backup that has a sound one.

    Returns that backup, and the path under which the previous file stays for good. The file is there whole
    or not at all, and no log of another file lies beside it, which SQLite would write over it.
    """
    fetched = path.with_name(f"{path.stem}.fetched")
    try:
        for backup in backups:
            if _extract_backup(backup, fetched) and not describe_problem(fetched):
                # Wherever this is broken off, the next start goes on, and writes what is published over it.
                path.with_name(STATE).write_text("{}", "utf-8")
                aside = _rename_aside(path, REPLACED_NAME)
                fetched.replace(path)
                return backup, aside if aside.exists() else None
    finally:
        for part in ("", *LOGS):
            fetched.with_name(fetched.name + part).unlink(missing_ok=True)
    return None, None


def list_backups(folder: Path) -> list[Path]:
    """Return the backups of a folder, the newest first."""
    found = []
    for path in folder.glob("*.tar"):
        with suppress(FileNotFoundError):  # pruned meanwhile
            found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def is_unchanged(backup: Path) -> bool:
    """Return whether a backup matches its checksum file; one that was downloaded alone has none."""
    note = backup.with_suffix(".sha256")
    if not note.is_file():
        return True
    with backup.open("rb") as file:
        return note.read_text().split()[:1] == [hashlib.file_digest(file, "sha256").hexdigest()]


def _extract_backup(backup: Path, target: Path) -> bool:
    """Copy the file out of a backup; False where it has none, can't be read, or fails its checksum.

    Raises OSError when the disk is full.
    """
    try:
        if not is_unchanged(backup):
            return False
        with tarfile.open(backup, "r:") as tar:
            member = tar.extractfile(f"superset/{NAME}")
            if member is None:
                return False
            with member, target.open("wb") as file:
                shutil.copyfileobj(member, file)
    except (tarfile.TarError, KeyError, EOFError, ValueError):
        return False
    except OSError as error:
        if error.errno in FULL:
            raise
        return False
    return True


def copy_metadata(path: Path, target: Path) -> None:
    """Copy a file as it is at one moment, while others go on writing to it. Raises sqlite3.Error."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as made:
        source.backup(made)
        made.execute("pragma journal_mode = delete")
