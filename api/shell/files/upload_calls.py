"""Upload calls (上传): files under random names, shown to their company, deleted by their uploader."""

from __future__ import annotations

import hashlib
import secrets
from typing import Annotated, Any
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import File, Form, Query, UploadFile
from fastapi.responses import FileResponse
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import delete, insert, select

from api.kit.context import Context
from api.kit.errors import NotFound, Refusal
from api.kit.http.request_body import UNAUTHENTICATED
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.storage.upload_rules import MEGABYTE, MIME, SCENES, validate_content
from api.shell.files import upload_references
from api.shell.files.upload_file import UploadFile as Stored
from api.shell.files.upload_file import require_upload_quota, upload_path
from api.shell.files.upload_log import log_upload

api = build_router()
TABLE = Stored.__table__
FILE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=3600",
}
MOST = max(max(scene.megabytes.values()) for scene in SCENES.values()) * MEGABYTE + UNAUTHENTICATED
"""Most bytes of an upload: the largest file of any scene, and the rest of the form."""
ADDRESS = "/v2/open/Upload/getFile?name="


class UploadAddress(BaseModel):
    """A file by the address that its upload answered."""

    url: str = Described(max_length=500)


@call(api, "POST", "v2/open/Upload/uploadImg", right=ANY_USER, returns=str, write=True, most=MOST)
def upload_img(
    ctx: Context,
    file: Annotated[list[UploadFile], File(min_length=1, description="一个文件")],
    scene: Annotated[str, Form(max_length=20)] = "image",
) -> Any:
    """上传文件: answers the address under which it is shown."""
    rules = SCENES.get(scene)
    if rules is None:
        raise Refusal("上传的用途不正确")
    sent = file[0]
    with log_upload(ctx, rules.label, sent.filename or "") as upload:
        if len(file) > 1:
            raise Refusal("只能上传1个文件")
        upload.size = sent.size or 0
        extension = rules.validate_name(sent.filename or "", upload.size)
        require_upload_quota(ctx.conn, ctx.principal.user_id, upload.size)
        content = sent.file.read()
        validate_content(extension, content)
        name = f"{secrets.token_urlsafe(24)}.{extension}"
        path = upload_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        values = {
            "name": name,
            "file_name": upload.file_name,
            "scene": scene,
            "extension": extension,
            "size": upload.size,
            "sha256": hashlib.sha256(content).hexdigest(),
            "company_id": ctx.principal.company_id,
            "user_id": ctx.principal.user_id,
        }
        ctx.conn.execute(insert(Stored).values(values))
    return ADDRESS + name


@call(api, "GET", "v2/open/Upload/getFile", right=ANY_USER)
def get_file(ctx: Context, name: Annotated[str, Query(max_length=100)]) -> Any:
    """查看文件: to users who may see its company, or a record that holds it."""
    row = ctx.conn.execute(select(TABLE).where(TABLE.c.name == name)).first()
    me = ctx.principal
    shown = row is not None and (
        me.covers_company(row.company_id)
        or row.user_id == me.user_id
        or upload_references.is_visible(ctx.conn, me, name)
    )
    if row is None or not shown or not upload_path(row.name).is_file():
        raise NotFound("文件")
    headers = {"Content-Disposition": f"inline; filename*=UTF-8''{quote(row.file_name)}", **FILE_HEADERS}
    return FileResponse(upload_path(row.name), media_type=MIME[row.extension], headers=headers)


@call(api, "POST", "Upload/UploadFile/delReceiptImg", right=ANY_USER, returns=None, write=True)
def del_receipt_img(ctx: Context, payload: UploadAddress) -> Any:
    """删除文件: one's own, as long as no record holds it."""
    name = (parse_qs(urlsplit(payload.url).query).get("name") or [payload.url])[0]
    mine = (TABLE.c.name == name) & (TABLE.c.user_id == ctx.principal.user_id)
    row = ctx.conn.execute(select(TABLE.c.name).where(mine).with_for_update()).first()
    if row is None:
        raise NotFound("文件")
    if upload_references.is_referenced(ctx.conn, name):
        raise Refusal("文件已被单据引用，不能删除")
    ctx.conn.execute(delete(Stored).where(TABLE.c.name == row.name))
    ctx.after_commit.append(lambda: upload_path(row.name).unlink(missing_ok=True))
    return None
