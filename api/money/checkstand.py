"""Checkstand (收银台): a customer pays at the counter, in one way or several; each way becomes an audited receipt.

What he pays for is settled item by item, returns first, and spread over the ways in their order; what is beyond it is
an advance.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, Field
from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.customers.customer_receipt import CustomerReceipt
from api.kit import drafts, transitions
from api.kit.context import Context
from api.kit.database import today
from api.kit.errors import Refusal
from api.kit.fields import day, key, money, ref, text
from api.kit.flow import POSTED_SQL
from api.kit.resource import Declaration, Menu
from api.kit.told import of
from api.kit.view import BILL, BillRow

_ROWS = f"""
select l.bill_id as checkstand_id, l.business_date, l.bill_no, l.company_id, l.customer_id, l.receivables_mode_id,
    l.amount, l.maker_id, l.department_id, l.remark, {{route}}
from (select r.*, 'KHSK' as bill_type from customer_receipt r where r.status in {POSTED_SQL}) l
"""

Key = Annotated[int, Field(ge=1, le=2**62)]
Amount = Annotated[Decimal, Field(max_digits=16, decimal_places=2)]


class Checkstand(BillRow):
    """收银台: what was received, today's as a rule."""

    __tablename__ = "checkstand"
    found_by = "customer_id"
    declaration = Declaration(
        "收银台",
        "v2/money/Checkstand",
        "bill_no",
        routes={"list": "/MoneyManagement/Checkstand"},
        menu=Menu("资金管理", "资金业务", 5),
        actions=("list", "collect", "export"),
        order_by=("checkstand_id", "desc"),
        drill=BILL,
    )

    checkstand_id: Mapped[int] = key()
    bill_no: Mapped[str] = text("收款单号", search=True, width=190)
    business_date: Mapped[date] = day("收款日期", search=True, width=110)
    company_id: Mapped[int] = ref("company", "公司", search=True)
    customer_id: Mapped[int] = ref("customer", "客户", within=("company_id",), search=True, width=200)
    receivables_mode_id: Mapped[int] = ref("receivables_mode", "结算方式", search=True)
    amount: Mapped[Decimal] = money("金额", total=True, width=130)
    maker_id: Mapped[int] = ref("user_account", "收款人", target="user_id", search=True, width=90)
    remark: Mapped[str | None] = text("备注", free=True, width=200)
    department_id: Mapped[int | None] = mapped_column(BigInteger)

    rows = _ROWS

    @classmethod
    def usual(cls) -> dict[str, str]:
        return {"business_date_start": today().isoformat(), "business_date_end": today().isoformat()}


class Tendered(BaseModel):
    receivables_mode_id: Key = Field(description="结算方式")
    amount: Amount = Field(gt=0, description="金额")


class Settled(BaseModel):
    settlement_id: Key = Field(description="待核销单据")
    amount: Amount = Field(description="本次核销")


class Collection(BaseModel):
    """Who pays, in which ways, and for what."""

    company_id: Key = Field(description="公司")
    customer_id: Key = Field(description="客户")
    payments: list[Tendered] = Field(min_length=1, max_length=10, description="收款方式")
    waived_amount: Annotated[Decimal, Field(ge=0, max_digits=16, decimal_places=2)] = Field(
        Decimal(0), description="抹零/现金折扣"
    )
    items: list[Settled] = Field(default=[], max_length=500, description="核销明细")
    remark: str | None = Field(None, max_length=200, description="备注")


class Collected(BaseModel):
    """A receipt that was made."""

    id: int
    bill_no: Annotated[str, of("customer_receipt.bill_no")]


def collect(ctx: Context, told: Collection) -> list[dict[str, Any]]:
    """Make and audit a receipt for each way of paying; all of them or none."""
    for action in ("add", "auditorPass"):
        ctx.require(CustomerReceipt.right(action))
    made = []
    waived = [Decimal(0)] * (len(told.payments) - 1) + [told.waived_amount]
    spreads = spread(told.payments, told.items, told.waived_amount)
    for payment, waive, parts in zip(told.payments, waived, spreads, strict=True):
        given = {
            "company_id": told.company_id,
            "customer_id": told.customer_id,
            "business_date": today(),
            "remark": told.remark,
            "waived_amount": waive,
            **payment.model_dump(),
        }
        rows = [{"settlement_id": item, "amount": amount} for item, amount in parts]
        saved = drafts.add(ctx, CustomerReceipt, {**given, "write_offs": rows})
        transitions.move(ctx, CustomerReceipt, "auditorPass", saved["id"])
        made.append(saved)
    return made


def spread(
    payments: Sequence[Tendered], items: Sequence[Settled], waived: Decimal = Decimal(0)
) -> list[list[tuple[int, Decimal]]]:
    """Which part of which item each payment settles, the last one with what is waived beside it; refuses when there is
    less money than is to be settled."""
    left = deque(sorted(((item.settlement_id, item.amount) for item in items), key=lambda item: item[1] > 0))
    found: list[list[tuple[int, Decimal]]] = []
    for turn, payment in enumerate(payments, 1):
        parts: list[tuple[int, Decimal]] = []
        money_left = payment.amount + (waived if turn == len(payments) else Decimal(0))
        while left and (money_left > 0 or left[0][1] < 0):
            number, amount = left.popleft()
            part = min(amount, money_left)
            parts.append((number, part))
            money_left -= part
            if part != amount:
                left.appendleft((number, amount - part))
        found.append(parts)
    if left:
        short = sum((amount for _, amount in left), Decimal(0))
        raise Refusal(f"收款金额少于核销金额 {short:,.2f} 元，请核对")
    return found
