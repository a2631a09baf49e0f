"""Uploaded files (上传文件): table of files, stored in the data directory under random names."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy import BigInteger, Connection, DateTime, ForeignKey, Identity, Index, Text, func, select
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.kit.storage.database import Base
from api.kit.storage.upload_rules import MEGABYTE

MOST_FILES, MOST_BYTES = 500, 1024 * MEGABYTE
"""Most files and bytes a user may upload in 24 hours; unreferenced files are deleted later."""


class UploadFile(Base):
    """An uploaded file; records refer to it by its random `name`, which is its address as well."""

    __tablename__ = "upload_file"
    __table_args__ = (Index("ix_upload_file_user", "user_id", "made_at"),)

    upload_file_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(Text, unique=True)
    file_name: Mapped[str] = mapped_column(Text)
    scene: Mapped[str] = mapped_column(Text)
    extension: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(Text)
    company_id: Mapped[int] = mapped_column(ForeignKey("company.company_id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id"))
    made_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


def upload_path(name: str) -> Path:
    """Return the path of a file by its random name."""
    return read_settings().uploads_dir / "files" / name[:2] / name


def require_upload_quota(conn: Connection, user_id: int, size: int) -> None:
    """Raise Refusal where one more file of `size` bytes would exceed the user's daily quota."""
    table = UploadFile.__table__
    day = table.c.made_at > func.now() - func.make_interval(0, 0, 0, 1)
    query = select(func.count(), func.coalesce(func.sum(table.c.size), 0).cast(BigInteger)).where(
        table.c.user_id == user_id, day
    )
    count, total = conn.execute(query).one()._tuple()
    if count >= MOST_FILES or int(total) + size > MOST_BYTES:
        limit = f"{MOST_FILES} 个、{MOST_BYTES // MEGABYTE} MB"
        raise Refusal(f"您24小时内上传的文件已达上限（{limit}），请稍后再传或删除不用的")
