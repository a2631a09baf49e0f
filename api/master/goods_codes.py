"""Codes of goods (条码): what a scanner reads stands for one goods of the group, as its code, barcode or pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, text

from api.kit.validation import Problems

# Saves that bring codes wait for each other; scanners and pickers don't tell capitals from small letters.
_ONE_AT_A_TIME = text("select pg_advisory_xact_lock(hashtextextended('goods_codes', 0))")
_BEARERS = text("""
with asked as (
    select code, lower(code) as folded from unnest(cast(:codes as text[])) code
), bearer as (
    select a.code, g.goods_id, g.goods_name, g.goods_num from asked a join goods g on lower(g.goods_num) = a.folded
    union
    select a.code, g.goods_id, g.goods_name, g.goods_num from asked a join goods g on lower(g.barcode) = a.folded
    union
    select a.code, g.goods_id, g.goods_name, g.goods_num
    from asked a join goods_unit n on lower(n.barcode) = a.folded join goods g using (goods_id)
)
select code, goods_id, goods_name, goods_num from bearer order by code, goods_id
""")


def refuse_taken(
    conn: Connection, row: Mapping[str, Any], units: Iterable[Mapping[str, Any]], problems: Problems
) -> None:
    """Refuse new codes of a goods and its packs that stand for another; what it has borne so far it keeps."""
    barcodes = [code for code in (row.get("barcode"), *(unit.get("barcode") for unit in units)) if code]
    seen: set[str] = set()
    for code in barcodes:
        if code.lower() in seen:
            problems.add(f"条形码“{code}”在商品和辅助单位中重复")
        seen.add(code.lower())
    for code, bearer in taken(conn, {row["goods_num"], *barcodes}, row.get("goods_id")).items():
        # Two equal codes of goods are refused as such.
        if code != row["goods_num"] or bearer.goods_num != code:
            told = f"{bearer.goods_num} {bearer.goods_name}"
            problems.add(f"“{code}”已是商品 {told} 的编码或条形码，请更换")


def taken(conn: Connection, codes: Iterable[str], own: int | None = None) -> dict[str, Row[Any]]:
    """Which goods each code stands for, but codes that `own` bears already; others that bring codes wait."""
    conn.execute(_ONE_AT_A_TIME)
    rows = conn.execute(_BEARERS, {"codes": sorted(codes)}).all()
    kept = {row.code for row in rows if row.goods_id == own}
    return {row.code: row for row in rows if row.code not in kept}
