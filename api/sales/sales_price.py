"""Sales prices (销售价格): what a goods costs a customer, customers of a type, or everybody in a company.

Which one holds is `api.master.pricing`'s to say.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Row, UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.errors import Invalid
from api.kit.fields import day, derived, enabled, goods, key, price, ref, textarea
from api.kit.resource import READ, WRITE, Declaration, Drill, Menu, Resource
from api.master import price_changes

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
    derived = (derived("level", "价格级别", "enum", _LEVEL, options=tuple(LEVELS.items()), width=100),)

    sales_price_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    goods_id: Mapped[int] = goods(required=True, search=True)
    customer_id: Mapped[int | None] = ref("customer", "客户", within=("company_id",), search=True, width=200)
    customer_type_id: Mapped[int | None] = ref("customer_type", "客户类别", search=True)
    sale_price: Mapped[Decimal] = price("销售价", required=True, rule="positive")
    lowest_price: Mapped[Decimal | None] = price("最低售价", rule="Positive", default=None)
    starts_on: Mapped[date | None] = day("生效日期", search=True)
    ends_on: Mapped[date | None] = day("失效日期", since="starts_on", search=True)
    enabled: Mapped[bool] = enabled()
    remark: Mapped[str | None] = textarea("备注", max_length=200)

    @classmethod
    def check(cls, row: dict[str, Any]) -> None:
        if row.get("customer_id") and row.get("customer_type_id"):
            raise Invalid("客户与客户类别只能选一项，都不选为公司价")
        if (row.get("lowest_price") or 0) > row["sale_price"]:
            raise Invalid("最低售价不能高于销售价")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        price_changes.sign(ctx)
