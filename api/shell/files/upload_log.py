"""Upload log (上传日志): list of all uploads and their results, refused ones as well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, func, insert
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.fields import datetime_field, enum_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import Refusal
from api.kit.storage.database import run_transaction
from api.kit.storage.upload_rules import MEGABYTE

TAKEN, REFUSED = 1, 2
RESULTS = {TAKEN: "成功", REFUSED: "失败"}


class UploadLog(Resource):
    """上传日志"""

    __tablename__ = "upload_log"
    declaration = Declaration(
        "上传日志",
        "v2/system/UploadLog",
        "file_name",
        routes={"list": "/system/jybdlog"},
        menu=Menu("系统管理", "日志管理", 40),
        actions=("list", "export"),
    )
    extract = False

    upload_log_id: Mapped[int] = key_field()
    at: Mapped[datetime] = datetime_field(
        "时间", search=True, column={"server_default": func.now(), "nullable": False, "index": True}
    )
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, width=160)
    user_id: Mapped[int] = reference_field(
        "user_account",
        "上传人",
        target="user_id",
        required=True,
        search=True,
        label_field="user_realname",
        width=90,
    )
    purpose: Mapped[str] = text_field("用途", required=True, search=True, max_length=50, width=140)
    file_name: Mapped[str] = text_field("文件名", required=True, search=True, max_length=200, width=260)
    size_text: Mapped[str] = text_field("大小", required=True, max_length=20, width=90)
    result: Mapped[int] = enum_field("结果", RESULTS, default=TAKEN, search=True, width=80)
    message: Mapped[str | None] = text_field("说明", max_length=500, width=320)
    client: Mapped[str | None] = text_field("来源地址", max_length=100, width=130)
    size: Mapped[int] = mapped_column(BigInteger, server_default="0")


@dataclass(slots=True)
class Upload:
    """An upload in progress, as the log will record it."""

    purpose: str
    file_name: str
    size: int = 0
    message: str | None = None


@contextmanager
def log_upload(ctx: Context, purpose: str, file_name: str, company_id: int | None = None) -> Iterator[Upload]:
    """Log an upload with its result; a refused one is committed by itself, with the reason."""
    upload = Upload(purpose, clean_file_name(file_name))
    company = company_id or ctx.principal.company_id
    try:
        yield upload
    except Refusal as refusal:
        row = _build_row(ctx, upload, company, REFUSED, refusal.msg)
        run_transaction(lambda conn: conn.execute(insert(UploadLog.table()), [row]), nested=True)
        raise
    row = _build_row(ctx, upload, company, TAKEN, upload.message)
    ctx.conn.execute(insert(UploadLog.table()), [row])


def clean_file_name(name: str) -> str:
    """Return a file's name without folders and control characters, at most 200 characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable())[-200:].strip() or "未命名"


def _build_row(
    ctx: Context, upload: Upload, company: int, result: int, message: str | None
) -> dict[str, object]:
    return {
        "company_id": company,
        "user_id": ctx.principal.user_id,
        "purpose": upload.purpose,
        "file_name": upload.file_name,
        "size": upload.size,
        "size_text": format_size(upload.size),
        "result": result,
        "message": message[:500] if message else None,
        "client": ctx.client[:100] or None,
    }


def format_size(size: int) -> str:
    """Format a size in bytes."""
    if size >= MEGABYTE:
        return f"{size / MEGABYTE:.1f} MB"
    return f"{size / 1024:.1f} KB" if size >= 1024 else f"{size} B"
