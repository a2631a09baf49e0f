"""Upload log (上传日志): who uploaded which file when, and what became of it; refused ones as well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, func, insert
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.database import transact
from api.kit.errors import Refusal
from api.kit.fields import enum, key, moment, ref, text
from api.kit.resource import Declaration, Menu, Resource
from api.kit.upload_rules import MEGABYTE

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

    upload_log_id: Mapped[int] = key()
    at: Mapped[datetime] = moment(
        "时间", search=True, column={"server_default": func.now(), "nullable": False, "index": True}
    )
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True, width=160)
    user_id: Mapped[int] = ref(
        "user_account",
        "上传人",
        target="user_id",
        required=True,
        search=True,
        label_field="user_realname",
        width=90,
    )
    purpose: Mapped[str] = text("用途", required=True, search=True, max_length=50, width=140)
    file_name: Mapped[str] = text("文件名", required=True, search=True, max_length=200, width=260)
    size_text: Mapped[str] = text("大小", required=True, max_length=20, width=90)
    result: Mapped[int] = enum("结果", RESULTS, default=TAKEN, search=True, width=80)
    message: Mapped[str | None] = text("说明", max_length=500, width=320)
    client: Mapped[str | None] = text("来源地址", max_length=100, width=130)
    size: Mapped[int] = mapped_column(BigInteger, server_default="0")


@dataclass(slots=True)
class Upload:
    """One upload on its way: what the log will say of it."""

    purpose: str
    file_name: str
    size: int = 0
    message: str | None = None


@contextmanager
def logged(ctx: Context, purpose: str, file_name: str, company_id: int | None = None) -> Iterator[Upload]:
    """Enter an upload into the log: with what it did, or, though nothing else stays of it, why it was refused."""
    upload = Upload(purpose, printable(file_name))
    company = company_id or ctx.principal.company_id
    try:
        yield upload
    except Refusal as refusal:
        row = _row(ctx, upload, company, REFUSED, refusal.msg)
        transact(lambda conn: conn.execute(insert(UploadLog.table()), [row]), beside=True)
        raise
    row = _row(ctx, upload, company, TAKEN, upload.message)
    ctx.conn.execute(insert(UploadLog.table()), [row])


def printable(name: str) -> str:
    """A file's own name without folders and control characters, at most 200 letters: for people to read."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable())[-200:].strip() or "未命名"


def _row(ctx: Context, upload: Upload, company: int, result: int, message: str | None) -> dict[str, object]:
    return {
        "company_id": company,
        "user_id": ctx.principal.user_id,
        "purpose": upload.purpose,
        "file_name": upload.file_name,
        "size": upload.size,
        "size_text": size_text(upload.size),
        "result": result,
        "message": message[:500] if message else None,
        "client": ctx.client[:100] or None,
    }


def size_text(size: int) -> str:
    """A size for people."""
    if size >= MEGABYTE:
        return f"{size / MEGABYTE:.1f} MB"
    return f"{size / 1024:.1f} KB" if size >= 1024 else f"{size} B"
