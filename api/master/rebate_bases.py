"""Bases of rebates (计返单据): who makes a confirmed rebate differ from what it was computed from is told which one.

What no longer stands then is told by 返利查询: the rebate says what its cycle had earned when it was confirmed.
"""

from __future__ import annotations

from functools import cache

from sqlalchemy import TextClause, text

from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Document
from api.kit.flow import POSTED_SQL
from api.master.goods_scope import MEANT, TYPES
from api.master.rebate_accruals import accruals
from api.master.rebate_policies import CUSTOMER, SUPPLIER, Direction

# A return counts where what it gives back did, and a cycle that takes back rests on the cycles before it as well.
_CONFIRMED = f"""
select array_agg(f.bill_id) as rebates, array_agg(f.policy_id) as policies
from {{rebate}} f
join {{policy}} p on p.bill_id = f.policy_id
where f.company_id = %(company)s and f.{{party}}_id = %(partner)s and f.status in {POSTED_SQL}
    and (%(day)s between f.cycle_start and f.cycle_end or f.accrued_amount < 0 and f.cycle_start > %(day)s)
    and exists (
        select from unnest(%(goods)s::bigint[], %(sources)s::bigint[]) as x (goods_id, source_line_id)
        join goods g on g.goods_id = x.goods_id {TYPES}
        left join {{traded}}_line s on s.line_id = x.source_line_id
        left join {{traded}} o on o.bill_id = s.bill_id
        where least(%(day)s, o.business_date) between p.starts_on and p.ends_on and (
            not exists (select from {{policy}}_goods l where l.bill_id = p.bill_id)
            or exists (select from {{policy}}_goods l where l.bill_id = p.bill_id and {MEANT})
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
def _confirmed(of: Direction) -> str:
    return _CONFIRMED.format(rebate=of.rebate, policy=of.policy, party=of.party, traded=of.traded[0])


@cache
def _differing(of: Direction) -> TextClause:
    return text(_DIFFERING.format(rebate=of.rebate, accruals=accruals(of)))


def _describe_counted(of: Direction, ctx: Context, doc: Document) -> str:
    """Which confirmed rebates differ once the bill's new status, which is written already, counts."""
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
    found = ctx.conn.exec_driver_sql(_confirmed(of), given).one()
    if not found.rebates:
        return ""
    asked = {"rebates": found.rebates, "policies": found.policies, "today": today()}
    numbers: str | None = ctx.conn.execute(_differing(of), asked).scalar_one()
    return f"该单据计入已确认的返利单{numbers}，之后应计返利与之不符" if numbers else ""


def describe_bought(ctx: Context, doc: Document) -> str:
    """Which confirmed rebates of the supplier a bill makes differ; nothing where it does none."""
    return _describe_counted(SUPPLIER, ctx, doc)


def describe_sold(ctx: Context, doc: Document) -> str:
    """Which confirmed rebates of the customer a bill makes differ; nothing where it does none."""
    return _describe_counted(CUSTOMER, ctx, doc)
