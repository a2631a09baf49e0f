"""Stock health by warehouse (库存大数据): quantity, age, stockouts and turnover.

Sluggish stock has lain for more than half a year. Sold-out goods were sold from a warehouse within 30 days
and are no longer there. Cover days = stock ÷ mean daily sales of the last 30 days; turnover days = mean
stock of up to a year ÷ daily sales of it. Numbers of goods have no total: goods in several warehouses
would count in each.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped, MappedColumn

from api.kit.declaration.fields import (
    COST,
    integer_field,
    key_field,
    money_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.stock.stock_columns import INFORMATION_ROUTE


def quotient_sql(part: str, whole: str, name: str) -> str:
    """Return SQL of a number of days; null where the base is zero or negative."""
    return f"case when {whole} > 0 then cast(round({part} / {whole}, 1) as decimal(18, 1)) end as {name}"


_WAREHOUSES = f"""
with held as (
    select company_id, warehouse_id, sum(quantity) as quantity, sum(value) as amount,
        sum(aged_180_quantity) as sluggish_quantity, sum(aged_180_value) as sluggish_amount,
        sum(year_sales_quantity) as year_sales_quantity, sum(year_quantity_days) as year_quantity_days,
        sum(year_sales_cost) as year_sales_cost, sum(year_value_days) as year_value_days
    from mart_company_stock
    group by company_id, warehouse_id
), kinds as (
    select company_id, warehouse_id, count(*) filter (where quantity > 0) as goods_count,
        count(*) filter (where quantity <= 0 and sales_quantity_30 > 0) as sold_out_count,
        sum(sales_quantity_30) as sales_30
    from mart_goods_stock
    group by company_id, warehouse_id
)
select h.warehouse_id as inventory_big_data_id, h.*, c.province_name,
    coalesce(k.goods_count, 0) as goods_count, coalesce(k.sold_out_count, 0) as sold_out_count,
    coalesce(k.sales_30, 0) as sales_30, {ratio_sql("h.sluggish_quantity", "h.quantity", "sluggish_rate")},
    {quotient_sql("30 * h.quantity", "k.sales_30", "cover_days")},
    {quotient_sql("h.year_quantity_days", "h.year_sales_quantity", "turnover_days")}
from held h
join dim_company c on c.company_id = h.company_id
left join kinds k on k.company_id = h.company_id and k.warehouse_id = h.warehouse_id
"""


def _ratio_base_column(label: str, **marks: object) -> MappedColumn[Decimal]:
    """Return a hidden column that ratios of several warehouses are computed from."""
    return money_field(label, list=False, export=False, hidden=True, **marks)


class InventoryBigData(ListReport):
    """Stock health by warehouse (库存大数据). Stock has no owner: everyone sees that of their companies and
    warehouses."""

    is_for_everyone = True
    __tablename__ = "inventory_big_data"
    declaration = Declaration(
        "库存大数据",
        "v2/report/InventoryBigData",
        "warehouse_id",
        routes={"list": "/groupManagement/InventoryBigData"},
        menu=Menu("报表中心", "报表总览", 15),
        actions=READ_ONLY,
        order_by=("quantity", "desc"),
        drill=Drill(
            "库存信息查询",
            INFORMATION_ROUTE,
            (("company_id", "company_id"), ("warehouse_id", "warehouse_id")),
        ),
        question="各省各公司压了多少库存，老化、断货、周转得怎么样？",
    )

    inventory_big_data_id: Mapped[int] = key_field()
    province_name: Mapped[str] = text_field("省份", search=True, width=110, sort=-60)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    warehouse_id: Mapped[int] = reference_field(
        "warehouse", "仓库", within=("company_id",), search=True, width=150, sort=-54
    )
    quantity: Mapped[Decimal] = quantity_field("库存数量", total=True)
    amount: Mapped[Decimal] = money_field("库存金额", total=True, permission=COST)
    goods_count: Mapped[int] = integer_field("在库品种")
    sold_out_count: Mapped[int] = integer_field("断货品种", search=True)
    sluggish_quantity: Mapped[Decimal] = quantity_field("呆滞数量", total=True)
    sluggish_amount: Mapped[Decimal] = money_field("呆滞金额", total=True, permission=COST)
    sluggish_rate: Mapped[Decimal | None] = rate_field(
        "呆滞占比%", default=None, ratio=Ratio("sluggish_quantity", "quantity")
    )
    sales_30: Mapped[Decimal] = quantity_field("近30天销量", total=True)
    cover_days: Mapped[Decimal | None] = quantity_field(
        "可售天数", default=None, ratio=Ratio("quantity", "sales_30", times=30, places=1)
    )
    turnover_days: Mapped[Decimal | None] = quantity_field(
        "周转天数", default=None, ratio=Ratio("year_quantity_days", "year_sales_quantity", times=1, places=1)
    )
    year_sales_quantity: Mapped[Decimal] = _ratio_base_column("一年销量")
    year_quantity_days: Mapped[Decimal] = _ratio_base_column("一年每日库存之和")
    year_sales_cost: Mapped[Decimal] = _ratio_base_column("一年销售成本", permission=COST)
    year_value_days: Mapped[Decimal] = _ratio_base_column("一年每日库存金额之和", permission=COST)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _WAREHOUSES, {}
