"""库存大数据接口：看板的指标取自最新发布的快照，滚动动态是刚审核的单据，均在用户的数据范围内。"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.told import APART, PLAIN, of
from api.reporting import latest_bills, stock_overview
from api.reporting.console_calls import CompanyId, Shown
from api.reporting.inventory_big_data import InventoryBigData

api = router()
RIGHT = InventoryBigData.right("list")
PREFIX = InventoryBigData.declaration.api

Quantity = Annotated[Decimal, of("inventory_big_data.quantity")]
Amount = Annotated[Shown, of("inventory_big_data.amount")]
Turnover = Annotated[Decimal | None, of("inventory_big_data.turnover_days")]


class StockHealth(BaseModel):
    """Stock and its health; sluggish rate and turnover days by value, or by quantity without the cost right."""

    quantity: Quantity
    amount: Amount
    goods_count: Annotated[int, of("inventory_big_data.goods_count")]
    sold_out_count: Annotated[int, of("inventory_big_data.sold_out_count")]
    sluggish_quantity: Annotated[Decimal, of("inventory_big_data.sluggish_quantity")]
    sluggish_amount: Annotated[Shown, of("inventory_big_data.sluggish_amount")]
    sluggish_rate: Annotated[Decimal | None, of("inventory_big_data.sluggish_rate")]
    sales_30: Annotated[Decimal, of("inventory_big_data.sales_30")]
    cover_days: Annotated[Decimal | None, of("inventory_big_data.cover_days")]
    turnover_days: Turnover


class ProvinceStock(StockHealth):
    """Of the companies that lie in a province."""

    province_name: Annotated[str, of("inventory_big_data.province_name")]


class CompanyStock(StockHealth):
    company_id: int
    company_name: Annotated[str, of("inventory_big_data.company_id")]


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
    """A bill that was audited; `url` shows it."""

    log_id: int
    label: Annotated[str, PLAIN]
    bill_no: Annotated[str, APART]
    company_name: Annotated[str, APART]
    amount: Annotated[Shown, APART]
    audited_at: Annotated[datetime, APART]
    url: str


@call(api, "GET", f"{PREFIX}/getOverview", right=RIGHT, returns=StockOverview)
def get_overview(ctx: Context, company_id: CompanyId = 0) -> Any:
    """库存概况: stock health, provinces, companies, age and turnover."""
    return stock_overview.overview(ctx.principal, company_id)


@call(api, "GET", f"{PREFIX}/getTicker", right=RIGHT, returns=list[AuditedBill])
def get_ticker(ctx: Context, num: Annotated[int, Query(ge=1, le=50)] = 20) -> Any:
    """最新动态: the bills audited last, of the types that the user may list."""
    return latest_bills.audited(ctx, num)
