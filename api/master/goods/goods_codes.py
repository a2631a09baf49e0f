"""Codes of goods (条码): a scanned code stands for one goods of the group, as its code, barcode or pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, text

from api.kit.storage.validation import Problems

# Saves that bring codes wait for each other; scanners and pickers don't tell capitals from small letters.
_ONE_AT_A_TIME = text("select pg_advisory_xact_lock(hashtextextended('goods_codes', 0))")
_CODE_BEARERS = text("""
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


def forbid_taken_codes(
    conn: Connection, row: Mapping[str, Any], units: Iterable[Mapping[str, Any]], problems: Problems
) -> None:
    """Add a problem for each new code of a goods and its packs that is another's; its own codes stay allowed."""
    barcodes = [code for code in (row.get("barcode"), *(unit.get("barcode") for unit in units)) if code]
    seen: set[str] = set()
    for code in barcodes:
        if code.lower() in seen:
            problems.add(f"条形码“{code}”在商品和辅助单位中重复")
        seen.add(code.lower())
    for code, bearer in find_taken_codes(conn, {row["goods_num"], *barcodes}, row.get("goods_id")).items():
        # Two equal codes of goods are refused as such.
        if code != row["goods_num"] or bearer.goods_num != code:
            bearer_text = f"{bearer.goods_num} {bearer.goods_name}"
            problems.add(f"“{code}”已是商品 {bearer_text} 的编码或条形码，请更换")


def find_taken_codes(conn: Connection, codes: Iterable[str], own: int | None = None) -> dict[str, Row[Any]]:
    """Return the goods that bear each code, without the codes that `own` bears already.

    Takes a lock, so that concurrent saves of codes wait.
    """
    conn.execute(_ONE_AT_A_TIME)
    rows = conn.execute(_CODE_BEARERS, {"codes": sorted(codes)}).all()
    kept = {row.code for row in rows if row.goods_id == own}
    return {row.code: row for row in rows if row.code not in kept}
