"""The backup job (备份任务): the job worker packs the database's dump with the files; checksums, retention.

An archive is written beside its place and moved there when it is whole, so a killed worker leaves no half backup. What
jobs wait in the queue is left out: a restored database must not do them a second time.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from api.kit.database import TIME_ZONE, transact
from api.kit.errors import Refusal
from api.kit.settings import settings
from api.shell import archive, jobs
from api.shell.attendance import attended, is_unattended
from api.shell.backup import (
    BROKEN,
    DONE,
    EXPIRED,
    FAILED,
    RUNNING,
    SOUND,
    WAITING,
    Backup,
    file_of,
)
from api.shell.dump import DumpError, contents, dump
from api.shell.upload_log import size_text
from reports import metadata

log = logging.getLogger(__name__)
KIND = "backup"
TABLE = Backup.table()
WITHOUT_REPORTS = "报表平台的元数据文件损坏，备份里没有自制的图表和看板"


def ask(conn: Connection, asked_by: int | None) -> Row[Any] | None:
    """Enter a backup and queue it, for a user or as the day's own; None while another one is not done."""
    conn.exec_driver_sql("lock table backup in share row exclusive mode")
    if conn.execute(select(TABLE.c.backup_id).where(TABLE.c.state.in_((WAITING, RUNNING)))).first():
        return None
    file_name = f"erp_{datetime.now(TIME_ZONE):%Y%m%d_%H%M%S_%f}.tar"
    made = insert(TABLE).values(file_name=file_name, asked_by=asked_by)
    row = conn.execute(made.returning(TABLE.c.backup_id, TABLE.c.file_name)).one()
    jobs.defer_with(conn, "backup", backup_id=row.backup_id)
    return row


@jobs.app.periodic(cron="0 * * * *")
@jobs.app.task(name="backup_daily", queue=jobs.QUEUE, pass_context=False)
def backup_daily(timestamp: int) -> None:
    """Ask for the day's backup, from the hour on that the group has set.

    A machine that was off then has it at the next full hour, and so has one whose backup failed.
    """
    transact(_ask_daily)


def _ask_daily(conn: Connection) -> None:
    hour: int = conn.exec_driver_sql("select backup_hour from erp_config").scalar_one()
    now = datetime.now(TIME_ZONE)
    since = now.replace(hour=max(hour, 0), minute=0, second=0, microsecond=0)
    since -= timedelta(days=since > now)
    done = (TABLE.c.asked_by.is_(None), TABLE.c.asked_at >= since, TABLE.c.state != FAILED)
    if hour >= 0 and conn.execute(select(TABLE.c.backup_id).where(*done)).first() is None:
        ask(conn, None)


@jobs.app.task(name="backup", pass_context=False)
def backup(backup_id: int) -> None:
    """Make one backup, unless another worker does."""
    with attended(KIND, backup_id) as mine:
        if not mine or not _begin(backup_id):
            return
        row = _row(backup_id)
        path = file_of(row.file_name)
        try:
            values = make(path)
        except DumpError as error:
            _settle(backup_id, FAILED, message=str(error)[:500])
        except Exception:
            _settle(backup_id, FAILED, message="备份出错，请重试或联系管理员")
            raise
        else:
            _settle(backup_id, DONE, **values)
            transact(_expire)


@jobs.app.task(name="verify_backup", pass_context=False)
def verify_backup(backup_id: int) -> None:
    """Read a backup again: its checksum must be the noted one."""
    row = _row(backup_id)
    found = wrong_with(file_of(row.file_name), row.sha256)
    values = {"verdict": BROKEN if found else SOUND, "verified_at": datetime.now(TIME_ZONE), "message": found}
    transact(lambda conn: conn.execute(update(TABLE).where(TABLE.c.backup_id == backup_id).values(values)))


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="backup_unattended", queue=jobs.QUEUE, pass_context=False)
def backup_unattended(timestamp: int) -> None:
    """What a killed worker left is failed; what never began is begun."""
    for backup_id in transact(_unattended):
        row = _row(backup_id)
        if row.state == RUNNING:
            remove(row.file_name)
            _settle(backup_id, FAILED, message="备份中断，请重新备份")
        else:
            backup(backup_id)


