"""Sales prices (销售价格): prices of goods for a customer, a customer type, or a whole company.

`api.master.pricing.price_rules` decides which one applies.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Row, UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    date_field,
    derived_field,
    enabled_field,
    goods_field,
    key_field,
    price_field,
    reference_field,
    textarea_field,
)
from api.kit.declaration.resource import READ, WRITE, Declaration, Drill, Menu, Resource
from api.kit.errors import InvalidInput
from api.master.pricing import price_changes

LEVELS = {1: "客户价", 2: "客户类别价", 3: "公司价"}
_LEVEL = "case when {table}.customer_id is not null then 1 when {table}.customer_type_id is not null then 2 else 3 end"


class SalesPrice(Resource):
    """销售价格: without customer and type it is the company's."""

    __tablename__ = "sales_price"
    __table_args__ = (
        UniqueConstraint(
            "company_id",
            "goods_id",
            "customer_id",
            "customer_type_id",
            "starts_on",
            name="uq_sales_price_goods_id_customer_id_customer_type_id_starts_on",
            postgresql_nulls_not_distinct=True,
        ),
        Index("ix_sales_price_goods_id", "goods_id"),
        Index("ix_sales_price_customer_id", "customer_id"),
    )
    declaration = Declaration(
        "销售价格",
        "v2/sales/SalesPrice",
        "goods_id",
        routes={"list": "/sales/salesprice"},
        menu=Menu("销售管理", "价格政策", 10),
        actions=(*READ, *WRITE, "import", "export"),
        also_at=("v2/sales/SellingPrice",),
        drill=Drill(
            "价格变动",
            "/system/pricechangelog",
            (
                ("company_id", "company_id"),
                ("goods_id", "goods_id"),
                ("customer_id", "customer_id"),
                ("customer_type_id", "customer_type_id"),
            ),
        ),
    )
    derived = (derived_field("level", "价格级别", "enum", _LEVEL, options=tuple(LEVELS.items()), width=100),)

    sales_price_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    goods_id: Mapped[int] = goods_field(required=True, search=True)
    customer_id: Mapped[int | None] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    customer_type_id: Mapped[int | None] = reference_field("customer_type", "客户类别", search=True)
    sale_price: Mapped[Decimal] = price_field("销售价", required=True, rule="positive")
    lowest_price: Mapped[Decimal | None] = price_field("最低售价", rule="Positive", default=None)
    starts_on: Mapped[date | None] = date_field("生效日期", search=True)
    ends_on: Mapped[date | None] = date_field("失效日期", since="starts_on", search=True)
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row.get("customer_id") and row.get("customer_type_id"):
            raise InvalidInput("客户与客户类别只能选一项，都不选为公司价")
        if (row.get("lowest_price") or 0) > row["sale_price"]:
            raise InvalidInput("最低售价不能高于销售价")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        price_changes.sign_price_changes(ctx)
