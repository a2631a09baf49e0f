"""What became of coupons (优惠券分析): granted, used, expired, what they took off and what they sold.

Told by the month in which they were granted, so that a row adds up: granted = used + expired + still good.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.database import today
from api.kit.fields import day, integer, key, money, rate, ref, text
from api.kit.ratios import Ratio
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values
from api.reporting.expressions import ratio
from api.reporting.party_rows import customer_column
from api.reporting.published import Published
from api.reporting.trade_rows import SALES_DETAIL

_COUPONS = f"""
with coupons as (
    select c.*, cast(date_trunc('month', granted_on) as date) as month,
        case when used_on is not null then 1 else 0 end as is_used,
        case when used_on is null and expires_on < cast(:today as date) then 1 else 0 end as is_expired
    from facts.fct_sales_coupon c
), sums as (
    select month, company_id, customer_id, sales_coupon_id, sales_coupon_name, coupon_kind,
        count(*) as granted_count, sum(face_amount) as granted_amount, sum(is_used) as used_count,
        sum(is_expired) as expired_count, sum(discount_amount) as discount_amount, sum(sales_amount) as sales_amount,
        min(used_on) as first_used_on, max(used_on) as last_used_on
    from coupons
    group by month, company_id, customer_id, sales_coupon_id, sales_coupon_name, coupon_kind
)
select s.*, cast(hash(month, customer_id, sales_coupon_id) % 9007199254740991 as bigint) as coupon_analysis_id,
    granted_count - used_count - expired_count as open_count, {ratio("used_count", "granted_count", "used_rate")},
    {ratio("discount_amount", "sales_amount", "discount_rate")}
from sums s
"""


class CouponAnalysis(Published):
    """优惠券分析"""

    __tablename__ = "coupon_analysis"
    declaration = Declaration(
        "优惠券分析",
        "v2/report/CouponAnalysis",
        "sales_coupon_name",
        routes={"list": "/report/CustomerSentiment"},
        menu=Menu("报表中心", "销售报表", 80),
        actions=READ_ONLY,
        order_by=("month", "desc"),
        drill=Drill(
            "销售明细报表",
            SALES_DETAIL,
            (
                *((name, name) for name in ("company_id", "customer_id")),
                *(("business_date_start", "first_used_on"), ("business_date_end", "last_used_on")),
            ),
        ),
        question="发出的优惠券用了多少、过期多少，优惠了多少钱，带来多少销售？",
    )

    coupon_analysis_id: Mapped[int] = key()
    month: Mapped[date] = day("发放月份", span="month", search=True, width=90, sort=-60)
    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)
    customer_id: Mapped[int] = customer_column(at_once=True)
    sales_coupon_name: Mapped[str] = text("优惠券", search=True, width=160, sort=-54)
    coupon_kind: Mapped[str] = text("类型", search=True, sort=-53)
    granted_count: Mapped[int] = integer("发放张数", total=True)
    used_count: Mapped[int] = integer("使用张数", total=True)
    expired_count: Mapped[int] = integer("过期张数", total=True)
    open_count: Mapped[int] = integer("未用张数", total=True)
    used_rate: Mapped[Decimal | None] = rate(
        "使用率%", default=None, ratio=Ratio("used_count", "granted_count")
    )
    granted_amount: Mapped[Decimal] = money("发放面额", total=True)
    discount_amount: Mapped[Decimal] = money("优惠金额", total=True)
    sales_amount: Mapped[Decimal] = money("带来销售（含税）", total=True, width=130)
    discount_rate: Mapped[Decimal | None] = rate(
        "优惠占销售%", default=None, ratio=Ratio("discount_amount", "sales_amount")
    )
    first_used_on: Mapped[date | None] = day("首次使用")
    last_used_on: Mapped[date | None] = day("最近使用")

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _COUPONS, {"today": today()}
