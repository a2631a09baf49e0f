"""Replenishment proposals (补货): stock position of goods in a warehouse, quantity to buy, supplier and price."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from sqlalchemy import text

from api.kit.context import Context
from api.kit.declaration.document import MAX_LINES
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.flow import POSTED_SQL
from api.kit.errors import Refusal
from api.kit.scope import scope_condition
from api.kit.storage.database import today
from api.master.goods.proposals import ProposedGoods
from api.master.pricing import price_rules
from api.master.warehouses.safety_stock import LIMIT
from api.master.warehouses.warehouses import Warehouse


class ProposedLine(ProposedGoods):
    """Goods to buy for a warehouse, with supplier and the figures behind the proposal."""

    goods_id: Annotated[int, from_fields("purchase_plan_line.goods_id")]
    quantity: Annotated[str, from_fields("purchase_plan_line.quantity")]
    price: Annotated[str, from_fields("purchase_plan_line.price", "supplier_price.purchase_price")]
    tax_rate: Annotated[str, from_fields("purchase_plan_line.tax_rate")]
    supplier_id: Annotated[int | None, from_fields("purchase_plan_line.supplier_id")]
    supplier_name: Annotated[str | None, from_fields("purchase_plan_line.supplier_id")]
    stocks: Annotated[str, from_fields("purchase_plan_line.stocks")]
    available_stocks: Annotated[str, from_fields("purchase_plan_line.available_stocks")]
    on_order: Annotated[str, from_fields("purchase_plan_line.on_order")]
    safety_stock: Annotated[str, from_fields("purchase_plan_line.safety_stock")]
    sales_quantity: Annotated[str, from_fields("purchase_plan_line.sales_quantity")]


FIGURES = ("stocks", "available_stocks", "on_order", "safety_stock", "sales_quantity")

# How goods stand in a warehouse: what orders and plans that are still open will bring, what was sold net of returns.
_OPEN = """
        select l.goods_id, l.quantity - l.executed_quantity as quantity
        from {bill} h
        join {bill}_line l using (bill_id)
        where h.warehouse_id = :warehouse_id and (h.status = 2 or h.locked_from = 2)
"""
_STOCK_POSITION = f"""
with on_order as (
    select goods_id, sum(quantity) as quantity
    from ({_OPEN.format(bill="purchase_order")} union all {_OPEN.format(bill="purchase_plan")}) coming
    group by goods_id
),
sold as (
    select goods_id, sum(quantity) as quantity
    from (
        select l.goods_id, l.quantity
        from sales_outbound h join sales_outbound_line l using (bill_id)
        where h.warehouse_id = :warehouse_id and h.status in {POSTED_SQL}
            and h.business_date > cast(:day as date) - :sales_days and h.business_date <= :day
        union all
        select l.goods_id, -l.quantity
        from sales_return h join sales_return_line l using (bill_id)
        where h.warehouse_id = :warehouse_id and h.status in {POSTED_SQL}
            and h.business_date > cast(:day as date) - :sales_days and h.business_date <= :day
    ) moved
    group by goods_id
),
standing as (
    select
        g.goods_id, g.enabled, coalesce(t.quantity, 0) as stocks,
        coalesce(t.quantity - t.reserved - t.frozen, 0) as available_stocks,
        coalesce(o.quantity, 0) as on_order, coalesce(least_held.minimum, 0) as safety_stock,
        coalesce(s.quantity, 0) as sales_quantity
    from goods g
    left join goods_type t1 on t1.goods_type_id = g.goods_type_id
    left join goods_type t2 on t2.goods_type_id = t1.p_id
    left join stock_total t on t.warehouse_id = :warehouse_id and t.goods_id = g.goods_id
    left join on_order o on o.goods_id = g.goods_id
    left join sold s on s.goods_id = g.goods_id
    left join lateral ({LIMIT.format(warehouse=":warehouse_id")}) least_held on true
    where {{which}}
)
"""
# The supplier with the lowest price that holds, else whom the goods were last bought from.
_SUPPLIER = f"""
left join lateral (
    select p.supplier_id from supplier_price p
    where p.enabled and p.company_id = :company_id and p.goods_id = g.goods_id
        and (p.starts_on is null or p.starts_on <= cast(:priced_on as date))
        and (p.ends_on is null or p.ends_on >= cast(:priced_on as date))
    order by p.purchase_price, p.supplier_id limit 1
) offered on true
left join lateral (
    select h.supplier_id from purchase_inbound_line l join purchase_inbound h using (bill_id)
    where l.goods_id = g.goods_id and h.company_id = :company_id and h.status in {POSTED_SQL}
    order by h.business_date desc, l.line_id desc limit 1
) bought on true
left join supplier seller on seller.supplier_id = coalesce(offered.supplier_id, bought.supplier_id)
"""


def _per_supplier_sql(sql: str) -> str:
    """Return a price query of `pricing` for each goods' own supplier instead of one for all."""
    return sql.replace(":supplier_id", "seller.supplier_id")


