"""Export task calls (导出任务接口): list and download of one's own exports; and the health check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import FileResponse
from pydantic import BaseModel
from sqlalchemy import func, select, text

from api.kit.context import Context
from api.kit.errors import Forbidden, NotFound
from api.kit.http.routing import ANY_USER, PUBLIC, build_router, call
from api.kit.http.schemas import Key
from api.shell.files.export_job import export_path
from api.shell.files.export_tasks import (
    DONE,
    RUNNING,
    SCOPE_CHANGED,
    STATUS_NAMES,
    WAITING,
    ExportTask,
    can_download,
)
from api.shell.operations.report_health import report_health

api = build_router()
PER_PAGE = 10


class ExportRow(BaseModel):
    export_id: int
    file_name: str
    export_time: str
    export_complete_time: str | None
    export_status: int
    export_status_name: str
    failure: str | None
    rows: int | None
    url: str


class ExportPage(BaseModel):
    data: list[ExportRow]
    total: int
    per_page: int
    have_in_hand_num: int


@call(api, "GET", "healthz", right=PUBLIC, returns=dict[str, str])
def healthz(ctx: Context) -> Any:
    """健康检查: answers when the database does; `reports` tells whether a board of the report platform answers, which
    the core doesn't depend on."""
    ctx.conn.execute(text("select 1"))
    ctx.conn.rollback()
    return {"status": "ok", "reports": report_health.state()}


@call(api, "GET", "v2/open/ExportLog/getExportLogList", right=ANY_USER, returns=ExportPage)
def get_export_log_list(ctx: Context, page: Annotated[int, Query(ge=1, le=10000)] = 1) -> Any:
    """导出任务: one's own, newest first."""
    task = ExportTask.__table__
    mine = task.c.user_id == ctx.principal.user_id
    rows = ctx.conn.execute(
        select(task)
        .where(mine)
        .order_by(task.c.export_id.desc())
        .limit(PER_PAGE)
        .offset((page - 1) * PER_PAGE)
    )
    busy = func.count().filter(task.c.status.in_((WAITING, RUNNING)))
    counts = ctx.conn.execute(select(func.count().label("total"), busy.label("busy")).where(mine)).one()
    data = [
        {
            "export_id": row.export_id,
            "file_name": row.file_name,
            "export_time": row.asked_at,
            "export_complete_time": row.done_at,
            "export_status": row.status,
            "export_status_name": STATUS_NAMES[row.status],
            "failure": row.failure,
            "rows": row.rows,
            "url": f"/v2/open/ExportLog/download?export_id={row.export_id}" if row.status == DONE else "",
        }
        for row in rows
    ]
    return {"data": data, "total": counts.total, "per_page": PER_PAGE, "have_in_hand_num": counts.busy}


@call(api, "GET", "v2/open/ExportLog/download", right=ANY_USER)
def download_export(ctx: Context, export_id: Key) -> Any:
    """下载导出文件: one's own, when finished, as long as one may see what one might when it was written."""
    task = ExportTask.__table__
    mine = (task.c.export_id == export_id) & (task.c.user_id == ctx.principal.user_id)
    row = ctx.conn.execute(select(task).where(mine)).first()
    if row is None or row.status != DONE:
        raise NotFound("导出文件")
    if not can_download(ctx.principal, row.job, row.resource):
        raise Forbidden("您已没有导出或查看这些数据的权限")
    if row.reach != ctx.principal.scope_hash:
        raise Forbidden(f"{SCOPE_CHANGED}，请重新导出")
    file = export_path(export_id, Path(row.file_name).suffix)
    if not file.is_file():
        raise NotFound("导出文件")
    return FileResponse(file, filename=row.file_name)
