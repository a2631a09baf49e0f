"""Figures of the stock dashboard (库存大数据看板): stock health overall, by province and company, its age,
its turnover.

Shares and turnover are by value where the user sees cost, else by quantity, as in the stock reports.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import Any

from sqlalchemy import Row, and_, func, select, tuple_

from api.kit.declaration.ratios import divide_or_none
from api.kit.declaration.view import apply_source
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.kit.storage.projection import MASK, UNSPECIFIED
from api.reporting.dashboards.console import Figures
from api.reporting.lists.stock.stock_health import InventoryBigData
from api.reporting.snapshot.fact_tables import COMPANIES, LAYERS, PERIODS, reader_scope_condition
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at
from reports.semantics.period_offsets import shift_months_back

MONTHS = 12
SALES_DAYS = 30
_STOCK = InventoryBigData.table()
_COMPANY, _PROVINCE, _WHOLE = 1, 2, 3
"""Which key a sum is not by, as `grouping` tells it: the province, the company, both."""
_SUMMED = (
    *(
        "quantity",
        "amount",
        "goods_count",
        "sold_out_count",
        "sluggish_quantity",
        "sluggish_amount",
        "sales_30",
    ),
    *("year_sales_quantity", "year_quantity_days", "year_sales_cost", "year_value_days"),
)


def read_stock_overview(principal: Principal, company_id: int = 0) -> Figures:
    """Return stock as of the newest snapshot, of one company or of all in the user's scope."""
    by_value = principal.can_see(
        InventoryBigData.name(), "amount", InventoryBigData.field("amount").permission
    )
    with open_snapshot() as conn:
        stock = defaultdict(list)
        for row in conn.execute(_build_stock_query(principal, company_id)):
            stock[row.level].append(row)
        [whole] = stock[_WHOLE]
        names: dict[int, str] = dict(conn.execute(select(COMPANIES)).tuples().all())
        aging = conn.execute(_build_aging_query(principal, company_id)).all()
        months = conn.execute(_build_months_query(principal, company_id, today())).all()
        computed = read_refreshed_at(conn)
    return {
        "refreshed_at": computed,
        "by_value": by_value,
        "whole": _format_health(whole, by_value),
        "provinces": [
            {**_format_health(row, by_value), "province_name": row.province_name or UNSPECIFIED}
            for row in stock[_PROVINCE]
        ],
        "companies": [
            {
                **_format_health(row, by_value),
                "company_id": row.company_id,
                "company_name": names.get(row.company_id, UNSPECIFIED),
            }
            for row in stock[_COMPANY]
        ],
        "aging": [
            {"bucket": row.bucket, "quantity": row.quantity, "amount": row.value if by_value else MASK}
            for row in aging
        ],
        "months": [
            {
                "month": row.period_label,
                "closing_quantity": row.closing_quantity,
                "closing_amount": row.closing_value if by_value else MASK,
                "turnover_days": divide_or_none(row.value_days, row.sales_cost, 1)
                if by_value
                else divide_or_none(row.quantity_days, row.sales_quantity, 1),
            }
            for row in months
        ],
    }


def _build_stock_query(principal: Principal, company_id: int) -> Any:
    """Return a query of sums over all, over each company and over the companies of each province, the largest
    stock first."""
    keys = (_STOCK.c.company_id, _STOCK.c.province_name)
    sets = func.grouping_sets(tuple_(), *map(tuple_, keys))
    summed = [func.coalesce(func.sum(_STOCK.c[name]), 0).label(name) for name in _SUMMED]
    statement = select(func.grouping(*keys).label("level"), *keys, *summed).group_by(sets)
    ordered = statement.order_by(func.sum(_STOCK.c.quantity).desc(), *keys)
    return apply_source(
        InventoryBigData, ordered, principal, {}, [reader_scope_condition(_STOCK, principal, company_id)]
    )


def _format_health(found: Row[Any], by_value: bool) -> Figures:
    row = dict(found._mapping)
    stock, sluggish, held, sold = (
        ("amount", "sluggish_amount", "year_value_days", "year_sales_cost")
        if by_value
        else ("quantity", "sluggish_quantity", "year_quantity_days", "year_sales_quantity")
    )
    shown = ("quantity", "goods_count", "sold_out_count", "sluggish_quantity", "sales_30")
    return {
        **{name: row[name] for name in shown},
        "amount": row["amount"] if by_value else MASK,
        "sluggish_amount": row["sluggish_amount"] if by_value else MASK,
        "sluggish_rate": divide_or_none(100 * row[sluggish], row[stock], 2),
        "cover_days": divide_or_none(SALES_DAYS * row["quantity"], row["sales_30"], 1),
        "turnover_days": divide_or_none(row[held], row[sold], 1),
    }


def _build_aging_query(principal: Principal, company_id: int) -> Any:
    return (
        select(
            LAYERS.c.bucket,
            func.sum(LAYERS.c.quantity).label("quantity"),
            func.sum(LAYERS.c.value).label("value"),
        )
        .where(reader_scope_condition(LAYERS, principal, company_id))
        .group_by(LAYERS.c.bucket, LAYERS.c.bucket_order)
        .order_by(LAYERS.c.bucket_order)
    )


def _build_months_query(principal: Principal, company_id: int, now: date) -> Any:
    names = (
        "value_days",
        "quantity_days",
        "sales_cost",
        "sales_quantity",
        "closing_quantity",
        "closing_value",
    )
    first = shift_months_back(now.replace(day=1), MONTHS - 1)
    return (
        select(PERIODS.c.period_label, *(func.sum(PERIODS.c[name]).label(name) for name in names))
        .where(
            and_(reader_scope_condition(PERIODS, principal, company_id), PERIODS.c.period_kind == "month"),
            PERIODS.c.period_start >= first,
        )
        .group_by(PERIODS.c.period_label, PERIODS.c.period_start)
        .order_by(PERIODS.c.period_start)
    )
