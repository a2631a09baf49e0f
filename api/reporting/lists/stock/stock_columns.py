"""Stock columns of list reports (报表中的库存)."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import goods_field, reference_field
from api.reporting.lists.list_report import ListReport

CARD_ROUTE = "/report/inventorydetrpt"
INFORMATION_ROUTE = "/report/getInventoryInfoList"


class StockReportRow(ListReport):
    """Base of report rows about goods in a warehouse. Stock has no owner: as in the stock queries, everyone
    sees that of their companies and warehouses."""

    __abstract__ = True

    is_for_everyone: ClassVar[bool] = True

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-55)
    warehouse_id: Mapped[int] = reference_field(
        "warehouse", "仓库", within=("company_id",), search=True, width=150, sort=-54
    )
    goods_id: Mapped[int] = goods_field(search=True, shows=("goods_num", "specification_type"), sort=-53)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True, width=90, sort=-51)


LOCATION_KEY = "{0}.warehouse_id * 4294967296 + {0}.goods_id"
"""A whole number that stands for goods in a warehouse."""
