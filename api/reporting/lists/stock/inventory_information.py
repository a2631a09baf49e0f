"""Goods on hand with their history (库存信息查询): stock at cost, first and last moves, sales, days of
cover.

Book stock as of the published figures; the stock queries have the stock available now.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    date_field,
    integer_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Paging, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.stock.stock_columns import (
    CARD_ROUTE,
    INFORMATION_ROUTE,
    LOCATION_KEY,
    StockReportRow,
)

_STOCK = f"""
with stock as (
    select company_id, warehouse_id, goods_id, sum(quantity) as quantity, sum(value) as amount,
        min(first_receipt_date) as first_receipt_date, max(last_in_date) as last_in_date
    from facts.fct_stock_batch
    group by company_id, warehouse_id, goods_id
    having sum(quantity) <> 0 or sum(value) <> 0
)
select {LOCATION_KEY.format("s")} as inventory_information_id, s.*, g.goods_type_id, g.brand_id,
    case when s.quantity > 0 then cast(s.amount / s.quantity as decimal(18, 6)) end as unit_cost,
    x.last_sale_date, coalesce(x.quantity_30, 0) as sales_30, coalesce(x.quantity_90, 0) as sales_90,
    case when s.quantity > 0 and x.quantity_30 > 0 then cast(round(30 * s.quantity / x.quantity_30) as bigint) end
        as cover_days
from stock s
join goods g on g.goods_id = s.goods_id
left join facts.fct_goods_sale x
    on x.company_id = s.company_id and x.warehouse_id = s.warehouse_id and x.goods_id = s.goods_id
"""


class InventoryInformation(StockReportRow):
    """Goods on hand in a warehouse (库存信息查询)."""

    __tablename__ = "inventory_information"
    pinned_columns = ("warehouse_id", "goods_id", "quantity", "amount", "sales_30", "sales_90", "cover_days")
    keyword_reference = "goods_id"
    paging = Paging(parts=("warehouse_id", "goods_id"))
    declaration = Declaration(
        "库存信息查询",
        "v2/report/InventoryInformation",
        "goods_id",
        routes={"list": INFORMATION_ROUTE},
        menu=Menu("报表中心", "库存报表", 40),
        actions=READ_ONLY,
        order_by=("quantity", "desc"),
        drill=Drill("库存明细账", CARD_ROUTE, (("warehouse_id", "warehouse_id"), ("goods_id", "goods_id"))),
        question="哪个仓库现在有多少货，值多少钱，什么时候进的？",
        words="存货 还有没有货",
    )

    inventory_information_id: Mapped[int] = key_field()
    quantity: Mapped[Decimal] = quantity_field("账面数量", search=True, total=True)
    unit_cost: Mapped[Decimal | None] = price_field("成本单价", default=None, permission=COST)
    amount: Mapped[Decimal] = money_field("库存金额", total=True, permission=COST)
    first_receipt_date: Mapped[date | None] = date_field("最早入库", search=True)
    last_in_date: Mapped[date | None] = date_field("最近入库", search=True)
    last_sale_date: Mapped[date | None] = date_field("最近销售", search=True)
    sales_30: Mapped[Decimal] = quantity_field("近30天销量", total=True)
    sales_90: Mapped[Decimal] = quantity_field("近90天销量", total=True)
    cover_days: Mapped[int | None] = integer_field(
        "可售天数", default=None, search=True, ratio=Ratio("quantity", "sales_30", times=30, places=0)
    )

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _STOCK, {}
