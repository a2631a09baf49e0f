"""Duplicate customers (疑似重复客户): customers of one company with the same name, mobile or credit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text

from api.kit.context import Context
from api.kit.errors import ConfirmationRequired

_BARE_NAME = "regexp_replace(lower({name}), '[\\s()（）·.,，-]', '', 'g')"
DUPLICATES_SQL = f"""
select string_agg(d.customer_name || '（' || concat_ws('、',
    case when {_BARE_NAME.format(name="d.customer_name")} = {_BARE_NAME.format(name="c.customer_name")} then '名称' end,
    case when d.customer_mobile = c.customer_mobile then '手机号' end,
    case when d.credit_code = c.credit_code then '信用代码' end
) || '）', '；' order by d.customer_id) as alike
from customer d
where d.company_id = c.company_id and d.customer_id <> c.customer_id and (
    {_BARE_NAME.format(name="d.customer_name")} = {_BARE_NAME.format(name="c.customer_name")}
    or d.customer_mobile = c.customer_mobile or d.credit_code = c.credit_code
)
"""
"""Other customers of the company that may be customer `c`, and by what."""

IDENTIFYING_COLUMNS = ("customer_name", "customer_mobile", "credit_code")
_DUPLICATES_OF_ONE = text(f"""
select ({DUPLICATES_SQL})
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
"""A customer with the very name or code of another is left out: he is refused for it anyhow."""


def confirm_duplicate_customers(ctx: Context, customer: Mapping[Any, Any]) -> None:
    """Ask for confirmation where the customer may be one that exists, before bills can name him.

    A confirmed request goes on.
    """
    if ctx.confirmed:
        return
    params = {name: customer[name] for name in ("company_id", *IDENTIFYING_COLUMNS)}
    alike = ctx.conn.execute(
        _DUPLICATES_OF_ONE, {**params, "customer_id": customer.get("customer_id", 0)}
    ).scalar()
    if alike:
        raise ConfirmationRequired(f"{customer['customer_name']}疑似与已有客户重复：{alike}，是否继续？")


_DUPLICATES_OF_MANY = text(f"""
with asked as materialized (
    select *, {_BARE_NAME.format(name="customer_name")} as bare
    from unnest(
        cast(:rows as int[]), cast(:names as text[]), cast(:mobiles as text[]), cast(:codes as text[])
    ) as a (row, customer_name, customer_mobile, credit_code)
    where not exists (
        select from customer d where d.company_id = :company and d.customer_name = a.customer_name
    )
), known as materialized (
    select customer_name as told, customer_name, customer_mobile, credit_code,
        {_BARE_NAME.format(name="customer_name")} as bare
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
"""Possible duplicates of new customers among the company's and each other, with the columns that agree."""


def find_duplicate_customers(
    ctx: Context, company_id: int, rows: Sequence[tuple[int, Mapping[str, Any]]]
) -> dict[int, str]:
    """Return by row number the customers, or other rows, that each new row may duplicate; one statement."""
    given = {
        "company": company_id,
        "rows": [number for number, _ in rows],
        "names": [row["customer_name"] for _, row in rows],
        "mobiles": [row.get("customer_mobile") for _, row in rows],
        "codes": [row.get("credit_code") for _, row in rows],
    }
    return {row.row: row.told for row in ctx.conn.execute(_DUPLICATES_OF_MANY, given)}
