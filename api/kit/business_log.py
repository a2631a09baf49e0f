"""Business log (业务日志): who did what to which record, with the values before and after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Connection, DateTime, Identity, Index, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.database import Base, dumps
from api.kit.projection import leave_out_amounts
from api.kit.scope import Principal

CONFIRMED = "confirmed"
"""The action of a user who goes on with what he was asked about."""


class BusinessLog(Base):
    """One action on one record."""

    __tablename__ = "business_log"
    __table_args__ = (
        Index("ix_business_log_record", "resource", "record_id"),
        Index("ix_business_log_at", "at"),
        Index("ix_business_log_user", "user_id", "log_id"),
        Index("ix_business_log_company", "company_id", "log_id"),
        Index("ix_business_log_resource", "resource", "log_id"),
        Index("ix_business_log_bill_no", "bill_no"),
    )

    log_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    resource: Mapped[str] = mapped_column(Text)
    record_id: Mapped[int] = mapped_column(BigInteger)
    bill_no: Mapped[str | None] = mapped_column(Text)
    company_id: Mapped[int | None] = mapped_column(BigInteger)
    action: Mapped[str] = mapped_column(Text)
    user_id: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(Text)
    imitator_id: Mapped[int | None] = mapped_column(BigInteger)
    imitator_name: Mapped[str | None] = mapped_column(Text)
    before: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    reason: Mapped[str | None] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


_INSERT = """
insert into business_log (
    resource, record_id, bill_no, company_id, action, user_id, user_name, imitator_id, imitator_name,
    before, after, reason
) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_INSERT_ALL = """
insert into business_log (
    resource, action, user_id, user_name, imitator_id, imitator_name, record_id, bill_no, company_id, after
)
select %s, %s, %s, %s, %s, %s, r.record_id, r.bill_no, r.company_id, r.after::jsonb
from unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[]) as r (record_id, bill_no, company_id, after)
"""


def write(
    conn: Connection,
    principal: Principal,
    resource: str,
    record_id: int,
    action: str,
    *,
    bill_no: str | None = None,
    company_id: int | None = None,
    before: Any = None,
    after: Any = None,
    reason: str | None = None,
) -> None:
    """Append one action."""
    row = (resource, record_id, bill_no, company_id, action, *_who(principal))
    conn.exec_driver_sql(_INSERT, (*row, _json(before), _json(after), reason))


def write_confirmed(
    conn: Connection,
    principal: Principal,
    resource: str,
    record_id: int,
    told: str,
    *,
    bill_no: str,
    company_id: int,
) -> None:
    """Append that the user goes on with what a question told him of a bill.

    Amounts are left out: whoever reads the log may not be one to see them, and the bill itself has them.
    """
    reason = leave_out_amounts(told)[:500]
    write(
        conn,
        principal,
        resource,
        record_id,
        CONFIRMED,
        bill_no=bill_no,
        company_id=company_id,
        reason=reason,
    )


def write_all(
    conn: Connection,
    principal: Principal,
    resource: str,
    action: str,
    records: Sequence[tuple[int, str, int, Any]],
) -> None:
    """Append one action on many records: (id, bill number, company, values after) each."""
    keys, numbers, companies, afters = zip(*records, strict=True)
    columns = (list(keys), list(numbers), list(companies), [_json(after) for after in afters])
    conn.exec_driver_sql(_INSERT_ALL, (resource, action, *_who(principal), *columns))


def _who(principal: Principal) -> tuple[int, str, int | None, str | None]:
    """Who acted, and who acted as him."""
    return (
        principal.user_id,
        principal.realname,
        principal.imitator_id or None,
        principal.imitator_name or None,
    )


def _json(value: Any) -> str | None:
    return None if value is None else dumps(value).decode()
