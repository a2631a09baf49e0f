"""Credit query (信用额度查询): each controlled customer's limit, its use item by item, and his repayments."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    integer_field,
    key_field,
    money_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu, ScreenPlacement
from api.kit.declaration.view import BILL, READ_ONLY, BillReferenceRow, Sql, Values, View
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.master.settlements.open_item_sql import IS_UNAPPLIED, OVERDUE_DAYS, open_amounts_sql
from api.sales.credit import LIMIT

RECEIVABLE, ADVANCE, ORDERED = 1, 2, 3
USES = {RECEIVABLE: "应收款", ADVANCE: "预收及未用返利", ORDERED: "未出库订单"}
ITEMS = "/custom/creditfind_search"

_CUSTOMERS = f"""
select u.*, u.receivable + u.advance + u.ordered as exposure,
    u.limit_amount - u.receivable - u.advance - u.ordered as available,
    case when u.limit_amount > 0
        then round(100 * (u.receivable + u.advance + u.ordered) / u.limit_amount, 4) end as used_rate,
    case when u.overdue_since is not null then :today - u.overdue_since end as overdue_days
from (
    select c.customer_id, c.customer_id as credit_use_id, c.company_id, c.employee_id, c.credit_limit,
        {LIMIT} as limit_amount, {LIMIT} - c.credit_limit as temporary_amount,
        coalesce(i.owed, 0.00) as receivable, coalesce(i.unapplied, 0.00) as advance,
        coalesce(o.ordered, 0.00) as ordered, coalesce(i.overdue, 0.00) as overdue, i.overdue_since
    from customer c
    left join (
        select l.party_id, {open_amounts_sql()}
        from settlement_item l
        where l.party_type = 'customer' and l.open_amount <> 0
        group by l.party_id
    ) i on i.party_id = c.customer_id
    left join (
        select h.customer_id, sum(round(l.amount * (l.quantity - l.executed_quantity) / l.quantity, 2)) as ordered
        from sales_order h join sales_order_line l using (bill_id)
        where h.status = 2 and l.executed_quantity < l.quantity
        group by h.customer_id
    ) o on o.customer_id = c.customer_id
    where c.credit_limit is not null
) u
"""

# Two kinds of rows under one key: an item's own, an order's as a negative one.
_ITEMS = f"""
select l.*, {{route}} from (
select l.settlement_id as credit_item_id, l.company_id, l.party_id as customer_id,
    case when {IS_UNAPPLIED} then {ADVANCE} else {RECEIVABLE} end as use,
    l.bill_type, l.bill_id, l.bill_no, l.business_date,
    l.due_date, l.amount, l.open_amount as used_amount,
    {OVERDUE_DAYS} as overdue_days
from settlement_item l
where l.party_type = 'customer' and l.open_amount <> 0
union all
select -h.bill_id, h.company_id, h.customer_id, {ORDERED}, 'XSDD', h.bill_id, h.bill_no, h.business_date, null::date,
    h.total_amount, sum(round(l.amount * (l.quantity - l.executed_quantity) / l.quantity, 2)), null::integer
from sales_order h join sales_order_line l using (bill_id)
where h.status = 2 and l.executed_quantity < l.quantity
group by h.bill_id
) l
"""


def _bind_today() -> dict[str, date]:
    return {"today": today()}


class CreditUse(View):
    """信用额度查询: remaining credit of each customer."""

    __tablename__ = "credit_use"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "信用额度查询",
        "v2/custom/CreditUse",
        "customer_id",
        routes={"list": "/custom/creditfind"},
        menu=Menu("客户管理", "信用管理", 20),
        actions=READ_ONLY,
        order_by=("available", "asc"),
        drill=Drill("额度占用明细", ITEMS, (("company_id", "company_id"), ("customer_id", "customer_id"))),
        also=(ScreenPlacement({"list": "/custom/getUseLimitList"}),),
    )

    credit_use_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    credit_limit: Mapped[Decimal] = money_field("长期额度", total=True)
    temporary_amount: Mapped[Decimal] = money_field("临时额度", total=True)
    limit_amount: Mapped[Decimal] = money_field("可用总额度", total=True)
    receivable: Mapped[Decimal] = money_field("应收款", total=True)
    advance: Mapped[Decimal] = money_field("预收及未用返利", total=True)
    ordered: Mapped[Decimal] = money_field("未出库订单", total=True)
    exposure: Mapped[Decimal] = money_field("已占用额度", total=True)
    available: Mapped[Decimal] = money_field("剩余额度", total=True)
    used_rate: Mapped[Decimal | None] = rate_field(
        "占用率%", default=None, ratio=Ratio("exposure", "limit_amount")
    )
    overdue: Mapped[Decimal] = money_field("逾期金额", total=True)
    overdue_since: Mapped[date | None] = date_field("最早到期日")
    overdue_days: Mapped[int | None] = integer_field("逾期天数", default=None)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _CUSTOMERS, _bind_today()


class CreditItem(BillReferenceRow):
    """额度占用明细: items and orders that make up a customer's exposure."""

    __tablename__ = "credit_item"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "额度占用明细",
        "v2/custom/CreditItem",
        "bill_no",
        routes={"list": ITEMS},
        menu=Menu("客户管理", "信用管理", 30),
        actions=READ_ONLY,
        order_by=("business_date", "asc"),
        drill=BILL,
        also=(ScreenPlacement({"list": "/custom/useLimitDetail"}),),
    )

    credit_item_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    use: Mapped[int] = enum_field("占用类型", USES, default=1, search=True)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190)
    business_date: Mapped[date] = date_field("业务日期", search=True)
    due_date: Mapped[date | None] = date_field("到期日", search=True)
    amount: Mapped[Decimal] = money_field("单据金额", total=True)
    used_amount: Mapped[Decimal] = money_field("占用金额", total=True)
    overdue_days: Mapped[int | None] = integer_field("逾期天数", default=None)

    rows = _ITEMS

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        sql, values = super().source(principal, params)
        return sql, values | _bind_today()


