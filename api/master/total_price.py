"""Total price (合计金额): what goods come to before they stand on a bill, by the rules that price its lines."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic import Field as Described

from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.pricing import discount_amount, money, price_line
from api.kit.rules import CAP
from api.kit.schemas import Payload

api = router()
MOST = 5000


def _below_cap(value: Decimal) -> Decimal:
    if not value.is_finite() or abs(value) >= CAP:
        raise ValueError("数值不能超过一亿")
    return value


Number = Annotated[Decimal, AfterValidator(_below_cap)]


class Goods(BaseModel):
    """Goods with their quantity and price; a discount per unit goes before an amount, `factor` multiplies the total."""

    model_config = ConfigDict(extra="ignore")

    goods_id: int = 0
    quantity: Number = Described(ge=0)
    price: Number = Described(ge=0)
    discount_amount: Number = Described(Decimal(0), ge=0)
    discount_price: Number | None = Described(None, ge=0)
    tax_rate: Number = Described(Decimal(0), ge=0, le=100)
    factor: Number = Described(Decimal(1), ge=0)


class Asked(Payload):
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


_GOODS = TypeAdapter(Annotated[list[Goods], Described(max_length=MOST)])


@call(api, "POST", "v2/open/TotalPrice/checkoutGoodsTotalPrice", right=ANY_USER, returns=TotalPrice)
def checkout_goods_total_price(ctx: Context, payload: Asked) -> Any:
    """合计金额: of each goods and of all; nothing is looked up or kept."""
    try:
        goods = _GOODS.validate_json(payload.goods_json)
    except ValidationError as error:
        raise Refusal("goods_json 不正确，应是商品的数量、单价的 JSON 数组") from error
    lines = [_priced(one) for one in goods]
    summed = ("total_price", "discount_amount", "tax_amount", "no_tax_amount")
    return {
        **{name: sum((line[name] for line in lines), start=Decimal(0)) for name in summed},
        "goods": lines,
    }


def _priced(one: Goods) -> dict[str, Any]:
    discount = one.discount_amount
    if one.discount_price is not None:
        discount = discount_amount(one.quantity, one.discount_price)
    priced = price_line(one.quantity, one.price, discount, one.tax_rate, factor=one.factor)
    if priced.over_cap:
        raise Refusal("数值不能超过一亿")
    return {
        "goods_id": one.goods_id,
        "amount": priced.amount,
        "discount_amount": money(priced.discount_amount),
        "total_price": priced.total,
        "tax_amount": priced.tax,
        "no_tax_amount": priced.no_tax,
    }
