"""Order demand (订单需求): a view that the ledger reads, supplied by the package that knows the orders.

Arrivals are reserved for those that are short, and what a stocktake finds missing is taken from the last
of them; both under the goods' locks, within the posting (sql/48_orders.sql).
"""

from __future__ import annotations

from sqlalchemy import Connection

VIEW = "order_demand"
_select: list[str] = []


def declare_demand(select: str) -> None:
    """Set the select of the view: a row of every order line, whatever its order's status.

    Columns: order_line_id, bill_type, bill_id, bill_no, company_id, warehouse_id, goods_id; `ordered` and
    `executed` quantity; `wanted`, what the line may reserve, 0 unless its order is open; `priority`, the
    higher the sooner; `delivery_date` and `ordered_on`; `takes_arrivals`, whether what arrives is reserved
    for it.
    """
    _select[:] = [select]


def drop_view(conn: Connection) -> None:
    """Drop the view, so that the tables below it can change."""
    conn.exec_driver_sql(f"drop view if exists {VIEW}")


def create_view(conn: Connection) -> None:
    """Create the view."""
    [select] = _select
    conn.exec_driver_sql(f"create or replace view {VIEW} as {select}")
