"""Price rules (价格): the price that a bill's line starts from, its source, and the bound that it may not pass.

Selling, a promotion (促销价) where it is below what was agreed or else the list price; then the first that
there is: the customer's own price (客户价), that of customers of his type (客户类别价), the company's (公司价), what
he last paid (上次价), the goods' list price (商品售价). Buying: the supplier's price (供应商价), the last one paid to
him (上次价), the goods' purchase price (商品采购价). Of prices that begin on different days the latest that has
begun holds. Not sold below: the lowest price agreed with the customer, else the shops' (门店最低价), else the
goods'.

Each piece of SQL is a lateral query about goods `g` with `:company_id`, `:customer_id` or `:supplier_id`,
and `:priced_on`, so that any number of lines is priced in one statement.
"""

from __future__ import annotations

from typing import Literal

from api.kit.declaration.flow import POSTED_SQL
from api.master.goods.goods_scope import IN_SCOPE, PARENT_TYPES

Side = Literal["customer", "supplier"]
"""With whom a bill trades."""

_NO_GIFT = "select cast(null as text) as told"
_VALID = """
    and p.enabled and p.company_id = :company_id and p.goods_id = g.goods_id
    and (p.starts_on is null or p.starts_on <= cast(:priced_on as date))
    and (p.ends_on is null or p.ends_on >= cast(:priced_on as date))
"""
_AGREED = f"""
    select p.sale_price as price, p.lowest_price,
        case when p.customer_id is not null then '客户价' when p.customer_type_id is not null then '客户类别价'
            else '公司价' end as source
    from sales_price p
    left join customer u on u.customer_id = :customer_id
    where case when p.customer_id is not null then p.customer_id = u.customer_id
            when p.customer_type_id is not null then p.customer_type_id = u.customer_type_id else true end
        {_VALID}
    order by p.customer_id is null, p.customer_type_id is null, p.starts_on desc nulls last
    limit 1
"""
# Of the promotions for a customer, those of the goods go before those of its brand, then of its nearest type.
_PROMOTED = f"""
    from promotion_policy h
    join promotion_policy_line l using (bill_id)
    {PARENT_TYPES}
    left join customer u on u.customer_id = :customer_id
    where h.company_id = :company_id and (h.status = 2 or h.locked_from = 2)
        and cast(:priced_on as date) between h.starts_on and h.ends_on
        and {IN_SCOPE}
        and (h.customer_type_id is null or h.customer_type_id = u.customer_type_id)
        and (
            not exists (select from promotion_policy_customer k where k.bill_id = h.bill_id)
            or exists (
                select from promotion_policy_customer k
                where k.bill_id = h.bill_id and k.customer_id = u.customer_id
            )
        )
"""
_NEAREST = (
    "l.goods_id is null, l.brand_id is null,"
    " array_position(array[g.goods_type_id, t1.p_id, t2.p_id], l.goods_type_id)"
)
_SHOP = """
    select l.lowest_price
    from shop_price h
    join shop_price_line l using (bill_id)
    where h.company_id = :company_id and (h.status = 2 or h.locked_from = 2) and l.goods_id = g.goods_id
        and cast(:priced_on as date) between h.starts_on and h.ends_on
    order by h.starts_on desc, h.bill_id desc
    limit 1
"""
_SALE_LEVEL = f"""
    select coalesce(promotion.price, agreed.price) as price,
        coalesce(agreed.lowest_price, shop.lowest_price) as lowest_price,
        case when promotion.price is not null then '促销价' else agreed.source end as source
    from (select) as one
    left join lateral ({_AGREED}) agreed on true
    left join lateral ({_SHOP}) shop on true
    left join lateral (
        select case l.method when 1 then l.price
            else round(coalesce(agreed.price, nullif(c.sale_price, 0)) * l.discount / 100, 2) end as price
        {_PROMOTED} and l.method in (1, 2)
        order by {_NEAREST}, price
        limit 1
    ) promotion on promotion.price < coalesce(agreed.price, nullif(c.sale_price, 0), promotion.price + 1)
"""
_GIFT = f"""
    select '满' || trim_scale(l.buy_quantity) || '送' || trim_scale(l.gift_quantity) || ' '
        || (select f.goods_name from goods f where f.goods_id = l.gift_goods_id) as told
    {_PROMOTED} and l.method = 3
    order by {_NEAREST}, l.gift_quantity / l.buy_quantity desc
    limit 1
"""
# Of several promotions the one that gives most for what was bought.
GIFTS_OF_PURCHASE = f"""
    with bought as (
        select goods_id, sum(quantity) as quantity
        from unnest(cast(:goods as bigint[]), cast(:quantities as numeric[])) as one (goods_id, quantity)
        group by goods_id
    )
    select gift.goods_id, sum(gift.quantity) as quantity
    from bought
    join goods g using (goods_id)
    cross join lateral (
        select l.gift_goods_id as goods_id, floor(bought.quantity / l.buy_quantity) * l.gift_quantity as quantity
        {_PROMOTED} and l.method = 3 and l.buy_quantity <= bought.quantity
        order by {_NEAREST}, 2 desc
        limit 1
    ) gift
    group by gift.goods_id
"""
"""SQL of the gifts and quantities that come with the `:quantities` of `:goods` that are bought."""
GIFT: dict[Side | None, str] = {"customer": _GIFT, "supplier": _NO_GIFT, None: _NO_GIFT}
"""SQL of the gift that comes with goods when enough is bought, by side."""
_SUPPLIER_LEVEL = f"""
    select p.purchase_price as price, cast(null as numeric) as lowest_price, '供应商价' as source
    from supplier_price p
    where p.supplier_id = :supplier_id {_VALID}
    order by p.starts_on desc nulls last
    limit 1
"""
_LAST_PRICE = f"""
    select l.price from {{bill}}_line l join {{bill}} h using (bill_id)
    where l.goods_id = g.goods_id and h.{{partner}}_id = :{{partner}}_id and h.company_id = :company_id
        and h.status in {POSTED_SQL} and not l.is_gift
    order by h.business_date desc, l.line_id desc limit 1
"""
_NO_LEVEL = """
    select cast(null as numeric) as price, cast(null as numeric) as lowest_price, cast(null as text) as source
"""
_NO_PRICE = "select cast(null as numeric) as price"

