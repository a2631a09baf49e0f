"""Commission (提成): the salesperson's commission of each write-off of a sale, by the scheme of each part
of its goods.

A write-off counts for the share of its sale's revenue and profit that it pays of the bill. Of the schemes
in force on its day the salesperson's own go before those for all, then those of the goods' brand before
those of its nearest type, before those for all goods; no two are equal. Parts without a scheme are rows
without one, so that the parts of a write-off add up to it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import (
    COST,
    NO_RECORD,
    date_field,
    enum_field,
    key_field,
    money_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range
from api.kit.scope import Principal
from api.kit.storage.projection import MASK
from api.reporting.lists.bill_columns import BillReportRow, bill_columns_sql
from api.reporting.lists.groupings import AggregatedRow, Groupings
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.partner_columns import customer_column
from api.reporting.lists.receipts.receipt_write_offs import WRITE_OFFS
from api.reporting.lists.sales_purchase_columns import employee_column
from api.sales.commission_scheme import BASES, COMMISSIONS, PROFIT, REVENUE

MONTH = 2

BY = Groupings(
    {
        1: ("业务员", ("company_id", "employee_id")),
        MONTH: ("月份", ("month",)),
        3: ("提成方案", ("company_id", "commission_scheme_id")),
        4: ("客户", ("company_id", "customer_id")),
        5: ("公司", ("company_id",)),
    },
    default_choice=1,
    days=frozenset({"month"}),
)


def prorated_sql(amount: str, part: str, whole: str) -> str:
    """Return SQL of `amount * part / whole` to the cent, halves away from zero: in integers, since DuckDB
    divides in floats; in 64 bits where they fit, since longer ones take ten times as long to divide."""
    amount, part, whole = (
        f"cast(cast({money} as decimal(18, 2)) * 100 as bigint)" for money in (amount, part, whole)
    )

    def division_sql(kind: str) -> str:
        half = f"sign({amount}) * sign({part}) * abs({whole})"
        return f"cast((2 * cast({amount} as {kind}) * {part} + {half}) // (2 * {whole}) as bigint)"

    found = f"coalesce(try({division_sql('bigint')}), {division_sql('hugeint')})"
    return f"cast(cast({found} as decimal(18, 0)) * 0.01 as decimal(18, 2))"


# Goods that no scheme tells apart are what the others leave of their bill's sums: lines are read of those others alone,
# and added up by kinds that are alike to all schemes. Schemes are chosen once for all write-offs between two days on
# which one begins or ends. Amounts are rounded as they run on, so that the parts of a write-off are no cent more or
# less than it. The companies that one sees are named here: put around it, the condition would leave the work for all
# of them to be done.
_PARTS = f"""
with write_offs as (
    select {{written}} from ({WRITE_OFFS})
    where coalesce(list_contains(cast(:companies as bigint[]), company_id), true)
),
schemes as (select * from commission_scheme where enabled),
typed as (select distinct goods_type_id from schemes),
kinds as (
    select g.goods_id, b.brand_id, n1.goods_type_id as type1, n2.goods_type_id as type2, n3.goods_type_id as type3,
        dense_rank() over (order by b.brand_id, type1, type2, type3) as kind
    from goods g
    left join goods_type t1 on t1.goods_type_id = g.goods_type_id
    left join goods_type t2 on t2.goods_type_id = t1.p_id
    left join (select distinct brand_id from schemes) b on b.brand_id = g.brand_id
    left join typed n1 on n1.goods_type_id = g.goods_type_id
    left join typed n2 on n2.goods_type_id = t1.p_id
    left join typed n3 on n3.goods_type_id = t2.p_id
    where coalesce(b.brand_id, n1.goods_type_id, n2.goods_type_id, n3.goods_type_id) is not null
),
turns as (select distinct company_id, unnest([starts_on, ends_on + 1]) as since from schemes),
paid as (
    select w.*, s.employee_id, s.maker_id, s.line_count, s.amount as sold_amount, s.revenue,
        s.revenue - s.cost as profit,
        (
            select max(since) from turns t where t.company_id = w.company_id and t.since <= w.business_date
        ) as since
    from write_offs w
    join facts.fct_sales_bill s on s.bill_type = w.item_bill_type and s.bill_id = w.item_bill_id
),
apart as (
    select s.bill_type as item_bill_type, s.bill_id as item_bill_id, k.kind, count(*) as line_count,
        sum(s.amount) as sold_amount, sum(s.revenue) as revenue, sum(s.revenue) - sum(s.cost) as profit
    from facts.fct_sales_line s
    join (select distinct item_bill_id from write_offs) p on p.item_bill_id = s.bill_id
    join kinds k on k.goods_id = s.goods_id
    group by all
),
taken as (
    select item_bill_type, item_bill_id, sum(line_count) as line_count, sum(sold_amount) as sold_amount,
        sum(revenue) as revenue, sum(profit) as profit
    from apart
    group by all
),
sold as (
    select p.write_off_id, p.company_id, p.since, p.employee_id, 0 as kind, t.line_count is null as is_whole,
        p.sold_amount - coalesce(t.sold_amount, 0) as sold_amount, p.revenue - coalesce(t.revenue, 0) as revenue,
        p.profit - coalesce(t.profit, 0) as profit
    from paid p
    left join taken t using (item_bill_type, item_bill_id)
    where p.line_count > coalesce(t.line_count, 0)
    union all
    select p.write_off_id, p.company_id, p.since, p.employee_id, a.kind, false, a.sold_amount, a.revenue, a.profit
    from paid p
    join apart a using (item_bill_type, item_bill_id)
),
chosen as (
    select p.*, min_by(c.commission_scheme_id, (
        c.employee_id is null, c.brand_id is null,
        case c.goods_type_id when k.type1 then 1 when k.type2 then 2 when k.type3 then 3 else 4 end
    )) as commission_scheme_id
    from (select distinct company_id, since, employee_id, kind from sold) p
    left join (select distinct * exclude (goods_id) from kinds) k on k.kind = p.kind
    join schemes c on c.company_id = p.company_id
        and p.since between c.starts_on and coalesce(c.ends_on, date '9999-12-31')
        and (c.employee_id is null or c.employee_id = p.employee_id)
        and (c.brand_id is null or c.brand_id = k.brand_id)
        and (c.goods_type_id is null or c.goods_type_id in (k.type1, k.type2, k.type3))
    group by all
),
schemed as (
    select s.write_off_id, c.commission_scheme_id, s.is_whole, s.sold_amount, s.revenue, s.profit
    from sold s
    left join chosen c on c.company_id = s.company_id and c.since = s.since and c.kind = s.kind
        and c.employee_id is not distinct from s.employee_id
),
running as (
    select write_off_id, commission_scheme_id, sold_amount, sold_amount as sold_so_far, revenue, profit
    from schemed
    where is_whole
    union all
    select write_off_id, commission_scheme_id, sum(sold_amount),
        sum(sum(sold_amount)) over (
            partition by write_off_id order by commission_scheme_id rows unbounded preceding
        ),
        sum(revenue), sum(profit)
    from schemed
    where not is_whole
    group by write_off_id, commission_scheme_id
),
shared as (
    select w.* exclude (since, line_count, sold_amount, amount, revenue, profit), s.commission_scheme_id, c.basis,
        c.rate,
        {prorated_sql("w.amount", "sold_so_far", "item_amount")}
            - {prorated_sql("w.amount", "(s.sold_so_far - s.sold_amount)", "item_amount")} as amount,
        {prorated_sql("s.revenue", "w.amount", "item_amount")} as revenue,
        {prorated_sql("s.profit", "w.amount", "item_amount")} as profit
    from running s
    join paid w using (write_off_id)
    left join schemes c on c.commission_scheme_id = s.commission_scheme_id
),
parts as (
    select *, case basis when {REVENUE} then revenue when {PROFIT} then profit end as basis_amount
    from shared
)
select *, cast(hash(write_off_id, commission_scheme_id) % 9007199254740991 as bigint) as commission_id,
    coalesce(cast(basis_amount * rate * 0.01 as decimal(18, 2)), 0.00) as commission
