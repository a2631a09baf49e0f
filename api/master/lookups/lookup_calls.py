"""Lookups (下拉与选择器): the open lookups of spec/3-rules.md 7.1, the engine's dropdowns, and the goods picker."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from sqlalchemy import Integer, cast, select

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.resource import Resource
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Paged, choices_model, choices_of
from api.kit.scope import any_of, scope_condition
from api.master.goods import goods_picker
from api.master.goods.picker_rows import BatchStock, PickedGoods
from api.master.lookups import dropdowns
from api.master.lookups.lookup_rights import get_lookup_right, list_entry_rights, list_lookup_resources
from api.master.organization.companies import Company

api = build_router()

Page = Annotated[int, Query(ge=1, le=100_000)]
Size = Annotated[int, Query(ge=1, le=500)]
PAGED = ("open/GoodsBrand/getBrandList", "open/Goods/getGoodsListDropdown")
"""Lookups that answer page by page."""
GOODS_ENTRY_RIGHT = any_of(*sorted(list_entry_rights("goods")))
"""Right of those who key lines of goods: they see stock and prices in the pickers."""


@call(
    api,
    "GET",
    "v2/inventory/Goods/getGoodsListPopup",
    right=GOODS_ENTRY_RIGHT,
    returns=Paged[PickedGoods],
)
def get_goods_list_popup(ctx: Context, query: Annotated[goods_picker.GoodsQuery, Query()]) -> Any:
    """商品选择: goods with their stock and last price, found by code, name, size, initials or barcode."""
    return goods_picker.find_goods(ctx, query)


@call(api, "GET", "v2/inventory/GoodsBatch/getBatchlist", right=GOODS_ENTRY_RIGHT, returns=list[BatchStock])
def get_batch_list(ctx: Context, goods_id: int, warehouse_id: int, order_line_id: int | None = None) -> Any:
    """批次选择: what lies where, oldest first; `order_line_id` is the sales order's line that is being shipped."""
    return goods_picker.list_batches(ctx, goods_id, warehouse_id, order_line_id)


class OwnCompany(BaseModel):
    """A company; `is_choose` 1 may be chosen, 0 is closed."""

    company_id: int
    company_name: Annotated[str, from_fields("company.company_name")]
    type: Annotated[int, from_fields("company.type")]
    is_choose: Annotated[int, from_fields("company.enabled")]


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
    seen = ctx.conn.execute(query.where(scope_condition(table, ctx.principal)))
    return {**own._mapping, "company_list": [dict(row._mapping) for row in seen]}


def _mount_dropdown(on: APIRouter, cls: type[Resource]) -> None:
    """Mount the dropdown of a class, and its open lookup where the specification names one.

    Classes that no field refers to have none: they are read by their list.
    """

    def get_dropdown(ctx: Context, query: Annotated[dropdowns.LookupQuery, Query()]) -> Any:
        return dropdowns.list_choices(ctx, cls, query)

    def get_lookup(ctx: Context, query: Annotated[dropdowns.LookupQuery, Query()]) -> Any:
        if cls.declaration.starts_at_home and not query.company_id:
            query = query.model_copy(update={"company_id": ctx.principal.company_id})
        return dropdowns.list_choices(ctx, cls, query)["data"]

    page, path = partial(choices_model, cls), cls.declaration.lookup
    right = get_lookup_right(cls)
    call(on, "GET", f"{cls.declaration.api}/getDropdown", right=right, returns=page)(get_dropdown)
    if path in PAGED:
        call(on, "GET", path, right=right, returns=page)(get_dropdown)
    elif path:
        call(on, "GET", path, right=right, returns=partial(choices_of, cls))(get_lookup)


for declared in registry.list_resources():
    if declared.name() in list_lookup_resources():
        _mount_dropdown(api, declared)
