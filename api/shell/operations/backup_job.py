"""Backup job (备份任务): packs a database dump with the files, and keeps checksums and retention.

An archive is written next to its final path and renamed when it is complete, so a killed worker
leaves no half backup. The job queue is left out: a restored database must not run those jobs a
second time.
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

from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.kit.storage.database import TIME_ZONE, run_transaction
from api.shell import jobs
from api.shell.files.upload_log import format_size
from api.shell.operations import backup_archive
from api.shell.operations.backup import (
    BROKEN,
    DONE,
    EXPIRED,
    FAILED,
    RUNNING,
    SOUND,
    WAITING,
    Backup,
    backup_path,
)
from api.shell.operations.database_dump import DumpError, dump_database, list_dump_tables
from api.shell.task_lock import is_task_abandoned, lock_task
from reports.superset import metadata

log = logging.getLogger(__name__)
KIND = "backup"
TABLE = Backup.table()
REPORTS_LEFT_OUT = "报表平台的元数据文件损坏，备份里没有自制的图表和看板"


def enqueue_backup(conn: Connection, asked_by: int | None) -> Row[Any] | None:
    """Insert a backup row and queue its job; return None while another backup is unfinished.

    `asked_by` is the user; None for the daily backup.
    """
    conn.exec_driver_sql("lock table backup in share row exclusive mode")
    if conn.execute(select(TABLE.c.backup_id).where(TABLE.c.state.in_((WAITING, RUNNING)))).first():
        return None
    file_name = f"erp_{datetime.now(TIME_ZONE):%Y%m%d_%H%M%S_%f}.tar"
    made = insert(TABLE).values(file_name=file_name, asked_by=asked_by)
    row = conn.execute(made.returning(TABLE.c.backup_id, TABLE.c.file_name)).one()
    jobs.defer_in_transaction(conn, "backup", backup_id=row.backup_id)
    return row


@jobs.app.periodic(cron="0 * * * *")
@jobs.app.task(name="backup_daily", queue=jobs.QUEUE, pass_context=False)
def queue_daily_backup(timestamp: int) -> None:
    """Queue the day's backup once the hour set by the group has come.

    A machine that was off then has it at the next full hour, and so has one whose backup failed.
    """
    run_transaction(_queue_if_due)


def _queue_if_due(conn: Connection) -> None:
    hour: int = conn.exec_driver_sql("select backup_hour from erp_config").scalar_one()
    now = datetime.now(TIME_ZONE)
    since = now.replace(hour=max(hour, 0), minute=0, second=0, microsecond=0)
    since -= timedelta(days=since > now)
    done = (TABLE.c.asked_by.is_(None), TABLE.c.asked_at >= since, TABLE.c.state != FAILED)
    if hour >= 0 and conn.execute(select(TABLE.c.backup_id).where(*done)).first() is None:
        enqueue_backup(conn, None)


@jobs.app.task(name="backup", pass_context=False)
def run_backup(backup_id: int) -> None:
    """Make one backup, unless another worker does."""
    with lock_task(KIND, backup_id) as mine:
        if not mine or not _claim_backup(backup_id):
            return
        row = _read_backup(backup_id)
        path = backup_path(row.file_name)
        try:
            values = build_backup(path)
        except DumpError as error:
            _set_state(backup_id, FAILED, message=str(error)[:500])
        except Exception:
            _set_state(backup_id, FAILED, message="备份出错，请重试或联系管理员")
            raise
        else:
            _set_state(backup_id, DONE, **values)
            run_transaction(_expire_old_backups)


@jobs.app.task(name="verify_backup", pass_context=False)
def verify_backup(backup_id: int) -> None:
    """Read a backup's file again and store whether its checksum is the recorded one."""
    row = _read_backup(backup_id)
    found = describe_file_problem(backup_path(row.file_name), row.sha256)
    values = {"verdict": BROKEN if found else SOUND, "verified_at": datetime.now(TIME_ZONE), "message": found}
    run_transaction(
        lambda conn: conn.execute(update(TABLE).where(TABLE.c.backup_id == backup_id).values(values))
    )


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="backup_unattended", queue=jobs.QUEUE, pass_context=False)
def recover_backups(timestamp: int) -> None:
    """Fail the backups that a killed worker left running, and run those that never began."""
    for backup_id in run_transaction(_find_abandoned):
        row = _read_backup(backup_id)
        if row.state == RUNNING:
            remove_backup_files(row.file_name)
            _set_state(backup_id, FAILED, message="备份中断，请重新备份")
        else:
            run_backup(backup_id)


