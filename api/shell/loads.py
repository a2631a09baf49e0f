"""Loads (载入记录): what bulk loading has posted already, committed with the bills, so that nothing is posted twice."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import BigInteger, DateTime, LargeBinary, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.database import Base


class DemoLoad(Base):
    """One demo company's load: its size, the day it ends at, the portions that are posted, and whether that is all."""

    __tablename__ = "demo_load"

    company_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    size: Mapped[str] = mapped_column(Text)
    today: Mapped[dt.date]
    portions: Mapped[int] = mapped_column(server_default="0")
    finished: Mapped[bool] = mapped_column(server_default="false")


class ImportedBill(Base):
    """A bill of an imported file: hashes of the heading that says which bill it is, and of the lines under it."""

    __tablename__ = "imported_bill"

    heading: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
    bill_type: Mapped[str] = mapped_column(Text)
    bill_id: Mapped[int] = mapped_column(BigInteger)
    bill_no: Mapped[str] = mapped_column(Text)
    imported_at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
