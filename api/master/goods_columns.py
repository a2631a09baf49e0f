"""Goods columns (商品栏目): how an answer that is written by hand tells which goods a row is about."""

from __future__ import annotations

from typing import Annotated

from api.kit.told import of

GoodsNum = Annotated[str, of("goods.goods_num")]
GoodsName = Annotated[str, of("goods.goods_name")]
Specification = Annotated[str | None, of("goods.specification_type")]
Pattern = Annotated[str | None, of("goods.pattern")]
UnitName = Annotated[str | None, of("goods.unit_id")]
BrandName = Annotated[str | None, of("goods.brand_id")]
