"""Goods picker (商品选择): goods with their stock, cost and last price on the row (spec/2-routes.md 3)."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Described
from sqlalchemy import select, text

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.field_sources import PLAIN, FieldSources, from_fields
from api.kit.errors import NotFound
from api.kit.scope import scope_condition
from api.kit.storage.database import today
from api.kit.storage.listing import MOST_WORDS, PAGE_SIZE, build_page
from api.kit.storage.projection import MASK
from api.kit.storage.text_normalization import SearchText, width_variants
from api.master.goods.goods import PACKS, SIZES
from api.master.pricing import price_rules
from api.master.warehouses.safety_stock import LIMIT

MAX_KEY = 2**62


class GoodsQuery(BaseModel):
    """Search parameters of goods in spec/3-rules.md 3, and `keyword` over every text of a goods."""

    model_config = ConfigDict(extra="ignore")

    keyword: SearchText = Described("", max_length=100)
    goods_name: str = Described("", max_length=100)
    company_id: int | None = Described(None, ge=0, le=MAX_KEY)
    warehouse_id: int | None = Described(None, ge=0, le=MAX_KEY)
    customer_id: int | None = Described(None, ge=0, le=MAX_KEY)
    supplier_id: int | None = Described(None, ge=0, le=MAX_KEY)
    goods_id: int | None = Described(None, ge=0, le=MAX_KEY)
    goods_type_id: int | None = Described(None, ge=0, le=MAX_KEY)
    brand_id: int | None = Described(None, ge=-1, le=MAX_KEY)
    specification_type: str = Described("", max_length=60)
    pattern: str = Described("", max_length=60)
    factory_code: str = Described("", max_length=60)
    codes: SearchText = Described(
        "", max_length=60_000, description="逗号分隔的商品编码或条形码，不分大小写，一次取齐"
    )
    bill_type: str = Described(
        "",
        max_length=60,
        description="正在录入的单据，前缀如 XSTH 或名称如 sales_return；定价格取销售还是采购",
    )
    order_id: int | None = Described(
        None, ge=0, le=MAX_KEY, description="只要这张单据上的商品，与 order_type 同用"
    )
    order_type: str = Described("", max_length=10, description="order_id 是哪一种单据，前缀如 XSDD")
    order_line_ids: str = Described(
        "",
        max_length=100_000,
        pattern=r"^(\d{1,18}(,\d{1,18})*)?$",
        description="逗号分隔的销售订单明细，正在录入的出库由它们而来；答复 held",
    )
    type: int | None = Described(None, ge=0, le=9, description="只算这一类型仓库的库存")
    business_date: date | None = Described(None, description="按这一天的价格，默认今天")
    is_stocks: int = Described(0, ge=0, le=1, description="1 = 只要有库存的")
    is_available_stocks: int = Described(0, ge=0, le=1, description="1 = 只要有可用库存的")
    page: int = Described(1, ge=1, le=100_000)
    per_page: int = Described(PAGE_SIZE, ge=1, le=5000)
    timeStamp: int | None = None
    sign: str | None = None


_FOUND = """
with found as (
    select g.goods_id, count(*) over () as total
    from goods g
    left join lateral (
        select sum(t.quantity) as stocks, sum(t.quantity - t.reserved - t.frozen) as available
        from stock_total t
        where t.goods_id = g.goods_id and t.company_id = :company_id
          and (cast(:warehouse_id as bigint) is null or t.warehouse_id = :warehouse_id)
          and (cast(:warehouses as bigint[]) is null or t.warehouse_id = any(:warehouses)){of_type}
    ) s on :by_stock
    where g.enabled {conditions}
    order by {order} g.goods_num
    limit :limit offset :offset
)
"""
_ROWS = """
select g.goods_id, g.goods_num, g.goods_name, t1.goods_type_name, g.brand_id, b.brand_name, u.unit_name,
       g.specification_type, g.pattern, g.factory_code, g.shorthand_code, g.logogram, g.barcode, g.is_batch, g.tax_rate,
       coalesce(s.stocks, 0) as stocks, coalesce(s.available, 0) as available_stocks,
       coalesce(own.held, '{{}}') as held,
       w.warehouse_name, first.allocation_name, first.batch, least_held.minimum as safety_stock,
       c.sale_price, {price} as unit_price, {source} as price_source, gift.told as gift,
       c.purchase_price, {lowest} as lowest_price, {bought_at} as purchase_price_list,
       case when k.quantity > 0 then round(k.amount / k.quantity, 2) else k.last_unit_cost end as cost_price,
       last.price as last_price, coalesce(held.units, '[]') as units, {packs} as packs,
       lying.places, found.total