def make(path: Path) -> dict[str, Any]:
    """Write a backup to `path`; what the list tells of it."""
    place = _workplace(path)
    try:
        place.mkdir(mode=0o700, parents=True)
        dumped, packed, reports = place / archive.DUMP, place / path.name, place / metadata.NAME
        dump(settings().database_url, dumped)
        tables = contents(dumped)
        lacking = _copy_reports(reports)
        archive.pack(packed, dumped, settings().data_dir, reports if reports.exists() else None)
        packed.chmod(0o600)
        size, digest = packed.stat().st_size, sha256_of(packed)
        _note_of(path).write_text(f"{digest}  {path.name}\n")
        packed.rename(path)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return {
        "size": size,
        "size_text": size_text(size),
        "sha256": digest,
        "table_count": len(tables),
        "revision": transact(_revision),
        "verdict": SOUND,
        "verified_at": datetime.now(TIME_ZONE),
        "message": lacking,
    }


def _copy_reports(target: Path) -> str | None:
    """Copy what users made of reports, if there is anything; tells why not, for the backup is made without it."""
    source = settings().data_dir / archive.REPORTS
    if not source.is_file():
        return None
    try:
        metadata.copy(source, target)
        problem = metadata.problem(target)
    except sqlite3.Error as error:
        problem = str(error)
    if not problem:
        return None
    log.error("%s: %s", source, problem)
    target.unlink(missing_ok=True)
    return WITHOUT_REPORTS


def wrong_with(path: Path, digest: str) -> str | None:
    """What is wrong with a backup's file; None when it is what was written, and read through, once."""
    if not path.is_file():
        return "备份文件不存在"
    return None if sha256_of(path) == digest else "校验码不符，文件已损坏或被改动"


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _revision(conn: Connection) -> str:
    found: str = conn.exec_driver_sql("select string_agg(version_num, ',') from alembic_version").scalar_one()
    return found


def _row(backup_id: int) -> Any:
    return transact(lambda conn: conn.execute(select(TABLE).where(TABLE.c.backup_id == backup_id)).one())


def _begin(backup_id: int) -> bool:
    statement = update(TABLE).where(TABLE.c.backup_id == backup_id, TABLE.c.state == WAITING)
    return bool(transact(lambda conn: conn.execute(statement.values(state=RUNNING)).rowcount))


def _settle(backup_id: int, state: int, **values: Any) -> None:
    statement = update(TABLE).where(TABLE.c.backup_id == backup_id)
    done = {"state": state, "finished_at": datetime.now(TIME_ZONE), **values}
    transact(lambda conn: conn.execute(statement.values(done)))


def _unattended(conn: Connection) -> list[int]:
    query = select(TABLE.c.backup_id).where(TABLE.c.state.in_((WAITING, RUNNING)))
    keys: list[int] = list(conn.execute(query).scalars())
    return [key for key in keys if is_unattended(conn, KIND, key)]


def _expire(conn: Connection) -> None:
    """Delete the files of all but the newest backups."""
    kept: int = conn.exec_driver_sql("select backups_kept from erp_config").scalar_one()
    query = select(TABLE.c.backup_id, TABLE.c.file_name).where(TABLE.c.state == DONE)
    for row in conn.execute(query.order_by(TABLE.c.backup_id.desc()).offset(kept)).all():
        remove(row.file_name)
        conn.execute(update(TABLE).where(TABLE.c.backup_id == row.backup_id).values(state=EXPIRED))


def remove(file_name: str) -> None:
    """Delete a backup's files, and what an unfinished one has left."""
    path = file_of(file_name)
    for file in (path, _note_of(path)):
        file.unlink(missing_ok=True)
    shutil.rmtree(_workplace(path), ignore_errors=True)


def _note_of(path: Path) -> Path:
    """Where an archive's checksum lies."""
    return path.with_suffix(".sha256")


def _workplace(path: Path) -> Path:
    return path.with_suffix(".part")


def finished(conn: Connection, backup_id: int) -> Row[Any]:
    """A backup that has a file; refused when there is none."""
    row = conn.execute(select(TABLE).where(TABLE.c.backup_id == backup_id)).first()
    if row is None or row.state != DONE:
        raise Refusal("备份尚未完成或已清理")
    return row
