"""Cleaning up (清理): what may be cleaned away, how much of it there is, and how it goes.

Bills and ledgers of a company whose initialisation is done are never touched (trial_data.py has those of others).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select, text

from api.kit.context import Context
from api.kit.database import TIME_ZONE, dumps
from api.kit.settings import settings
from api.shell import upload_use
from api.shell.upload_file import place_of
from api.shell.upload_use import FILES


@dataclass(frozen=True, slots=True)
class Asked:
    """How old what is cleaned must be; the company whose trial data is meant."""

    days: int
    months: int
    company_id: int

    @property
    def values(self) -> dict[str, int]:
        return {"days": self.days, "months": self.months, "id": self.company_id}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of data: its name, what is said of it, how many rows would go, and how they go."""

    name: str
    label: str
    note: str
    count: Callable[[Connection, Asked], int]
    clear: Callable[[Context, Asked], int]


def _counting(rows: str) -> Callable[[Connection, Asked], int]:
    def count(conn: Connection, asked: Asked) -> int:
        found: int = conn.execute(text(f"select count(*) {rows}"), asked.values).scalar_one()
        return found

    return count


def _deleting(rows: str) -> Callable[[Context, Asked], int]:
    def clear(ctx: Context, asked: Asked) -> int:
        return ctx.conn.execute(text(f"delete {rows}"), asked.values).rowcount

    return clear


def _unlinking(
    rows: str, named: str, places: Callable[[object], Iterator[Path]]
) -> Callable[[Context, Asked], int]:
    """Delete rows, and the files that a column of theirs names once that is committed."""

    def clear(ctx: Context, asked: Asked) -> int:
        statement = text(f"delete {rows} returning {named}")
        gone: Sequence[object] = ctx.conn.execute(statement, asked.values).scalars().all()
        found = [path for name in gone for path in places(name)]
        ctx.after_commit.append(lambda: _unlink(found))
        return len(gone)

    return clear


def _unlink(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _export_files(key: object) -> Iterator[Path]:
    for suffix in (".xlsx", ".pdf"):
        yield settings().exports_dir / f"{key}{suffix}"


def initialisation_files(path: object) -> Iterator[Path]:
    """What an upload of the initialisation left: itself, and the rows of it that were refused."""
    found = settings().uploads_dir / str(path)
    yield found
    yield found.with_name(f"{found.stem}_failed.xlsx")


def _archive(ctx: Context, asked: Asked) -> int:
    """Write old rows of the business log into a compressed file, then delete them."""
    statement = text(f"select * {_LOG} order by log_id")
    folder = settings().data_dir / "archive"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"business_log_{datetime.now(TIME_ZONE):%Y%m%d_%H%M%S}.jsonl.gz"
    last = count = 0
    rows = ctx.conn.execute(statement, asked.values, execution_options={"yield_per": 5000})
    with gzip.open(path, "wb") as file:
        for row in rows:
            file.write(dumps(row) + b"\n")
            last, count = row.log_id, count + 1
    if not count:
        path.unlink()
        return 0
    old = text(f"delete {_LOG} and log_id <= :last")
    return ctx.conn.execute(old, {**asked.values, "last": last}).rowcount


def _count_orphans(conn: Connection, asked: Asked) -> int:
    query = select(func.count()).select_from(FILES).where(upload_use.unheld(asked.days))
    found: int = conn.execute(query).scalar_one()
    return found


def _clear_orphans(ctx: Context, asked: Asked) -> int:
    names = upload_use.forget_unheld(ctx.conn, asked.days)
    ctx.after_commit.append(lambda: _unlink([place_of(name) for name in names]))
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
    Kind(
        "exports",
        "导出文件",
        "导出任务和它们的文件，早于所选天数",
        _counting(_EXPORTS),
        _unlinking(_EXPORTS, "export_id", _export_files),
    ),
    Kind(
        "login_log",
        "登录日志",
        "早于所选月数的登录记录",
        _counting(_LOGINS),
        _deleting(_LOGINS),
    ),
    Kind(
        "business_log",
        "业务日志归档",
        "早于所选月数的业务日志写入数据目录 archive 里的压缩文件，然后从系统删除",
        _counting(_LOG),
        _archive,
    ),
    Kind(
        "report_visit",
        "报表访问记录",
        "早于所选月数的报表访问记录，报表使用统计也随之减少",
        _counting(_VISITS),
        _deleting(_VISITS),
    ),
    Kind(
        "upload_log",
        "上传日志",
        "早于所选月数的上传记录",
        _counting(_UPLOADS),
        _deleting(_UPLOADS),
    ),
    Kind(
        "drafts",
        "暂存的草稿",
        "用户暂存而未保存的单据，早于所选天数",
        _counting(_DRAFTS),
        _deleting(_DRAFTS),
    ),
    Kind(
        "tasks",
        "已结束的后台任务",
        "任务队列里成功、失败和取消的任务",
        _counting(_JOBS),
        _deleting(_JOBS),
    ),
    Kind(
        "initialisation",
        "初始化上传文件",
        "处理完的初始化文件和失败明细，早于所选天数",
        _counting(_INITIALISATIONS),
        _unlinking(_INITIALISATIONS, "path", initialisation_files),
    ),
    Kind(
        "uploads",
        "无主的上传文件",
        "没有被任何资料或单据引用的图片和附件，早于所选天数",
        _count_orphans,
        _clear_orphans,
    ),
)
