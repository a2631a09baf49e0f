"""The backup job (备份任务): pg_dump of the whole database by the job worker, its checksum, retention, verification.

A dump is written beside its place and moved there when it is whole, so a killed worker leaves no half backup. What jobs
wait in the queue is left out: a restored database must not do them a second time.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select, update

from api.kit.database import TIME_ZONE, transact
from api.kit.errors import Refusal
from api.kit.settings import settings
from api.shell import jobs
from api.shell.attendance import attended, is_unattended
from api.shell.backup import (
    BROKEN,
    DONE,
    EXPIRED,
    FAILED,
    KEPT,
    RUNNING,
    SOUND,
    WAITING,
    Backup,
    file_of,
)
from api.shell.dump import DumpError, contents, dump
from api.shell.upload_log import size_text

KIND = "backup"
TABLE = Backup.table()


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
    """Read a backup again: its checksum must be the noted one and its table of contents whole."""
    row = _row(backup_id)
    found = wrong_with(file_of(row.file_name), row.sha256)
    values = {"verdict": BROKEN if found else SOUND, "verified_at": datetime.now(TIME_ZONE), "message": found}
    transact(lambda conn: conn.execute(update(TABLE).where(TABLE.c.backup_id == backup_id).values(values)))


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="backup_unattended", queue=jobs.QUEUE, pass_context=False)
def backup_unattended(timestamp: int) -> None:
    """What a killed worker left is failed; what never began is begun."""
    for backup_id in transact(_unattended):
        if _row(backup_id).state == RUNNING:
            _settle(backup_id, FAILED, message="备份中断，请重新备份")
        else:
            backup(backup_id)


def make(path: Path) -> dict[str, Any]:
    """Write a dump to `path`; what the list tells of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    try:
        dump(settings().database_url, unfinished)
        listed = contents(unfinished)
        unfinished.chmod(0o600)
        size, digest = unfinished.stat().st_size, sha256_of(unfinished)
        path.with_suffix(".sha256").write_text(f"{digest}  {path.name}\n")
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return {
        "size": size,
        "size_text": size_text(size),
        "sha256": digest,
        "table_count": len(listed),
        "revision": transact(_revision),
        "verdict": SOUND,
        "verified_at": datetime.now(TIME_ZONE),
    }


def wrong_with(path: Path, digest: str | None) -> str | None:
    """What is wrong with a backup's file; None when it is sound."""
    if not path.is_file():
        return "备份文件不存在"
    if digest and sha256_of(path) != digest:
        return "校验码不符，文件已损坏或被改动"
    try:
        contents(path)
    except DumpError as error:
        return str(error)[:500]
    return None


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
    query = select(TABLE.c.backup_id, TABLE.c.file_name).where(TABLE.c.state == DONE)
    for row in conn.execute(query.order_by(TABLE.c.backup_id.desc()).offset(KEPT)).all():
        remove(row.file_name)
        conn.execute(update(TABLE).where(TABLE.c.backup_id == row.backup_id).values(state=EXPIRED))


def remove(file_name: str) -> None:
    """Delete a backup's files."""
    for path in (file_of(file_name), file_of(file_name).with_suffix(".sha256")):
        path.unlink(missing_ok=True)


def refuse_unfinished(row: Any) -> None:
    """Refuse to work with a backup that has no file."""
    if row is None or row.state != DONE:
        raise Refusal("备份尚未完成或已清理")
