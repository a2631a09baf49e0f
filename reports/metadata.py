"""报表平台的元数据文件：是否完好、损坏的移开、一致的副本。

What the catalogue declares can be written anew at any time; charts and boards that analysts made stand here alone.
Superset itself is not needed for any of this.
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
"""Beside it: what was installed into it last."""
TABLES = frozenset(
    ("alembic_version", "ab_user", "ab_role", "ab_permission_view_role", "dbs", "tables", "table_columns")
    + ("sql_metrics", "slices", "dashboards", "dashboard_slices", "embedded_dashboards")
)
"""Tables without which it is not Superset's."""
BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
FULL = (errno.ENOSPC, errno.EDQUOT)
LOGS = ("-wal", "-shm", "-journal")
BROKEN_NAME, REPLACED_NAME = ".broken", ".replaced"
"""What was set aside: for being broken, and sound, for one of a backup; that is never removed."""
KEPT = 3
"""So many broken ones are kept."""
TIME_ZONE = ZoneInfo("Asia/Shanghai")


def problem(path: Path) -> str:
    """What is wrong with a metadata file; nothing, where it is whole and Superset's. Raises sqlite3.Error when that
    can't be told, as on a full disk."""
    try:
        with closing(sqlite3.connect(path)) as conn:
            [said] = conn.execute("pragma integrity_check(1)").fetchone()
            found = {name for (name,) in conn.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in BROKEN:
            raise
        return str(error)
    if said != "ok":
        return " ".join(str(said).split())[:200]
    return f"没有表 {'、'.join(sorted(TABLES - found))}" if TABLES - found else ""


def boards(path: Path) -> set[str]:
    """The embedding uuids of the boards that a sound file has, with charts on them."""
    query = """
        select distinct lower(hex(e.uuid)) from embedded_dashboards e
        join dashboards d on d.id = e.dashboard_id join dashboard_slices s on s.dashboard_id = d.id
    """
    with closing(sqlite3.connect(path)) as conn:
        return {uuid for (uuid,) in conn.execute(query)}


def lacks(path: Path, uuids: Iterable[str]) -> bool:
    """Whether any of these boards is not in a sound file."""
    return not {uuid.replace("-", "") for uuid in uuids} <= boards(path)


def set_aside(path: Path) -> Path:
    """Give a broken file, and its logs, a dated name; of those that were set aside before the newest are kept."""
    aside = _move(path, BROKEN_NAME)
    for old in sorted(path.parent.glob(f"{path.stem}-*{BROKEN_NAME}"))[:-KEPT]:
        for name in (old.name, *(old.name + log for log in LOGS)):
            old.with_name(name).unlink(missing_ok=True)
    return aside


def _move(path: Path, ending: str) -> Path:
    """Give what there is of a file and its logs a dated name."""
    now = datetime.now(TIME_ZONE)
    aside = path.with_name(f"{path.stem}-{now:%Y%m%d-%H%M%S-%f}{ending}")
    for part in ("", *LOGS):
        if (found := path.with_name(path.name + part)).exists():
            found.rename(aside.with_name(aside.name + part))
    return aside


def recover(path: Path, backups: Iterable[Path]) -> tuple[Path | None, Path | None]:
    """Take the file from the first backup that has a sound one; answers which, and where the file that was there is
    kept for good. It is there whole or not at all, and no log of another file lies beside it, which SQLite would write
    over it."""
    fetched = path.with_name(f"{path.stem}.fetched")
    try:
        for backup in backups:
            if _fetch(backup, fetched) and not problem(fetched):
                # Wherever this is broken off, the next start goes on, and writes what is published over it.
                path.with_name(STATE).write_text("{}", "utf-8")
                aside = _move(path, REPLACED_NAME)
                fetched.replace(path)
                return backup, aside if aside.exists() else None
    finally:
        for part in ("", *LOGS):
            fetched.with_name(fetched.name + part).unlink(missing_ok=True)
    return None, None


def newest(folder: Path) -> list[Path]:
    """The backups of a folder, the newest first."""
    found = []
    for path in folder.glob("*.tar"):
        with suppress(FileNotFoundError):  # pruned meanwhile
            found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def is_as_written(backup: Path) -> bool:
    """Whether a backup is as its checksum, which lies beside it, says; one that was downloaded alone has none."""
    note = backup.with_suffix(".sha256")
    if not note.is_file():
        return True
    with backup.open("rb") as file:
        return note.read_text().split()[:1] == [hashlib.file_digest(file, "sha256").hexdigest()]


def _fetch(backup: Path, target: Path) -> bool:
    """Copy the file out of a backup; False where it has none, can't be read, or is not as it was written. Raises
    OSError when the disk is full."""
    try:
        if not is_as_written(backup):
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


def copy(path: Path, target: Path) -> None:
    """Copy a file as it is at one moment, while others go on writing to it. Raises sqlite3.Error."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as made:
        source.backup(made)
        made.execute("pragma journal_mode = delete")
