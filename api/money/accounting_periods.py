"""Accounting periods (会计期间): each company's months since its books begin, and their close status."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal

OPEN, CLOSED = 0, 1
STATES = {OPEN: "未结账", CLOSED: "已结账"}


class AccountingPeriodView(View):
    """会计期间: from a company's first posting or closed month to the present month."""

    __tablename__ = "accounting_period_query"
    declaration = Declaration(
        "会计期间",
        "v2/system/AccountingPeriod",
        "period",
        routes={"list": "/system/account"},
        menu=Menu("系统管理", "账务管理", 15),
        actions=READ_ONLY,
        order_by=("accounting_period_id", "desc"),
        drill=Drill("月末结账", "/system/monthly", (("company_id", "company_id"), ("period", "period"))),
    )

    accounting_period_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True, width=200)
    period: Mapped[str] = text_field("会计期间", search=True, width=100)
    first_day: Mapped[date] = date_field("开始日期", search=True)
    last_day: Mapped[date] = date_field("结束日期")
    status: Mapped[int] = enum_field("状态", STATES, default=OPEN, search=True, width=90)
    closed_by: Mapped[int | None] = reference_field(
        "user_account", "结账人", target="user_id", label_field="closed_by_name", width=90
    )
    closed_at: Mapped[datetime | None] = datetime_field("结账时间")
    bill_count: Mapped[int | None] = integer_field("锁定单据", default=None, width=100)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _PERIODS, {}


_PERIODS = """
with begun as (
    select c.company_id, least(
        (select min(s.business_date) from stock_ledger s where s.company_id = c.company_id),
        (select min(i.business_date) from settlement_item i where i.company_id = c.company_id),
        (select to_date(min(a.period), 'YYYY-MM') from accounting_period a where a.company_id = c.company_id),
        current_date
    ) as first_date
    from company c
)
select
    b.company_id * 1000000 + cast(to_char(m.month, 'YYYYMM') as integer) as accounting_period_id,
    b.company_id, to_char(m.month, 'YYYY-MM') as period, cast(m.month as date) as first_day,
    cast(m.month + interval '1 month' - interval '1 day' as date) as last_day,
    coalesce(a.status, 0) as status, k.closed_by, k.closed_at, k.bill_count
from begun b
cross join lateral generate_series(
    date_trunc('month', b.first_date), date_trunc('month', current_date), interval '1 month'
) as m (month)
left join accounting_period a on a.company_id = b.company_id and a.period = to_char(m.month, 'YYYY-MM')
left join month_close k on k.company_id = b.company_id and k.period = a.period and k.status = 1
"""
