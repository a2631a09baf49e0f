"""Proposed lines (建议明细): goods as a line of a bill has them, before it is written."""

from __future__ import annotations

from pydantic import BaseModel


class ProposedGoods(BaseModel):
    """Goods, how many at which price, and how they are told."""

    goods_id: int
    goods_name: str
    goods_num: str
    specification_type: str | None
    pattern: str | None
    unit_name: str | None
    quantity: str
    price: str
    tax_rate: str