_REPAYMENTS = """
select l.credit_repayment_id, l.company_id, l.customer_id, l.bill_no, l.business_date, l.amount, l.late_amount,
    l.late_days, {route}
from (
    select min(e.entry_id) as credit_repayment_id, e.company_id, e.party_id as customer_id, e.bill_type, e.bill_id,
        e.bill_no, e.business_date, -sum(e.amount) as amount,
        -coalesce(sum(e.amount) filter (where e.business_date > i.due_date), 0.00) as late_amount,
        max(greatest(e.business_date - i.due_date, 0)) as late_days
    from settlement_ledger e
    join settlement_item i using (settlement_id)
    join customer c on c.customer_id = e.party_id and c.credit_limit is not null
    where e.party_type = 'customer' and e.entry = 'write_off' and not e.waived and i.amount > 0
        and not exists (select from settlement_ledger r where r.reverses = e.entry_id)
    group by e.company_id, e.party_id, e.bill_type, e.bill_id, e.bill_no, e.business_date
) l
"""


class CreditRepayment(BillReferenceRow):
    """额度还款明细: payments of controlled customers, and their delay."""

    __tablename__ = "credit_repayment"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "额度还款明细",
        "v2/custom/CreditRepayment",
        "bill_no",
        routes={"list": "/custom/repaymentAmount"},
        menu=Menu("客户管理", "信用管理", 40),
        actions=READ_ONLY,
        order_by=("credit_repayment_id", "desc"),
        drill=BILL,
    )

    credit_repayment_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    business_date: Mapped[date] = date_field("还款日期", search=True)
    bill_no: Mapped[str] = text_field("还款单据", search=True, width=190)
    amount: Mapped[Decimal] = money_field("还款金额", total=True)
    late_amount: Mapped[Decimal] = money_field("其中逾期还款", total=True)
    late_days: Mapped[int] = integer_field("最长逾期天数")

    rows = _REPAYMENTS