from parts
"""
_WRITTEN = (
    "write_off_id, company_id, customer_id, business_date, item_bill_type, item_bill_id, item_amount, amount"
)
"""What is told of a write-off by the reports that sum them up."""
_LINES = f"""
select p.*, cast(date_trunc('month', business_date) as date) as month, cast(:grouping as integer) as grouping,
    case when :by_month then greatest(cast(:first as date), month) else cast(:first as date) end as first_day,
    case when :by_month then least(cast(:last as date), last_day(month)) else cast(:last as date) end as day
from ({_PARTS.format(written=_WRITTEN)}) p
"""
_SUMS = ", ".join(f"sum({name}) as {name}" for name in ("amount", "revenue", "profit", "commission"))


def _list_companies(principal: Principal) -> list[int] | None:
    return None if principal.companies is None else sorted(principal.companies)


class CommissionRow(ListReport):
    """Base of report rows about commission; `maker_id` limits them to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    employee_id: Mapped[int | None] = employee_column("业务员")
    customer_id: Mapped[int] = customer_column()
    commission_scheme_id: Mapped[int | None] = reference_field(
        "commission_scheme", "提成方案", within=("company_id",), none=NO_RECORD, search=True, sort=-47
    )
    maker_id: Mapped[int] = mapped_column(BigInteger)
    amount: Mapped[Decimal] = money_field("核销金额", total=True, sort=10)
    revenue: Mapped[Decimal] = money_field("核销收入", total=True, sort=11)
    profit: Mapped[Decimal] = money_field("核销毛利", total=True, permission=COST, sort=12)
    commission: Mapped[Decimal] = money_field("提成金额", total=True, permission=COST, sort=20)


