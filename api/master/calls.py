"""Lookups (下拉与选择器): the open lookups of spec/3-rules.md 7.1, the engine's dropdowns, and the goods picker."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from api.kit import registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.resource import Resource
from api.master import goods_picker, lookups

api = router()

Page = Annotated[int, Query(ge=1, le=100_000)]
Size = Annotated[int, Query(ge=1, le=500)]


class GoodsPage(BaseModel):
    data: list[goods_picker.PickedGoods]
    total: int
    current_page: int
    per_page: int
    last_page: int


@call(api, "GET", "v2/inventory/Goods/getGoodsListPopup", right=ANY_USER, returns=GoodsPage)
def get_goods_list_popup(ctx: Context, query: Annotated[goods_picker.GoodsQuery, Query()]) -> Any:
    """商品选择: goods with their stock and last price, found by code, name, size, initials or barcode."""
    return goods_picker.find(ctx, query)


@call(
    api, "GET", "v2/inventory/GoodsBatch/getBatchlist", right=ANY_USER, returns=list[goods_picker.BatchStock]
)
def get_batch_list(ctx: Context, goods_id: int, warehouse_id: int) -> Any:
    """批次选择: what lies where, oldest first."""
    return goods_picker.batches(ctx, goods_id, warehouse_id)


def _mount(on: APIRouter, cls: type[Resource]) -> None:
    """A class's dropdown, and its open lookup where the specification names one."""

    def get_dropdown(ctx: Context, query: Annotated[lookups.LookupQuery, Query()]) -> Any:
        return lookups.dropdown(ctx, cls, query)

    def get_lookup(ctx: Context, query: Annotated[lookups.LookupQuery, Query()]) -> Any:
        return lookups.dropdown(ctx, cls, query)["data"]

    call(on, "GET", f"{cls.declaration.api}/getDropdown", right=ANY_USER, returns=dict[str, Any])(
        get_dropdown
    )
    if cls.declaration.lookup == "open/GoodsBrand/getBrandList":
        call(on, "GET", cls.declaration.lookup, right=ANY_USER, returns=dict[str, Any])(get_dropdown)
    elif cls.declaration.lookup:
        call(on, "GET", cls.declaration.lookup, right=ANY_USER, returns=list[dict[str, Any]])(get_lookup)


for declared in registry.declared():
    if declared.bill is None:
        _mount(api, declared)
