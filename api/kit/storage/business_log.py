"""Business log (业务日志): every action on a record, with its user and the values before and after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Connection, DateTime, Identity, Index, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.scope import Principal
from api.kit.storage.database import Base, dump_json
from api.kit.storage.projection import strip_amounts

CONFIRMED = "confirmed"
"""The action of a user who confirmed a question."""


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


def log_action(
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
    row = (resource, record_id, bill_no, company_id, action, *_actor_columns(principal))
    conn.exec_driver_sql(_INSERT, (*row, _dump_value(before), _dump_value(after), reason))


def log_confirmation(
    conn: Connection,
    principal: Principal,
    resource: str,
    record_id: int,
    message: str,
    *,
    bill_no: str,
    company_id: int,
) -> None:
    """Append that the user confirmed a question about a bill.

    Amounts are left out: readers of the log may not be allowed to see them, and the bill itself has them.
    """
    reason = strip_amounts(message)[:500]
    log_action(
        conn,
        principal,
        resource,
        record_id,
        CONFIRMED,
        bill_no=bill_no,
        company_id=company_id,
        reason=reason,
    )


def log_actions(
    conn: Connection,
    principal: Principal,
    resource: str,
    action: str,
    records: Sequence[tuple[int, str, int, Any]],
) -> None:
    """Append one action on many records: (id, bill number, company, values after) each."""
    keys, numbers, companies, afters = zip(*records, strict=True)
    columns = (list(keys), list(numbers), list(companies), [_dump_value(after) for after in afters])
    conn.exec_driver_sql(_INSERT_ALL, (resource, action, *_actor_columns(principal), *columns))


def _actor_columns(principal: Principal) -> tuple[int, str, int | None, str | None]:
    """Return the columns of the user who acted, and of who impersonated him."""
    return (
        principal.user_id,
        principal.realname,
        principal.imitator_id or None,
        principal.imitator_name or None,
    )


def _dump_value(value: Any) -> str | None:
    return None if value is None else dump_json(value).decode()
