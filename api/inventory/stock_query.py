"""Stock queries (库存查询): stock by place, now or at the end of a day, and the moves behind it.

A past day is read from the ledger, starting at the nearest month-end checkpoint. Cost is quantity times
the average of the company, or of a warehouse that is valued on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import ClassVar

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    bill_type_field,
    date_field,
    datetime_field,
    enabled_field,
    enum_field,
    flag_field,
    goods_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY, BillReferenceRow, Sql, Values, View
from api.kit.http.date_filters import parse_date
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.ledger.checkpoints import INSTANCE, NEW_SINCE
from api.master.warehouses.warehouses import GUARANTEE, TRANSIT, WAREHOUSE_TYPES

MOVES = "/inventory/stockmoves"
_SAME = (("goods_id", "goods_id"), ("warehouse_id", "warehouse_id"))


def _parse_as_of(params: Values) -> date | None:
    """Parse the past day that a list is requested for; None means now."""
    found = parse_date(params, "as_of_end", "截止日期")
    return found if found and found < today() else None


_NOW = """
select
    t.warehouse_id * 4294967296 + t.goods_id as stock_summary_id, current_date as as_of,
    cast(null as date) as last_day, t.company_id, t.warehouse_id, w.type as warehouse_type, t.goods_id,
    g.goods_type_id, g.brand_id, t.quantity,
    case when w.type = :transit then t.quantity else 0 end as in_transit, t.reserved, t.frozen,
    t.quantity - t.reserved - t.frozen as available_stocks, c.unit_cost,
    round(t.quantity * coalesce(c.unit_cost, 0), 2) as amount
from stock_total t
left join warehouse w on w.warehouse_id = t.warehouse_id
left join goods g on g.goods_id = t.goods_id
left join cost_balance k on k.company_id = t.company_id and k.goods_id = t.goods_id
    and k.pool_id = case when w.type = :guarantee then t.warehouse_id else 0 end
