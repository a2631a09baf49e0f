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
from api.kit.scope import any_of, within
from api.kit.told import of
from api.master import goods_picker, lookups
from api.master.choosing import chosen, right_to_choose, writers
from api.master.organisation import Company
from api.master.picked_goods import BatchStock, PickedGoods

api = router()

Page = Annotated[int, Query(ge=1, le=100_000)]
Size = Annotated[int, Query(ge=1, le=500)]
PAGED = ("open/GoodsBrand/getBrandList", "open/Goods/getGoodsListDropdown")
"""Lookups that answer page by page."""
KEYS_GOODS = any_of(*sorted(writers("goods")))
"""Who keys what names goods is told how these stand, and at which prices."""


@call(
    api,
    "GET",
    "v2/inventory/Goods/getGoodsListPopup",
    right=KEYS_GOODS,
    returns=Paged[PickedGoods],
)
def get_goods_list_popup(ctx: Context, query: Annotated[goods_picker.GoodsQuery, Query()]) -> Any:
    """商品选择: goods with their stock and last price, found by code, name, size, initials or barcode."""
    return goods_picker.find(ctx, query)


@call(api, "GET", "v2/inventory/GoodsBatch/getBatchlist", right=KEYS_GOODS, returns=list[BatchStock])
def get_batch_list(ctx: Context, goods_id: int, warehouse_id: int, order_line_id: int | None = None) -> Any:
    """批次选择: what lies where, oldest first; `order_line_id` is the sales order's line that is being shipped."""
    return goods_picker.batches(ctx, goods_id, warehouse_id, order_line_id)


class OwnCompany(BaseModel):
    """A company; `is_choose` 1 may be chosen, 0 is closed."""

    company_id: int
    company_name: Annotated[str, of("company.company_name")]
    type: Annotated[int, of("company.type")]
    is_choose: Annotated[int, of("company.enabled")]


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

    Nothing else has one: what no field refers to is read by its list.
    """

    def get_dropdown(ctx: Context, query: Annotated[lookups.LookupQuery, Query()]) -> Any:
        return lookups.dropdown(ctx, cls, query)

    def get_lookup(ctx: Context, query: Annotated[lookups.LookupQuery, Query()]) -> Any:
        if cls.declaration.starts_at_home and not query.company_id:
            query = query.model_copy(update={"company_id": ctx.principal.company_id})
        return lookups.dropdown(ctx, cls, query)["data"]

    page, path = partial(choices_model, cls), cls.declaration.lookup
    right = right_to_choose(cls)
    call(on, "GET", f"{cls.declaration.api}/getDropdown", right=right, returns=page)(get_dropdown)
    if path in PAGED:
        call(on, "GET", path, right=right, returns=page)(get_dropdown)
    elif path:
        call(on, "GET", path, right=right, returns=partial(choices_of, cls))(get_lookup)


for declared in registry.declared():
    if declared.name() in chosen():
        _mount(api, declared)
