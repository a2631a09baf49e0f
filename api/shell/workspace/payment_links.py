"""Payment links (收银台): a payment's amount and state, shown without a login to the bearer of a token.

A link is made of an audited sales outbound bill, for its open amount; its state follows the bill.
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

from api.kit.context import Context
from api.kit.declaration.flow import POSTED, POSTED_SQL
from api.kit.declaration.resource import ACTION_LABELS
from api.kit.errors import InvalidInput, Refusal
from api.kit.http.routing import PUBLIC, build_router, call
from api.kit.http.schemas import BatchAnswer, Keys
from api.kit.storage import business_log, records
from api.kit.storage.database import Base
from api.sales.sales_outbound import SalesOutbound

api = build_router()
TO_PAY, PAID, CLOSED = 0, 1, 2
STATES = {TO_PAY: "待支付", PAID: "已支付", CLOSED: "已关闭"}
VALID = timedelta(days=7)
PAGE = "/placeholder/paycenter"


class PaymentLink(Base):
    """A payment that may be viewed with a token, of which only the hash is stored."""

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


_OPEN_AMOUNT = """
select coalesce(sum(s.open_amount), 0.00) from settlement_item s
where s.bill_type = 'XSCK' and s.bill_id = {bill} and s.party_type = 'customer'
"""
_FOUND = text(f"""
select p.subject, p.amount, p.expires_at,
    case when p.bill_id is null then p.state when b.status not in {POSTED_SQL} then {CLOSED}
        when ({_OPEN_AMOUNT.format(bill="p.bill_id")}) <= 0 then {PAID} else {TO_PAY} end as state
from payment_link p
left join sales_outbound b on b.bill_id = p.bill_id
where p.token_hash = :hash and p.expires_at > now()
""")


@call(api, "GET", "v2/open/PayCenter/getPayInfo", right=PUBLIC, returns=Payment)
def get_pay_info(ctx: Context, pay_token: Annotated[str, Query(min_length=1, max_length=200)]) -> Any:
    """支付单: unknown and expired ones answer alike."""
    row = ctx.conn.execute(_FOUND, {"hash": hash_token(pay_token)}).first()
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
    if not ctx.principal.can_see(SalesOutbound.name(), shown.name, shown.permission):
        raise Refusal("您看不到单据金额，不能生成付款链接")
    made: list[str] = []

    def make(row: Row[Any]) -> None:
        made.append(f"{row.bill_no}：{ctx.origin}{PAGE}?pay_token={_create_link(ctx, row)}")

    done = records.apply_to_each(ctx, SalesOutbound, payload.ids, ACTION_LABELS["payLink"], make)
    return {**done, "notes": made}


def _create_link(ctx: Context, row: Row[Any]) -> str:
    """Create a payment link of a bill and return its token, which is stored nowhere."""
    if row.status not in POSTED:
        raise InvalidInput("单据还未审核，没有应收款")
    open_amount: Decimal = ctx.conn.execute(
        text(_OPEN_AMOUNT.format(bill=":bill")), {"bill": row.bill_id}
    ).scalar_one()
    if open_amount <= 0:
        raise InvalidInput("单据的货款已结清")
    token = token_urlsafe(24)
    values = {
        "token_hash": hash_token(token),
        "company_id": row.company_id,
        "bill_id": row.bill_id,
        "subject": f"销售单 {row.bill_no} 货款",
        "amount": open_amount,
        "expires_at": func.now() + VALID,
    }
    ctx.conn.execute(insert(PaymentLink).values(values))
    business_log.log_action(
        ctx.conn, ctx.principal, SalesOutbound.name(), row.bill_id, "payLink", company_id=row.company_id
    )
    return token


def hash_token(token: str) -> bytes:
    return sha256(token.encode()).digest()
