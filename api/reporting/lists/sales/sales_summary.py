"""Sales over any days, summed up as chosen (销售综合报表), beside the period before and the same days a year ago."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Numeric
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import COST, key_field, money_field, quantity_field, rate_field
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range
from api.kit.scope import Principal
from api.reporting.lists.expressions import conditional_sum_sql, ratio_sql
from api.reporting.lists.groupings import AggregatedRow, Groupings
from api.reporting.lists.sales_purchase_columns import SALES_DETAIL, SaleRow
from api.reporting.prior_periods import YEAR, clip_to_today, find_comparable_period, has_whole_day
from reports.semantics.period_offsets import shift_months_back

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
    default_choice=1,
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
        conditional_sum_sql("sold_quantity", "quantity", "is_now and bill_type = 'XSCK'"),
        conditional_sum_sql("returned_quantity", "-quantity", "is_now and bill_type = 'XSTH'"),
        conditional_sum_sql("returned_revenue", "-revenue", "is_now and bill_type = 'XSTH'"),
        *(conditional_sum_sql(name, name, "is_now") for name in ("quantity", "amount", "revenue", "cost")),
        conditional_sum_sql("previous_revenue", "revenue", "is_previous"),
        conditional_sum_sql("last_year_revenue", "revenue", "is_last_year"),
        conditional_sum_sql("previous_base", "revenue", "is_previous and is_compared"),
        conditional_sum_sql("last_year_base", "revenue", "is_last_year and is_compared"),
    ]
)
_SHOWN = ", ".join(
    (
        "revenue - cost as profit",
        ratio_sql("revenue - cost", "revenue", "margin"),
        ratio_sql("revenue - previous_base", "previous_base", "previous_change"),
        ratio_sql("revenue - last_year_base", "last_year_base", "last_year_change"),
    )
)


class SalesSummary(AggregatedRow, SaleRow):
    """Sales summed by chosen columns (销售综合报表)."""

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
        drill=BY.build_drill("销售明细报表", SALES_DETAIL),
        question="各公司、业务员、客户、商品这段时间卖了多少，比上期和去年同期如何？",
        words="销售额 销量 业绩",
    )

    sales_summary_id: Mapped[int] = key_field()
    sold_quantity: Mapped[Decimal] = quantity_field("出库数量", total=True)
    returned_quantity: Mapped[Decimal] = quantity_field("退货数量", total=True)
    quantity: Mapped[Decimal] = quantity_field("净销数量", total=True)
    amount: Mapped[Decimal] = money_field("含税净额", total=True)
    revenue: Mapped[Decimal] = money_field("未税收入", total=True)
    returned_revenue: Mapped[Decimal] = money_field("其中退货", total=True)
    cost: Mapped[Decimal] = money_field("销售成本", total=True, permission=COST)
    profit: Mapped[Decimal] = money_field("毛利", total=True, permission=COST)
    margin: Mapped[Decimal | None] = rate_field(
        "毛利率%", default=None, permission=COST, ratio=Ratio("profit", "revenue")
    )
    previous_revenue: Mapped[Decimal] = money_field("上期收入", total=True)
    previous_change: Mapped[Decimal | None] = rate_field(
        "环比%", default=None, ratio=Ratio("revenue", "previous_base", growth=True)
    )
    last_year_revenue: Mapped[Decimal] = money_field("去年同期收入", total=True)
    last_year_change: Mapped[Decimal | None] = rate_field(
        "同比%", default=None, ratio=Ratio("revenue", "last_year_base", growth=True)
    )
    previous_base: Mapped[Decimal] = mapped_column(Numeric)
    last_year_base: Mapped[Decimal] = mapped_column(Numeric)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "day", "日期")
        before = find_comparable_period(first, last)
        first, last = clip_to_today(first, last)
        year = (shift_months_back(first, YEAR), shift_months_back(last, YEAR))
        lines, days = super().source(principal, params)
        return lines, {
            **days,
            "is_compared": has_whole_day(first),
            "previous_first": before[0],
            "previous_last": before[1],
            "year_first": year[0],
            "year_last": year[1],
        }
