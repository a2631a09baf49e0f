"""Warranty claims (三包理赔): pieces brought back by customers, payments to customers, claims on the factory.

Tables only: reports read them, and nothing writes them yet. A claim's lines name the registered piece; its
symptom and factory are recorded there once.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.kit.declaration.fields import money_field, rate_field, reference_field, text_field
from api.kit.declaration.goods_bills import QuantityBill, QuantityLine
from api.master.partners.partners import customer_field, supplier_field


class GuaranteeRegister(QuantityBill):
    """三包登记"""

    __tablename__ = "guarantee_register"

    customer_id: Mapped[int] = customer_field()


class GuaranteeRegisterLine(QuantityLine):
    __tablename__ = "guarantee_register_line"
    bill_table = "guarantee_register"

    supplier_id: Mapped[int] = reference_field(
        "supplier", "厂家", required=True, index=True, width=200, sort=-60
    )
    symptom_id: Mapped[int] = reference_field("symptom", "三包症状", required=True, index=True, sort=-59)
    tire_number: Mapped[str | None] = text_field("胎号", max_length=50, sort=-58)
    inbound_line_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("three_inbound_line.line_id"), unique=True, sort_order=90
    )
    """The line of a warranty inbound by which the piece came in."""


class ClaimBill(QuantityBill):
    """Bill of payments for registered pieces."""

    __abstract__ = True

    total_amount: Mapped[Decimal] = money_field("理赔金额合计", form=False, total=True, width=130, sort=-65)


class ClaimLine(QuantityLine):
    """Payment for a registered piece, at the rate of its appraisal."""

    __abstract__ = True

    source_line_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("guarantee_register_line.line_id"), index=True, sort_order=90
    )
    judged_rate: Mapped[Decimal] = rate_field("鉴定赔付比例%", rule="Positive", width=110, sort=12)
    amount: Mapped[Decimal] = money_field("理赔金额", rule="Positive", total=True, width=120, sort=14)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        return (*super().__table_args__, CheckConstraint("amount >= 0", name="amount"))


class CompanyClaim(ClaimBill):
    """公司理赔: paid to the customer."""

    __tablename__ = "company_claim"

    customer_id: Mapped[int] = customer_field()


class CompanyClaimLine(ClaimLine):
    __tablename__ = "company_claim_line"
    bill_table = "company_claim"


class FactoryClaim(ClaimBill):
    """厂家理赔: settled by the factory."""

    __tablename__ = "factory_claim"

    supplier_id: Mapped[int] = supplier_field()
    claim_no: Mapped[str | None] = text_field("厂家理赔单号", max_length=50, search=True, sort=-50)


class FactoryClaimLine(ClaimLine):
    __tablename__ = "factory_claim_line"
    bill_table = "factory_claim"
