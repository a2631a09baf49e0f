"""Cleanup (清理): the kinds of data that may be deleted, with their counts and deletions.

Bills and ledgers of a company whose initialisation is done are never touched (trial_data.py has
those of others).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select, text

from api.kit.context import Context
from api.kit.settings import read_settings
from api.kit.storage.database import TIME_ZONE, dump_json
from api.shell.files import upload_references
from api.shell.files.upload_file import upload_path
from api.shell.files.upload_references import FILES


@dataclass(frozen=True, slots=True)
class CleanupCriteria:
    """Age limits of a cleanup, and the company whose trial data is deleted."""

    days: int
    months: int
    company_id: int

    @property
    def values(self) -> dict[str, int]:
        return {"days": self.days, "months": self.months, "id": self.company_id}


@dataclass(frozen=True, slots=True)
class CleanupKind:
    """A kind of data: name, label, note, the count of its rows, and their deletion."""

    name: str
    label: str
    note: str
    count: Callable[[Connection, CleanupCriteria], int]
    clear: Callable[[Context, CleanupCriteria], int]


def _build_counter(rows: str) -> Callable[[Connection, CleanupCriteria], int]:
    def count(conn: Connection, criteria: CleanupCriteria) -> int:
        found: int = conn.execute(text(f"select count(*) {rows}"), criteria.values).scalar_one()
        return found

    return count


def _build_deleter(rows: str) -> Callable[[Context, CleanupCriteria], int]:
    def clear(ctx: Context, criteria: CleanupCriteria) -> int:
        return ctx.conn.execute(text(f"delete {rows}"), criteria.values).rowcount

    return clear


def _build_file_deleter(
    rows: str, named: str, places: Callable[[object], Iterator[Path]]
) -> Callable[[Context, CleanupCriteria], int]:
    """Build a deletion of rows and, after the commit, of the files that a column names."""

    def clear(ctx: Context, criteria: CleanupCriteria) -> int:
        statement = text(f"delete {rows} returning {named}")
        gone: Sequence[object] = ctx.conn.execute(statement, criteria.values).scalars().all()
        found = [path for name in gone for path in places(name)]
        ctx.after_commit.append(lambda: _unlink_files(found))
        return len(gone)

    return clear


def _unlink_files(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _export_files(key: object) -> Iterator[Path]:
    for suffix in (".xlsx", ".pdf"):
        yield read_settings().exports_dir / f"{key}{suffix}"


def initialisation_files(path: object) -> Iterator[Path]:
    """Yield the paths of an initialisation upload: the file and the workbook of its refused rows."""
    found = read_settings().uploads_dir / str(path)
    yield found
    yield found.with_name(f"{found.stem}_failed.xlsx")


def _archive_log(ctx: Context, criteria: CleanupCriteria) -> int:
    """Write old rows of the business log into a compressed file, then delete them."""
    statement = text(f"select * {_LOG} order by log_id")
    folder = read_settings().data_dir / "archive"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"business_log_{datetime.now(TIME_ZONE):%Y%m%d_%H%M%S}.jsonl.gz"
    last = count = 0
    rows = ctx.conn.execute(statement, criteria.values, execution_options={"yield_per": 5000})
    with gzip.open(path, "wb") as file:
        for row in rows:
            file.write(dump_json(row) + b"\n")
            last, count = row.log_id, count + 1
    if not count:
        path.unlink()
        return 0
    old = text(f"delete {_LOG} and log_id <= :last")
    return ctx.conn.execute(old, {**criteria.values, "last": last}).rowcount


def _count_orphans(conn: Connection, criteria: CleanupCriteria) -> int:
    query = (
        select(func.count()).select_from(FILES).where(upload_references.unreferenced_condition(criteria.days))
    )
    found: int = conn.execute(query).scalar_one()
    return found


def _clear_orphans(ctx: Context, criteria: CleanupCriteria) -> int:
    names = upload_references.delete_unreferenced(ctx.conn, criteria.days)
    ctx.after_commit.append(lambda: _unlink_files([upload_path(name) for name in names]))
    return len(names)


_OLD = "now() - make_interval(days => :days)"
_LONG_AGO = "now() - make_interval(months => :months)"
_EXPORTS = f"from export_task where status not in (0, 2) and asked_at < {_OLD}"
_INITIALISATIONS = f"from initialisation_task where status not in (0, 1) and asked_at < {_OLD}"
_DRAFTS = f"from user_preference where kind = 'draft' and kept_at < {_OLD}"
_JOBS = "from procrastinate_jobs where status in ('succeeded', 'failed', 'cancelled', 'aborted')"
_LOGINS = f"from login_attempt where at < {_LONG_AGO}"
_LOG = f"from business_log where at < {_LONG_AGO}"
_VISITS = f"from report_visit where at < {_LONG_AGO}"
_UPLOADS = f"from upload_log where at < {_LONG_AGO}"

KINDS = (
    CleanupKind(
        "exports",
        "导出文件",
        "导出任务和它们的文件，早于所选天数",
        _build_counter(_EXPORTS),
        _build_file_deleter(_EXPORTS, "export_id", _export_files),
    ),
    CleanupKind(
        "login_log",
        "登录日志",
        "早于所选月数的登录记录",
        _build_counter(_LOGINS),
        _build_deleter(_LOGINS),
    ),
    CleanupKind(
        "business_log",
        "业务日志归档",
        "早于所选月数的业务日志写入数据目录 archive 里的压缩文件，然后从系统删除",
        _build_counter(_LOG),
        _archive_log,
    ),
    CleanupKind(
        "report_visit",
        "报表访问记录",
        "早于所选月数的报表访问记录，报表使用统计也随之减少",
        _build_counter(_VISITS),
        _build_deleter(_VISITS),
    ),
    CleanupKind(
        "upload_log",
        "上传日志",
        "早于所选月数的上传记录",
        _build_counter(_UPLOADS),
        _build_deleter(_UPLOADS),
    ),
    CleanupKind(
        "drafts",
        "暂存的草稿",
        "用户暂存而未保存的单据，早于所选天数",
        _build_counter(_DRAFTS),
        _build_deleter(_DRAFTS),
    ),
    CleanupKind(
        "tasks",
        "已结束的后台任务",
        "任务队列里成功、失败和取消的任务",
        _build_counter(_JOBS),
        _build_deleter(_JOBS),
    ),
    CleanupKind(
        "initialisation",
        "初始化上传文件",
        "处理完的初始化文件和失败明细，早于所选天数",
        _build_counter(_INITIALISATIONS),
        _build_file_deleter(_INITIALISATIONS, "path", initialisation_files),
    ),
    CleanupKind(
        "uploads",
        "无主的上传文件",
        "没有被任何资料或单据引用的图片和附件，早于所选天数",
        _count_orphans,
        _clear_orphans,
    ),
)
