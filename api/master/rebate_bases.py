"""Bases of rebates (计返单据): who changes what a confirmed rebate was computed from is told which one.

What no longer stands then is told by 返利查询: the rebate says what its cycle had earned when it was confirmed.
"""

from __future__ import annotations

from functools import cache

from api.kit.context import Context
from api.kit.document import Document
from api.kit.flow import POSTED_SQL
from api.master.goods_scope import MEANT, TYPES
from api.master.rebate_policies import CUSTOMER, SUPPLIER, Direction

# A cycle that takes back rests on the cycles before it as well.
_CONFIRMED = f"""
select string_agg(f.bill_no, '、' order by f.bill_no)
from {{rebate}} f
where f.company_id = %(company)s and f.{{party}}_id = %(partner)s and f.status in {POSTED_SQL}
    and (%(day)s between f.cycle_start and f.cycle_end or f.accrued_amount < 0 and f.cycle_start > %(day)s)
    and (
        not exists (select from {{policy}}_goods l where l.bill_id = f.policy_id)
        or exists (
            select from goods g {TYPES}
            join {{policy}}_goods l on l.bill_id = f.policy_id
            where g.goods_id = any (%(goods)s) and {MEANT}
        )
    )
"""


@cache
def _confirmed(of: Direction) -> str:
    return _CONFIRMED.format(rebate=of.rebate, policy=of.policy, party=of.party)


def _describe_counted(of: Direction, ctx: Context, doc: Document) -> str:
    goods = sorted({line.goods_id for line in doc.lines if not line.is_gift})
    if not goods:
        return ""
    given = {
        "company": doc.header.company_id,
        "partner": getattr(doc.header, f"{of.party}_id"),
        "day": doc.header.business_date,
        "goods": goods,
    }
    numbers: str | None = ctx.conn.exec_driver_sql(_confirmed(of), given).scalar_one()
    return f"该单据计入已确认的返利单{numbers}，之后应计返利与之不符" if numbers else ""


def describe_bought(ctx: Context, doc: Document) -> str:
    """Which confirmed rebates of the supplier a bill is counted in; nothing where it is in none."""
    return _describe_counted(SUPPLIER, ctx, doc)


def describe_sold(ctx: Context, doc: Document) -> str:
    """Which confirmed rebates of the customer a bill is counted in; nothing where it is in none."""
    return _describe_counted(CUSTOMER, ctx, doc)
