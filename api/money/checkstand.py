"""Checkstand (收银台): payment at the counter, by one or several payment methods, each an audited receipt.

Items are settled one by one, returns first, and spread over the payments in their order; the excess is an
advance.
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
from api.kit.bills import drafts, transitions
from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.fields import date_field, key_field, money_field, reference_field, text_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, BillReferenceRow
from api.kit.errors import Refusal
from api.kit.storage.database import today

_ROWS = f"""
select l.bill_id as checkstand_id, l.business_date, l.bill_no, l.company_id, l.customer_id, l.receivables_mode_id,
    l.amount, l.maker_id, l.department_id, l.remark, {{route}}
from (select r.*, 'KHSK' as bill_type from customer_receipt r where r.status in {POSTED_SQL}) l
"""

Key = Annotated[int, Field(ge=1, le=2**62)]
Amount = Annotated[Decimal, Field(max_digits=16, decimal_places=2)]


class Checkstand(BillReferenceRow):
    """收银台: receipts, today's by default."""

    __tablename__ = "checkstand"
    keyword_reference = "customer_id"
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

    checkstand_id: Mapped[int] = key_field()
    bill_no: Mapped[str] = text_field("收款单号", search=True, width=190)
    business_date: Mapped[date] = date_field("收款日期", search=True, width=110)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    receivables_mode_id: Mapped[int] = reference_field("receivables_mode", "结算方式", search=True)
    amount: Mapped[Decimal] = money_field("金额", total=True, width=130)
    maker_id: Mapped[int] = reference_field("user_account", "收款人", target="user_id", search=True, width=90)
    remark: Mapped[str | None] = text_field("备注", free=True, width=200)
    department_id: Mapped[int | None] = mapped_column(BigInteger)

    rows = _ROWS

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"business_date_start": today().isoformat(), "business_date_end": today().isoformat()}


class TenderedPayment(BaseModel):
    receivables_mode_id: Key = Field(description="结算方式")
    amount: Amount = Field(gt=0, description="金额")


class WriteOffItem(BaseModel):
    settlement_id: Key = Field(description="待核销单据")
    amount: Amount = Field(description="本次核销")


class CollectionRequest(BaseModel):
    """Payer, payments, and the items that they settle."""

    company_id: Key = Field(description="公司")
    customer_id: Key = Field(description="客户")
    payments: list[TenderedPayment] = Field(min_length=1, max_length=10, description="收款方式")
    waived_amount: Annotated[Decimal, Field(ge=0, max_digits=16, decimal_places=2)] = Field(
        Decimal(0), description="抹零/现金折扣"
    )
    items: list[WriteOffItem] = Field(default=[], max_length=500, description="核销明细")
    remark: str | None = Field(None, max_length=200, description="备注")


class CollectedReceipt(BaseModel):
    """A receipt that was created."""

    id: int
    bill_no: Annotated[str, from_fields("customer_receipt.bill_no")]


def collect_payment(ctx: Context, request: CollectionRequest) -> list[dict[str, Any]]:
    """Create and audit a receipt per payment; all of them or none."""
    for action in ("add", "auditorPass"):
        ctx.require_right(CustomerReceipt.right(action))
    made = []
    waived = [Decimal(0)] * (len(request.payments) - 1) + [request.waived_amount]
    spreads = spread_payments(request.payments, request.items, request.waived_amount)
    for payment, waive, parts in zip(request.payments, waived, spreads, strict=True):
        given = {
            "company_id": request.company_id,
            "customer_id": request.customer_id,
            "business_date": today(),
            "remark": request.remark,
            "waived_amount": waive,
            **payment.model_dump(),
        }
        rows = [{"settlement_id": item, "amount": amount} for item, amount in parts]
        saved = drafts.add_draft(ctx, CustomerReceipt, {**given, "write_offs": rows})
        transitions.apply_transition(ctx, CustomerReceipt, "auditorPass", saved["id"])
        made.append(saved)
    return made


def spread_payments(
    payments: Sequence[TenderedPayment], items: Sequence[WriteOffItem], waived: Decimal = Decimal(0)
) -> list[list[tuple[int, Decimal]]]:
    """Return for each payment the parts of items that it settles; the last one includes the waived amount.

    Raises Refusal if the payments are less than the items.
    """
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
