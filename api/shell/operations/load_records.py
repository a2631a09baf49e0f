"""Load records (载入记录): what bulk loads have posted, so that nothing is posted twice.

They are committed with the bills.
"""

from __future__ import annotations

import datetime as dt

from sqlalchemy import BigInteger, DateTime, LargeBinary, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base


class DemoLoad(Base):
    """A demo company's load: its size, last day, number of posted portions, and whether it is finished."""

    __tablename__ = "demo_load"

    company_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    size: Mapped[str] = mapped_column(Text)
    today: Mapped[dt.date]
    portions: Mapped[int] = mapped_column(server_default="0")
    finished: Mapped[bool] = mapped_column(server_default="false")


class ImportedBill(Base):
    """A bill of an imported file: hashes of the heading that identifies it and of its lines."""

    __tablename__ = "imported_bill"

    heading: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
    bill_type: Mapped[str] = mapped_column(Text)
    bill_id: Mapped[int] = mapped_column(BigInteger)
    bill_no: Mapped[str] = mapped_column(Text)
    imported_at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
