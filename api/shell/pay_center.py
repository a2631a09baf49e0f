"""Cashier (收银台): a payment's amount and state, shown without a login to whoever holds its unguessable token."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, LargeBinary, Numeric, Text, func, select
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.calls import ANYONE, call, router
from api.kit.context import Context
from api.kit.database import Base
from api.kit.errors import Refusal

api = router()
STATES = {0: "待支付", 1: "已支付", 2: "已关闭"}


class PaymentLink(Base):
    """A payment that may be looked at; only the token's hash is kept."""

    __tablename__ = "payment_link"

    payment_link_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    company_id: Mapped[int] = mapped_column(ForeignKey("company.company_id"))
    subject: Mapped[str] = mapped_column(Text)
    amount: Mapped[Decimal] = mapped_column(Numeric(16, 2))
    state: Mapped[int] = mapped_column(server_default="0")
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class Payment(BaseModel):
    subject: str
    amount: str
    state: int
    state_name: str
    expires_at: str


@call(api, "GET", "v2/open/PayCenter/getPayInfo", right=ANYONE, returns=Payment)
def get_pay_info(ctx: Context, pay_token: Annotated[str, Query(min_length=1, max_length=200)]) -> Any:
    """支付单: unknown and expired ones answer alike."""
    table = PaymentLink.__table__
    mine = table.c.token_hash == token_hash(pay_token)
    shown = select(table.c.subject, table.c.amount, table.c.state, table.c.expires_at)
    row = ctx.conn.execute(shown.where(mine, table.c.expires_at > func.now())).first()
    if row is None:
        raise Refusal("支付单不存在或已失效")
    return {**row._asdict(), "state_name": STATES[row.state]}


def token_hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
