"""Lookups (下拉与选择器): the open lookups of spec/3-rules.md 7.1, the engine's dropdowns, and the goods picker."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from sqlalchemy import Integer, cast, select

from api.kit import registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.resource import Resource
from api.kit.schemas import Paged, choices_model, choices_of
from api.kit.scope import within
from api.master import goods_picker, lookups
from api.master.organisation import Company

api = router()

Page = Annotated[int, Query(ge=1, le=100_000)]
Size = Annotated[int, Query(ge=1, le=500)]
PAGED = ("open/GoodsBrand/getBrandList", "open/Goods/getGoodsListDropdown")
"""Lookups that answer page by page."""


@call(
    api,
    "GET",
    "v2/inventory/Goods/getGoodsListPopup",
    right=ANY_USER,
    returns=Paged[goods_picker.PickedGoods],
)
def get_goods_list_popup(ctx: Context, query: Annotated[goods_picker.GoodsQuery, Query()]) -> Any:
    """商品选择: goods with their stock and last price, found by code, name, size, initials or barcode."""
    return goods_picker.find(ctx, query)


@call(
    api, "GET", "v2/inventory/GoodsBatch/getBatchlist", right=ANY_USER, returns=list[goods_picker.BatchStock]
)
def get_batch_list(ctx: Context, goods_id: int, warehouse_id: int, order_line_id: int | None = None) -> Any:
    """批次选择: what lies where, oldest first; `order_line_id` is the sales order's line that is being shipped."""
    return goods_picker.batches(ctx, goods_id, warehouse_id, order_line_id)


class OwnCompany(BaseModel):
    """A company; `is_choose` 1 may be chosen, 0 is closed."""

    company_id: int
    company_name: str
    type: int
    is_choose: int


class Companies(OwnCompany):
    """The user's own company, and all that he may see."""

    company_list: list[OwnCompany]


@call(api, "GET", "open/company/getErpCompanyList", right=ANY_USER, returns=Companies)
def get_erp_company_list(ctx: Context) -> Any:
    """公司选择: the companies in one's scope, and one's own."""
    table = Company.table()
    columns = (
        table.c.company_id,
        table.c.company_name,
        table.c.type,
        cast(table.c.enabled, Integer).label("is_choose"),
    )
    query = select(*columns).order_by(table.c.company_id)
    own = ctx.conn.execute(query.where(table.c.company_id == ctx.principal.company_id)).one()
    seen = ctx.conn.execute(query.where(within(table, ctx.principal)))
    return {**own._mapping, "company_list": [dict(row._mapping) for row in seen]}


def _mount(on: APIRouter, cls: type[Resource]) -> None:
    """A class's dropdown, and its open lookup where the specification names one.

    Any user may choose among what others' fields refer to or the specification opens; the rest, bills and reports
    among it, is for who may list it.
    """

    def get_dropdown(ctx: Context, query: Annotated[lookups.LookupQuery, Query()]) -> Any:
        return lookups.dropdown(ctx, cls, query)

    def get_lookup(ctx: Context, query: Annotated[lookups.LookupQuery, Query()]) -> Any:
        if cls.declaration.starts_at_home and not query.company_id:
            query = query.model_copy(update={"company_id": ctx.principal.company_id})
        return lookups.dropdown(ctx, cls, query)["data"]

    page, path = partial(choices_model, cls), cls.declaration.lookup
    is_chosen = cls.bill is None and (path is not None or cls.name() in _NAMED)
    right = ANY_USER if is_chosen else cls.right("list")
    call(on, "GET", f"{cls.declaration.api}/getDropdown", right=right, returns=page)(get_dropdown)
    if path in PAGED:
        call(on, "GET", path, right=ANY_USER, returns=page)(get_dropdown)
    elif path:
        call(on, "GET", path, right=ANY_USER, returns=partial(choices_of, cls))(get_lookup)


_NAMED = {item.ref.resource for cls in registry.declared() for item in cls.fields() if item.ref}
for declared in registry.declared():
    if declared.bill is None or declared.name() in _NAMED:
        _mount(api, declared)
