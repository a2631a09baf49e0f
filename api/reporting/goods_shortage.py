"""What customers asked for and did not get (缺货分析): days without stock, sales missed meanwhile, orders not filled.

A company is out of goods on whole days on which none lies in any of its warehouses, for 90 days at most: what is
missed a day is what was sold on average in the 90 days before. Orders not filled are those made in the days asked for.
Both may tell of the same wish, so they are never added up.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Numeric
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.asked import asked_days
from api.kit.database import today
from api.kit.fields import NO_RECORD, goods, integer, key, money, quantity, rate, ref
from api.kit.ratios import Ratio
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values
from api.reporting.earlier_days import previous_come
from api.reporting.expressions import ratio
from api.reporting.groupings import Groupings, SummedRow

ORDERS = "/sales/salesfind"
BY = Groupings(
    {
        1: ("商品", ("goods_id", "goods_type_id", "brand_id")),
        2: ("公司", ("company_id",)),
        3: ("品牌", ("brand_id",)),
        4: ("商品类型", ("goods_type_id",)),
    },
    usual=1,
)


def _days(period: str) -> str:
    """How many days of a stock-out `o` lie in a period that has begun."""
    last = f"least(o.valid_to, cast(:{period}last as date), cast(:today as date))"
    return f"cast(greatest({last} - greatest(o.valid_from, cast(:{period}first as date)) + 1, 0) as decimal(2, 0))"


def _cents(amount: str) -> str:
    """An amount of nine decimals to the cent: in 64 bits where it fits, since others take ten times as long."""
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
        select company_id, goods_id, {_days("")} as days, {_days("previous_")} as previous_days,
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
        {_cents("sum(lacking * price)")} as unfilled_amount
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


class GoodsShortage(SummedRow):
    """缺货分析"""

    __tablename__ = "goods_shortage"
    found_by = "goods_id"
    by, lines, sums = BY, _LINES, _SUMS
    shown = ratio("filled_quantity", "ordered_quantity", "fill_rate")
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
            ORDERS,
            (
                *((name, name) for name in ("company_id", "goods_id")),
                *(("business_date_start", "first_day"), ("business_date_end", "day")),
            ),
        ),
        question="客户要的哪些商品断了货，断了几天，估计少卖多少，哪些订单没有发足？",
        words="快没货了 没货 断货",
    )

    goods_shortage_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)
    goods_id: Mapped[int] = goods(search=True, shows=("goods_num", "specification_type", "unit_id"), sort=-53)
    goods_type_id: Mapped[int] = ref("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int] = ref("brand", "品牌", none=NO_RECORD, search=True, width=90, sort=-51)
    lost_amount: Mapped[Decimal] = money("估计少销金额（未税）", total=True, width=150)
    previous_lost_amount: Mapped[Decimal] = money("上期估计少销", total=True)
    lost_quantity: Mapped[Decimal] = quantity("估计少销数量", total=True)
    stock_out_days: Mapped[int] = integer("断货天数", total=True)
    missed_goods: Mapped[int] = integer("断货商品数")
    ordered_quantity: Mapped[Decimal] = quantity("订单数量", total=True)
    open_quantity: Mapped[Decimal] = quantity("订单未发", total=True)
    cancelled_quantity: Mapped[Decimal] = quantity("关闭未发", total=True)
    unfilled_amount: Mapped[Decimal] = money("未发金额（含税）", total=True, width=130)
    filled_quantity: Mapped[Decimal] = mapped_column(Numeric)
    fill_rate: Mapped[Decimal | None] = rate(
        "订单满足率%", default=None, ratio=Ratio("filled_quantity", "ordered_quantity")
    )
    stock_quantity: Mapped[Decimal] = quantity("现有库存", total=True)
    coming_quantity: Mapped[Decimal] = quantity("采购在途", total=True)

    @classmethod
    def open_to(cls, principal: Principal) -> bool:
        """What a whole company lacks tells what lies in its warehouses."""
        return super().open_to(principal) and principal.warehouses is None

    @classmethod
    def summed(cls, asked: Values) -> str:
        # A line is of one company and goods: only where neither is told, goods may come twice.
        told = cls.by.chosen(asked)
        missed = "count(distinct case when stock_out_days > 0 then goods_id end)"
        if "goods_id" in told:
            missed = "max(case when stock_out_days > 0 then 1 else 0 end)"
        elif "company_id" in told:
            missed = "count(case when stock_out_days > 0 then 1 end)"
        return f"{missed} as missed_goods, {cls.sums}"

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        before = previous_come(*asked_days(asked, "day", "日期"))
        lines, days = super().source(principal, asked)
        return lines, {**days, "previous_first": before[0], "previous_last": before[1], "today": today()}
