"""Backup calls (备份接口): start, verify and download a backup; only the command line restores one."""

from __future__ import annotations

from typing import Any

from fastapi.responses import FileResponse
from pydantic import BaseModel

from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Keys
from api.kit.storage import business_log
from api.shell import jobs
from api.shell.operations import backup_job
from api.shell.operations.backup import Backup, backup_path

api = build_router()


class BackupTask(BaseModel):
    id: int
    file_name: str


@declare_action(api, Backup, "backup", BackupTask)
def start_backup(ctx: Context) -> Any:
    """备份: the job worker packs the whole database and its files."""
    _require_group_scope(ctx)
    row = backup_job.enqueue_backup(ctx.conn, ctx.principal.user_id)
    if row is None:
        raise Refusal("已有备份正在进行，请等待完成")
    _log_action(ctx, row.backup_id, "backup")
    return {"id": row.backup_id, "file_name": row.file_name}


@declare_action(api, Backup, "verify")
def verify_backups(ctx: Context, payload: Keys) -> Any:
    """校验: the job worker reads the files again and compares their checksums."""
    _require_group_scope(ctx)
    for key in payload.ids:
        backup_job.require_finished_backup(ctx.conn, key)
        jobs.defer_in_transaction(ctx.conn, "verify_backup", backup_id=key)
    return {"success": payload.ids, "failures": []}


@call(api, "GET", "v2/system/Backup/getFile", right=Backup.right("download"))
def get_file(ctx: Context, id: Key) -> Any:
    """下载备份: recorded, for it holds everything."""
    _require_group_scope(ctx)
    row = backup_job.require_finished_backup(ctx.conn, id)
    if not backup_path(row.file_name).is_file():
        raise Refusal("备份文件不存在，请重新备份")
    _log_action(ctx, id, "download")
    return FileResponse(backup_path(row.file_name), filename=row.file_name, media_type="application/x-tar")


def _require_group_scope(ctx: Context) -> None:
    """Raise Refusal unless the user sees every company, costs and all fields: a backup has all of them."""
    me = ctx.principal
    if not (me.is_unrestricted and me.sees_cost) or me.denied_fields:
        raise Refusal("只有能看全部公司、成本和字段的角色可以备份数据")


def _log_action(ctx: Context, key: int, action: str) -> None:
    business_log.log_action(
        ctx.conn, ctx.principal, Backup.name(), key, action, company_id=ctx.principal.company_id
    )