LEVEL: dict[Side | None, str] = {"customer": _SALE_LEVEL, "supplier": _SUPPLIER_LEVEL, None: _NO_LEVEL}
"""The price agreed for this partner: price, lowest price, source."""
LAST: dict[Side | None, str] = {
    "customer": _LAST_PRICE.format(bill="sales_outbound", partner="customer"),
    "supplier": _LAST_PRICE.format(bill="purchase_inbound", partner="supplier"),
    None: _NO_PRICE,
}
"""The last audited price with this partner."""

# Below, `level` and `last` are the two above, `c` is the company's goods.
_LIST: dict[Side | None, tuple[str, str]] = {
    "customer": ("c.sale_price", "商品售价"),
    "supplier": ("c.purchase_price", "商品采购价"),
    None: ("c.sale_price", "商品售价"),
}


def line_price_sql(side: Side | None) -> str:
    """Return the SQL of the price that applies."""
    return f"coalesce(level.price, last.price, {_LIST[side][0]})"


def price_source_sql(side: Side | None) -> str:
    """Return the SQL of the source of the price that applies."""
    column, label = _LIST[side]
    return (
        "case when level.price is not null then level.source when last.price is not null then '上次价'"
        f" when {column} is not null then '{label}' end"
    )


_BOUGHT_AT = """(
    select jsonb_agg(
        jsonb_build_object('purchase_price', cast(one.price as numeric(18, 6))::text, 'price_source', one.source)
        order by one.place
    )
    from (
        select distinct on (price) price, source, place
        from (values
            (level.price, level.source, 1), (last.price, '上次价', 2), (nullif(c.purchase_price, 0), '商品采购价', 3)
        ) as every (price, source, place)
        where price is not null
        order by price, place
    ) one
)"""
BOUGHT_AT: dict[Side | None, str] = {"customer": "null", "supplier": _BOUGHT_AT, None: "null"}
"""The prices that there are to buy at, the one that holds first."""
_LOWEST = "coalesce(level.lowest_price, nullif(c.lowest_price, 0))"
BOUND: dict[Side, str] = {
    "customer": f"case when {_LOWEST} is not null then least({_LOWEST}, level.price) end",
    "supplier": "coalesce(level.price, nullif(c.purchase_price, 0))",
}
"""SQL of the price not to sell below, or not to buy above; an agreed price may always be sold at."""
