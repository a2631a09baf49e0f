"""Rebate checks (计返单据): confirmed rebates that a bill makes differ from what they were computed from.

返利查询 shows the difference afterwards: the rebate keeps what its cycle had earned when it was confirmed.
"""

from __future__ import annotations

from functools import cache

from sqlalchemy import TextClause, text

from api.kit.context import Context
from api.kit.declaration.document import Document
from api.kit.declaration.flow import POSTED_SQL
from api.kit.storage.database import today
from api.master.goods.goods_scope import IN_SCOPE, PARENT_TYPES
from api.master.rebates.rebate_accruals import rebate_accruals_sql
from api.master.rebates.rebate_policies import CUSTOMER, SUPPLIER, Direction

# A return counts where what it gives back did, and a cycle that takes back rests on the cycles before it as well.
_CONFIRMED = f"""
select array_agg(f.bill_id) as rebates, array_agg(f.policy_id) as policies
from {{rebate}} f
join {{policy}} p on p.bill_id = f.policy_id
where f.company_id = %(company)s and f.{{party}}_id = %(partner)s and f.status in {POSTED_SQL}
    and (%(day)s between f.cycle_start and f.cycle_end or f.accrued_amount < 0 and f.cycle_start > %(day)s)
    and exists (
        select from unnest(%(goods)s::bigint[], %(sources)s::bigint[]) as x (goods_id, source_line_id)
        join goods g on g.goods_id = x.goods_id {PARENT_TYPES}
        left join {{traded}}_line s on s.line_id = x.source_line_id
        left join {{traded}} o on o.bill_id = s.bill_id
        where least(%(day)s, o.business_date) between p.starts_on and p.ends_on and (
            not exists (select from {{policy}}_goods l where l.bill_id = p.bill_id)
            or exists (select from {{policy}}_goods l where l.bill_id = p.bill_id and {IN_SCOPE})
        )
    )
"""
_DIFFERING = """
select string_agg(f.bill_no, '、' order by f.bill_no)
from {rebate} f
join ({accruals}) a on a.policy_id = f.policy_id and a.cycle_start = f.cycle_start
where f.bill_id = any(:rebates) and a.policy_id = any(:policies) and f.accrued_amount <> a.accrued
"""


@cache
def _confirmed_rebates_sql(of: Direction) -> str:
    return _CONFIRMED.format(rebate=of.rebate, policy=of.policy, party=of.party, traded=of.traded[0])


@cache
def _differing_rebates_sql(of: Direction) -> TextClause:
    return text(_DIFFERING.format(rebate=of.rebate, accruals=rebate_accruals_sql(of)))


def _describe_changed_rebates(of: Direction, ctx: Context, doc: Document) -> str:
    """Describe the confirmed rebates that differ once the bill counts in its new status, which is written
    already."""
    lines = [line for line in doc.lines if not line.is_gift]
    if not lines:
        return ""
    given = {
        "company": doc.header.company_id,
        "partner": getattr(doc.header, f"{of.party}_id"),
        "day": doc.header.business_date,
        "goods": [line.goods_id for line in lines],
        "sources": [getattr(line, "source_line_id", None) for line in lines],
    }
    found = ctx.conn.exec_driver_sql(_confirmed_rebates_sql(of), given).one()
    if not found.rebates:
        return ""
    params = {"rebates": found.rebates, "policies": found.policies, "today": today()}
    numbers: str | None = ctx.conn.execute(_differing_rebates_sql(of), params).scalar_one()
    return f"该单据计入已确认的返利单{numbers}，之后应计返利与之不符" if numbers else ""


def describe_supplier_rebates(ctx: Context, doc: Document) -> str:
    """Describe the supplier's confirmed rebates that a bill makes differ; empty if none."""
    return _describe_changed_rebates(SUPPLIER, ctx, doc)


def describe_customer_rebates(ctx: Context, doc: Document) -> str:
    """Describe the customer's confirmed rebates that a bill makes differ; empty if none."""
    return _describe_changed_rebates(CUSTOMER, ctx, doc)
