"""Rows of the goods picker and of the batch picker (商品选择的栏目), and the field that each column repeats."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel

from api.kit.declaration.field_sources import APART, PLAIN, from_fields
from api.master.goods.goods_columns import BrandName, GoodsName, GoodsNum, Pattern, Specification, UnitName


class PackUnit(BaseModel):
    """A unit that lines may be counted by; `factor` of the goods' own make one."""

    unit_id: Annotated[int, from_fields("goods_unit.unit_id")]
    unit_name: Annotated[str, from_fields("goods_unit.unit_id")]
    factor: Annotated[str, from_fields("goods_unit.factor")]
    barcode: Annotated[str | None, from_fields("goods_unit.barcode")]


class PurchasePrice(BaseModel):
    """A price that goods may be bought at, and where it comes from."""

    purchase_price: Annotated[
        str, from_fields("company_goods.purchase_price", "supplier_price.purchase_price")
    ]
    price_source: Annotated[str, from_fields("supplier_price.purchase_price")]


AllocationName = Annotated[str | None, from_fields("stock_detail.allocation_id")]
Batch = Annotated[str | None, from_fields("stock_detail.batch_id")]
WarehouseName = Annotated[str, from_fields("stock_detail.warehouse_id")]


class GoodsPlace(BaseModel):
    """A location and batch of goods at the end of the bill's day, each may be none, and the quantity there."""

    allocation_id: Annotated[int | None, from_fields("stock_detail.allocation_id")]
    allocation_name: AllocationName
    batch: Batch
    quantity: Annotated[str, from_fields("stock_detail.quantity")]


class PickedGoods(BaseModel):
    """A row of the picker; `last_price` is the partner's last audited price, `cost_price` the company's average,
    `unit_price` what a line starts from and `price_source` where that comes from, `gift` what comes with it
    (`api.master.pricing.price_rules`). Where goods are bought, `purchase_price_list` are the prices that there
    are, the one that
    holds first, each once.

    Of the warehouse asked for: its name, the location and batch that leave it first, and the least it should hold.
    `held` is what the order lines asked about have reserved there, which is available to what ships them. `places` are
    where the goods lie, for a bill that counts them there.
    """

    goods_id: int
    goods_num: GoodsNum
    goods_name: GoodsName
    goods_type_name: Annotated[str | None, from_fields("goods.goods_type_id")]
    brand_id: Annotated[int | None, from_fields("goods.brand_id")]
    brand_name: BrandName
    unit_name: UnitName
    specification_type: Specification
    pattern: Pattern
    factory_code: Annotated[str | None, from_fields("goods.factory_code")]
    shorthand_code: Annotated[str | None, from_fields("goods.shorthand_code")]
    logogram: Annotated[str | None, from_fields("goods.logogram")]
    barcode: Annotated[str | None, from_fields("goods.barcode")]
    is_batch: bool
    tax_rate: Annotated[str, from_fields("goods.tax_rate")]
    stocks: Annotated[str, from_fields("stock_summary.quantity")]
    available_stocks: Annotated[str, from_fields("stock_summary.available_stocks")]
    held: Annotated[dict[str, str], from_fields("stock_summary.reserved")]
    warehouse_name: Annotated[str | None, from_fields("stock_detail.warehouse_id")]
    allocation_name: AllocationName
    batch: Batch
    safety_stock: Annotated[str | None, from_fields("safety_stock.minimum", "company_goods.safety_stock")]
    sale_price: Annotated[str | None, from_fields("company_goods.sale_price")]
    unit_price: Annotated[str | None, APART]
    price_source: Annotated[str | None, PLAIN]
    gift: Annotated[str | None, from_fields("promotion_policy_line.gift_goods_id")]
    lowest_price: Annotated[str | None, from_fields("company_goods.lowest_price", "sales_price.lowest_price")]
    purchase_price: Annotated[str | None, from_fields("company_goods.purchase_price")]
    purchase_price_list: Annotated[
        list[PurchasePrice] | str | None,
        from_fields("company_goods.purchase_price", "supplier_price.purchase_price"),
    ]
    cost_price: Annotated[str | None, from_fields("cost_price.average")]
    last_price: Annotated[str | None, APART]
    packs: Annotated[str | None, from_fields("goods.packs")]
    units: list[PackUnit]
    places: list[GoodsPlace] | None


class BatchStock(BaseModel):
    batch_id: Annotated[int, from_fields("stock_detail.batch_id")]
    batch: Batch
    production_time: Annotated[str | None, from_fields("stock_detail.production_date")]
    warehouse_id: Annotated[int, from_fields("stock_detail.warehouse_id")]
    warehouse_name: WarehouseName
    allocation_id: Annotated[int, from_fields("stock_detail.allocation_id")]
    allocation_name: AllocationName
    available_stocks: Annotated[str, from_fields("stock_detail.quantity", "stock_summary.available_stocks")]
    stocks: Annotated[str, from_fields("stock_detail.quantity")]
