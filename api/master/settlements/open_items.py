"""Open items (待核销单据): a partner's unsettled receivables and payables, oldest due first."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel
from sqlalchemy import text

from api.kit.bills import source_links
from api.kit.context import Context
from api.kit.declaration.field_sources import APART, PLAIN, from_fields
from api.kit.errors import NotFound
from api.kit.storage.bill_visibility import bill_visible_sql
from api.kit.storage.projection import MASK


class OpenItem(BaseModel):
    settlement_id: int
    side: Annotated[str, PLAIN]
    kind: Annotated[str, PLAIN]
    bill_type: Annotated[str, PLAIN]
    bill_no: Annotated[str, APART]
    business_date: Annotated[date, APART]
    due_date: Annotated[date, APART]
    amount: Annotated[str, APART]
    open_amount: Annotated[str, APART]


_LIST_SCREENS = {
    "应收": ("credit_item", {"open_amount": "used_amount"}),
    "应付": ("supplier_item", {}),
}
"""The list that shows the items of a side as well, and its names of what is called otherwise here."""


_OPEN = """
select settlement_id, kind, bill_type, bill_no, business_date, due_date, amount, open_amount,
    case party_type when 'customer' then '应收' else '应付' end as side
from settlement_item i
where company_id = :company and open_amount <> 0
    and (party_type = 'customer' and party_id = :customer or party_type = 'supplier' and party_id = :supplier)
    and {opened}
order by due_date, settlement_id limit :most
"""


def list_open_items(
    ctx: Context, company_id: int, *, customer_id: int | None = None, supplier_id: int | None = None
) -> dict[str, Any]:
    """Return the items of one company and its partner that are not wholly written off, of bills that one may
    open.

    Signed: returns and advances are negative.
    """
    if not ctx.principal.covers_company(company_id):
        raise NotFound("公司")
    whose = {"company": company_id, "customer": customer_id, "supplier": supplier_id}
    query = text(_OPEN.format(opened=bill_visible_sql(ctx.principal, "i")))
    rows = ctx.conn.execute(query, {**whose, "most": source_links.MOST_OPEN + 1})
    hidden = {side: _list_hidden_columns(ctx, side) for side in _LIST_SCREENS}
    return source_links.limit_rows(
        [dict(row._mapping) | dict.fromkeys(hidden[row.side], MASK) for row in rows]
    )


def _list_hidden_columns(ctx: Context, side: str) -> list[str]:
    screen, named = _LIST_SCREENS[side]
    columns = ("bill_no", "business_date", "due_date", "amount", "open_amount")
    return [
        name
        for name in columns
        if not from_fields(f"{screen}.{named.get(name, name)}").is_visible_to(ctx.principal)
    ]