from found
join goods g using (goods_id)
left join goods_type t1 on t1.goods_type_id = g.goods_type_id
left join goods_type t2 on t2.goods_type_id = t1.p_id
left join brand b on b.brand_id = g.brand_id
left join unit u on u.unit_id = g.unit_id
left join company_goods c on c.goods_id = g.goods_id and c.company_id = :company_id
left join cost_balance k on k.goods_id = g.goods_id and k.company_id = :company_id and k.pool_id = 0
left join lateral (
    select sum(t.quantity) as stocks, sum(t.quantity - t.reserved - t.frozen) as available
    from stock_total t
    where t.goods_id = g.goods_id and t.company_id = :company_id
      and (cast(:warehouse_id as bigint) is null or t.warehouse_id = :warehouse_id)
      and (cast(:warehouses as bigint[]) is null or t.warehouse_id = any(:warehouses)){of_type}
) s on true
left join lateral (
    select jsonb_object_agg(o.order_line_id, trim_scale(least(o.quantity, s.stocks))::text) as held
    from (
        select r.order_line_id, sum(r.quantity) as quantity
        from reservation_ledger r
        where r.order_line_id = any(:order_lines) and r.goods_id = g.goods_id and r.company_id = :company_id
          and (cast(:warehouse_id as bigint) is null or r.warehouse_id = :warehouse_id)
          and (cast(:warehouses as bigint[]) is null or r.warehouse_id = any(:warehouses))
        group by r.order_line_id
    ) o
    where least(o.quantity, s.stocks) > 0
) own on true
left join warehouse w on w.warehouse_id = :warehouse_id and w.company_id = :company_id
    and (cast(:warehouses as bigint[]) is null or w.warehouse_id = any(:warehouses))
