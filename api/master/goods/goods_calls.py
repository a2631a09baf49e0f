"""Calls about goods (商品接口): types level by level, goods of the library, names made by rule."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel
from sqlalchemy import Row, select, text

from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.errors import InvalidInput, NotFound
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Keys, info_model
from api.kit.scope import any_of, scope_condition
from api.kit.storage import records
from api.kit.storage.initials import initials
from api.master.goods.goods import CompanyGoods, Goods
from api.master.goods.naming_rules import GoodsRenaming, list_new_names
from api.master.lookups.lookup_rights import list_lookup_rights

api = build_router()


GOODS_READ_RIGHT = any_of(*sorted(list_lookup_rights("goods")))


class GoodsTypeNode(BaseModel):
    """A type; `sub` is filled by asking with its key as `p_id`, unless it is a leaf."""

    goods_type_id: int
    goods_type_name: Annotated[str, from_fields("goods_type.goods_type_name")]
    p_id: int
    level: Annotated[int, from_fields("goods_type.level")]
    is_leaf: bool
    sub: list[GoodsTypeNode]


_TYPES = text("""
select t.goods_type_id, t.goods_type_name, coalesce(t.p_id, 0) as p_id, t.level,
    not exists (select from goods_type c where c.p_id = t.goods_type_id) as is_leaf
from goods_type t
where coalesce(t.p_id, 0) = :p_id
order by t.goods_type_id
""")


@call(api, "GET", "open/GoodsType/getGoodsTypeList", right=ANY_USER, returns=list[GoodsTypeNode])
def get_goods_type_list(ctx: Context, p_id: Key = 0) -> Any:
    """商品类型: those right below `p_id`, first of all the top ones."""
    rows = ctx.conn.execute(_TYPES, {"p_id": p_id})
    return [{**row._mapping, "sub": []} for row in rows]


@call(api, "GET", "open/Goods/getLibraryGoods", right=GOODS_READ_RIGHT, returns=partial(info_model, Goods))
def get_library_goods(ctx: Context, inventory_goods_id: Key) -> Any:
    """集团商品库: the group's goods that a company's goods stands for."""
    table = CompanyGoods.table()
    mine = (table.c.company_goods_id == inventory_goods_id, scope_condition(table, ctx.principal))
    found = ctx.conn.execute(select(table.c.goods_id).where(*mine)).scalar()
    if found is None:
        raise NotFound(CompanyGoods.declaration.label)
    return records.read_record(ctx, Goods, found)


@declare_action(api, GoodsRenaming, "rename")
def rename(ctx: Context, payload: Keys) -> Any:
    """按规则改名: initials that were made from the old name follow the new one."""
    ctx.require_right(Goods.right("edit"))
    wanted = list_new_names(ctx.conn, payload.ids)

    def rename_one(row: Row[Any]) -> None:
        if row.goods_id not in wanted:
            raise InvalidInput("名称已符合规则，或没有命名规则")
        values: dict[str, Any] = {"goods_name": wanted[row.goods_id]}
        if row.logogram == initials(row.goods_name):
            values["logogram"] = None
        records.edit_record(ctx, Goods, row.goods_id, values)

    return records.apply_to_each(ctx, Goods, payload.ids, "改名", rename_one)
