"""Cashier (收银台): a payment's amount and state, shown without a login to whoever holds its unguessable token.

A link is made of an audited sales outbound bill, for what the customer still owes of it; its state follows the bill.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from secrets import token_urlsafe
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import (
    BigInteger,
    DateTime,
    ForeignKey,
    Identity,
    LargeBinary,
    Numeric,
    Row,
    Text,
    func,
    insert,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from api.kit import business_log, records
from api.kit.calls import ANYONE, call, router
from api.kit.context import Context
from api.kit.database import Base
from api.kit.errors import Invalid, Refusal
from api.kit.flow import POSTED, POSTED_SQL
from api.kit.resource import ACTION_LABELS
from api.kit.schemas import BatchAnswer, Keys
from api.sales.sales_outbound import SalesOutbound

api = router()
TO_PAY, PAID, CLOSED = 0, 1, 2
STATES = {TO_PAY: "待支付", PAID: "已支付", CLOSED: "已关闭"}
VALID = timedelta(days=7)
PAGE = "/placeholder/paycenter"


class PaymentLink(Base):
    """A payment that may be looked at; only the token's hash is kept."""

    __tablename__ = "payment_link"

    payment_link_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    company_id: Mapped[int] = mapped_column(ForeignKey("company.company_id"))
    bill_id: Mapped[int | None] = mapped_column(
        ForeignKey("sales_outbound.bill_id", ondelete="cascade"), index=True
    )
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


_OWED = """
select coalesce(sum(s.open_amount), 0.00) from settlement_item s
where s.bill_type = 'XSCK' and s.bill_id = {bill} and s.party_type = 'customer'
"""
_FOUND = text(f"""
select p.subject, p.amount, p.expires_at,
    case when p.bill_id is null then p.state when b.status not in {POSTED_SQL} then {CLOSED}
        when ({_OWED.format(bill="p.bill_id")}) <= 0 then {PAID} else {TO_PAY} end as state
from payment_link p
left join sales_outbound b on b.bill_id = p.bill_id
where p.token_hash = :hash and p.expires_at > now()
""")


@call(api, "GET", "v2/open/PayCenter/getPayInfo", right=ANYONE, returns=Payment)
def get_pay_info(ctx: Context, pay_token: Annotated[str, Query(min_length=1, max_length=200)]) -> Any:
    """支付单: unknown and expired ones answer alike."""
    row = ctx.conn.execute(_FOUND, {"hash": token_hash(pay_token)}).first()
    if row is None:
        raise Refusal("支付单不存在或已失效")
    return {**row._asdict(), "state_name": STATES[row.state]}


@call(
    api,
    "POST",
    f"{SalesOutbound.declaration.api}/payLink",
    right=SalesOutbound.right("payLink"),
    returns=BatchAnswer,
    write=True,
    batch=True,  # so that no link is kept with the answer
)
def make_pay_links(ctx: Context, payload: Keys) -> Any:
    """付款链接: of each bill one for what is still owed of it; the bill's amount must be visible to who makes one."""
    shown = SalesOutbound.field("total_amount")
    if not ctx.principal.sees(SalesOutbound.name(), shown.name, shown.permission):
        raise Refusal("您看不到单据金额，不能生成付款链接")
    made: list[str] = []

    def make(row: Row[Any]) -> None:
        made.append(f"{row.bill_no}：{ctx.origin}{PAGE}?pay_token={_link(ctx, row)}")

    done = records.each(ctx, SalesOutbound, payload.ids, ACTION_LABELS["payLink"], make)
    return {**done, "notes": made}


def _link(ctx: Context, row: Row[Any]) -> str:
    """A link of a bill: the token that opens it, told only here."""
    if row.status not in POSTED:
        raise Invalid("单据还未审核，没有应收款")
    owed: Decimal = ctx.conn.execute(text(_OWED.format(bill=":bill")), {"bill": row.bill_id}).scalar_one()
    if owed <= 0:
        raise Invalid("单据的货款已结清")
    token = token_urlsafe(24)
    values = {
        "token_hash": token_hash(token),
        "company_id": row.company_id,
        "bill_id": row.bill_id,
        "subject": f"销售单 {row.bill_no} 货款",
        "amount": owed,
        "expires_at": func.now() + VALID,
    }
    ctx.conn.execute(insert(PaymentLink).values(values))
    business_log.write(
        ctx.conn, ctx.principal, SalesOutbound.name(), row.bill_id, "payLink", company_id=row.company_id
    )
    return token


def token_hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