left join lateral ({limit}) least_held on w.document_warning <> 0
left join lateral (
    select a.allocation_name, gb.batch
    from stock_balance o
    left join allocation a on a.allocation_id = o.allocation_id
    left join goods_batch gb on gb.batch_id = o.batch_id
    where o.warehouse_id = w.warehouse_id and o.goods_id = g.goods_id and o.quantity > 0
    order by o.production_date nulls last, o.first_date, o.batch_id
    limit 1
) first on true
left join lateral ({level}) level on true
left join lateral ({last}) last on true
left join lateral ({gift}) gift on true
left join lateral (
    select coalesce(jsonb_agg(jsonb_build_object(
        'allocation_id', nullif(o.allocation_id, 0), 'allocation_name', a.allocation_name, 'batch', gb.batch,
        'quantity', trim_scale(o.quantity - coalesce(m.quantity, 0))::text
    ) order by pinyin_key(a.allocation_name) nulls first, gb.production_date nulls first, gb.batch nulls first), '[]')
        as places
    from stock_balance o
    left join allocation a on a.allocation_id = o.allocation_id
    left join goods_batch gb on gb.batch_id = o.batch_id
    left join lateral (
        select sum(l.quantity) as quantity
        from stock_ledger l
        where l.warehouse_id = o.warehouse_id and l.goods_id = o.goods_id and l.allocation_id = o.allocation_id
            and l.batch_id = o.batch_id and l.business_date > :priced_on
    ) m on true
    where o.warehouse_id = w.warehouse_id and o.goods_id = g.goods_id and o.quantity <> coalesce(m.quantity, 0)
) lying on :places and w.warehouse_id is not null
left join lateral (
    select jsonb_agg(jsonb_build_object(
        'unit_id', n.unit_id, 'unit_name', p.unit_name, 'factor', trim_scale(n.factor)::text, 'barcode', n.barcode
    ) order by n.line_no) as units
    from goods_unit n join unit p using (unit_id)
    where n.goods_id = g.goods_id
) held on true
order by {order} g.goods_num
"""
_OF_TYPE = " and exists (select from warehouse k where k.warehouse_id = t.warehouse_id and k.type = :type)"
_OF_PACK = "g.goods_id in (select n.goods_id from goods_unit n where lower(n.barcode) {})"
_TEXTS = (
    "g.goods_num",
    "g.goods_name",
    "g.specification_type",
    "g.pattern",
    "g.factory_code",
    "g.shorthand_code",
    "g.logogram",
    "g.barcode",
)
_SIZES = tuple(size.format("g") for size in SIZES)


def find_goods(ctx: Context, query: GoodsQuery) -> dict[str, Any]:
    """Return a page of goods; an exact code or barcode comes first."""
    company = _resolve_company(ctx, query.company_id)
    values = {
        **query.model_dump(),
        "company_id": company,
        "limit": query.per_page,
        "offset": (query.page - 1) * query.per_page,
    }
    values |= {name: values[name] or None for name in ("warehouse_id", "customer_id", "supplier_id")}
    values["order_lines"] = [int(key) for key in query.order_line_ids.split(",") if key]
    keyword = query.keyword.strip() or query.goods_name.strip()
    values["exact"] = width_variants(keyword)
    warehouses = ctx.principal.warehouses
    values["warehouses"] = None if warehouses is None else sorted(warehouses)
    conditions = _build_conditions(query, keyword, values) + _build_order_condition(ctx, query)
    order = (
        "(g.barcode = any(:exact) or g.goods_num = any(:exact) or g.shorthand_code = any(:exact)) desc nulls last,"
        if keyword
        else ""
    )
    by_stock = bool(query.is_stocks or query.is_available_stocks)
    of_type = _OF_TYPE if query.type else ""
    side = _choose_side(query)
    sql = _FOUND.format(conditions=conditions, order=order, of_type=of_type) + _ROWS.format(
        price=price_rules.line_price_sql(side),
        source=price_rules.price_source_sql(side),
        bought_at=price_rules.BOUGHT_AT[side],
        lowest=price_rules.BOUND["customer"] if side == "customer" else "c.lowest_price",
        level=price_rules.LEVEL[side],
        last=price_rules.LAST[side],
        gift=price_rules.GIFT[side],
        packs=PACKS.format(table="g"),
        limit=LIMIT.format(warehouse="w.warehouse_id"),
        order=order,
        of_type=of_type,
    )
    values |= {"by_stock": by_stock, "priced_on": query.business_date or today()}
    values["places"] = _is_counted_by_place(query.bill_type)
    rows = ctx.conn.execute(text(sql), values).all()
    total = rows[0].total if rows else 0
    hidden = _list_hidden_columns(ctx, side)
    data = [_mask_row(dict(row._mapping), hidden) for row in rows]
    return build_page(data, total, query.page, query.per_page)


def _resolve_company(ctx: Context, company_id: int | None) -> int:
    company = company_id or ctx.principal.company_id
    if not ctx.principal.covers_company(company):
        raise NotFound("公司")
    return company


def _build_conditions(query: GoodsQuery, keyword: str, values: dict[str, Any]) -> str:
    parts = []
    for at, word in enumerate(keyword.split()[:MOST_WORDS]):
        texts: list[str] = []
        for way, spelling in enumerate(width_variants(word)):
            values[f"word{at}_{way}"] = f"%{_escape_like(spelling)}%"
            like = f"ilike :word{at}_{way}"
            texts += [*(f"{name} {like}" for name in (*_TEXTS, *_SIZES)), _OF_PACK.format(like)]
        parts.append(f"({' or '.join(texts)})")
    for name in ("specification_type", "pattern", "factory_code"):
        if getattr(query, name):
            values[name] = f"%{_escape_like(getattr(query, name))}%"
            parts.append(f"g.{name} ilike :{name}")
    if query.goods_id:
        parts.append("g.goods_id = :goods_id")
    if query.goods_type_id:
        parts.append(
            "g.goods_type_id in (with recursive tree as ("
            " select goods_type_id from goods_type where goods_type_id = :goods_type_id union"
            " select c.goods_type_id from goods_type c join tree p on c.p_id = p.goods_type_id"
            ") select goods_type_id from tree)"
        )
    if query.brand_id:
        parts.append("g.brand_id is null" if query.brand_id < 0 else "g.brand_id = :brand_id")
    if query.codes:
        codes = [code.strip().lower() for code in query.codes.split(",") if code.strip()][:5000]
        values["codes"] = [spelling for code in codes for spelling in width_variants(code)]
        pack = _OF_PACK.format("= any(:codes)")
        parts.append(f"(lower(g.goods_num) = any(:codes) or lower(g.barcode) = any(:codes) or {pack})")
    if query.is_stocks:
        parts.append("s.stocks > 0")
    if query.is_available_stocks:
        parts.append("s.available > 0")
    return "".join(f" and {part}" for part in parts)


def _escape_like(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _build_order_condition(ctx: Context, query: GoodsQuery) -> str:
    """Build the condition that limits goods to those of a bill which the principal may see."""
    if not query.order_id:
        return ""
    cls = registry.map_prefixes().get(query.order_type)
    if cls is None or not ctx.principal.has_right(cls.right("list")):
        raise NotFound("单据")
    table = cls.table()
    seen = select(table.c.bill_id).where(
        table.c.bill_id == query.order_id, scope_condition(table, ctx.principal)
    )
    if ctx.conn.execute(seen).first() is None:
        raise NotFound("单据")
    return f" and g.goods_id in (select l.goods_id from {table.name}_line l where l.bill_id = :order_id)"


def _is_counted_by_place(bill_type: str) -> bool:
    """Return whether a bill type, by its prefix or name, counts goods by location and batch."""
    cls = registry.map_prefixes().get(bill_type) or registry.find_resource(bill_type)
    return cls is not None and any(getattr(block.cls, "counts_places", False) for block in cls.blocks())


def _choose_side(query: GoodsQuery) -> price_rules.Side | None:
    """Return the partner side of the prices: that of the partner given, else that of the bill type."""
    buying = query.bill_type.startswith(("CG", "purchase_"))
    if query.supplier_id and (buying or not query.customer_id):
        return "supplier"
    if query.customer_id or query.bill_type.startswith(("XS", "sales_")):
        return "customer"
    return "supplier" if buying else None


_LAST_PAID: dict[price_rules.Side | None, FieldSources] = {
    "customer": from_fields("sales_outbound_line.price"),
    "supplier": from_fields("purchase_inbound_line.price", "supplier_price.purchase_price"),
    None: PLAIN,
}
_STARTS_FROM: dict[price_rules.Side | None, FieldSources] = {
    "customer": from_fields(
        "sales_outbound_line.price", "sales_price.sale_price", "company_goods.sale_price"
    ),
    "supplier": from_fields(
        "purchase_inbound_line.price", "supplier_price.purchase_price", "company_goods.purchase_price"
    ),
    None: from_fields("company_goods.sale_price"),
}
"""Fields that a line's prices repeat, by side; a supplier's are costs."""


def _list_hidden_columns(ctx: Context, side: price_rules.Side | None) -> frozenset[str]:
    sources = {"last_price": _LAST_PAID[side], "unit_price": _STARTS_FROM[side]}
    return frozenset(name for name, mark in sources.items() if not mark.is_visible_to(ctx.principal))


def _mask_row(row: dict[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    del row["total"]
    return row | dict.fromkeys(hidden, MASK)


_BATCHES = text("""
select b.batch_id, gb.batch, b.production_date as production_time, b.warehouse_id, w.warehouse_name, b.allocation_id,
       a.allocation_name, b.quantity as stocks,
       greatest(least(b.quantity, greatest(t.quantity - t.reserved - t.frozen, 0) + own.held), 0) as available_stocks
