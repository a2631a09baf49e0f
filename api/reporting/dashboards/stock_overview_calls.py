"""Calls of the stock dashboard (库存大数据接口): figures from the newest snapshot and a ticker of bills
audited just now, within the user's scope."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from api.kit.context import Context
from api.kit.declaration.field_sources import APART, PLAIN, from_fields
from api.kit.http.routing import build_router, call
from api.reporting.dashboards import bill_timeline, stock_overview
from api.reporting.dashboards.console_calls import CompanyId, MaskableDecimal
from api.reporting.lists.stock.stock_health import InventoryBigData

api = build_router()
RIGHT = InventoryBigData.right("list")
PREFIX = InventoryBigData.declaration.api

Quantity = Annotated[Decimal, from_fields("inventory_big_data.quantity")]
Amount = Annotated[MaskableDecimal, from_fields("inventory_big_data.amount")]
Turnover = Annotated[Decimal | None, from_fields("inventory_big_data.turnover_days")]


class StockHealth(BaseModel):
    """Stock and its health; sluggish rate and turnover days by value, or by quantity without the cost right."""

    quantity: Quantity
    amount: Amount
    goods_count: Annotated[int, from_fields("inventory_big_data.goods_count")]
    sold_out_count: Annotated[int, from_fields("inventory_big_data.sold_out_count")]
    sluggish_quantity: Annotated[Decimal, from_fields("inventory_big_data.sluggish_quantity")]
    sluggish_amount: Annotated[MaskableDecimal, from_fields("inventory_big_data.sluggish_amount")]
    sluggish_rate: Annotated[Decimal | None, from_fields("inventory_big_data.sluggish_rate")]
    sales_30: Annotated[Decimal, from_fields("inventory_big_data.sales_30")]
    cover_days: Annotated[Decimal | None, from_fields("inventory_big_data.cover_days")]
    turnover_days: Turnover


class ProvinceStock(StockHealth):
    """Stock health of the companies in a province."""

    province_name: Annotated[str, from_fields("inventory_big_data.province_name")]


class CompanyStock(StockHealth):
    company_id: int
    company_name: Annotated[str, from_fields("inventory_big_data.company_id")]


class AgedStock(BaseModel):
    bucket: Annotated[str, PLAIN]
    quantity: Quantity
    amount: Amount


class StockMonth(BaseModel):
    month: Annotated[str, PLAIN]
    closing_quantity: Quantity
    closing_amount: Amount
    turnover_days: Turnover


class StockOverview(BaseModel):
    refreshed_at: datetime | None
    by_value: bool
    whole: StockHealth
    provinces: list[ProvinceStock]
    companies: list[CompanyStock]
    aging: list[AgedStock]
    months: list[StockMonth]


class AuditedBill(BaseModel):
    """An audited bill; `url` is the address of its page."""

    log_id: int
    label: Annotated[str, PLAIN]
    bill_no: Annotated[str, APART]
    company_name: Annotated[str, APART]
    amount: Annotated[MaskableDecimal, APART]
    audited_at: Annotated[datetime, APART]
    url: str


@call(api, "GET", f"{PREFIX}/getOverview", right=RIGHT, returns=StockOverview)
def get_overview(ctx: Context, company_id: CompanyId = 0) -> Any:
    """库存概况: stock health, provinces, companies, age and turnover."""
    return stock_overview.read_stock_overview(ctx.principal, company_id)


@call(api, "GET", f"{PREFIX}/getTicker", right=RIGHT, returns=list[AuditedBill])
def get_ticker(ctx: Context, num: Annotated[int, Query(ge=1, le=50)] = 20) -> Any:
    """最新动态: the bills audited last, of the types that the user may list."""
    return bill_timeline.read_audited_bills(ctx, num)
