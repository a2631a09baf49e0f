"""Backup calls (备份接口): start one, verify it, take it away; restoring is for the command line alone."""

from __future__ import annotations

from typing import Any

from fastapi.responses import FileResponse
from pydantic import BaseModel

from api.kit import business_log
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.endpoints import action
from api.kit.errors import Refusal
from api.kit.schemas import Key, Keys
from api.shell import backup_job, jobs
from api.shell.backup import Backup, file_of

api = router()


class Started(BaseModel):
    id: int
    file_name: str


@action(api, Backup, "backup", Started)
def start(ctx: Context) -> Any:
    """备份: the job worker packs the whole database and its files."""
    _for_the_whole_group(ctx)
    row = backup_job.ask(ctx.conn, ctx.principal.user_id)
    if row is None:
        raise Refusal("已有备份正在进行，请等待完成")
    _log(ctx, row.backup_id, "backup")
    return {"id": row.backup_id, "file_name": row.file_name}


@action(api, Backup, "verify")
def verify(ctx: Context, payload: Keys) -> Any:
    """校验: the job worker reads the files again and compares their checksums."""
    _for_the_whole_group(ctx)
    for key in payload.ids:
        backup_job.finished(ctx.conn, key)
        jobs.defer_with(ctx.conn, "verify_backup", backup_id=key)
    return {"success": payload.ids, "failures": []}


@call(api, "GET", "v2/system/Backup/getFile", right=Backup.right("download"))
def get_file(ctx: Context, id: Key) -> Any:
    """下载备份: recorded, for it holds everything."""
    _for_the_whole_group(ctx)
    row = backup_job.finished(ctx.conn, id)
    if not file_of(row.file_name).is_file():
        raise Refusal("备份文件不存在，请重新备份")
    _log(ctx, id, "download")
    return FileResponse(file_of(row.file_name), filename=row.file_name, media_type="application/x-tar")


def _for_the_whole_group(ctx: Context) -> None:
    """A backup holds every company's data: only who sees all of it may have it."""
    me = ctx.principal
    if not (me.everywhere and me.sees_cost) or me.denied_fields:
        raise Refusal("只有能看全部公司、成本和字段的角色可以备份数据")


def _log(ctx: Context, key: int, action: str) -> None:
    business_log.write(
        ctx.conn, ctx.principal, Backup.name(), key, action, company_id=ctx.principal.company_id
    )
