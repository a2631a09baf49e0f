"""Export tasks (导出任务): table of exports that the job worker writes under the user's own rights."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, Text, func, insert
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.identity import sessions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.kit.scope import Principal
from api.kit.storage.database import TIME_ZONE, Base
from api.kit.storage.listing import ListQuery
from api.shell import jobs

WAITING, DONE, RUNNING, FAILED, EXPIRED = 0, 1, 2, 3, 4
STATUS_NAMES = {WAITING: "等待处理", DONE: "已完成", RUNNING: "处理中", FAILED: "失败", EXPIRED: "已过期"}
"""Export status 1 is finished and downloadable (spec/1-shell.md 4)."""
LIST_JOB = "export"
SCOPE_CHANGED = "您的数据权限在文件写好之后有变化"
"""Reason for refusing a finished file."""

RequiredRights = Callable[[str], tuple[str, ...]]
REQUIRED_RIGHTS: dict[str, RequiredRights] = {
    LIST_JOB: lambda name: (registry.get_resource(name).right("export"),)
}
"""Rights needed for a job's file, by job, of the task's resource. Jobs are added where they are declared."""


class ExportTask(Base):
    """An export; `job` writes its file, of the `resource` by what `query` says.

    `reach` is the digest of the user's scope when it was written: the file is refused once the scope
    has changed.
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


def enqueue_list_export(ctx: Context, cls: type[Resource], query: ListQuery) -> dict[str, Any]:
    """Queue the export of a list's filter to a workbook and return its task."""
    params = query.model_dump(exclude={"page", "per_page", "timeStamp", "sign"})
    return enqueue_export(ctx, LIST_JOB, cls.name(), cls.declaration.label, params, ".xlsx")


def enqueue_export(
    ctx: Context, job: str, resource: str, label: str, params: dict[str, Any], suffix: str
) -> dict[str, Any]:
    """Insert a task of the user and queue its job in one transaction.

    `label` names the file.
    """
    assert job in REQUIRED_RIGHTS, job
    sessions.require_full_scope(ctx.conn, ctx.principal, "批量打印或导出")
    values = {
        "user_id": ctx.principal.user_id,
        "job": job,
        "resource": resource,
        "query": params,
        "file_name": f"{label}_{datetime.now(TIME_ZONE):%Y%m%d%H%M%S}{suffix}",
    }
    key = ctx.conn.execute(insert(ExportTask).values(values).returning(ExportTask.export_id)).scalar_one()
    jobs.defer_in_transaction(ctx.conn, job, export_id=key)
    return {"export_id": key, "file_name": values["file_name"]}


def can_download(principal: Principal, job: str, resource: str) -> bool:
    """Return whether a user may still have the file of his task; False where its resource is gone."""
    try:
        return all(map(principal.has_right, REQUIRED_RIGHTS[job](resource)))
    except LookupError:
        return False
