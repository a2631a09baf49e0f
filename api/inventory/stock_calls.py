"""Stock of many goods at once (批量查库存), for bill entry and for integrations."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import BigInteger, any_, bindparam, select
from sqlalchemy.dialects.postgresql import ARRAY

from api.inventory.stock_query import StockSummary
from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Payload
from api.kit.scope import scope_condition
from api.ledger.tables import StockTotal

api = build_router()


class StockRequest(Payload):
    goods_ids: list[Key] = Described(min_length=1, max_length=500, description="商品")
    warehouse_ids: list[Key] | None = Described(None, max_length=200, description="仓库，空为范围内全部")


class WarehouseStock(BaseModel):
    warehouse_id: Annotated[int, from_fields("stock_summary.warehouse_id")]
    goods_id: Annotated[int, from_fields("stock_summary.goods_id")]
    stocks: Annotated[str, from_fields("stock_summary.quantity")]
    reserved: Annotated[str, from_fields("stock_summary.reserved")]
    frozen: Annotated[str, from_fields("stock_summary.frozen")]
    available_stocks: Annotated[str, from_fields("stock_summary.available_stocks")]


@call(
    api,
    "POST",
    "v2/inventory/Stock/getStocks",
    right=StockSummary.right("list"),
    returns=list[WarehouseStock],
)
def get_stocks(ctx: Context, payload: StockRequest) -> Any:
    """批量库存: of up to 500 goods, by warehouse within one's scope; goods that were never there are absent."""
    table: Any = StockTotal.__table__
    total = table.c
    query = select(
        total.warehouse_id,
        total.goods_id,
        total.quantity.label("stocks"),
        total.reserved,
        total.frozen,
        (total.quantity - total.reserved - total.frozen).label("available_stocks"),
    ).where(
        total.goods_id == any_(bindparam("goods", payload.goods_ids, ARRAY(BigInteger))),
        scope_condition(table, ctx.principal),
    )
    if payload.warehouse_ids:
        query = query.where(
            total.warehouse_id == any_(bindparam("places", payload.warehouse_ids, ARRAY(BigInteger)))
        )
    return [
        dict(row._mapping) for row in ctx.conn.execute(query.order_by(total.warehouse_id, total.goods_id))
    ]
