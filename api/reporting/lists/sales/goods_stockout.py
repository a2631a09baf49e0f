"""Demand that was not met (缺货分析): days out of stock, estimated lost sales, and unfilled orders.

A company is out of stock of goods on whole days on which none lies in any of its warehouses, for 90 days
at most: the lost sales of a day are the average of the 90 days before. Unfilled orders are those made in
the selected days. Both may stand for the same demand, so they are never added up.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Numeric
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import (
    NO_RECORD,
    goods_field,
    integer_field,
    key_field,
    money_field,
    quantity_field,
    rate_field,
    reference_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.groupings import AggregatedRow, Groupings
from api.reporting.prior_periods import find_comparable_period

ORDERS_ROUTE = "/sales/salesfind"
BY = Groupings(
    {
        1: ("商品", ("goods_id", "goods_type_id", "brand_id")),
        2: ("公司", ("company_id",)),
        3: ("品牌", ("brand_id",)),
        4: ("商品类型", ("goods_type_id",)),
    },
    default_choice=1,
)


def _stockout_days_sql(period: str) -> str:
    """Return SQL of the number of days of a stock-out `o` in a period, up to today."""
    last = f"least(o.valid_to, cast(:{period}last as date), cast(:today as date))"
    return f"cast(greatest({last} - greatest(o.valid_from, cast(:{period}first as date)) + 1, 0) as decimal(2, 0))"


def _cents_sql(amount: str) -> str:
    """Return SQL that rounds an amount of nine decimals to the cent: in 64 bits where it fits, which is ten
    times as fast."""
    return f"coalesce(cast(try_cast({amount} as decimal(18, 9)) as decimal(18, 2)), cast({amount} as decimal(18, 2)))"


# Sales before a stock-out are those of 90 days. What is here and on its way is told of the goods that were short.
# Days times figures stay within 18 digits: with more they are added up at a third of the speed.
_LINES = f"""
with missed as (
    select company_id, goods_id, cast(sum(days) as bigint) as stock_out_days,
        cast(sum(days * quantity) / 90 as decimal(18, 3)) as lost_quantity,
        cast(sum(days * revenue) / 90 as decimal(18, 2)) as lost_amount,
        cast(sum(previous_days * revenue) / 90 as decimal(18, 2)) as previous_lost_amount
    from (
        select company_id, goods_id, {_stockout_days_sql("")} as days,
            {_stockout_days_sql("previous_")} as previous_days,
            cast(quantity_before as decimal(16, 3)) as quantity, cast(revenue_before as decimal(16, 2)) as revenue
        from facts.fct_stock_out o
        where valid_from <= least(cast(:last as date), cast(:today as date)) and valid_to >= cast(:first as date)
            or valid_from <= least(cast(:previous_last as date), cast(:today as date))
                and valid_to >= cast(:previous_first as date)
    )
    group by company_id, goods_id
), lines as (
    select company_id, goods_id, is_closed, price, quantity, greatest(quantity - delivered_quantity, 0) as lacking
    from facts.fct_sales_order_line
    where business_date between cast(:first as date) and cast(:last as date)
), orders as (
    select company_id, goods_id, sum(quantity) as ordered_quantity, sum(quantity - lacking) as filled_quantity,
        sum(case when is_closed then 0 else lacking end) as open_quantity,
        sum(case when is_closed then lacking else 0 end) as cancelled_quantity,
        {_cents_sql("sum(lacking * price)")} as unfilled_amount
    from lines
    group by company_id, goods_id
), short as (
    select *
    from missed
    full join orders using (company_id, goods_id)
    where stock_out_days is not null or filled_quantity < ordered_quantity
), held as (
    select company_id, goods_id, sum(quantity) as stock_quantity, sum(ordered_quantity) as coming_quantity
    from facts.fct_goods_stock group by company_id, goods_id
)
select s.company_id, s.goods_id, g.goods_type_id, g.brand_id, cast(:first as date) as first_day,
    cast(:last as date) as day, cast(:grouping as integer) as grouping,
    coalesce(stock_out_days, 0) as stock_out_days, coalesce(lost_quantity, 0) as lost_quantity,
    coalesce(lost_amount, 0) as lost_amount, coalesce(previous_lost_amount, 0) as previous_lost_amount,
    coalesce(ordered_quantity, 0) as ordered_quantity, coalesce(filled_quantity, 0) as filled_quantity,
    coalesce(open_quantity, 0) as open_quantity, coalesce(cancelled_quantity, 0) as cancelled_quantity,
    coalesce(unfilled_amount, 0) as unfilled_amount, coalesce(stock_quantity, 0) as stock_quantity,
    coalesce(coming_quantity, 0) as coming_quantity
