"""Customers by purchases (客户分析): revenue of a year beside the year before, frequency, recency, and
overdue amounts.

A customer is listed if goods were sold to them by that day. Revenue is net of tax, discount and returns;
open and overdue amounts are the snapshot's, whatever the day.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy import Numeric
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import (
    COST,
    enum_field,
    integer_field,
    key_field,
    money_field,
    rate_field,
    reference_field,
)
from api.kit.declaration.fields import date_field as on_day
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Paging, Sql, Values
from api.kit.http.date_filters import parse_end_date
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.partner_columns import PARTNER_KEY, customer_column
from api.reporting.lists.sales_purchase_columns import SALES_DETAIL

YEAR = 365
KINDS = {1: "新客户", 2: "活跃", 3: "减少", 4: "沉默", 5: "流失"}
"""Who first bought within 90 days; who bought within 90 days, at least half as much as in the year before, or less; who
did not for more than 90 days, or for more than 180."""

_CUSTOMERS = f"""
with sales as (
    select s.company_id, s.customer_id,
        min(business_date) filter (where bill_type = 'XSCK') as first_sale,
        max(business_date) filter (where bill_type = 'XSCK') as last_sale,
        count(*) filter (where is_year and bill_type = 'XSCK') as bill_count,
        coalesce(sum(revenue) filter (where is_year), 0) as revenue,
        coalesce(sum(cost) filter (where is_year), 0) as cost,
        coalesce(sum(revenue) filter (where is_year and bill_type = 'XSCK'), 0) as sold_revenue,
        coalesce(-sum(revenue) filter (where is_year and bill_type = 'XSTH'), 0) as returned_revenue,
        coalesce(sum(revenue) filter (where is_month), 0) as month_revenue,
        coalesce(sum(revenue) filter (where not is_year and business_date > cast(:day as date) - 2 * {YEAR}), 0)
            as previous_revenue
    from (
        select *, business_date > cast(:day as date) - {YEAR} as is_year,
            business_date > cast(:day as date) - 30 as is_month
        from facts.fct_sales_bill
        where business_date <= cast(:day as date)
    ) s
    group by s.company_id, s.customer_id
), owed as (
    select company_id, party_id as customer_id, sum(open_amount) as open_amount,
        coalesce(sum(open_amount) filter (where not is_unapplied and due_date < cast(:today as date)), 0) as overdue
    from facts.fct_open_item
    where party_type = 'customer' and month = (select max(month) from facts.fct_open_item)
    group by company_id, party_id
)
select s.*, {PARTNER_KEY.format("s", "customer_id")} as customer_analysis_id, c.employee_id,
    cast(:day as date) as day, cast(:day as date) - {YEAR - 1} as first_day,
    s.revenue - s.cost as profit, {ratio_sql("s.revenue - s.cost", "s.revenue", "margin")},
    {ratio_sql("s.revenue - s.previous_revenue", "s.previous_revenue", "change")},
    {ratio_sql("s.returned_revenue", "s.sold_revenue", "returned_rate")},
    cast(case when s.bill_count > 0 then s.sold_revenue / s.bill_count else 0 end as decimal(18, 2)) as bill_revenue,
    date_diff('day', s.last_sale, cast(:day as date)) as idle_days,
    (
        select count(distinct l.goods_id) from facts.fct_sales_line l
        where l.company_id = s.company_id and l.customer_id = s.customer_id and l.bill_type = 'XSCK'
            and l.business_date > cast(:day as date) - {YEAR} and l.business_date <= cast(:day as date)
    ) as goods_count,
    coalesce(o.open_amount, 0) as open_amount, coalesce(o.overdue, 0) as overdue_amount,
    case
        when s.last_sale <= cast(:day as date) - 180 then 5
        when s.last_sale <= cast(:day as date) - 90 then 4
        when s.first_sale > cast(:day as date) - 90 then 1
        when 2 * s.revenue < s.previous_revenue then 3
        else 2
    end as kind
from sales s
join customer c on c.customer_id = s.customer_id
left join owed o on o.company_id = s.company_id and o.customer_id = s.customer_id
where s.first_sale is not null
"""


class CustomerAnalysis(ListReport):
    """Customers by purchases (客户分析)."""

    __tablename__ = "customer_analysis"
    paging = Paging(parts=("company_id", "customer_id"))
    declaration = Declaration(
        "客户分析",
        "v2/report/CustomerAnalysis",
        "customer_id",
        routes={"list": "/custom/analyze_see"},
        menu=Menu("客户管理", "客户资料", 40),
        actions=READ_ONLY,
        order_by=("revenue", "desc"),
        drill=Drill(
            "销售明细报表",
            SALES_DETAIL,
            (
                ("company_id", "company_id"),
                ("customer_id", "customer_id"),
                ("business_date_start", "first_day"),
                ("business_date_end", "day"),
            ),
        ),
    )

    customer_analysis_id: Mapped[int] = key_field()
    day: Mapped[date] = on_day("截止日期", span="until", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    customer_id: Mapped[int] = customer_column()
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True, width=90, sort=-54
    )
    kind: Mapped[int] = enum_field("客户状态", KINDS, default=2, search=True, width=90, sort=-53)
    revenue: Mapped[Decimal] = money_field("近一年收入", total=True, sort=1)
    previous_revenue: Mapped[Decimal] = money_field("上一年收入", total=True, sort=2)
    change: Mapped[Decimal | None] = rate_field(
        "同比%", default=None, ratio=Ratio("revenue", "previous_revenue", growth=True), sort=3
    )
    month_revenue: Mapped[Decimal] = money_field("近30天收入", total=True, sort=4)
    profit: Mapped[Decimal] = money_field("近一年毛利", total=True, permission=COST, sort=5)
    margin: Mapped[Decimal | None] = rate_field(
        "毛利率%", default=None, permission=COST, ratio=Ratio("profit", "revenue"), sort=6
    )
    bill_count: Mapped[int] = integer_field("购买单数", total=True, sort=7)
    bill_revenue: Mapped[Decimal] = money_field(
        "单均收入", ratio=Ratio("sold_revenue", "bill_count", times=1, places=2), sort=8
    )
    goods_count: Mapped[int] = integer_field("商品种数", sort=9)
    returned_rate: Mapped[Decimal | None] = rate_field(
        "退货率%", default=None, ratio=Ratio("returned_revenue", "sold_revenue"), sort=10
    )
    first_sale: Mapped[date] = on_day("首次购买", sort=11)
    last_sale: Mapped[date] = on_day("最近购买", search=True, sort=12)
    idle_days: Mapped[int] = integer_field("未购天数", search=True, sort=13)
    open_amount: Mapped[Decimal] = money_field("应收余额", total=True, sort=14)
    overdue_amount: Mapped[Decimal] = money_field("已逾期", total=True, search=True, sort=15)

    sold_revenue: Mapped[Decimal] = mapped_column(Numeric)
    returned_revenue: Mapped[Decimal] = mapped_column(Numeric)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"day_end": today().isoformat()}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        last = parse_end_date(params, "day", "截止日期")
        return _CUSTOMERS, {"day": last, "today": today()}
