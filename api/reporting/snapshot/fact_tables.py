"""Published facts (已发布的事实表) as SQLAlchemy tables, for figures outside of lists, and conditions of
data scope.

Sales and orders are documents and are limited as such. Days, layers and periods sum up all that happened
in a company or lay in a warehouse.
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

from api.kit.declaration.fields import SQL_TYPES
from api.kit.errors import Forbidden
from api.kit.scope import Principal, scope_condition

_KINDS: dict[str, TypeEngine[Any]] = {
    **dict.fromkeys(("date", "day", "start"), Date()),
    "id": BigInteger(),
    **dict.fromkeys(("type", "bucket", "kind", "label", "name"), Text()),
    "order": Integer(),
    **{f"quantity{end}": SQL_TYPES["quantity"] for end in ("", "_days")},
}
"""By the end of a column's name; the others are money."""


def _define_table(name: str, columns: str, schema: str | None = "facts") -> Table:
    """Return a published table with the columns that are read of it."""

    def build_column(column: str) -> Column[Any]:
        ends = (kind for end, kind in _KINDS.items() if column == end or column.endswith(f"_{end}"))
        # Nothing here lies in no warehouse: whoever is limited to some sees no other row.
        return Column(column, next(ends, SQL_TYPES["money"]), nullable=False)

    return Table(name, MetaData(), *map(build_column, columns.split()), schema=schema)


SALES = _define_table(
    "fct_sales_line",
    "business_date bill_type bill_id company_id warehouse_id customer_id department_id employee_id maker_id goods_id"
    " quantity amount revenue cost",
)
ORDERS = _define_table(
    "fct_sales_order_line",
    "business_date bill_id company_id warehouse_id department_id maker_id amount",
)
BUSINESS = _define_table(
    "fct_business_day",
    "day company_id purchase receipts payments new_overdue",
)
LAYERS = _define_table("fct_stock_layer", "company_id warehouse_id bucket bucket_order quantity value")
PERIODS = _define_table(
    "fct_stock_period",
    "period_kind period_label period_start company_id warehouse_id value_days quantity_days sales_cost"
    " sales_quantity closing_quantity closing_value",
)
COMPANIES = _define_table("dim_company", "company_id company_name", None)
EMPLOYEES = _define_table("dim_employee", "employee_id employee_name", None)
CUSTOMERS = _define_table("dim_customer", "customer_id customer_name province_name", None)
GOODS = _define_table("dim_goods", "goods_id goods_name brand_id", None)
BRANDS = _define_table("brand", "brand_id brand_name", None)


def can_see_whole_companies(principal: Principal) -> bool:
    """Return whether a principal may know a company's receipts and payments: all its documents and warehouses
    are in scope."""
    return not principal.is_narrowed


def reader_scope_condition(table: Table, principal: Principal, company_id: int = 0) -> ColumnElement[bool]:
    """Return the condition for the rows in a principal's scope, of one company or of all. Raises Forbidden
    for a company outside of the scope."""
    if company_id and not principal.covers_company(company_id):
        raise Forbidden("只能查看自己数据范围内的公司")
    if table is BUSINESS and not can_see_whole_companies(principal):
        return false()
    chosen = table.c.company_id == company_id if company_id else true()
    return and_(scope_condition(table, principal), chosen)
