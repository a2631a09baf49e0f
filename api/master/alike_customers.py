"""Alike customers (疑似重复客户): who of a company may be the same customer, by name, mobile or credit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text

from api.kit.context import Context
from api.kit.errors import StockWarningAsk

_BARE = "regexp_replace(lower({name}), '[\\s()（）·.,，-]', '', 'g')"
ALIKE = f"""
select string_agg(d.customer_name || '（' || concat_ws('、',
    case when {_BARE.format(name="d.customer_name")} = {_BARE.format(name="c.customer_name")} then '名称' end,
    case when d.customer_mobile = c.customer_mobile then '手机号' end,
    case when d.credit_code = c.credit_code then '信用代码' end
) || '）', '；' order by d.customer_id) as alike
from customer d
where d.company_id = c.company_id and d.customer_id <> c.customer_id and (
    {_BARE.format(name="d.customer_name")} = {_BARE.format(name="c.customer_name")}
    or d.customer_mobile = c.customer_mobile or d.credit_code = c.credit_code
)
"""
"""Other customers of the company that may be customer `c`, and by what."""

TOLD_BY = ("customer_name", "customer_mobile", "credit_code")
_ALIKE_ONE = text(f"""
select ({ALIKE})
from (
    select cast(:customer_id as bigint) as customer_id, cast(:company_id as bigint) as company_id,
        cast(:customer_name as text) as customer_name, cast(:customer_mobile as text) as customer_mobile,
        cast(:credit_code as text) as credit_code
) c
where not exists (
    select from customer d
    where d.company_id = c.company_id and d.customer_id <> c.customer_id
        and (d.customer_name = c.customer_name or d.credit_code = c.credit_code)
)
""")
"""Whose very name or code another has, he is refused for it anyhow."""


def ask_about_alike(ctx: Context, customer: Mapping[Any, Any]) -> None:
    """Ask about those who may be the same customer, before bills can name him; a confirmed request goes on."""
    if ctx.confirmed:
        return
    asked = {name: customer[name] for name in ("company_id", *TOLD_BY)}
    alike = ctx.conn.execute(_ALIKE_ONE, {**asked, "customer_id": customer.get("customer_id", 0)}).scalar()
    if alike:
        raise StockWarningAsk(f"{customer['customer_name']}疑似与已有客户重复：{alike}，是否继续？")


_ALIKE_AMONG = text(f"""
with asked as materialized (
    select *, {_BARE.format(name="customer_name")} as bare
    from unnest(
        cast(:rows as int[]), cast(:names as text[]), cast(:mobiles as text[]), cast(:codes as text[])
    ) as a (row, customer_name, customer_mobile, credit_code)
    where not exists (
        select from customer d where d.company_id = :company and d.customer_name = a.customer_name
    )
), known as materialized (
    select customer_name as told, customer_name, customer_mobile, credit_code,
        {_BARE.format(name="customer_name")} as bare
    from customer where company_id = :company
    union all
    select '第' || row || '行 ' || customer_name, customer_name, customer_mobile, credit_code, bare from asked
), alike as (
    select a.row, k.told, 1 as number, '名称' as by from asked a join known k on k.bare = a.bare
    where k.customer_name <> a.customer_name
    union
    select a.row, k.told, 2, '手机号' from asked a join known k using (customer_mobile)
    where k.customer_name <> a.customer_name
    union
    select a.row, k.told, 3, '信用代码' from asked a join known k using (credit_code)
    where k.customer_name <> a.customer_name
), paired as (
    select row, told || '（' || string_agg(by, '、' order by number) || '）' as told from alike group by row, told
)
select row, '疑似与' || string_agg(told, '；' order by told) || '重复' as told from paired group by row
""")
"""Of customers that are not there by name: who of the company, or of the others, may be the same, and by what."""


def alike_among(
    ctx: Context, company_id: int, asked: Sequence[tuple[int, Mapping[str, Any]]]
) -> dict[int, str]:
    """Of numbered customers to be: whom each may be the same as; all in one statement."""
    given = {
        "company": company_id,
        "rows": [number for number, _ in asked],
        "names": [row["customer_name"] for _, row in asked],
        "mobiles": [row.get("customer_mobile") for _, row in asked],
        "codes": [row.get("credit_code") for _, row in asked],
    }
    return {row.row: row.told for row in ctx.conn.execute(_ALIKE_AMONG, given)}
