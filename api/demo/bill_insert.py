"""Direct inserts (演示台账): bills and records that have tables and no screen yet.

They don't touch any ledger. Bills are numbered as all are; their masters exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import insert

from api.kit.bills import numbering
from api.kit.context import Context
from api.kit.declaration.document import Bill, BillLine
from api.kit.declaration.flow import AUDITED
from api.kit.declaration.resource import Declared

Draft = tuple[dict[str, Any], list[dict[str, Any]]]
"""A header and its lines."""


def insert_bills(
    ctx: Context, cls: type[Bill], lines: type[BillLine], prefix: str, drafts: Sequence[Draft]
) -> list[int]:
    """Insert audited bills with their lines; return the lines' keys in order."""
    if not drafts:
        return []
    wanted = [(prefix, header["company_id"], header["business_date"]) for header, _ in drafts]
    numbers = numbering.draw_numbers(ctx.conn, wanted)
    user = ctx.principal.user_id
    audit_columns = {"status": AUDITED, "maker_id": user, "auditor_id": user}
    headers = [
        {**header, **audit_columns, "bill_no": number}
        for (header, _), number in zip(drafts, numbers, strict=True)
    ]
    keys = insert_rows(ctx, cls, headers)
    rows = [
        {**row, "bill_id": key, "line_no": number}
        for key, (_, children) in zip(keys, drafts, strict=True)
        for number, row in enumerate(children, 1)
    ]
    return insert_rows(ctx, lines, rows)


def insert_rows(ctx: Context, cls: type[Declared], rows: list[dict[str, Any]]) -> list[int]:
    if not rows:
        return []
    statement = insert(cls.table()).returning(cls.key(), sort_by_parameter_order=True)
    return list(ctx.conn.execute(statement, rows).scalars())


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, the 28th at the latest."""
    number = day.year * 12 + day.month - 1 + months
    return date(number // 12, number % 12 + 1, min(day.day, 28))