cross join lateral (
    select case when k.quantity > 0 then round(k.amount / k.quantity, 6) else k.last_unit_cost end as unit_cost
) c
"""

# From the checkpoint nearest to the day, or from nothing where the ledger's beginning is nearer: what moved between it
# and the day, there or back, and what its snapshot did not show. A warehouse is of one company and one average.
_MOVED = """
with base as materialized (
    select c.day, c.seen
    from (
        select c.day, c.seen from stock_checkpoint c where c.instance = {instance}
        union all
        (select l.business_date, null from stock_ledger l order by l.ledger_id limit 1)
    ) c
    order by abs(c.day - cast(:day as date))
    limit 1
), bound as materialized (
    select case when b.seen is null then '-infinity' else b.day end as day, b.seen
    from base b
), piece as (
    select {row_places}, r.company_id, r.pool_id, r.quantity, r.frozen, r.amount
    from stock_checkpoint_row r
    where r.day = (select day from bound where seen is not null)
    union all
    select {places}, l.company_id, l.pool_id, l.quantity, case when l.frozen then l.quantity else 0 end, l.amount
    from stock_ledger l
    where l.business_date > (select day from bound) and l.business_date <= :day
    union all
    select {places}, l.company_id, l.pool_id, -l.quantity, case when l.frozen then -l.quantity else 0 end, -l.amount
    from stock_ledger l
    where l.business_date > :day and l.business_date <= (select day from bound)
    union all
    select {places}, l.company_id, l.pool_id, l.quantity, case when l.frozen then l.quantity else 0 end, l.amount
    from stock_ledger l
    where {new_since} and l.business_date <= (select day from bound)
), moved as materialized (
    select
        min(company_id) as company_id, min(pool_id) as pool_id, {names}, sum(quantity) as quantity,
        coalesce(sum(frozen) filter (where frozen <> 0), 0) as frozen, sum(amount) as amount
    from piece
    group by {names}
), costs as (
    select m.company_id, m.goods_id, m.pool_id, sum(m.amount) / nullif(sum(m.quantity), 0) as unit_cost
    from moved m
    group by m.company_id, m.goods_id, m.pool_id
)
"""


def _moved_stock_sql(*places: str) -> str:
    """Build CTEs `moved` (stock at the end of `:day` by places) and `costs` (unit costs of that day)."""
    return _MOVED.format(
        instance=INSTANCE,
        places=", ".join(f"l.{name}" for name in places),
        row_places=", ".join(f"r.{name}" for name in places),
        names=", ".join(places),
        new_since=NEW_SINCE.format(row="l", seen="(select seen from bound)"),
    )


class StockSummary(View):
    """库存汇总: goods by warehouse; goods in transit lie in the company's in-transit warehouse."""

    __tablename__ = "stock_summary"
    pinned_columns = ("warehouse_id", "goods_id", "quantity", "available_stocks", "amount")
    keyword_reference = "goods_id"
    declaration = Declaration(
        "库存汇总",
        "v2/inventory/InventorySummer",
        "stock_summary_id",
        routes={"list": "/inventory/inventorysummer"},
        menu=Menu("库存管理", "库存查询", 20),
        actions=READ_ONLY,
        order_by=("goods_id", "asc"),
        drill=Drill("库存流水", MOVES, (*_SAME, ("business_date_end", "last_day"))),
    )

    stock_summary_id: Mapped[int] = key_field()
    as_of: Mapped[date] = date_field("截止日期", span="until", search=True, list=False)
    last_day: Mapped[date | None] = date_field("最后日期", list=False)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", within=("company_id",), search=True)
    warehouse_type: Mapped[int] = enum_field("仓库类型", WAREHOUSE_TYPES, default=1, search=True, width=90)
    goods_id: Mapped[int] = goods_field(search=True)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True)
    quantity: Mapped[Decimal] = quantity_field("库存数量", search=True, total=True)
    in_transit: Mapped[Decimal] = quantity_field("其中在途", total=True)
    reserved: Mapped[Decimal] = quantity_field("占用数量", total=True)
    frozen: Mapped[Decimal] = quantity_field("冻结数量", total=True)
    available_stocks: Mapped[Decimal] = quantity_field("可用数量", search=True, total=True)
    unit_cost: Mapped[Decimal] = price_field("成本单价", permission=COST)
    amount: Mapped[Decimal] = money_field("成本金额", permission=COST, total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        types = {"transit": TRANSIT, "guarantee": GUARANTEE}
        then = _parse_as_of(params)
        return (_SUMMARY_THEN, {**types, "day": then}) if then else (_NOW, types)


_SUMMARY_THEN = (
    _moved_stock_sql("warehouse_id", "goods_id")
    + """
, claimed as (
    select min(r.company_id) as company_id, r.warehouse_id, r.goods_id, sum(r.quantity) as reserved
    from reservation_ledger r
    where r.business_date <= :day
    group by r.warehouse_id, r.goods_id
    having sum(r.quantity) <> 0
), sums as (
    select
        coalesce(m.company_id, r.company_id) as company_id, warehouse_id, goods_id, coalesce(m.quantity, 0) as quantity,
        coalesce(m.frozen, 0) as frozen, coalesce(r.reserved, 0) as reserved
    from (select * from moved where quantity <> 0) m
    full join claimed r using (warehouse_id, goods_id)
)
select
    s.warehouse_id * 4294967296 + s.goods_id as stock_summary_id, cast(:day as date) as as_of,
    cast(:day as date) as last_day, s.company_id, s.warehouse_id, w.type as warehouse_type, s.goods_id,
    g.goods_type_id, g.brand_id, s.quantity,
    case when w.type = :transit then s.quantity else 0 end as in_transit, s.reserved, s.frozen,
    s.quantity - s.reserved - s.frozen as available_stocks, round(k.unit_cost, 6) as unit_cost,
    round(s.quantity * coalesce(k.unit_cost, 0), 2) as amount
from sums s
left join warehouse w on w.warehouse_id = s.warehouse_id
left join goods g on g.goods_id = s.goods_id
left join costs k on k.company_id = s.company_id and k.goods_id = s.goods_id
    and k.pool_id = case when w.type = :guarantee then s.warehouse_id else 0 end
"""
)

# The key of four parts is folded into 53 bits, which a browser's numbers hold.
_PLACE_KEY = (
    "hashint8extended({0}.batch_id, hashint8extended({0}.goods_id,"
    " hashint8extended({0}.allocation_id, {0}.warehouse_id))) & 9007199254740991"
)


class StockDetail(View):
    """库存明细: goods by warehouse, location and batch."""

    __tablename__ = "stock_detail"
    pinned_columns = ("warehouse_id", "goods_id", "batch_id", "quantity", "amount")
    keyword_reference = "goods_id"
    declaration = Declaration(
        "库存明细",
        "v2/inventory/InventoryGoods",
        "stock_detail_id",
        routes={"list": "/inventory/inventorygoods"},
        menu=Menu("库存管理", "库存查询", 10),
        actions=READ_ONLY,
        order_by=("goods_id", "asc"),
        drill=Drill(
            "库存流水",
            MOVES,
            (
                *_SAME,
                ("allocation_id", "allocation_id"),
                ("batch_id", "batch_id"),
                ("business_date_end", "last_day"),
            ),
        ),
    )

    stock_detail_id: Mapped[int] = key_field()
    as_of: Mapped[date] = date_field("截止日期", span="until", search=True, list=False)
    last_day: Mapped[date | None] = date_field("最后日期", list=False)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", within=("company_id",), search=True)
    allocation_id: Mapped[int] = reference_field("allocation", "库位", within=("warehouse_id",), search=True)
    goods_id: Mapped[int] = goods_field(search=True)
    batch_id: Mapped[int] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", within=("goods_id",), search=True, label_field="batch"
    )
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True)
    production_date: Mapped[date | None] = date_field("生产日期")
    first_date: Mapped[date | None] = date_field("最早入库")
    quantity: Mapped[Decimal] = quantity_field("库存数量", search=True, total=True)
    unit_cost: Mapped[Decimal] = price_field("成本单价", permission=COST)
    amount: Mapped[Decimal] = money_field("成本金额", permission=COST, total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        then = _parse_as_of(params)
        if then is None:
            return _DETAIL_NOW, {"guarantee": GUARANTEE}
        return _DETAIL_THEN, {"guarantee": GUARANTEE, "day": then}


_DETAIL_NOW = f"""
select
    {_PLACE_KEY.format("b")} as stock_detail_id, current_date as as_of,
    cast(null as date) as last_day, b.company_id, b.warehouse_id, b.allocation_id, b.goods_id, b.batch_id,
    g.goods_type_id, g.brand_id, b.production_date, b.first_date, b.quantity, c.unit_cost,
    round(b.quantity * coalesce(c.unit_cost, 0), 2) as amount
from stock_balance b
left join warehouse w on w.warehouse_id = b.warehouse_id
left join goods g on g.goods_id = b.goods_id
left join cost_balance k on k.company_id = b.company_id and k.goods_id = b.goods_id
    and k.pool_id = case when w.type = :guarantee then b.warehouse_id else 0 end
cross join lateral (
    select case when k.quantity > 0 then round(k.amount / k.quantity, 6) else k.last_unit_cost end as unit_cost
) c
where b.quantity <> 0
"""
_DETAIL_THEN = (
    _moved_stock_sql("warehouse_id", "allocation_id", "goods_id", "batch_id")
    + f"""
select
    {_PLACE_KEY.format("s")} as stock_detail_id, cast(:day as date) as as_of,
    cast(:day as date) as last_day, s.company_id, s.warehouse_id, s.allocation_id, s.goods_id, s.batch_id,
    g.goods_type_id, g.brand_id, b.production_date,
    null::date as first_date, s.quantity, round(k.unit_cost, 6) as unit_cost,
    round(s.quantity * coalesce(k.unit_cost, 0), 2) as amount
from moved s
left join warehouse w on w.warehouse_id = s.warehouse_id
left join goods g on g.goods_id = s.goods_id
left join goods_batch b on b.batch_id = s.batch_id
left join costs k on k.company_id = s.company_id and k.goods_id = s.goods_id
    and k.pool_id = case when w.type = :guarantee then s.warehouse_id else 0 end
where s.quantity <> 0
"""
)


class GoodsInformation(View):
    """商品信息: each goods with its stock in the user's scope, and his company's prices."""

    __tablename__ = "goods_information"
    keyword_reference = "goods_id"
    declaration = Declaration(
        "商品信息",
        "v2/inventory/GoodsInfomation",
        "goods_information_id",
        routes={"list": "/inventory/goodsInfomation"},
        menu=Menu("库存管理", "库存查询", 5),
        actions=READ_ONLY,
        order_by=("goods_information_id", "asc"),
        drill=Drill("库存汇总", "/inventory/inventorysummer", (("goods_id", "goods_id"),)),
    )

    goods_information_id: Mapped[int] = key_field()
    goods_id: Mapped[int] = goods_field(search=True)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True)
    barcode: Mapped[str | None] = text_field("条形码", width=140)
    factory_code: Mapped[str | None] = text_field("厂家编码")
    quantity: Mapped[Decimal] = quantity_field("库存数量")
    available_stocks: Mapped[Decimal] = quantity_field("可用数量")
    sale_price: Mapped[Decimal | None] = price_field("销售价", default=None)
    lowest_price: Mapped[Decimal | None] = price_field("最低售价", default=None)
    purchase_price: Mapped[Decimal | None] = price_field("采购价", default=None, permission=COST)
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        def sort_scope(scope: frozenset[int] | None) -> list[int] | None:
            return None if scope is None else sorted(scope)

        values = {
            "companies": sort_scope(principal.companies),
            "warehouses": sort_scope(principal.warehouses),
            "company_id": principal.company_id,
        }
        return _GOODS, values


