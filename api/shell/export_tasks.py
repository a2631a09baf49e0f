"""Export tasks (导出任务): a list's whole filter, written to Excel by the job worker under the asker's own rights."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, Text, func, insert
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.identity import sessions
from api.kit import registry
from api.kit.context import Context
from api.kit.database import TIME_ZONE, Base
from api.kit.listing import ListQuery
from api.kit.resource import Resource
from api.kit.scope import Principal
from api.shell import jobs

WAITING, DONE, RUNNING, FAILED, EXPIRED = 0, 1, 2, 3, 4
STATUS_NAMES = {WAITING: "等待处理", DONE: "已完成", RUNNING: "处理中", FAILED: "失败", EXPIRED: "已过期"}
"""Export status 1 is finished and downloadable (spec/1-shell.md 4)."""
LIST_JOB = "export"
CHANGED = "您的数据权限在文件写好之后有变化"
"""Why a finished file is not handed out."""

Needs = Callable[[str], tuple[str, ...]]
NEEDED: dict[str, Needs] = {LIST_JOB: lambda name: (registry.get(name).right("export"),)}
"""By job, the rights to have its file, of its task's resource. Jobs are added where they are declared."""


class ExportTask(Base):
    """One asked export; `job` writes its file, of the `resource` by what `query` says.

    `reach` is what its user might see when it was written: whoever may see something else by now doesn't get it.
    """

    __tablename__ = "export_task"

    export_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"), index=True)
    job: Mapped[str] = mapped_column(Text)
    resource: Mapped[str] = mapped_column(Text)
    query: Mapped[dict[str, Any]] = mapped_column(JSONB)
    file_name: Mapped[str] = mapped_column(Text)
    status: Mapped[int] = mapped_column(server_default="0")
    failure: Mapped[str | None] = mapped_column(Text)
    rows: Mapped[int | None] = mapped_column(BigInteger)
    reach: Mapped[str | None] = mapped_column(Text)
    asked_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    done_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


def enqueue(ctx: Context, cls: type[Resource], query: ListQuery) -> dict[str, Any]:
    """Have a list's filter written to a workbook."""
    asked = query.model_dump(exclude={"page", "per_page", "timeStamp", "sign"})
    return queue(ctx, LIST_JOB, cls.name(), cls.declaration.label, asked, ".xlsx")


def queue(
    ctx: Context, job: str, resource: str, label: str, asked: dict[str, Any], suffix: str
) -> dict[str, Any]:
    """Record a task of the user's and queue its job with it: both are there, or neither. `label` names the file."""
    assert job in NEEDED, job
    sessions.refuse_narrowed(ctx.conn, ctx.principal, "批量打印或导出")
    values = {
        "user_id": ctx.principal.user_id,
        "job": job,
        "resource": resource,
        "query": asked,
        "file_name": f"{label}_{datetime.now(TIME_ZONE):%Y%m%d%H%M%S}{suffix}",
    }
    key = ctx.conn.execute(insert(ExportTask).values(values).returning(ExportTask.export_id)).scalar_one()
    jobs.defer_with(ctx.conn, job, export_id=key)
    return {"export_id": key, "file_name": values["file_name"]}


def entitled(principal: Principal, job: str, resource: str) -> bool:
    """Whether a user may still have what a task of his wrote; nobody may have what there is no more."""
    try:
        return all(map(principal.may, NEEDED[job](resource)))
    except LookupError:
        return False
