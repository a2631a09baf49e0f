"""Sales over any days, summed up as chosen (销售综合报表), beside the period before and the same days a year ago."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Numeric
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.asked import asked_days
from api.kit.fields import COST, key, money, quantity, rate
from api.kit.ratios import Ratio
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values
from api.reporting.earlier_days import YEAR, come, has_whole_day, previous_come
from api.reporting.expressions import ratio, summed
from api.reporting.groupings import Groupings, SummedRow
from api.reporting.trade_rows import SALES_DETAIL, SaleRow
from reports.catalogue.period_offsets import shift_months_back

BY = Groupings(
    {
        1: ("公司", ("company_id",)),
        2: ("部门", ("company_id", "department_id")),
        3: ("业务员", ("company_id", "employee_id")),
        4: ("客户", ("company_id", "customer_id")),
        5: ("商品类型", ("goods_type_id",)),
        6: ("品牌", ("brand_id",)),
        7: ("商品", ("goods_id", "goods_type_id", "brand_id")),
        8: ("仓库", ("company_id", "warehouse_id")),
    },
    usual=1,
)
_LINES = """
select s.company_id, s.department_id, s.employee_id, s.customer_id, s.warehouse_id, s.goods_id, s.maker_id,
    g.goods_type_id, g.brand_id, cast(:first as date) as first_day, cast(:last as date) as day,
    cast(:grouping as integer) as grouping, s.bill_type, s.quantity, s.amount, s.revenue, s.cost,
    s.business_date between cast(:first as date) and cast(:last as date) as is_now,
    cast(:is_compared as boolean) as is_compared,
    s.business_date between cast(:previous_first as date) and cast(:previous_last as date) as is_previous,
    s.business_date between cast(:year_first as date) and cast(:year_last as date) as is_last_year
from facts.fct_sales_line s
join goods g on g.goods_id = s.goods_id
where s.business_date between cast(:first as date) and cast(:last as date)
    or s.business_date between cast(:previous_first as date) and cast(:previous_last as date)
    or s.business_date between cast(:year_first as date) and cast(:year_last as date)
"""


_SUMS = ",\n".join(
    [
        summed("sold_quantity", "quantity", "is_now and bill_type = 'XSCK'"),
        summed("returned_quantity", "-quantity", "is_now and bill_type = 'XSTH'"),
        summed("returned_revenue", "-revenue", "is_now and bill_type = 'XSTH'"),
        *(summed(name, name, "is_now") for name in ("quantity", "amount", "revenue", "cost")),
        summed("previous_revenue", "revenue", "is_previous"),
        summed("last_year_revenue", "revenue", "is_last_year"),
        summed("previous_base", "revenue", "is_previous and is_compared"),
        summed("last_year_base", "revenue", "is_last_year and is_compared"),
    ]
)
_SHOWN = ", ".join(
    (
        "revenue - cost as profit",
        ratio("revenue - cost", "revenue", "margin"),
        ratio("revenue - previous_base", "previous_base", "previous_change"),
        ratio("revenue - last_year_base", "last_year_base", "last_year_change"),
    )
)


class SalesSummary(SummedRow, SaleRow):
    """销售综合报表"""

    __tablename__ = "sales_summary"
    by, lines, sums, shown = BY, _LINES, _SUMS, _SHOWN
    declaration = Declaration(
        "销售综合报表",
        "v2/report/SalesSummary",
        "quantity",
        routes={"list": "/report/salesmulrpt"},
        menu=Menu("报表中心", "销售报表", 10),
        actions=READ_ONLY,
        also_at=("v2/report/SalesProfit",),
        order_by=("revenue", "desc"),
        drill=BY.drill("销售明细报表", SALES_DETAIL),
        question="各公司、业务员、客户、商品这段时间卖了多少，比上期和去年同期如何？",
        words="销售额 销量 业绩",
    )

    sales_summary_id: Mapped[int] = key()
    sold_quantity: Mapped[Decimal] = quantity("出库数量", total=True)
    returned_quantity: Mapped[Decimal] = quantity("退货数量", total=True)
    quantity: Mapped[Decimal] = quantity("净销数量", total=True)
    amount: Mapped[Decimal] = money("含税净额", total=True)
    revenue: Mapped[Decimal] = money("未税收入", total=True)
    returned_revenue: Mapped[Decimal] = money("其中退货", total=True)
    cost: Mapped[Decimal] = money("销售成本", total=True, permission=COST)
    profit: Mapped[Decimal] = money("毛利", total=True, permission=COST)
    margin: Mapped[Decimal | None] = rate(
        "毛利率%", default=None, permission=COST, ratio=Ratio("profit", "revenue")
    )
    previous_revenue: Mapped[Decimal] = money("上期收入", total=True)
    previous_change: Mapped[Decimal | None] = rate(
        "环比%", default=None, ratio=Ratio("revenue", "previous_base", growth=True)
    )
    last_year_revenue: Mapped[Decimal] = money("去年同期收入", total=True)
    last_year_change: Mapped[Decimal | None] = rate(
        "同比%", default=None, ratio=Ratio("revenue", "last_year_base", growth=True)
    )
    previous_base: Mapped[Decimal] = mapped_column(Numeric)
    last_year_base: Mapped[Decimal] = mapped_column(Numeric)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        first, last = asked_days(asked, "day", "日期")
        before = previous_come(first, last)
        first, last = come(first, last)
        year = (shift_months_back(first, YEAR), shift_months_back(last, YEAR))
        lines, days = super().source(principal, asked)
        return lines, {
            **days,
            "is_compared": has_whole_day(first),
            "previous_first": before[0],
            "previous_last": before[1],
            "year_first": year[0],
            "year_last": year[1],
        }
