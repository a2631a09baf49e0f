"""Purchase prices (采购价格): a supplier's price of goods for a company, the default of orders and inbounds."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Row, UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    COST,
    date_field,
    enabled_field,
    goods_field,
    key_field,
    money_field,
    reference_field,
    textarea_field,
)
from api.kit.declaration.resource import READ, WRITE, Declaration, Drill, Menu, Resource
from api.master.pricing import price_changes


class SupplierPrice(Resource):
    """采购价格"""

    __tablename__ = "supplier_price"
    __table_args__ = (
        UniqueConstraint(
            "company_id", "supplier_id", "goods_id", "starts_on", postgresql_nulls_not_distinct=True
        ),
        Index("ix_supplier_price_goods_id", "goods_id"),
        Index("ix_supplier_price_supplier_id", "supplier_id"),
    )
    declaration = Declaration(
        "采购价格",
        "v2/purchase/Price",
        "goods_id",
        routes={"list": "/purchase/purchaseprice", "add": "/purchase/purchaseprice/settingPurchase"},
        menu=Menu("采购管理", "基础资料", 10),
        actions=(*READ, *WRITE, "import", "export"),
        also_called={"getInfo": "get"},
        drill=Drill(
            "价格变动",
            "/system/pricechangelog",
            tuple((name, name) for name in ("company_id", "goods_id", "supplier_id")),
        ),
    )

    supplier_price_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", required=True, search=True, width=200)
    goods_id: Mapped[int] = goods_field(required=True, search=True)
    purchase_price: Mapped[Decimal] = money_field(
        "采购价", required=True, default=None, rule="notNegative", permission=COST
    )
    starts_on: Mapped[date | None] = date_field("生效日期", search=True)
    ends_on: Mapped[date | None] = date_field("失效日期", since="starts_on", search=True)
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        price_changes.sign_price_changes(ctx)
