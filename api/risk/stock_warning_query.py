"""Stock warning query (库存预警查询): goods below or above their limits now, and quantities to buy."""

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
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal

BELOW, ABOVE = 1, 2
SIDES = {BELOW: "低于最低库存", ABOVE: "高于最高库存"}

# A goods' own limits come before those of its nearest type; a type's hold for what has been in the warehouse.
OUTSIDE = """
limited as (
    select distinct on (c.warehouse_id, c.goods_id) c.company_id, c.warehouse_id, c.goods_id, c.minimum, c.maximum
    from (
        select s.company_id, s.warehouse_id, s.goods_id, s.minimum, s.maximum, 0 as distance
        from safety_stock s where s.goods_id is not null
        union all
        select
            s.company_id, s.warehouse_id, g.goods_id, s.minimum, s.maximum,
            array_position(array[g.goods_type_id, t1.p_id, t2.p_id], s.goods_type_id)
        from safety_stock s
        join stock_total t on t.warehouse_id = s.warehouse_id
        join goods g on g.goods_id = t.goods_id
        left join goods_type t1 on t1.goods_type_id = g.goods_type_id
        left join goods_type t2 on t2.goods_type_id = t1.p_id
        where s.goods_type_id in (g.goods_type_id, t1.p_id, t2.p_id)
    ) c
    order by c.warehouse_id, c.goods_id, c.distance
), outside as (
    select
        l.*, coalesce(t.quantity, 0) as quantity, coalesce(t.quantity - t.frozen, 0) as usable,
        coalesce(t.quantity - t.reserved - t.frozen, 0) as available_stocks,
        case when coalesce(t.quantity - t.frozen, 0) < l.minimum then 1 else 2 end as side
    from limited l
    left join stock_total t on t.warehouse_id = l.warehouse_id and t.goods_id = l.goods_id
    where coalesce(t.quantity - t.frozen, 0) < l.minimum or coalesce(t.quantity - t.frozen, 0) > l.maximum
)
"""

_WARNINGS = f"""
with {OUTSIDE}
select
    o.warehouse_id * 4294967296 + o.goods_id as stock_warning_id, o.company_id, o.warehouse_id, o.goods_id,
    g.goods_type_id, g.brand_id, o.side, o.quantity, o.available_stocks, o.minimum, o.maximum,
    greatest(o.minimum - o.usable, 0) as shortage, greatest(o.usable - o.maximum, 0) as excess,
    case when o.side = 1 then b.ordered else 0 end as ordered,
    case when o.side = 1 then greatest(coalesce(o.maximum, o.minimum) - o.available_stocks - b.ordered, 0) else 0 end
        as suggested,
    s.last_sale
from outside o
join goods g on g.goods_id = o.goods_id
cross join lateral (
    select coalesce(sum(l.quantity - l.executed_quantity), 0) as ordered
    from purchase_order_line l join purchase_order h using (bill_id)
    where l.goods_id = o.goods_id and h.warehouse_id = o.warehouse_id and h.status = 2
        and l.quantity > l.executed_quantity
) b
left join lateral (
    select m.business_date as last_sale
    from stock_ledger m
    where m.company_id = o.company_id and m.goods_id = o.goods_id and m.warehouse_id = o.warehouse_id
        and m.bill_type = 'XSCK' and m.reverses is null
    order by m.ledger_id desc
    limit 1
) s on true
"""


class StockWarningRow(View):
    """库存预警查询"""

    __tablename__ = "stock_warning"
    pinned_columns = ("warehouse_id", "goods_id", "side", "quantity", "available_stocks", "suggested")
    keyword_reference = "goods_id"
    declaration = Declaration(
        "库存预警查询",
        "v2/inventory/StockWarningQuery",
        "stock_warning_id",
        routes={"list": "/inventory/stockWarningQuery"},
        menu=Menu("库存管理", "库存查询", 60),
        actions=READ_ONLY,
        order_by=("shortage", "desc"),
        drill=Drill(
            "库存流水",
            "/inventory/stockmoves",
            (("goods_id", "goods_id"), ("warehouse_id", "warehouse_id")),
        ),
    )

    stock_warning_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", within=("company_id",), search=True)
    goods_id: Mapped[int] = goods_field(search=True)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True)
    side: Mapped[int] = enum_field("预警", SIDES, default=BELOW, search=True)
    quantity: Mapped[Decimal] = quantity_field("库存数量", total=True)
    available_stocks: Mapped[Decimal] = quantity_field("可用数量", total=True)
    minimum: Mapped[Decimal] = quantity_field("最低库存")
    maximum: Mapped[Decimal | None] = quantity_field("最高库存", default=None)
    shortage: Mapped[Decimal] = quantity_field("缺货数量", total=True)
    excess: Mapped[Decimal] = quantity_field("超储数量", total=True)
    ordered: Mapped[Decimal] = quantity_field("采购在途", total=True)
    suggested: Mapped[Decimal] = quantity_field("建议采购", total=True)
    last_sale: Mapped[date | None] = date_field("最近销售")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _WARNINGS, {}
