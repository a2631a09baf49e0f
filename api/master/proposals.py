"""Proposed lines (建议明细): goods as a line of a bill has them, before it is written."""

from __future__ import annotations

from pydantic import BaseModel

from api.master.goods_columns import GoodsName, GoodsNum, Pattern, Specification, UnitName


class ProposedGoods(BaseModel):
    """Goods, how many at which price, and how they are told."""

    goods_id: int
    goods_name: GoodsName
    goods_num: GoodsNum
    specification_type: Specification
    pattern: Pattern
    unit_name: UnitName
    quantity: str
    price: str
    tax_rate: str
