"""Rebates of service stations in percent of their sales (服务站返利比例), beside the prior period and a
year ago.

Rebates are those that audited bills granted to a station's customers. Each is prorated to the sales lines
that it was computed from and counts on their days, so that it is a ratio of the very sales that earned it.
Both are with tax.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import date_field, key_field, money_field, quantity_field, rate_field
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range
from api.kit.scope import Principal
from api.reporting.lists.expressions import conditional_sum_sql, ratio_sql
from api.reporting.lists.groupings import AggregatedRow, Groupings
from api.reporting.lists.sales_purchase_columns import SALES_DETAIL, SaleRow
from api.reporting.prior_periods import YEAR, clip_to_today, find_comparable_period
from reports.semantics.period_offsets import shift_months_back

MONTH = 9
BY = Groupings(
    {
        1: ("服务站", ("company_id",)),
        2: ("部门", ("company_id", "department_id")),
        3: ("业务员", ("company_id", "employee_id")),
        4: ("客户", ("company_id", "customer_id")),
        5: ("商品类型", ("goods_type_id",)),
        6: ("品牌", ("brand_id",)),
        7: ("商品", ("goods_id", "goods_type_id", "brand_id")),
        8: ("仓库", ("company_id", "warehouse_id")),
        MONTH: ("月份", ("month",)),
    },
    default_choice=1,
    days=frozenset({"month"}),
)

# What stands in an earlier period counts in the month that it is compared with.
_LINES = """
with figures as (
    select company_id, department_id, employee_id, customer_id, warehouse_id, goods_id, maker_id, business_date,
        quantity, amount, 0 as rebate
    from facts.fct_sales_line
    union all
    select company_id, department_id, employee_id, customer_id, warehouse_id, goods_id, maker_id, business_date,
        0, 0, rebate_amount
    from facts.fct_customer_rebate_line
), told as (
    select f.*, cast(:first as date) as first, cast(:last as date) as last,
        f.business_date between cast(:first as date) and cast(:last as date) as is_now,
        f.business_date between cast(:previous_first as date) and cast(:previous_last as date) as is_previous,
        f.business_date between cast(:year_first as date) and cast(:year_last as date) as is_last_year
    from figures f
    join dim_company c on c.company_id = f.company_id and c.company_type = '服务站'
), placed as (
    select t.*, cast(date_trunc('month', t.business_date) + to_months(cast(
        case when is_now then 0 when is_previous then :months_back else :year end as integer)) as date) as month
    from told t
    where is_now or is_previous or is_last_year
)
select p.*, g.goods_type_id, g.brand_id, cast(:grouping as integer) as grouping,
    case when :by_month then greatest(p.first, p.month) else p.first end as first_day,
    case when :by_month then least(p.last, last_day(p.month)) else p.last end as day
from placed p
left join goods g on g.goods_id = p.goods_id
"""


_SUMS = ",\n".join(
    [
        *(conditional_sum_sql(name, name, "is_now") for name in ("quantity", "amount", "rebate")),
        *(conditional_sum_sql(f"previous_{name}", name, "is_previous") for name in ("amount", "rebate")),
        *(conditional_sum_sql(f"last_year_{name}", name, "is_last_year") for name in ("amount", "rebate")),
    ]
)
_SHOWN = ", ".join(
    (
        ratio_sql("rebate", "amount", "rebate_rate"),
        ratio_sql("previous_rebate", "previous_amount", "previous_rate"),
        ratio_sql("last_year_rebate", "last_year_amount", "last_year_rate"),
    )
)


class StationRebate(AggregatedRow, SaleRow):
    """Rebates of service stations in percent of sales (服务站返利比例)."""

    __tablename__ = "station_rebate"
    by, lines, sums, shown = BY, _LINES, _SUMS, _SHOWN
    declaration = Declaration(
        "服务站返利比例",
        "v2/report/StationRebate",
        "rebate",
        routes={"list": "/report/FwzRebateRatio"},
        menu=Menu("报表中心", "销售报表", 60),
        actions=READ_ONLY,
        order_by=("rebate", "desc"),
        drill=BY.build_drill("销售明细报表", SALES_DETAIL),
        question="各服务站把销售额的百分之几返给了客户，返在哪些品牌上？",
    )

    station_rebate_id: Mapped[int] = key_field()
    month: Mapped[date | None] = date_field("月份", span="month", width=90, sort=-59)
    rebate: Mapped[Decimal] = money_field("返利", total=True)
    amount: Mapped[Decimal] = money_field("含税净额", total=True)
    rebate_rate: Mapped[Decimal | None] = rate_field(
        "返利比例%", default=None, ratio=Ratio("rebate", "amount")
    )
    quantity: Mapped[Decimal] = quantity_field("净销数量", total=True)
    previous_rebate: Mapped[Decimal] = money_field("上期返利", total=True)
    previous_amount: Mapped[Decimal] = money_field("上期净额", total=True)
    previous_rate: Mapped[Decimal | None] = rate_field(
        "上期比例%", default=None, ratio=Ratio("previous_rebate", "previous_amount")
    )
    last_year_rebate: Mapped[Decimal] = money_field("去年同期返利", total=True)
    last_year_amount: Mapped[Decimal] = money_field("去年同期净额", total=True)
    last_year_rate: Mapped[Decimal | None] = rate_field(
        "去年同期比例%", default=None, ratio=Ratio("last_year_rebate", "last_year_amount")
    )

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "day", "日期")
        before = find_comparable_period(first, last)
        first, last = clip_to_today(first, last)
        lines, days = super().source(principal, params)
        return lines, {
            **days,
            "previous_first": before[0],
            "previous_last": before[1],
            "year_first": shift_months_back(first, YEAR),
            "year_last": shift_months_back(last, YEAR),
            "year": YEAR,
            "months_back": 12 * (first.year - before[0].year) + first.month - before[0].month,
            "by_month": MONTH in cls.by.list_chosen_numbers(params),
        }
