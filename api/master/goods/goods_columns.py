"""Goods columns (商品栏目): types of the columns that identify goods in hand-written responses."""

from __future__ import annotations

from typing import Annotated

from api.kit.declaration.field_sources import from_fields

GoodsNum = Annotated[str, from_fields("goods.goods_num")]
GoodsName = Annotated[str, from_fields("goods.goods_name")]
Specification = Annotated[str | None, from_fields("goods.specification_type")]
Pattern = Annotated[str | None, from_fields("goods.pattern")]
UnitName = Annotated[str | None, from_fields("goods.unit_id")]
BrandName = Annotated[str | None, from_fields("goods.brand_id")]