class Commission(BillReportRow, CommissionRow):
    """Commission by write-off (提成明细); users limited to their own sales don't see the bills that received
    the money."""

    __tablename__ = "commission"
    pinned_columns = (
        "business_date",
        "employee_id",
        "customer_id",
        "item_bill_no",
        "amount",
        "basis_amount",
        "rate",
        "commission",
    )
    declaration = Declaration(
        "提成明细",
        "v2/report/Commission",
        "bill_no",
        routes={"list": COMMISSIONS},
        menu=Menu("报表中心", "收款报表", 50),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="每笔核销按哪个方案、什么基数给业务员计提多少？",
    )

    commission_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("核销日期", search=True, width=110, sort=-60)
    bill_name: Mapped[str | None] = text_field("核销单据类型", width=110, sort=-50)
    bill_no: Mapped[str] = text_field("核销单据号", search=True, width=190, sort=-49)
    item_bill_no: Mapped[str] = text_field("销售单据号", search=True, width=190, bill=True, sort=-48)
    basis: Mapped[int | None] = enum_field(
        "计提依据", BASES, default=REVENUE, search=True, width=110, sort=13
    )
    basis_amount: Mapped[Decimal | None] = money_field("计提基数", default=None, permission=COST, sort=14)
    rate: Mapped[Decimal | None] = rate_field("提成比例%", default=None, width=100, sort=15)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "business_date", "核销日期")
        parts = _PARTS.format(written="*")
        if principal.own != "all":
            parts = (
                f"select * replace (null as bill_type, null as bill_id, '{MASK}' as bill_no) from ({parts})"
            )
        lines = f"select c.*, {bill_columns_sql('c')} from ({parts}) c"
        return lines, {"first": first, "last": last, "companies": _list_companies(principal)}


class CommissionSummary(AggregatedRow, CommissionRow):
    """Commission summed by chosen columns (提成汇总)."""

    __tablename__ = "commission_summary"
    by, lines, sums = BY, _LINES, _SUMS
    declaration = Declaration(
        "提成汇总",
        "v2/report/CommissionSummary",
        "commission",
        routes={"list": "/report/commissionsum"},
        menu=Menu("报表中心", "收款报表", 40),
        actions=READ_ONLY,
        order_by=("amount", "desc"),
        drill=BY.build_drill("提成明细", COMMISSIONS),
        question="这段时间各业务员收回了多少货款，提成多少？",
    )

    commission_summary_id: Mapped[int] = key_field()
    month: Mapped[date | None] = date_field("月份", span="month", width=90, sort=-59)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {**super().default_filters(), "grouping": f"1,{MONTH}"}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        lines, values = super().source(principal, params)
        return lines, {
            **values,
            "companies": _list_companies(principal),
            "by_month": MONTH in cls.by.list_chosen_numbers(params),
        }
