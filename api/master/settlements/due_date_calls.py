"""Due dates (到期日): the day on which a bill would fall due, for its form before it is saved."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import select

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.field_sources import APART, from_fields
from api.kit.errors import Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key
from api.kit.scope import scope_condition
from api.kit.storage.validation import FIRST_DAY, LAST_DAY
from api.master.settlements.settlements import DueDateMixin

api = build_router()


class FallingDue(BaseModel):
    """The due date by the partner's terms; none where he isn't known or his terms are masked."""

    due_date: Annotated[str | None, APART]


@call(api, "GET", "v2/open/DueDate/getDueDate", right=ANY_USER, returns=FallingDue)
def get_due_date(
    ctx: Context,
    screen: Annotated[str, Query(max_length=60, description="单据类型")],
    business_date: Annotated[date, Query(ge=FIRST_DAY, le=LAST_DAY)],
    partner_id: Key = 0,
) -> Any:
    """到期日: of a bill of this type with this partner and date, by his payment terms."""
    cls = registry.find_resource(screen)
    if cls is None or not issubclass(cls, DueDateMixin) or not issubclass(cls, Bill):
        raise Refusal("该单据没有到期日")
    ctx.require_right(cls.right("list"))
    shown = from_fields(f"{cls.name()}.due_date").is_visible_to(ctx.principal)
    days = _read_payment_days(ctx, cls, partner_id) if shown else None
    return {"due_date": None if days is None else business_date + timedelta(days=days)}


def _read_payment_days(ctx: Context, cls: type[DueDateMixin], partner_id: int) -> int | None:
    """Return the payment days of a bill type's partner; None where the user may not see him or his terms."""
    if cls.terms_of is None:
        return 0
    partner = registry.get_resource(cls.terms_of)
    if not from_fields(f"{partner.name()}.payment_days").is_visible_to(ctx.principal):
        return None
    table = partner.table()
    mine = (partner.key() == partner_id, scope_condition(table, ctx.principal))
    return ctx.conn.execute(select(table.c.payment_days).where(*mine)).scalar()
