"""Price changes (价格变动): a journal of a company's prices: user, time, old and new price.

The database writes a row whenever a price changes, by whichever way: a form, an import, a batch. Of what
is agreed with customers and suppliers the first price and the last one count as changes too, from and to
nothing.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from sqlalchemy import func
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    COST,
    datetime_field,
    enum_field,
    goods_field,
    key_field,
    price_field,
    reference_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.storage.stamping import APPEND_ONLY

GOODS, SALES, PURCHASE = 1, 2, 3
KINDS = {GOODS: "公司商品", SALES: "销售价格", PURCHASE: "采购价格"}


def sign_price_changes(ctx: Context) -> None:
    """Set the user of price changes for the database's journal, until the end of the transaction."""
    who = "select set_config('erp.user_id', %s, true)"
    ctx.conn.exec_driver_sql(who, (str(ctx.principal.user_id),))


class PriceChange(Resource):
    """价格变动记录: one row a change, with the prices before and after of all that changed."""

    __tablename__ = "price_change"
    __table_args__ = ({"info": APPEND_ONLY},)
    declaration = Declaration(
        "价格变动记录",
        "v2/system/PriceChangeLog",
        "goods_id",
        routes={"list": "/system/pricechangelog"},
        menu=Menu("系统管理", "日志管理", 40),
        actions=("list", "export"),
    )

    price_change_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, index=True)
    kind: Mapped[int] = enum_field("价格", KINDS, default=GOODS, search=True, width=100)
    goods_id: Mapped[int] = goods_field(required=True, search=True, index=True)
    customer_id: Mapped[int | None] = reference_field("customer", "客户", search=True)
    customer_type_id: Mapped[int | None] = reference_field("customer_type", "客户类别", search=True)
    supplier_id: Mapped[int | None] = reference_field("supplier", "供应商", search=True)
    sale_from: Mapped[Decimal | None] = price_field("原销售价", default=None)
    sale_to: Mapped[Decimal | None] = price_field("新销售价", default=None)
    purchase_from: Mapped[Decimal | None] = price_field("原采购价", default=None, permission=COST)
    purchase_to: Mapped[Decimal | None] = price_field("新采购价", default=None, permission=COST)
    lowest_from: Mapped[Decimal | None] = price_field("原最低售价", default=None)
    lowest_to: Mapped[Decimal | None] = price_field("新最低售价", default=None)
    user_id: Mapped[int | None] = reference_field(
        "user_account", "操作人", target="user_id", search=True, width=100
    )
    changed_at: Mapped[datetime] = datetime_field(
        "变动时间", required=True, search=True, column={"server_default": func.now()}
    )
