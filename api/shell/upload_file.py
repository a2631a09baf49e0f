"""Uploaded files (上传文件): kept under random names in the data directory, known to the company that sent them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.database import Base
from api.kit.settings import settings


class UploadFile(Base):
    """One file; `name` is random and all that its address says; records hold it by that name."""

    __tablename__ = "upload_file"

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


def place_of(name: str) -> Path:
    """Where a file lies, by its random name."""
    return settings().uploads_dir / "files" / name[:2] / name
