"""Days ahead (晚于今天的日期): a bill that says that something happened on a day which is still to come.

It is nearly always a slip: whoever saves or audits such a bill is asked once, and his going on is logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from api.kit import business_log
from api.kit.business_log import BusinessLog
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Bill
from api.kit.errors import StockWarningAsk


def describe_ahead(cls: type[Bill], header: Mapping[str, Any]) -> str:
    """Which of a bill's days have happened though they lie after today, in words; nothing where none does."""
    now = today()
    days = [
        f"{item.label} {day}"
        for item in cls.fields()
        if item.happened and isinstance(day := header.get(item.name), date) and day > now
    ]
    return f"{'、'.join(days)} 晚于今天（{now}）" if days else ""


def ask_about_days(ctx: Context, cls: type[Bill], header: Mapping[str, Any], key: int | None = None) -> str:
    """Ask about days ahead, unless the user has said so of this bill before; what he goes on with is to be logged."""
    found = describe_ahead(cls, header)
    if not found or (key is not None and _has_confirmed(ctx, cls, key, found)):
        return ""
    ctx.ask(StockWarningAsk(f"{found}，是否继续？"))
    return found


def log_days(ctx: Context, cls: type[Bill], key: int, bill_no: str, company_id: int, found: str) -> None:
    """Note that the user goes on with days ahead."""
    if found:
        business_log.write_confirmed(
            ctx.conn,
            ctx.principal,
            cls.name(),
            key,
            found,
            bill_no=bill_no,
            company_id=company_id,
        )


def _has_confirmed(ctx: Context, cls: type[Bill], key: int, found: str) -> bool:
    """Whether the user has gone on with the very days before, be it on another day."""
    days = found.rpartition("（")[0]
    query = BusinessLog.__table__.select().where(
        BusinessLog.resource == cls.name(),
        BusinessLog.record_id == key,
        BusinessLog.user_id == ctx.principal.user_id,
        BusinessLog.action == business_log.CONFIRMED,
        BusinessLog.reason.startswith(days, autoescape=True),
    )
    return ctx.conn.execute(query.limit(1)).first() is not None
