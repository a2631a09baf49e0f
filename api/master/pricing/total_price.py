"""Total price (合计金额): totals of goods that are not on a bill, by the rules that price its lines."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic import Field as Described

from api.kit.bills.pricing import discount_amount, price_line, round_money
from api.kit.context import Context
from api.kit.declaration.validation_rules import CAP
from api.kit.errors import Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Payload

api = build_router()
MOST = 5000


def _require_below_cap(value: Decimal) -> Decimal:
    if not value.is_finite() or abs(value) >= CAP:
        raise ValueError("数值不能超过一亿")
    return value


Number = Annotated[Decimal, AfterValidator(_require_below_cap)]


class GoodsToPrice(BaseModel):
    """Goods with their quantity and price; a discount per unit goes before an amount, `factor` multiplies the total."""

    model_config = ConfigDict(extra="ignore")

    goods_id: int = 0
    quantity: Number = Described(ge=0)
    price: Number = Described(ge=0)
    discount_amount: Number = Described(Decimal(0), ge=0)
    discount_price: Number | None = Described(None, ge=0)
    tax_rate: Number = Described(Decimal(0), ge=0, le=100)
    factor: Number = Described(Decimal(1), ge=0)


class TotalPriceRequest(Payload):
    goods_json: str = Described(
        min_length=1,
        max_length=2_000_000,
        description="商品，JSON 数组：quantity、price，可有 discount_price 或 discount_amount、tax_rate、factor",
    )


class PricedGoods(BaseModel):
    goods_id: int
    amount: str
    discount_amount: str
    total_price: str
    tax_amount: str
    no_tax_amount: str


class TotalPrice(BaseModel):
    total_price: str
    discount_amount: str
    tax_amount: str
    no_tax_amount: str
    goods: list[PricedGoods]


_GOODS = TypeAdapter(Annotated[list[GoodsToPrice], Described(max_length=MOST)])


@call(api, "POST", "v2/open/TotalPrice/checkoutGoodsTotalPrice", right=ANY_USER, returns=TotalPrice)
def checkout_goods_total_price(ctx: Context, payload: TotalPriceRequest) -> Any:
    """合计金额: of each goods and of all; nothing is looked up or kept."""
    try:
        goods = _GOODS.validate_json(payload.goods_json)
    except ValidationError as error:
        raise Refusal("goods_json 不正确，应是商品的数量、单价的 JSON 数组") from error
    lines = [_price_goods(one) for one in goods]
    summed = ("total_price", "discount_amount", "tax_amount", "no_tax_amount")
    return {
        **{name: sum((line[name] for line in lines), start=Decimal(0)) for name in summed},
        "goods": lines,
    }


def _price_goods(one: GoodsToPrice) -> dict[str, Any]:
    discount = one.discount_amount
    if one.discount_price is not None:
        discount = discount_amount(one.quantity, one.discount_price)
    priced = price_line(one.quantity, one.price, discount, one.tax_rate, factor=one.factor)
    if priced.exceeds_cap:
        raise Refusal("数值不能超过一亿")
    return {
        "goods_id": one.goods_id,
        "amount": priced.amount,
        "discount_amount": round_money(priced.discount_amount),
        "total_price": priced.total,
        "tax_amount": priced.tax,
        "no_tax_amount": priced.no_tax,
    }
