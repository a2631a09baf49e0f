"""Future dates (晚于今天的日期): a bill's date of something that has happened, which lies after today.

It is nearly always a slip: whoever saves or audits such a bill is asked once, and his confirmation is
logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.errors import ConfirmationRequired
from api.kit.storage import business_log
from api.kit.storage.business_log import BusinessLog
from api.kit.storage.database import today


def describe_future_dates(cls: type[Bill], header: Mapping[str, Any]) -> str:
    """Describe the dates of a bill that have happened by their field but lie after today.

    Empty if none does.
    """
    now = today()
    days = [
        f"{item.label} {day}"
        for item in cls.fields()
        if item.happened and isinstance(day := header.get(item.name), date) and day > now
    ]
    return f"{'、'.join(days)} 晚于今天（{now}）" if days else ""


def confirm_future_dates(
    ctx: Context, cls: type[Bill], header: Mapping[str, Any], key: int | None = None
) -> str:
    """Ask for confirmation of future dates, unless the user has confirmed them; return the text to log."""
    found = describe_future_dates(cls, header)
    if not found or (key is not None and _has_confirmed(ctx, cls, key, found)):
        return ""
    ctx.ask_confirmation(ConfirmationRequired(f"{found}，是否继续？"))
    return found


def log_future_dates(
    ctx: Context, cls: type[Bill], key: int, bill_no: str, company_id: int, found: str
) -> None:
    """Log that the user confirmed future dates."""
    if found:
        business_log.log_confirmation(
            ctx.conn,
            ctx.principal,
            cls.name(),
            key,
            found,
            bill_no=bill_no,
            company_id=company_id,
        )


def _has_confirmed(ctx: Context, cls: type[Bill], key: int, found: str) -> bool:
    """Return whether the user has confirmed the same dates of this bill before, be it on another day."""
    days = found.rpartition("（")[0]
    query = BusinessLog.__table__.select().where(
        BusinessLog.resource == cls.name(),
        BusinessLog.record_id == key,
        BusinessLog.user_id == ctx.principal.user_id,
        BusinessLog.action == business_log.CONFIRMED,
        BusinessLog.reason.startswith(days, autoescape=True),
    )
    return ctx.conn.execute(query.limit(1)).first() is not None