_PRICED = f"""
left join company_goods c on c.goods_id = g.goods_id and c.company_id = :company_id
left join lateral ({_per_supplier_sql(price_rules.LEVEL["supplier"])}) level on true
left join lateral ({_per_supplier_sql(price_rules.LAST["supplier"])}) last on true
"""


_PROPOSED = f"""
{_STOCK_POSITION.format(which="g.enabled")},
wanted as (select w.*, {{quantity}} as quantity from standing w)
select
    w.*, g.goods_name, g.goods_num, g.specification_type, g.pattern, g.tax_rate, u.unit_name,
    seller.supplier_id, seller.supplier_name, coalesce({price_rules.line_price_sql("supplier")}, 0) as price
from wanted w
join goods g using (goods_id)
left join unit u using (unit_id)
{_SUPPLIER}
{_PRICED}
where w.quantity > 0
order by pinyin_key(seller.supplier_name), g.goods_num
limit :most
"""
_BELOW_SAFETY = "w.safety_stock - w.available_stocks - w.on_order"
# Whole pieces, so that the days are covered.
_FOR_SALES = "ceil(w.sales_quantity * :cover_days / :sales_days - w.available_stocks - w.on_order)"
_PRICES = text(f"""
select g.goods_id, seller.supplier_id, {price_rules.line_price_sql("supplier")} as price
from unnest(cast(:goods as bigint[]), cast(:suppliers as bigint[])) as seller (goods_id, supplier_id)
join goods g using (goods_id)
{_PRICED}
""")
_FIGURES = f"""
{_STOCK_POSITION.format(which="g.goods_id = any(:goods)")}
select w.*, seller.supplier_id
from standing w
join goods g using (goods_id)
{_SUPPLIER}
"""


def propose_below_safety(
    ctx: Context, company_id: int, warehouse_id: int, sales_days: int
) -> list[dict[str, Any]]:
    """Propose goods whose available stock, open orders and plans fall short of their safety stock."""
    return _propose_goods(ctx, _BELOW_SAFETY, company_id, warehouse_id, sales_days, 0)


def propose_for_sales(
    ctx: Context, company_id: int, warehouse_id: int, sales_days: int, cover_days: int
) -> list[dict[str, Any]]:
    """Propose goods for `cover_days` at the daily mean of the last `sales_days`, less stock and arrivals."""
    return _propose_goods(ctx, _FOR_SALES, company_id, warehouse_id, sales_days, cover_days)


def _propose_goods(
    ctx: Context, quantity: str, company_id: int, warehouse_id: int, sales_days: int, cover_days: int
) -> list[dict[str, Any]]:
    _require_warehouse(ctx, company_id, warehouse_id)
    values = _build_query_values(company_id, warehouse_id, today(), sales_days)
    values |= {"cover_days": cover_days, "most": MAX_LINES}
    found = ctx.conn.execute(text(_PROPOSED.format(quantity=quantity)), values)
    return [dict(row._mapping) for row in found]


def _build_query_values(company_id: int, warehouse_id: int, day: date, sales_days: int) -> dict[str, Any]:
    return {
        "company_id": company_id,
        "warehouse_id": warehouse_id,
        "day": day,
        "priced_on": day,
        "sales_days": sales_days,
    }


def _require_warehouse(ctx: Context, company_id: int, warehouse_id: int) -> None:
    table = Warehouse.table()
    mine = table.select().where(
        table.c.warehouse_id == warehouse_id,
        table.c.company_id == company_id,
        scope_condition(table, ctx.principal),
    )
    if ctx.conn.execute(mine).first() is None:
        raise Refusal("仓库不存在或无权访问")


def read_stock_figures(
    ctx: Context, company_id: int, warehouse_id: int, day: date, sales_days: int, goods: Iterable[int]
) -> dict[int, dict[str, Any]]:
    """Read the stock position of goods in a warehouse on a day, and their supplier, by goods."""
    values = _build_query_values(company_id, warehouse_id, day, sales_days) | {"goods": sorted(set(goods))}
    rows = ctx.conn.execute(text(_FIGURES), values)
    return {row.goods_id: dict(row._mapping) for row in rows}


def read_supplier_prices(
    ctx: Context, company_id: int, day: date, wanted: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Decimal]:
    """Read suppliers' prices by (goods, supplier), where known."""
    goods, suppliers = zip(*wanted, strict=True) if wanted else ((), ())
    values = {"company_id": company_id, "priced_on": day, "goods": list(goods), "suppliers": list(suppliers)}
    rows = ctx.conn.execute(_PRICES, values)
    return {(row.goods_id, row.supplier_id): row.price for row in rows if row.price is not None}