from stock_balance b
join warehouse w using (warehouse_id)
join stock_total t on t.warehouse_id = b.warehouse_id and t.goods_id = b.goods_id
left join goods_batch gb on gb.batch_id = b.batch_id
left join allocation a on a.allocation_id = b.allocation_id
cross join lateral (
    select coalesce(sum(r.quantity), 0) as held
    from reservation_ledger r
    where r.order_line_id = :order_line and r.goods_id = b.goods_id and r.warehouse_id = b.warehouse_id
) own
where b.goods_id = :goods and b.warehouse_id = :warehouse and b.quantity > 0
  and (cast(:companies as bigint[]) is null or b.company_id = any(:companies))
  and (cast(:warehouses as bigint[]) is null or b.warehouse_id = any(:warehouses))
order by b.production_date nulls last, b.first_date, b.batch_id
""")


def list_batches(
    ctx: Context, goods_id: int, warehouse_id: int, order_line_id: int | None
) -> list[dict[str, Any]]:
    """Return the locations and batches of a goods in a warehouse, in picking order.

    What the sales order's line `order_line_id` has reserved counts as available.
    """
    me = ctx.principal
    scope = {
        "companies": None if me.companies is None else sorted(me.companies),
        "warehouses": None if me.warehouses is None else sorted(me.warehouses),
    }
    place = {"goods": goods_id, "warehouse": warehouse_id, "order_line": order_line_id}
    rows = ctx.conn.execute(_BATCHES, {**place, **scope})
    return [dict(row._mapping) for row in rows]
