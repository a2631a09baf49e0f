"""Integrity results (完整性检查结果): table of the last findings of each check."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, DateTime, Numeric, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base

WAITING, SOUND, BROKEN, FAILED, NOT_COMPARED = 1, 2, 3, 4, 5
STATES = {
    0: "未运行",
    WAITING: "运行中",
    SOUND: "相符",
    BROKEN: "不符",
    FAILED: "出错",
    NOT_COMPARED: "尚无可比",
}


class IntegrityResult(Base):
    """One check's last run; `sample` holds the first rows that break it, after its note if it has one."""

    __tablename__ = "integrity_result"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    state: Mapped[int]
    found: Mapped[int | None] = mapped_column(BigInteger)
    sample: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB)
    seconds: Mapped[Decimal | None] = mapped_column(Numeric(10, 3))
    ran_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    user_id: Mapped[int | None] = mapped_column(BigInteger)
