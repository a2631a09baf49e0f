"""Targets of a demo company (演示经营目标): a little more than it did in the same month a year before."""

from __future__ import annotations

from datetime import date

from sqlalchemy import text

from api.demo.bill_insert import insert_rows
from api.demo.masters import DemoBranch
from api.kit.context import Context
from api.master.organization.business_targets import BusinessTarget

_TARGETS = text("""
with sold as (
    select b.business_date, l.no_tax_amount as revenue, l.amount as owed, 0 as cost
    from sales_outbound b join sales_outbound_line l using (bill_id)
    where b.company_id = :company and b.status in (2, 4, 5)
    union all
    select business_date, 0, 0, -amount
    from stock_ledger where company_id = :company and bill_type in ('XSCK', 'XSTH')
),
done as (
    select date_trunc('month', business_date) as month, sum(revenue) as revenue, sum(owed) as owed,
        sum(revenue) - sum(cost) as profit
    from sold where business_date < date_trunc('year', cast(:day as date)) group by 1
)
select to_char(month + interval '1 year', 'YYYY-MM') as month, ceil(revenue * 1.08 / 1000) * 1000 as sales_target,
    ceil(profit * 1.05 / 100) * 100 as profit_target, ceil(owed / 1000) * 1000 as receipts_target, (
        select ceil(sum(s.amount) / 10000) * 10000
        from stock_ledger s where s.company_id = :company and s.business_date < done.month + interval '1 month'
    ) as stock_target
from done where revenue > 0 order by month
""")


def make_targets(ctx: Context, branch: DemoBranch, day: date) -> None:
    """Insert a target of each month up to the end of this year whose month a year before had sales."""
    aimed = ctx.conn.execute(_TARGETS, {"company": branch.company_id, "day": day}).mappings()
    insert_rows(ctx, BusinessTarget, [{**row, "company_id": branch.company_id} for row in aimed])
