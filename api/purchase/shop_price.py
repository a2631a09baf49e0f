"""Lowest shop prices (门店最低价), MDXJ: below which goods are not sold for some days, whatever their own lowest price.

It posts nothing: while it is audited and within its days `api.master.pricing` holds sales to it. Closing ends it early.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.document import Bill, BillType, Block, DetailPlace, Document, declare
from api.kit.fields import day, price, ref, text
from api.kit.flow import ORDER
from api.kit.goods_bills import GoodsChild
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems


class ShopPriceLine(GoodsChild):
    __tablename__ = "shop_price_line"
    bill_table = "shop_price"

    lowest_price: Mapped[Decimal] = price("门店最低价", required=True, rule="positive", width=110, sort=10)

    @classmethod
    def settle(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        seen: set[int] = set()
        for row in rows:
            if row["goods_id"] in seen:
                problems.place = f"第{row['line_no']}行"
                problems.add("同一商品不能重复")
            seen.add(row["goods_id"])
        problems.place = ""


class ShopPrice(Bill):
    """门店最低价"""

    __tablename__ = "shop_price"
    declaration = declare(
        "门店最低价",
        "v2/purchase/ShopLowPrice",
        transitions=ORDER,
        routes={
            "list": "/purchase/shoplowPrice",
            "add": "/purchase/shoplowPriceAdd",
            "see": "/purchase/shoplowPriceSee",
        },
        menu=Menu("采购管理", "返利与政策", 50),
    )
    bill = BillType(
        "MDXJ",
        (Block("lines", "最低价明细", ShopPriceLine),),
        transitions=ORDER,
        in_force="最低价",
        detail=DetailPlace(
            "门店最低价查询", "/purchase/shoplowPriceSearch", Menu("采购管理", "返利与政策", 60)
        ),
    )

    policy_name: Mapped[str] = text(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-75
    )
    supplier_id: Mapped[int | None] = ref("supplier", "供应商", search=True, index=True, width=200, sort=-70)
    starts_on: Mapped[date] = day("生效日期", required=True, search=True, width=110, sort=-60)
    ends_on: Mapped[date] = day(
        "失效日期", since="starts_on", required=True, search=True, width=110, sort=-59
    )

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()
