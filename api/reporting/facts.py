"""Published facts (已发布的事实表) as tables, for figures that no list has, and the rows of them that a principal sees.

Sales and orders are documents: they are limited like those. Days, layers and periods tell of all that happened in a
company or lay in a warehouse.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Date,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    false,
    true,
)
from sqlalchemy.types import TypeEngine

from api.kit.errors import Forbidden
from api.kit.fields import SQL_TYPES
from api.kit.scope import Principal, within

_KINDS: dict[str, TypeEngine[Any]] = {
    **dict.fromkeys(("date", "day", "start"), Date()),
    "id": BigInteger(),
    **dict.fromkeys(("type", "bucket", "kind", "label", "name"), Text()),
    "order": Integer(),
    **{f"quantity{end}": SQL_TYPES["quantity"] for end in ("", "_days")},
}
"""By the end of a column's name; the others are money."""


def _table(name: str, columns: str, schema: str | None = "facts") -> Table:
    """A published table with the columns that are read of it."""

    def typed(column: str) -> Column[Any]:
        ends = (kind for end, kind in _KINDS.items() if column == end or column.endswith(f"_{end}"))
        # Nothing here lies in no warehouse: whoever is limited to some sees no other row.
        return Column(column, next(ends, SQL_TYPES["money"]), nullable=False)

    return Table(name, MetaData(), *map(typed, columns.split()), schema=schema)


SALES = _table(
    "fct_sales_line",
    "business_date bill_type bill_id company_id warehouse_id customer_id department_id employee_id maker_id goods_id"
    " quantity amount revenue cost",
)
ORDERS = _table(
    "fct_sales_order_line",
    "business_date bill_id company_id warehouse_id department_id maker_id amount",
)
BUSINESS = _table(
    "fct_business_day",
    "day company_id purchase receipts payments new_overdue",
)
LAYERS = _table("fct_stock_layer", "company_id warehouse_id bucket bucket_order quantity value")
PERIODS = _table(
    "fct_stock_period",
    "period_kind period_label period_start company_id warehouse_id value_days quantity_days sales_cost"
    " sales_quantity closing_quantity closing_value",
)
COMPANIES = _table("dim_company", "company_id company_name", None)
EMPLOYEES = _table("dim_employee", "employee_id employee_name", None)
CUSTOMERS = _table("dim_customer", "customer_id customer_name province_name", None)
GOODS = _table("dim_goods", "goods_id goods_name brand_id", None)
BRANDS = _table("brand", "brand_id brand_name", None)


def sees_whole_companies(principal: Principal) -> bool:
    """Whether he may know what a company took in and paid out: all its documents and warehouses are his to see."""
    return not principal.is_narrowed


def mine(table: Table, principal: Principal, company_id: int = 0) -> ColumnElement[bool]:
    """The rows that a principal sees, of one company or of all in his scope. Raises Forbidden for another's company."""
    if company_id and not principal.reaches(company_id):
        raise Forbidden("只能查看自己数据范围内的公司")
    if table is BUSINESS and not sees_whole_companies(principal):
        return false()
    chosen = table.c.company_id == company_id if company_id else true()
    return and_(within(table, principal), chosen)
