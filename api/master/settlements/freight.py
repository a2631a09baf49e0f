"""Freight (运费) beside the price of goods: a carrier is owed it with its tax, by his own payment terms.

A logistics company is owed as the supplier that it is linked to. Without a carrier freight only adds to
the goods' value.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, case, null, select
from sqlalchemy.orm import Mapped

from api.kit.bills import pricing
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Values
from api.kit.declaration.fields import date_field, money_field, rate_field, reference_field
from api.kit.declaration.posting import SettlementOpen
from api.kit.storage.validation import Problems
from api.master.partners.logistics import Logistics
from api.master.settlements.settlements import compute_due_date

TAX_RATE = 9
"""Percent of a carrier's invoice for goods carried."""


class FreightBill(Bill):
    """A bill whose freight may be owed to a carrier; its column `freight_amount` is net of tax."""

    __abstract__ = True

    logistics_id: Mapped[int | None] = reference_field(
        "logistics", "物流公司", search=True, list=False, sort=-42
    )
    carrier_id: Mapped[int | None] = reference_field(
        "supplier", "承运商", search=True, index=True, list=False, width=200, sort=-42
    )
    freight_tax_rate: Mapped[Decimal] = rate_field(
        "运费税率%", rule="Positive", default=TAX_RATE, list=False, width=90, sort=-42
    )
    freight_payable: Mapped[Decimal] = money_field(
        "应付运费（含税）", form=False, total=True, width=120, sort=-42
    )
    freight_due_date: Mapped[date | None] = date_field(
        "运费到期日", form=False, list=False, width=110, sort=-42
    )

    @classmethod
    @cache
    def audit_values(cls) -> dict[str, ColumnElement[Any]]:
        """Set the freight's due date by the carrier's present terms."""
        own, carrier = cls.table(), registry.get_resource("supplier").table()
        days = (
            select(carrier.c.payment_days).where(carrier.c.supplier_id == own.c.carrier_id).scalar_subquery()
        )
        due = case((own.c.freight_payable == 0, null()), else_=own.c.business_date + days)
        return {**super().audit_values(), "freight_due_date": due}


def fill_freight(ctx: Context, header: Values, problems: Problems) -> None:
    """Fill in the carrier, the freight payable with its tax, and its due date."""
    linked = _find_carrier(ctx, header.get("logistics_id"))
    carrier = header["carrier_id"] = header.get("carrier_id") or linked
    if linked and carrier != linked:
        problems.add("承运商与物流公司的结算供应商不同，请核对")
    net = header.get("freight_amount") or Decimal(0)
    tax = pricing.round_money(net * Decimal(header.get("freight_tax_rate", TAX_RATE)) / 100)
    owed = bool(carrier and net)
    terms: Mapping[str, Any] = {**header, "supplier_id": carrier, "due_date": None}
    header["freight_payable"] = net + tax if owed else Decimal(0)
    header["freight_due_date"] = compute_due_date(ctx, terms, "supplier") if owed else None


def build_freight_payable(header: Any) -> tuple[SettlementOpen, ...]:
    """Build the settlement that a bill's freight opens for its carrier; empty without freight."""
    if not header.freight_payable:
        return ()
    amount, due = header.freight_payable, header.freight_due_date
    return (SettlementOpen("supplier", header.carrier_id, amount, due, kind="freight"),)


def _find_carrier(ctx: Context, logistics: int | None) -> int | None:
    if logistics is None:
        return None
    query = select(Logistics.table().c.supplier_id).where(Logistics.key() == logistics)
    found: int | None = ctx.conn.execute(query).scalar()
    return found
