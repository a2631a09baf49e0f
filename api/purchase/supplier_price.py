"""Purchase prices (采购价格): what a company pays a supplier for a goods; orders and inbound bills start from it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Row, UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.fields import COST, day, enabled, goods, key, money, ref, textarea
from api.kit.resource import READ, WRITE, Declaration, Drill, Menu, Resource
from api.master import price_changes


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

    supplier_price_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    supplier_id: Mapped[int] = ref("supplier", "供应商", required=True, search=True, width=200)
    goods_id: Mapped[int] = goods(required=True, search=True)
    purchase_price: Mapped[Decimal] = money(
        "采购价", required=True, default=None, rule="notNegative", permission=COST
    )
    starts_on: Mapped[date | None] = day("生效日期", search=True)
    ends_on: Mapped[date | None] = day("失效日期", since="starts_on", search=True)
    enabled: Mapped[bool] = enabled()
    remark: Mapped[str | None] = textarea("备注", max_length=200)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        price_changes.sign(ctx)
