"""报表平台的元数据文件：是否完好、损坏的移开、一致的副本。

What the catalogue declares can be written anew at any time; charts and boards that analysts made stand here alone.
Superset itself is not needed for any of this.
"""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
from collections.abc import Iterable
from contextlib import closing
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
LOGS = ("-wal", "-shm")
KEPT = 3
"""So many that were set aside are kept."""
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
    now = datetime.now(TIME_ZONE)
    aside = path.with_name(f"{path.stem}-{now:%Y%m%d-%H%M%S-%f}.broken")
    for log in LOGS:
        if (found := path.with_name(path.name + log)).exists():
            found.rename(aside.with_name(aside.name + log))
    path.rename(aside)
    for old in sorted(path.parent.glob(f"{path.stem}-*.broken"))[:-KEPT]:
        for name in (old.name, *(old.name + log for log in LOGS)):
            old.with_name(name).unlink(missing_ok=True)
    return aside


def recover(path: Path, backups: Iterable[Path]) -> Path | None:
    """Take the file from the first backup that has a sound one; answers which. It is there whole or not at all."""
    fetched = path.with_name(f"{path.stem}.fetched")
    try:
        for backup in backups:
            if _fetch(backup, fetched) and not problem(fetched):
                fetched.replace(path)
                return backup
    finally:
        fetched.unlink(missing_ok=True)
    return None


def newest(folder: Path) -> list[Path]:
    """The backups of a folder, the newest first."""
    return sorted(folder.glob("*.tar"), key=lambda path: path.stat().st_mtime, reverse=True)


def _fetch(backup: Path, target: Path) -> bool:
    """Copy the file out of a backup; False where it has none, or can't be read."""
    try:
        with tarfile.open(backup, "r:") as tar:
            member = tar.extractfile(f"superset/{NAME}")
            if member is None:
                return False
            with member, target.open("wb") as file:
                shutil.copyfileobj(member, file)
    except (tarfile.TarError, KeyError, EOFError):
        return False
    return True


def copy(path: Path, target: Path) -> None:
    """Copy a file as it is at one moment, while others go on writing to it. Raises sqlite3.Error."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as made:
        source.backup(made)
        made.execute("pragma journal_mode = delete")