_IN_SCOPE = """
    from stock_total t
    where t.goods_id = g.goods_id
        and (cast(:companies as bigint[]) is null or t.company_id = any(cast(:companies as bigint[])))
        and (cast(:warehouses as bigint[]) is null or t.warehouse_id = any(cast(:warehouses as bigint[])))
"""
_GOODS = f"""
select
    g.goods_id as goods_information_id, g.goods_id, g.goods_type_id, g.brand_id, g.barcode, g.factory_code,
    (select coalesce(sum(t.quantity), 0) {_IN_SCOPE}) as quantity,
    (select coalesce(sum(t.quantity - t.reserved - t.frozen), 0) {_IN_SCOPE}) as available_stocks,
    c.sale_price, c.lowest_price, c.purchase_price, g.enabled
from goods g
left join company_goods c on c.goods_id = g.goods_id and c.company_id = :company_id
"""


class LedgerRow(BillReferenceRow):
    """Row of the stock ledger, alias `l`, with a link to the bill that wrote it.

    It belongs to the warehouse where the goods lie, which may receive goods by another warehouse's bill.
    """

    __abstract__ = True
    whose = "place"
    numbers: ClassVar[Mapping[str, str]] = {"bill_no": "l"}

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110)
    bill_type: Mapped[str] = bill_type_field(search=True)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", within=("company_id",), search=True)


