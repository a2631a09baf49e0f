"""Due dates (到期日): on which day a bill would fall due, so that its form can say so before it is saved."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import select

from api.kit import registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.errors import Refusal
from api.kit.schemas import Key
from api.kit.scope import within
from api.kit.told import APART, of
from api.kit.validation import FIRST_DAY, LAST_DAY
from api.master.settlements import FallsDue

api = router()


class FallingDue(BaseModel):
    """The day that follows from the partner's terms; none where he isn't known or his terms are not to be seen."""

    due_date: Annotated[str | None, APART]


@call(api, "GET", "v2/open/DueDate/getDueDate", right=ANY_USER, returns=FallingDue)
def get_due_date(
    ctx: Context,
    screen: Annotated[str, Query(max_length=60, description="单据类型")],
    business_date: Annotated[date, Query(ge=FIRST_DAY, le=LAST_DAY)],
    partner_id: Key = 0,
) -> Any:
    """到期日: of a bill of this type with this partner and date, by his payment terms."""
    cls = registry.find(screen)
    if cls is None or not issubclass(cls, FallsDue) or not issubclass(cls, Bill):
        raise Refusal("该单据没有到期日")
    ctx.require(cls.right("list"))
    shown = of(f"{cls.name()}.due_date").seen_by(ctx.principal)
    days = _days(ctx, cls, partner_id) if shown else None
    return {"due_date": None if days is None else business_date + timedelta(days=days)}


def _days(ctx: Context, cls: type[FallsDue], partner_id: int) -> int | None:
    """The payment days that count for a bill type, of a partner whom the user may see and whose terms he may."""
    if cls.terms_of is None:
        return 0
    partner = registry.get(cls.terms_of)
    if not of(f"{partner.name()}.payment_days").seen_by(ctx.principal):
        return None
    table = partner.table()
    mine = (partner.key() == partner_id, within(table, ctx.principal))
    return ctx.conn.execute(select(table.c.payment_days).where(*mine)).scalar()
