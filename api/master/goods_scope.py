"""Goods of a policy (适用商品): one goods, a brand, or all goods of a type and those below it."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.document import Child
from api.kit.fields import goods, ref
from api.kit.validation import Problems

SCOPES = ("goods_id", "brand_id", "goods_type_id")


class ScopeRow(Child):
    """What a policy's row is about."""

    __abstract__ = True

    goods_id: Mapped[int | None] = goods(search=True, sort=-80)
    brand_id: Mapped[int | None] = ref("brand", "品牌", index=True, sort=-79)
    goods_type_id: Mapped[int | None] = ref("goods_type", "商品类型", index=True, sort=-78)

    @classmethod
    def settle(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        for row in rows:
            problems.place = f"第{row['line_no']}行"
            if sum(bool(row.get(name)) for name in SCOPES) != 1:
                problems.add("请选择商品、品牌或商品类型中的一项")
        problems.place = ""


TYPES = """
    left join goods_type t1 on t1.goods_type_id = g.goods_type_id
    left join goods_type t2 on t2.goods_type_id = t1.p_id
"""
"""The types above that of goods `g`."""
MEANT = """
    (l.goods_id = g.goods_id or l.brand_id = g.brand_id or l.goods_type_id in (g.goods_type_id, t1.p_id, t2.p_id))
"""
"""Whether a policy's row `l` is about goods `g`."""
