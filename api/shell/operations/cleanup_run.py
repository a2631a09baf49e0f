"""Cleanup runs (数据清理): log of what was deleted, when and by whom."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import datetime_field, integer_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu, Resource


class CleanupRun(Resource):
    """数据清理: one kind of data in one run."""

    __tablename__ = "cleanup_run"
    declaration = Declaration(
        "数据清理",
        "v2/system/DbClear",
        "label",
        routes={"list": "/system/dbclear"},
        menu=Menu("系统管理", "数据维护", 20),
        actions=("list", "export", "clear"),
    )
    extract = False

    cleanup_run_id: Mapped[int] = key_field()
    at: Mapped[datetime] = datetime_field(
        "清理时间", search=True, column={"server_default": func.now(), "nullable": False}
    )
    label: Mapped[str] = text_field("清理内容", required=True, search=True, width=220)
    scope: Mapped[str | None] = text_field("范围", max_length=200, width=220)
    rows_removed: Mapped[int] = integer_field("清理数量", width=100)
    asked_by: Mapped[int] = reference_field(
        "user_account", "操作人", target="user_id", required=True, label_field="asked_by_name", width=90
    )
