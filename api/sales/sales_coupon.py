"""Coupons (优惠券): coupons granted to customers, and the sales outbounds that used them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enabled_field,
    enum_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declared

STANDARD, CUSTOM = 1, 2
KINDS = {STANDARD: "标准优惠券", CUSTOM: "定制优惠券"}


class SalesCoupon(Declared):
    """优惠券: discount of a bill that reaches the threshold."""

    __tablename__ = "sales_coupon"
    __table_args__ = (
        CheckConstraint("face_amount > 0", name="face_amount"),
        CheckConstraint("threshold_amount >= 0", name="threshold_amount"),
    )

    sales_coupon_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, index=True)
    sales_coupon_name: Mapped[str] = text_field("优惠券", required=True, search=True, width=200)
    kind: Mapped[int] = enum_field("类型", KINDS, default=STANDARD, search=True)
    face_amount: Mapped[Decimal] = money_field("面额", required=True, rule="positive")
    threshold_amount: Mapped[Decimal] = money_field("满额可用", rule="Positive")
    enabled: Mapped[bool] = enabled_field()


class SalesCouponGrant(Declared):
    """优惠券发放: a coupon granted to a customer, valid through its last day."""

    __tablename__ = "sales_coupon_grant"
    __table_args__ = (
        CheckConstraint("face_amount > 0", name="face_amount"),
        CheckConstraint("expires_on >= granted_on", name="expires_on"),
    )

    sales_coupon_grant_id: Mapped[int] = key_field()
    coupon_no: Mapped[str] = text_field("券号", required=True, unique=True, search=True, width=190)
    sales_coupon_id: Mapped[int] = reference_field(
        "sales_coupon", "优惠券", required=True, search=True, index=True
    )
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, index=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", required=True, within=("company_id",), search=True, index=True, width=200
    )
    granted_on: Mapped[date] = date_field("发放日期", required=True, search=True)
    expires_on: Mapped[date] = date_field("有效期至", required=True, search=True)
    face_amount: Mapped[Decimal] = money_field("面额", required=True, rule="positive")


class SalesCouponUse(Declared):
    """优惠券使用: a coupon is used once; its amount is part of the bill's discount."""

    __tablename__ = "sales_coupon_use"
    __table_args__ = (CheckConstraint("discount_amount > 0", name="discount_amount"),)

    sales_coupon_use_id: Mapped[int] = key_field()
    sales_coupon_grant_id: Mapped[int] = reference_field(
        "sales_coupon_grant", "券号", required=True, column={"unique": True}
    )
    bill_id: Mapped[int] = reference_field(
        "sales_outbound", "销售出库单", target="bill_id", required=True, search=True, index=True
    )
    discount_amount: Mapped[Decimal] = money_field("优惠金额", required=True, rule="positive", total=True)