class StockMoveRow(LedgerRow):
    """库存流水: rows of the stock ledger with their bills."""

    __tablename__ = "stock_move"
    pinned_columns = ("business_date", "bill_no", "warehouse_id", "goods_id", "quantity", "amount")
    keyword_reference = "goods_id"
    declaration = Declaration(
        "库存流水",
        "v2/inventory/StockMove",
        "bill_no",
        routes={"list": MOVES},
        menu=Menu("库存管理", "库存查询", 30),
        actions=READ_ONLY,
        order_by=("stock_move_id", "desc"),
        drill=BILL,
    )

    stock_move_id: Mapped[int] = key_field()
    allocation_id: Mapped[int] = reference_field("allocation", "库位", within=("warehouse_id",), search=True)
    goods_id: Mapped[int] = goods_field(search=True)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True, list=False)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True, list=False)
    batch_id: Mapped[int] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", within=("goods_id",), search=True, label_field="batch"
    )
    quantity: Mapped[Decimal] = quantity_field("数量", total=True)
    unit_cost: Mapped[Decimal] = price_field("成本单价", permission=COST)
    amount: Mapped[Decimal] = money_field("成本金额", permission=COST, total=True)
    frozen: Mapped[bool] = flag_field("冻结库存")
    reversal: Mapped[bool] = flag_field("冲销")
    posted_at: Mapped[datetime] = datetime_field("过账时间")

    rows = """
        select
            l.ledger_id as stock_move_id, l.business_date, l.bill_type, {bill_no} as bill_no, l.company_id,
            l.warehouse_id, l.allocation_id, l.goods_id, g.goods_type_id, g.brand_id, l.batch_id, l.quantity,
            l.unit_cost, l.amount, l.frozen, l.reverses is not null as reversal, l.posted_at, {route}
        from stock_ledger l
        left join goods g on g.goods_id = l.goods_id
    """
