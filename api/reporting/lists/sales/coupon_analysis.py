"""Use of coupons (优惠券分析): number granted, used and expired, discount given and sales brought.

Rows are of the month of the grant, so that each adds up: granted = used + expired + still valid.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    integer_field,
    key_field,
    money_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.partner_columns import customer_column
from api.reporting.lists.sales_purchase_columns import SALES_DETAIL

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
    granted_count - used_count - expired_count as open_count, {ratio_sql("used_count", "granted_count", "used_rate")},
    {ratio_sql("discount_amount", "sales_amount", "discount_rate")}
from sums s
"""


class CouponAnalysis(ListReport):
    """Use of coupons by month of grant (优惠券分析)."""

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

    coupon_analysis_id: Mapped[int] = key_field()
    month: Mapped[date] = date_field("发放月份", span="month", search=True, width=90, sort=-60)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    customer_id: Mapped[int] = customer_column(at_once=True)
    sales_coupon_name: Mapped[str] = text_field("优惠券", search=True, width=160, sort=-54)
    coupon_kind: Mapped[str] = text_field("类型", search=True, sort=-53)
    granted_count: Mapped[int] = integer_field("发放张数", total=True)
    used_count: Mapped[int] = integer_field("使用张数", total=True)
    expired_count: Mapped[int] = integer_field("过期张数", total=True)
    open_count: Mapped[int] = integer_field("未用张数", total=True)
    used_rate: Mapped[Decimal | None] = rate_field(
        "使用率%", default=None, ratio=Ratio("used_count", "granted_count")
    )
    granted_amount: Mapped[Decimal] = money_field("发放面额", total=True)
    discount_amount: Mapped[Decimal] = money_field("优惠金额", total=True)
    sales_amount: Mapped[Decimal] = money_field("带来销售（含税）", total=True, width=130)
    discount_rate: Mapped[Decimal | None] = rate_field(
        "优惠占销售%", default=None, ratio=Ratio("discount_amount", "sales_amount")
    )
    first_used_on: Mapped[date | None] = date_field("首次使用")
    last_used_on: Mapped[date | None] = date_field("最近使用")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _COUPONS, {"today": today()}
