"""Duplicate goods (疑似重复商品): goods of another code with the same name and size, or the same factory code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, text

_BARE_NAME = (
    "regexp_replace(lower(concat({0}goods_name, {0}specification_type, {0}pattern)),"
    " '[\\s()（）·.,，/-]', '', 'g')"
)
_DUPLICATES_OF_MANY = text(f"""
with asked as materialized (
    select *, {_BARE_NAME.format("")} as bare
    from unnest(
        cast(:rows as int[]), cast(:nums as text[]), cast(:names as text[]), cast(:sizes as text[]),
        cast(:patterns as text[]), cast(:brands as text[]), cast(:factory_codes as text[])
    ) as a (row, goods_num, goods_name, specification_type, pattern, brand_name, factory_code)
    where not exists (select from goods g where g.goods_num = a.goods_num)
), known as materialized (
    select concat_ws(' ', g.goods_num, g.goods_name) as told, g.goods_num, {_BARE_NAME.format("g.")} as bare,
        coalesce(b.brand_name, '') as brand_name, g.factory_code
    from goods g left join brand b using (brand_id)
    union all
    select concat_ws(' ', '第' || row || '行', goods_num), goods_num, bare, brand_name, factory_code from asked
), alike as (
    select a.row, k.told, 1 as number, '名称规格' as by from asked a join known k using (bare, brand_name)
    where k.goods_num <> a.goods_num
    union
    select a.row, k.told, 2, '厂家编码' from asked a join known k using (factory_code, brand_name)
    where k.goods_num <> a.goods_num
), paired as (
    select row, told || '（' || string_agg(by, '、' order by number) || '）' as told from alike group by row, told
)
select row, '疑似与' || string_agg(told, '；' order by told) || '重复' as told from paired group by row
""")


def find_duplicate_goods(conn: Connection, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[int, str]:
    """Return by row number the goods, or other rows, that each new row may duplicate; one statement.

    `brand_id` of a row is the brand's name.
    """
    names = {
        "nums": "goods_num",
        "names": "goods_name",
        "sizes": "specification_type",
        "patterns": "pattern",
        "factory_codes": "factory_code",
    }
    given: dict[str, Any] = {param: [row.get(name) for _, row in rows] for param, name in names.items()}
    given["rows"] = [number for number, _ in rows]
    given["brands"] = [row.get("brand_id") or "" for _, row in rows]
    return {row.row: row.told for row in conn.execute(_DUPLICATES_OF_MANY, given)}
