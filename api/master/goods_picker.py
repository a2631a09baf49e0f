"""Goods picker (商品选择): goods with stock, cost and last price where the hand is (spec/2-routes.md 3)."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Described
from sqlalchemy import select, text

from api.kit import registry
from api.kit.context import Context
from api.kit.database import today
from api.kit.errors import NotFound
from api.kit.listing import MOST_WORDS, PAGE_SIZE, paged
from api.kit.projection import MASK
from api.kit.scope import within
from api.kit.told import PLAIN, Told, of
from api.kit.typed import Words, spellings
from api.master import pricing
from api.master.goods import PACKS, SIZES
from api.master.safety_stock import LIMIT

MAX_KEY = 2**62


class GoodsQuery(BaseModel):
    """The goods search parameters of spec/3-rules.md 3, and `keyword` over every text a goods is known by."""

    model_config = ConfigDict(extra="ignore")

    keyword: Words = Described("", max_length=100)
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
    codes: Words = Described(
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


def find(ctx: Context, query: GoodsQuery) -> dict[str, Any]:
    """A page of goods; an exact code or barcode comes first."""
    company = _company(ctx, query.company_id)
    values = {
        **query.model_dump(),
        "company_id": company,
        "limit": query.per_page,
        "offset": (query.page - 1) * query.per_page,
    }
    values |= {name: values[name] or None for name in ("warehouse_id", "customer_id", "supplier_id")}
    values["order_lines"] = [int(key) for key in query.order_line_ids.split(",") if key]
    keyword = query.keyword.strip() or query.goods_name.strip()
    values["exact"] = spellings(keyword)
    warehouses = ctx.principal.warehouses
    values["warehouses"] = None if warehouses is None else sorted(warehouses)
    conditions = _conditions(query, keyword, values) + _of_order(ctx, query)
    order = (
        "(g.barcode = any(:exact) or g.goods_num = any(:exact) or g.shorthand_code = any(:exact)) desc nulls last,"
        if keyword
        else ""
    )
    by_stock = bool(query.is_stocks or query.is_available_stocks)
    of_type = _OF_TYPE if query.type else ""
    side = _side(query)
    sql = _FOUND.format(conditions=conditions, order=order, of_type=of_type) + _ROWS.format(
        price=pricing.price(side),
        source=pricing.source(side),
        bought_at=pricing.BOUGHT_AT[side],
        lowest=pricing.BOUND["customer"] if side == "customer" else "c.lowest_price",
        level=pricing.LEVEL[side],
        last=pricing.LAST[side],
        gift=pricing.GIFT[side],
        packs=PACKS.format(table="g"),
        limit=LIMIT.format(warehouse="w.warehouse_id"),
        order=order,
        of_type=of_type,
    )
    values |= {"by_stock": by_stock, "priced_on": query.business_date or today()}
    values["places"] = _counts_places(query.bill_type)
    rows = ctx.conn.execute(text(sql), values).all()
    total = rows[0].total if rows else 0
    hidden = _hidden(ctx, side)
    data = [_shown(dict(row._mapping), hidden) for row in rows]
    return paged(data, total, query.page, query.per_page)


def _company(ctx: Context, asked: int | None) -> int:
    company = asked or ctx.principal.company_id
    if not ctx.principal.reaches(company):
        raise NotFound("公司")
    return company


def _conditions(query: GoodsQuery, keyword: str, values: dict[str, Any]) -> str:
    parts = []
    for at, word in enumerate(keyword.split()[:MOST_WORDS]):
        texts: list[str] = []
        for way, spelling in enumerate(spellings(word)):
            values[f"word{at}_{way}"] = f"%{_escaped(spelling)}%"
            like = f"ilike :word{at}_{way}"
            texts += [*(f"{name} {like}" for name in (*_TEXTS, *_SIZES)), _OF_PACK.format(like)]
        parts.append(f"({' or '.join(texts)})")
    for name in ("specification_type", "pattern", "factory_code"):
        if getattr(query, name):
            values[name] = f"%{_escaped(getattr(query, name))}%"
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
        values["codes"] = [spelling for code in codes for spelling in spellings(code)]
        pack = _OF_PACK.format("= any(:codes)")
        parts.append(f"(lower(g.goods_num) = any(:codes) or lower(g.barcode) = any(:codes) or {pack})")
    if query.is_stocks:
        parts.append("s.stocks > 0")
    if query.is_available_stocks:
        parts.append("s.available > 0")
    return "".join(f" and {part}" for part in parts)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _of_order(ctx: Context, query: GoodsQuery) -> str:
    """Only the goods of a bill that the principal may see."""
    if not query.order_id:
        return ""
    cls = registry.prefixes().get(query.order_type)
    if cls is None or not ctx.principal.may(cls.right("list")):
        raise NotFound("单据")
    table = cls.table()
    seen = select(table.c.bill_id).where(table.c.bill_id == query.order_id, within(table, ctx.principal))
    if ctx.conn.execute(seen).first() is None:
        raise NotFound("单据")
    return f" and g.goods_id in (select l.goods_id from {table.name}_line l where l.bill_id = :order_id)"


def _counts_places(bill_type: str) -> bool:
    """Whether a kind of bills, by its prefix or name, counts goods where they lie."""
    cls = registry.prefixes().get(bill_type) or registry.find(bill_type)
    return cls is not None and any(getattr(block.cls, "counts_places", False) for block in cls.blocks())


def _side(query: GoodsQuery) -> pricing.Side | None:
    """With whom the bill trades: with the partner that is given, of two or none with whom its kind does."""
    buying = query.bill_type.startswith(("CG", "purchase_"))
    if query.supplier_id and (buying or not query.customer_id):
        return "supplier"
    if query.customer_id or query.bill_type.startswith(("XS", "sales_")):
        return "customer"
    return "supplier" if buying else None


_LAST_PAID: dict[pricing.Side | None, Told] = {
    "customer": of("sales_outbound_line.price"),
    "supplier": of("purchase_inbound_line.price", "supplier_price.purchase_price"),
    None: PLAIN,
}
_STARTS_FROM: dict[pricing.Side | None, Told] = {
    "customer": of("sales_outbound_line.price", "sales_price.sale_price", "company_goods.sale_price"),
    "supplier": of(
        "purchase_inbound_line.price", "supplier_price.purchase_price", "company_goods.purchase_price"
    ),
    None: of("company_goods.sale_price"),
}
"""What the prices of a line repeat, by whom the bill trades with; a supplier's are what goods cost."""


def _hidden(ctx: Context, side: pricing.Side | None) -> frozenset[str]:
    told = {"last_price": _LAST_PAID[side], "unit_price": _STARTS_FROM[side]}
    return frozenset(name for name, mark in told.items() if not mark.seen_by(ctx.principal))


def _shown(row: dict[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
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


def batches(
    ctx: Context, goods_id: int, warehouse_id: int, order_line_id: int | None
) -> list[dict[str, Any]]:
    """Where a goods lies in a warehouse, in picking order; what a sales order's line has reserved is there for it."""
    me = ctx.principal
    scope = {
        "companies": None if me.companies is None else sorted(me.companies),
        "warehouses": None if me.warehouses is None else sorted(me.warehouses),
    }
    place = {"goods": goods_id, "warehouse": warehouse_id, "order_line": order_line_id}
    rows = ctx.conn.execute(_BATCHES, {**place, **scope})
    return [dict(row._mapping) for row in rows]
