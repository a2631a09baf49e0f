"""Delivery promises (交货保障): quantities that orders have to deliver by each day, against stock and arrivals.

An order counts with its unshipped quantity on its delivery day; orders without a day come last. Arrivals
are goods in transit from another warehouse, or ordered from suppliers for a day that is no later.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    goods_field,
    key_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import AUDITED
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import bill_visible_sql

OVER, KEPT = 1, 2
STATES = {OVER: "有缺口", KEPT: "可保障"}

_PROMISES = f"""
with wanted as (
    select
        d.company_id, d.warehouse_id, d.goods_id, d.delivery_date, min(d.order_line_id) as delivery_promise_id,
        sum(d.wanted) as quantity, sum(h.held) as reserved_quantity,
        coalesce(string_agg(distinct d.bill_no, '、' order by d.bill_no) filter (where {{opened}}), '') as order_nos
    from order_demand d
    cross join lateral (
        select coalesce(sum(r.quantity), 0.000) as held
        from reservation_ledger r
        where r.order_line_id = d.order_line_id
    ) h
    where d.executed < d.ordered and d.wanted > 0
    group by d.company_id, d.warehouse_id, d.goods_id, d.delivery_date
),
promised as (
    select
        w.*,
        sum(w.quantity) over (
            partition by w.warehouse_id, w.goods_id order by w.delivery_date
        ) as due_quantity,
        coalesce(t.quantity - t.frozen, 0.000) as stocks, s.on_the_way + p.ordered as arriving
    from wanted w
    left join stock_total t on t.warehouse_id = w.warehouse_id and t.goods_id = w.goods_id
    cross join lateral (
        select coalesce(sum(l.quantity - l.executed_quantity), 0.000) as on_the_way
        from transfer_out_line l
        join transfer_out h using (bill_id)
        where l.goods_id = w.goods_id and h.to_warehouse_id = w.warehouse_id
            and coalesce(h.locked_from, h.status) = {AUDITED} and l.quantity > l.executed_quantity
    ) s
    cross join lateral (
        select coalesce(sum(l.quantity - l.executed_quantity), 0.000) as ordered
        from purchase_order_line l
        join purchase_order h using (bill_id)
        where l.goods_id = w.goods_id and h.warehouse_id = w.warehouse_id
            and coalesce(h.locked_from, h.status) = {AUDITED} and l.quantity > l.executed_quantity
            and (w.delivery_date is null or h.delivery_date <= w.delivery_date)
    ) p
)
select
    p.delivery_promise_id, p.company_id, p.warehouse_id, p.goods_id, p.delivery_date, p.quantity, p.reserved_quantity,
    p.due_quantity, p.stocks, p.arriving, greatest(p.due_quantity - p.stocks - p.arriving, 0.000) as shortage,
    case when p.due_quantity > p.stocks + p.arriving then {OVER} else {KEPT} end as state, p.order_nos
from promised p
"""


class DeliveryPromise(View):
    """交货保障: one row per warehouse, goods and delivery day; names the orders that the user may open."""

    __tablename__ = "delivery_promise"
    whose = "place"
    pinned_columns = ("delivery_date", "warehouse_id", "goods_id", "quantity", "due_quantity", "shortage")
    keyword_reference = "goods_id"
    declaration = Declaration(
        "交货保障",
        "v2/inventory/DeliveryPromise",
        "delivery_promise_id",
        routes={"list": "/inventory/deliverypromise"},
        menu=Menu("库存管理", "库存查询", 65),
        actions=READ_ONLY,
        order_by=("delivery_date", "asc"),
        drill=Drill(
            "销售订单",
            "/sales/salesorder",
            (("goods_id", "goods_id"), ("warehouse_id", "warehouse_id")),
        ),
    )

    delivery_promise_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", within=("company_id",), search=True)
    goods_id: Mapped[int] = goods_field(search=True)
    delivery_date: Mapped[date | None] = date_field("交货日期", search=True)
    state: Mapped[int] = enum_field("状态", STATES, default=OVER, search=True, width=90)
    quantity: Mapped[Decimal] = quantity_field("当日应交", total=True)
    reserved_quantity: Mapped[Decimal] = quantity_field("已占用数量", total=True)
    due_quantity: Mapped[Decimal] = quantity_field("累计应交")
    stocks: Mapped[Decimal] = quantity_field("库存数量")
    arriving: Mapped[Decimal] = quantity_field("预计到货")
    shortage: Mapped[Decimal] = quantity_field("缺口数量")
    order_nos: Mapped[str] = text_field("销售订单", bill=True, width=220)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _PROMISES.format(opened=bill_visible_sql(principal, "d", "XSDD")), {}