from short s
left join held using (company_id, goods_id)
join goods g on g.goods_id = s.goods_id
"""
_MEASURES = (
    *("stock_out_days", "lost_quantity", "lost_amount", "previous_lost_amount", "ordered_quantity"),
    *("filled_quantity", "open_quantity", "cancelled_quantity", "unfilled_amount", "stock_quantity"),
    "coming_quantity",
)
_SUMS = ", ".join(f"sum({name}) as {name}" for name in _MEASURES)


class GoodsShortage(AggregatedRow):
    """Demand that was not met (缺货分析)."""

    __tablename__ = "goods_shortage"
    keyword_reference = "goods_id"
    by, lines, sums = BY, _LINES, _SUMS
    shown = ratio_sql("filled_quantity", "ordered_quantity", "fill_rate")
    declaration = Declaration(
        "缺货分析",
        "v2/report/GoodsShortage",
        "lost_amount",
        routes={"list": "/report/NoGoodsSentiment"},
        menu=Menu("报表中心", "销售报表", 70),
        actions=READ_ONLY,
        order_by=("lost_amount", "desc"),
        drill=Drill(
            "销售订单明细",
            ORDERS_ROUTE,
            (
                *((name, name) for name in ("company_id", "goods_id")),
                *(("business_date_start", "first_day"), ("business_date_end", "day")),
            ),
        ),
        question="客户要的哪些商品断了货，断了几天，估计少卖多少，哪些订单没有发足？",
        words="快没货了 没货 断货",
    )

    goods_shortage_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    goods_id: Mapped[int] = goods_field(
        search=True, shows=("goods_num", "specification_type", "unit_id"), sort=-53
    )
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int] = reference_field("brand", "品牌", none=NO_RECORD, search=True, width=90, sort=-51)
    lost_amount: Mapped[Decimal] = money_field("估计少销金额（未税）", total=True, width=150)
    previous_lost_amount: Mapped[Decimal] = money_field("上期估计少销", total=True)
    lost_quantity: Mapped[Decimal] = quantity_field("估计少销数量", total=True)
    stock_out_days: Mapped[int] = integer_field("断货天数", total=True)
    missed_goods: Mapped[int] = integer_field("断货商品数")
    ordered_quantity: Mapped[Decimal] = quantity_field("订单数量", total=True)
    open_quantity: Mapped[Decimal] = quantity_field("订单未发", total=True)
    cancelled_quantity: Mapped[Decimal] = quantity_field("关闭未发", total=True)
    unfilled_amount: Mapped[Decimal] = money_field("未发金额（含税）", total=True, width=130)
    filled_quantity: Mapped[Decimal] = mapped_column(Numeric)
    fill_rate: Mapped[Decimal | None] = rate_field(
        "订单满足率%", default=None, ratio=Ratio("filled_quantity", "ordered_quantity")
    )
    stock_quantity: Mapped[Decimal] = quantity_field("现有库存", total=True)
    coming_quantity: Mapped[Decimal] = quantity_field("采购在途", total=True)

    @classmethod
    def is_visible_to(cls, principal: Principal) -> bool:
        """Return whether the principal sees whole companies' stock: a company's shortage is of all its
        warehouses."""
        return super().is_visible_to(principal) and principal.warehouses is None

    @classmethod
    def sums_sql(cls, params: Values) -> str:
        # A line is of one company and goods: only where neither is told, goods may come twice.
        chosen = cls.by.list_chosen_columns(params)
        missed = "count(distinct case when stock_out_days > 0 then goods_id end)"
        if "goods_id" in chosen:
            missed = "max(case when stock_out_days > 0 then 1 else 0 end)"
        elif "company_id" in chosen:
            missed = "count(case when stock_out_days > 0 then 1 end)"
        return f"{missed} as missed_goods, {cls.sums}"

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        before = find_comparable_period(*parse_date_range(params, "day", "日期"))
        lines, days = super().source(principal, params)
        return lines, {**days, "previous_first": before[0], "previous_last": before[1], "today": today()}