def build_backup(path: Path) -> dict[str, Any]:
    """Write a backup to `path` and return the column values of its row."""
    place = _work_dir(path)
    try:
        place.mkdir(mode=0o700, parents=True)
        dumped, packed, reports = place / backup_archive.DUMP, place / path.name, place / metadata.NAME
        dump_database(read_settings().database_url, dumped)
        tables = list_dump_tables(dumped)
        lacking = _copy_reports(reports)
        backup_archive.pack_backup(
            packed, dumped, read_settings().data_dir, reports if reports.exists() else None
        )
        packed.chmod(0o600)
        size, digest = packed.stat().st_size, compute_sha256(packed)
        _checksum_path(path).write_text(f"{digest}  {path.name}\n")
        packed.rename(path)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return {
        "size": size,
        "size_text": format_size(size),
        "sha256": digest,
        "table_count": len(tables),
        "revision": run_transaction(_read_revision),
        "verdict": SOUND,
        "verified_at": datetime.now(TIME_ZONE),
        "message": lacking,
    }


def _copy_reports(target: Path) -> str | None:
    """Copy the report platform's metadata if there is any; return a message where it can't be copied.

    The backup is made without it then.
    """
    source = read_settings().data_dir / backup_archive.REPORTS
    if not source.is_file():
        return None
    try:
        metadata.copy_metadata(source, target)
        problem = metadata.describe_problem(target)
    except sqlite3.Error as error:
        problem = str(error)
    if not problem:
        return None
    log.error("%s: %s", source, problem)
    target.unlink(missing_ok=True)
    return REPORTS_LEFT_OUT


def describe_file_problem(path: Path, digest: str) -> str | None:
    """Return a message where a backup's file is missing or changed, else None.

    Reads the whole file once.
    """
    if not path.is_file():
        return "备份文件不存在"
    return None if compute_sha256(path) == digest else "校验码不符，文件已损坏或被改动"


def compute_sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_revision(conn: Connection) -> str:
    found: str = conn.exec_driver_sql("select string_agg(version_num, ',') from alembic_version").scalar_one()
    return found


def _read_backup(backup_id: int) -> Any:
    return run_transaction(
        lambda conn: conn.execute(select(TABLE).where(TABLE.c.backup_id == backup_id)).one()
    )


def _claim_backup(backup_id: int) -> bool:
    statement = update(TABLE).where(TABLE.c.backup_id == backup_id, TABLE.c.state == WAITING)
    return bool(run_transaction(lambda conn: conn.execute(statement.values(state=RUNNING)).rowcount))


def _set_state(backup_id: int, state: int, **values: Any) -> None:
    statement = update(TABLE).where(TABLE.c.backup_id == backup_id)
    done = {"state": state, "finished_at": datetime.now(TIME_ZONE), **values}
    run_transaction(lambda conn: conn.execute(statement.values(done)))


def _find_abandoned(conn: Connection) -> list[int]:
    query = select(TABLE.c.backup_id).where(TABLE.c.state.in_((WAITING, RUNNING)))
    keys: list[int] = list(conn.execute(query).scalars())
    return [key for key in keys if is_task_abandoned(conn, KIND, key)]


def _expire_old_backups(conn: Connection) -> None:
    """Delete the files of all but the newest backups."""
    kept: int = conn.exec_driver_sql("select backups_kept from erp_config").scalar_one()
    query = select(TABLE.c.backup_id, TABLE.c.file_name).where(TABLE.c.state == DONE)
    for row in conn.execute(query.order_by(TABLE.c.backup_id.desc()).offset(kept)).all():
        remove_backup_files(row.file_name)
        conn.execute(update(TABLE).where(TABLE.c.backup_id == row.backup_id).values(state=EXPIRED))


def remove_backup_files(file_name: str) -> None:
    """Delete a backup's files and the leftovers of an unfinished one."""
    path = backup_path(file_name)
    for file in (path, _checksum_path(path)):
        file.unlink(missing_ok=True)
    shutil.rmtree(_work_dir(path), ignore_errors=True)


def _checksum_path(path: Path) -> Path:
    """Return the path of an archive's checksum file."""
    return path.with_suffix(".sha256")


def _work_dir(path: Path) -> Path:
    return path.with_suffix(".part")


def require_finished_backup(conn: Connection, backup_id: int) -> Row[Any]:
    """Return the row of a finished backup.

    Raises: Refusal where it has no file.
    """
    row = conn.execute(select(TABLE).where(TABLE.c.backup_id == backup_id)).first()
    if row is None or row.state != DONE:
        raise Refusal("备份尚未完成或已清理")
    return row
