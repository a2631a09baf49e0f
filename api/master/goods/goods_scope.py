"""Goods of a policy (适用商品): one goods, a brand, or all goods of a type and those below it."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillLine
from api.kit.declaration.fields import goods_field, reference_field
from api.kit.storage.validation import Problems

SCOPES = ("goods_id", "brand_id", "goods_type_id")


class ScopeRow(BillLine):
    """A row of a policy's scope: one goods, one brand or one type."""

    __abstract__ = True

    goods_id: Mapped[int | None] = goods_field(search=True, sort=-80)
    brand_id: Mapped[int | None] = reference_field("brand", "品牌", index=True, sort=-79)
    goods_type_id: Mapped[int | None] = reference_field("goods_type", "商品类型", index=True, sort=-78)

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        for row in rows:
            problems.place = f"第{row['line_no']}行"
            if sum(bool(row.get(name)) for name in SCOPES) != 1:
                problems.add("请选择商品、品牌或商品类型中的一项")
        problems.place = ""


PARENT_TYPES = """
    left join goods_type t1 on t1.goods_type_id = g.goods_type_id
    left join goods_type t2 on t2.goods_type_id = t1.p_id
"""
"""The types above that of goods `g`."""
IN_SCOPE = """
    (l.goods_id = g.goods_id or l.brand_id = g.brand_id or l.goods_type_id in (g.goods_type_id, t1.p_id, t2.p_id))
"""
"""Condition: a policy's row `l` is about goods `g`."""
