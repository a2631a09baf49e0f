"""Backups (备份): table of dumps of the whole database and its files, made daily or on request."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy import BigInteger, func
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import (
    datetime_field,
    derived_field,
    enum_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.settings import read_settings

WAITING, DONE, RUNNING, FAILED, EXPIRED = 0, 1, 2, 3, 4
STATES = {WAITING: "等待处理", DONE: "已完成", RUNNING: "处理中", FAILED: "失败", EXPIRED: "已清理"}
UNVERIFIED, SOUND, BROKEN = 0, 1, 2
VERDICTS = {UNVERIFIED: "未校验", SOUND: "完好", BROKEN: "损坏"}


class Backup(Resource):
    """数据备份"""

    __tablename__ = "backup"
    declaration = Declaration(
        "数据备份",
        "v2/system/Backup",
        "file_name",
        routes={"list": "/system/dbupdate"},
        menu=Menu("系统管理", "数据维护", 10),
        actions=("list", "export", "backup", "verify", "download"),
    )
    extract = False

    backup_id: Mapped[int] = key_field()
    file_name: Mapped[str] = text_field("文件名", required=True, search=True, width=260)
    state: Mapped[int] = enum_field("状态", STATES, default=WAITING, search=True, width=90)
    size_text: Mapped[str | None] = text_field("大小", max_length=20, width=90)
    table_count: Mapped[int | None] = integer_field("表数", default=None, width=70)
    revision: Mapped[str | None] = text_field("结构版本", max_length=100, width=160)
    sha256: Mapped[str | None] = text_field("校验码(SHA-256)", max_length=64, width=220)
    verdict: Mapped[int] = enum_field("校验结果", VERDICTS, default=UNVERIFIED, search=True, width=90)
    verified_at: Mapped[datetime | None] = datetime_field("校验时间")
    message: Mapped[str | None] = text_field("说明", max_length=500, width=260)
    asked_by: Mapped[int | None] = reference_field(
        "user_account", "操作人", target="user_id", label_field="asked_by_name", width=90
    )
    asked_at: Mapped[datetime] = datetime_field(
        "开始时间", search=True, column={"server_default": func.now(), "nullable": False}
    )
    finished_at: Mapped[datetime | None] = datetime_field("完成时间")
    size: Mapped[int | None] = mapped_column(BigInteger)

    derived = (
        derived_field(
            "origin",
            "来源",
            "text",
            "(case when {table}.asked_by is null then '每日自动' else '手工' end)",
            width=90,
        ),
    )


def backup_path(file_name: str) -> Path:
    """Return the path of a backup file."""
    return read_settings().backups_dir / file_name
