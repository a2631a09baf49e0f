"""库存大数据接口：看板的指标取自最新发布的快照，滚动动态是刚审核的单据，均在用户的数据范围内。"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from api.kit.calls import call, router
from api.kit.context import Context
from api.reporting import latest_bills, stock_overview
from api.reporting.console_calls import CompanyId, Shown
from api.reporting.inventory_big_data import InventoryBigData

api = router()
RIGHT = InventoryBigData.right("list")
PREFIX = InventoryBigData.declaration.api


class StockHealth(BaseModel):
    """Stock and its health; sluggish rate and turnover days by value, or by quantity without the cost right."""

    quantity: Decimal
    amount: Shown
    goods_count: int
    sold_out_count: int
    sluggish_quantity: Decimal
    sluggish_amount: Shown
    sluggish_rate: Decimal | None
    sales_30: Decimal
    cover_days: Decimal | None
    turnover_days: Decimal | None


class ProvinceStock(StockHealth):
    """Of the companies that lie in a province."""

    province_name: str


class CompanyStock(StockHealth):
    company_id: int
    company_name: str


class AgedStock(BaseModel):
    bucket: str
    quantity: Decimal
    amount: Shown


class StockMonth(BaseModel):
    month: str
    closing_quantity: Decimal
    closing_amount: Shown
    turnover_days: Decimal | None


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
    label: str
    bill_no: str
    company_name: str
    amount: Shown
    audited_at: datetime
    url: str


@call(api, "GET", f"{PREFIX}/getOverview", right=RIGHT, returns=StockOverview)
def get_overview(ctx: Context, company_id: CompanyId = 0) -> Any:
    """库存概况: stock health, provinces, companies, age and turnover."""
    return stock_overview.overview(ctx.principal, company_id)


@call(api, "GET", f"{PREFIX}/getTicker", right=RIGHT, returns=list[AuditedBill])
def get_ticker(ctx: Context, num: Annotated[int, Query(ge=1, le=50)] = 20) -> Any:
    """最新动态: the bills audited last, of the types that the user may list."""
    return latest_bills.audited(ctx, num)
