"""Freight (运费) that goods cost beside their price: who carries them is owed it, with its tax, by his own terms.

A logistics company is owed as the supplier that it is linked to. Without a carrier freight only adds to the goods'
value.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, case, null, select
from sqlalchemy.orm import Mapped

from api.kit import pricing, registry
from api.kit.context import Context
from api.kit.document import Bill, Values
from api.kit.fields import day, money, rate, ref
from api.kit.posting import SettlementOpen
from api.kit.validation import Problems
from api.master.logistics import Logistics
from api.master.settlements import due_date

TAX_RATE = 9
"""Percent of a carrier's invoice for goods carried."""


class Carried(Bill):
    """A bill whose freight may be owed to a carrier; its column `freight_amount` is net of tax."""

    __abstract__ = True

    logistics_id: Mapped[int | None] = ref("logistics", "物流公司", search=True, list=False, sort=-42)
    carrier_id: Mapped[int | None] = ref(
        "supplier", "承运商", search=True, index=True, list=False, width=200, sort=-42
    )
    freight_tax_rate: Mapped[Decimal] = rate(
        "运费税率%", rule="Positive", default=TAX_RATE, list=False, width=90, sort=-42
    )
    freight_payable: Mapped[Decimal] = money("应付运费（含税）", form=False, total=True, width=120, sort=-42)
    freight_due_date: Mapped[date | None] = day("运费到期日", form=False, list=False, width=110, sort=-42)

    @classmethod
    @cache
    def audit_values(cls) -> dict[str, ColumnElement[Any]]:
        """The freight falls due by the carrier's present terms."""
        own, carrier = cls.table(), registry.get("supplier").table()
        days = (
            select(carrier.c.payment_days).where(carrier.c.supplier_id == own.c.carrier_id).scalar_subquery()
        )
        due = case((own.c.freight_payable == 0, null()), else_=own.c.business_date + days)
        return {**super().audit_values(), "freight_due_date": due}


def settle_freight(ctx: Context, header: Values, problems: Problems) -> None:
    """Fill in who is owed a bill's freight, how much with its tax, and when it is due."""
    linked = _supplier_of(ctx, header.get("logistics_id"))
    carrier = header["carrier_id"] = header.get("carrier_id") or linked
    if linked and carrier != linked:
        problems.add("承运商与物流公司的结算供应商不同，请核对")
    net = header.get("freight_amount") or Decimal(0)
    tax = pricing.money(net * Decimal(header.get("freight_tax_rate", TAX_RATE)) / 100)
    owed = bool(carrier and net)
    terms: Mapping[str, Any] = {**header, "supplier_id": carrier, "due_date": None}
    header["freight_payable"] = net + tax if owed else Decimal(0)
    header["freight_due_date"] = due_date(ctx, terms, "supplier") if owed else None


def freight_owed(header: Any) -> tuple[SettlementOpen, ...]:
    """What the carrier of a bill is owed."""
    if not header.freight_payable:
        return ()
    amount, due = header.freight_payable, header.freight_due_date
    return (SettlementOpen("supplier", header.carrier_id, amount, due, kind="freight"),)


def _supplier_of(ctx: Context, logistics: int | None) -> int | None:
    if logistics is None:
        return None
    query = select(Logistics.table().c.supplier_id).where(Logistics.key() == logistics)
    found: int | None = ctx.conn.execute(query).scalar()
    return found
