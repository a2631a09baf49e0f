"""Minimum sales price (门店最低价), MDXJ: lower limit of sales prices for some days, whatever the goods' own one.

It posts nothing: `api.master.pricing.price_rules` enforces it while it is audited and within its days. Closing ends it
early.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import Bill, BillType, Block, DetailPlacement, Document, declare_bill
from api.kit.declaration.fields import date_field, price_field, reference_field, text_field
from api.kit.declaration.flow import ORDER
from api.kit.declaration.goods_bills import GoodsBillLine
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems


class MinimumSalesPriceLine(GoodsBillLine):
    __tablename__ = "shop_price_line"
    bill_table = "shop_price"

    lowest_price: Mapped[Decimal] = price_field(
        "门店最低价", required=True, rule="positive", width=110, sort=10
    )

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        seen: set[int] = set()
        for row in rows:
            if row["goods_id"] in seen:
                problems.place = f"第{row['line_no']}行"
                problems.add("同一商品不能重复")
            seen.add(row["goods_id"])
        problems.place = ""


class MinimumSalesPrice(Bill):
    """门店最低价"""

    __tablename__ = "shop_price"
    declaration = declare_bill(
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
        (Block("lines", "最低价明细", MinimumSalesPriceLine),),
        transitions=ORDER,
        in_force="最低价",
        detail=DetailPlacement(
            "门店最低价查询", "/purchase/shoplowPriceSearch", Menu("采购管理", "返利与政策", 60)
        ),
    )

    policy_name: Mapped[str] = text_field(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-75
    )
    supplier_id: Mapped[int | None] = reference_field(
        "supplier", "供应商", search=True, index=True, width=200, sort=-70
    )
    starts_on: Mapped[date] = date_field("生效日期", required=True, search=True, width=110, sort=-60)
    ends_on: Mapped[date] = date_field(
        "失效日期", since="starts_on", required=True, search=True, width=110, sort=-59
    )

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()
