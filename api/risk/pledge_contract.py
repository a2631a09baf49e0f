"""Pledge contracts (商品质押合同): goods pledged by a company for a loan, and their value for the lender.

A contract is in force from its first day until it is released; past its last day it is overdue, not
released.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped, declared_attr

from api.kit.declaration.document import Bill
from api.kit.declaration.fields import date_field, money_field, price_field, rate_field, text_field
from api.kit.declaration.goods_bills import QuantityLine


class PledgeContractLine(QuantityLine):
    """质押商品: the price is what the contract values a piece at."""

    __tablename__ = "pledge_contract_line"
    bill_table = "pledge_contract"

    price: Mapped[Decimal] = price_field("合同单价", required=True, rule="Positive", width=110, sort=11)


class PledgeContract(Bill):
    """商品质押合同"""

    __tablename__ = "pledge_contract"

    lender: Mapped[str] = text_field("出借方", required=True, search=True, width=200, sort=-70)
    loan_amount: Mapped[Decimal] = money_field(
        "借款金额", required=True, rule="positive", total=True, sort=-60
    )
    haircut: Mapped[Decimal] = rate_field("折扣率%", rule="Positive", width=90, sort=-59)
    starts_on: Mapped[date] = date_field("起始日期", required=True, search=True, width=110, sort=-58)
    ends_on: Mapped[date] = date_field("到期日期", required=True, search=True, width=110, sort=-57)
    released_on: Mapped[date | None] = date_field("解押日期", form=False, search=True, width=110, sort=-56)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        return (
            *super().__table_args__,
            CheckConstraint("loan_amount > 0", name="loan_amount"),
            CheckConstraint("haircut between 0 and 100", name="haircut"),
            CheckConstraint("ends_on >= starts_on", name="ends_on"),
            CheckConstraint("released_on >= starts_on", name="released_on"),
        )
