"""Risk calls (风控接口): stock warnings before an audit (spec/3-rules.md 7.4, 8)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import BaseModel
from pydantic import Field as Described

from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.validation_rules import CAP
from api.kit.errors import Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Payload
from api.master.goods.goods_columns import GoodsName, GoodsNum
from api.risk import stock_warning

api = build_router()
Prefix = Annotated[str, Described(max_length=10, description="单据前缀，如 XSCK")]
Confirmed = Annotated[bool, Described(description="已看到预警，仍继续")]


class BillsToCheck(Payload):
    """Saved bills of one type."""

    bill_type: Prefix
    ids: list[Key] = Described(min_length=1, max_length=1000)
    confirmed: Confirmed = False


class LineToCheck(Payload):
    goods_id: Key
    quantity: str = Described(max_length=20)


class LinesToCheck(Payload):
    """Lines of a bill that isn't saved yet."""

    bill_type: Prefix
    warehouse_id: Key
    lines: list[LineToCheck] = Described(min_length=1, max_length=5000)
    confirmed: Confirmed = False


WarehouseName = Annotated[str, from_fields("stock_warning.warehouse_id")]


class ShortGoods(BaseModel):
    warehouse_name: WarehouseName
    goods_num: GoodsNum
    goods_name: GoodsName
    stocks: Annotated[str, from_fields("stock_warning.quantity", "stock_warning.available_stocks")]
    minimum: Annotated[str, from_fields("stock_warning.minimum")]


class StockWarning(BaseModel):
    """`status` 1: goods fall below a safety stock; `document_warning` 1 blocks (code 362), 2 asks (code 363)."""

    status: int
    check_stock: int
    warehouse_name: WarehouseName
    document_warning: int
    goods: list[ShortGoods]


@call(api, "POST", "v2/risk/VerifyBills/getVerifyBills", right=ANY_USER, returns=StockWarning)
def get_verify_bills(ctx: Context, payload: BillsToCheck) -> Any:
    """审核前的库存预警: for bills of which one has the list right."""
    ctx.confirmed = payload.confirmed
    return stock_warning.check_bills(ctx, payload.bill_type, payload.ids)


@call(api, "POST", "v2/open/VerifyBills/verifySubscribeBills", right=ANY_USER, returns=StockWarning)
def verify_subscribe_bills(ctx: Context, payload: BillsToCheck) -> Any:
    """订单审核前的库存预警: what orders would leave available."""
    ctx.confirmed = payload.confirmed
    return stock_warning.check_orders(ctx, payload.bill_type, payload.ids)


@call(api, "POST", "v2/inventory/StockEarlyWarning/checkStock", right=ANY_USER, returns=StockWarning)
def check_stock(ctx: Context, payload: LinesToCheck) -> Any:
    """录单时的库存预警: for a warehouse of one's own."""
    ctx.confirmed = payload.confirmed
    lines = [(line.goods_id, _parse_quantity(line.quantity)) for line in payload.lines]
    return stock_warning.check_lines(ctx, payload.bill_type, payload.warehouse_id, lines)


def _parse_quantity(value: str) -> Decimal:
    try:
        found = Decimal(value)
    except InvalidOperation:
        found = Decimal("nan")
    if not (found.is_finite() and 0 < found < CAP):
        raise Refusal("请输入大于0的数")
    return found
