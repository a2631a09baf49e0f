"""Open items (待核销单据): what a partner owes or is owed, oldest due first, for receipts and payments."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel
from sqlalchemy import text

from api.kit import links
from api.kit.context import Context
from api.kit.errors import NotFound
from api.kit.posting import PartyType


class OpenItem(BaseModel):
    settlement_id: int
    kind: str
    bill_type: str
    bill_no: str
    business_date: date
    due_date: date
    amount: str
    open_amount: str


_OPEN = text("""
select settlement_id, kind, bill_type, bill_no, business_date, due_date, amount, open_amount
from settlement_item
where company_id = :company and party_type = :party and party_id = :partner and open_amount <> 0
order by due_date, settlement_id limit :most
""")


def open_items(ctx: Context, party: PartyType, company_id: int, partner_id: int) -> dict[str, Any]:
    """The items of one company and partner that are not wholly written off; signed, returns and advances negative."""
    companies = ctx.principal.companies
    if companies is not None and company_id not in companies:
        raise NotFound("公司")
    whose = {"company": company_id, "party": party, "partner": partner_id}
    rows = ctx.conn.execute(_OPEN, {**whose, "most": links.MOST_OPEN + 1})
    return links.oldest([dict(row._mapping) for row in rows])
