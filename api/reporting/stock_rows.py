"""Stock in reports (报表中的库存): the columns by which every stock report is looked at."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy.orm import Mapped

from api.kit.fields import goods, ref
from api.reporting.published import Published

CARD = "/report/inventorydetrpt"
INFORMATION = "/report/getInventoryInfoList"


class StockRow(Published):
    """A report row about goods in a warehouse. Stock is nobody's own: like the stock queries, it is shown to everyone
    within his companies and warehouses."""

    __abstract__ = True

    everyones: ClassVar[bool] = True

    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-55)
    warehouse_id: Mapped[int] = ref(
        "warehouse", "仓库", within=("company_id",), search=True, width=150, sort=-54
    )
    goods_id: Mapped[int] = goods(search=True, shows=("goods_num", "specification_type"), sort=-53)
    goods_type_id: Mapped[int] = ref("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int] = ref("brand", "品牌", search=True, width=90, sort=-51)


PLACE_KEY = "{0}.warehouse_id * 4294967296 + {0}.goods_id"
"""A whole number that stands for goods in a warehouse."""
