"""Shopping cart calls (购物车接口): check the group's stock for its lines and delete those out of stock."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel
from sqlalchemy import Row, select, text

from api.kit.context import Context
from api.kit.declaration.field_sources import PLAIN, from_fields
from api.kit.declaration.resource import ACTION_LABELS
from api.kit.errors import InvalidInput
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Keys
from api.kit.scope import scope_condition
from api.kit.storage import records
from api.master.goods.goods_columns import GoodsName
from api.shell.workspace.station import ShoppingCart

api = build_router()
IN_STOCK, SHORT, DISABLED = "有货", "缺货", "已停用"


class CheckedGoods(BaseModel):
    """A line of the cart; how much others of the group have is not told, only whether it is enough."""

    shopping_cart_id: int
    goods_id: Annotated[int, from_fields("shopping_cart.goods_id")]
    goods_name: GoodsName
    quantity: Annotated[str, from_fields("shopping_cart.quantity")]
    is_out_of_stock: int
    reason: Annotated[str, PLAIN]


# What other companies of the group have free in their warehouses of good stock.
_CHECKED = text(f"""
select c.shopping_cart_id, c.goods_id, g.goods_name, c.quantity,
    case when not g.enabled then '{DISABLED}' when coalesce(s.free, 0) < c.quantity then '{SHORT}' else '{IN_STOCK}' end
        as reason
from shopping_cart c
join goods g using (goods_id)
left join lateral (
    select sum(t.quantity - t.reserved - t.frozen) as free
    from stock_total t
    join warehouse w using (warehouse_id)
    where t.goods_id = c.goods_id and t.company_id <> c.company_id and w.type = 1 and w.enabled
) s on true
where c.shopping_cart_id = any(:keys)
order by c.shopping_cart_id
""")


@call(
    api,
    "GET",
    "service_station/purchase/ShoppingCart/goodsCheck",
    right=ShoppingCart.right("list"),
    returns=list[CheckedGoods],
)
def check_cart_goods(ctx: Context) -> Any:
    """购物车商品检查: which lines of the carts in one's scope can't be delivered now."""
    seen = select(ShoppingCart.key()).where(scope_condition(ShoppingCart.table(), ctx.principal))
    return _check_lines(ctx, list(ctx.conn.execute(seen).scalars()))


@declare_action(api, ShoppingCart, "delOutOfStock")
def delete_out_of_stock(ctx: Context, payload: Keys) -> Any:
    """删除缺货: of the chosen lines those that can't be delivered; the others stay and are named."""
    found = {row["shopping_cart_id"]: row for row in _check_lines(ctx, payload.ids)}

    def delete_line(row: Row[Any]) -> None:
        line = found[row.shopping_cart_id]
        if not line["is_out_of_stock"]:
            raise InvalidInput(f"{line['goods_name']}{IN_STOCK}，没有删除")
        records.delete_records(ctx, ShoppingCart, [row.shopping_cart_id])

    return records.apply_to_each(ctx, ShoppingCart, payload.ids, ACTION_LABELS["delOutOfStock"], delete_line)


def _check_lines(ctx: Context, keys: list[int]) -> list[dict[str, Any]]:
    rows = ctx.conn.execute(_CHECKED, {"keys": keys})
    return [{**row._mapping, "is_out_of_stock": int(row.reason != IN_STOCK)} for row in rows]
