"""Proposed lines (建议明细): goods of a proposal, with the columns of a bill's line."""

from __future__ import annotations

from pydantic import BaseModel

from api.master.goods.goods_columns import GoodsName, GoodsNum, Pattern, Specification, UnitName


class ProposedGoods(BaseModel):
    """Proposed goods with quantity, price, and the columns that identify them."""

    goods_id: int
    goods_name: GoodsName
    goods_num: GoodsNum
    specification_type: Specification
    pattern: Pattern
    unit_name: UnitName
    quantity: str
    price: str
    tax_rate: str
