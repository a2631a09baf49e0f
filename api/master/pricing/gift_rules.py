"""Gift rules (随货赠品): gifts come with their paid goods, and go back with them.

An order's gift is earned as its paid goods are delivered: by a promotion that holds on the order's day as
far as one explains it, the rest in proportion, rounded up to whole pieces. Gifts of a bill beyond its
order are earned by its own paid goods, but no promotion adds gifts to goods whose order has gifts of its
own. Nothing is refused: the user is asked for confirmation, and it is logged. A bill of nothing but gifts
that is drawn from no other (样品) is under its company's setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from sqlalchemy import Row, text

from api.kit.context import Context
from api.kit.declaration.document import Document
from api.kit.declaration.flow import POSTED_SQL
from api.master.goods.goods import read_goods_names
from api.master.pricing import price_rules
from api.master.settings import settings

SHOWN = 5
ORDERED, ON_BILL = "order", "bill"
_NO_GIFTS = "select cast(null as bigint) as goods_id, cast(null as numeric) as quantity where false"
_ANY = "(select array_agg(1000000000.000) from unnest({family}.goods))"


def _promised_gifts_sql(quantities: str) -> str:
    """Return `pricing.GIFTS_OF_PURCHASE` for the paid goods of family `f`, as SQL over the whole group of
    families."""
    values = {
        ":quantities": quantities,
        ":goods": "f.goods",
        ":company_id": "f.company_id",
        ":customer_id": "f.partner_id",
        ":priced_on": "f.business_date",
    }
    sql = price_rules.GIFTS_OF_PURCHASE
    for name, value in values.items():
        sql = sql.replace(name, value)
    return sql


_FAMILIES = """
with line as (
    select '{ordered}' as kind, h.bill_id as family, h.business_date, h.company_id, h.{partner}_id as partner_id,
        l.goods_id, l.is_gift, true as earns, l.quantity as whole, coalesce((
            select sum(d.quantity - {returned})
            from {delivery}_line d join {delivery} e using (bill_id)
            where d.{column} = l.line_id and e.status in {posted}
        ), 0) as net
    from {order}_line l join {order} h using (bill_id)
    where h.bill_id = any(:orders)
    union all
    select '{on_bill}', h.bill_id, h.business_date, h.company_id, h.{partner}_id, d.goods_id, d.is_gift,
        not exists (select from {order}_line g where g.bill_id = o.bill_id and g.is_gift), d.quantity,
        d.quantity - {returned}
    from {delivery}_line d join {delivery} h using (bill_id)
    left join {order}_line o on o.line_id = d.{column}
    where h.bill_id = any(:bills) and not coalesce(o.is_gift, false)
),
gift as (
    select kind, family, goods_id, sum(whole) as whole, sum(net) as net
    from line where is_gift group by kind, family, goods_id
),
f as (
    select kind, family, business_date, company_id, partner_id, array_agg(goods_id) as goods,
        array_agg(case when earns then whole else 0 end) as wholes,
        array_agg(case when earns then net else 0 end) as nets, sum(whole) as paid_whole, sum(net) as paid_net
    from line where not is_gift group by kind, family, business_date, company_id, partner_id
)
select gift.kind, gift.family, s.goods_name, gift.goods_id, gift.whole, gift.net,
    coalesce(f.paid_whole, 0) as paid_whole, coalesce(f.paid_net, 0) as paid_net,
    coalesce(w.quantity, 0) as promised, coalesce(n.quantity, 0) as earned, k.quantity is not null as is_promoted
from gift
join goods s on s.goods_id = gift.goods_id
left join f on f.kind = gift.kind and f.family = gift.family
left join lateral (select x.quantity from ({for_whole}) x where x.goods_id = gift.goods_id) w on true
left join lateral (select x.quantity from ({for_net}) x where x.goods_id = gift.goods_id) n on true
left join lateral (select x.quantity from ({for_any}) x where x.goods_id = gift.goods_id) k on true
order by s.goods_num, gift.family
"""
_RETURNED = """coalesce((
    select sum(r.quantity) from {back}_line r join {back} b using (bill_id)
    where r.source_line_id = d.line_id and b.status in {posted}
), 0)"""
_GIVING_ORDERS = "select distinct bill_id from {order}_line where line_id = any(%s) and is_gift"
_SOURCES = """
select array_agg(distinct d.bill_id) as bills, array_agg(distinct o.bill_id) as orders
from {delivery}_line d
left join {order}_line o on o.line_id = d.{column}
where d.line_id = any(%s) and (not d.is_gift or %s)
"""
_ORDERS_OF = """
select distinct bill_id from {order}_line g
where g.is_gift and g.bill_id in (select o.bill_id from {order}_line o where o.line_id = any(%s))
"""


@dataclass(frozen=True, slots=True)
class GiftRules:
    """The bills of a gift's chain: order, delivery (by `column` of its lines) and return.

    `samples`: gifts beyond an order and its promotion need confirmation too. `done` and `due` are words of
    messages: for gifts that were delivered, and for those still to be.
    """

    order: str
    delivery: str
    column: str
    back: str | None
    partner: str
    samples: bool
    done: str
    due: str

    def find_questions(self, ctx: Context, doc: Document) -> list[tuple[int, str]]:
        """Return the (mode, message) pairs about gifts of a delivery or an order, for
        `settings.refuse_or_confirm`."""
        found = [(settings.ASKS, self.describe_unearned(ctx, doc))]
        if self.samples and (msg := self.describe_unpaid(ctx, doc)):
            mode = settings.read_setting(ctx, doc.header.company_id, settings.SALES)["sample_mode"]
            found += [(mode, msg)] if mode else []
        return found

    def describe_unearned(self, ctx: Context, doc: Document) -> str:
        """Describe the gifts of a delivery or an order beyond what its paid goods earn; empty if none."""
        gifts = [line for line in doc.lines if line.is_gift]
        if not gifts:
            return ""
        sources = sorted({key for line in gifts if (key := getattr(line, self.column))})
        sql = _GIVING_ORDERS.format(order=self.order)
        orders: list[int] = list(ctx.conn.exec_driver_sql(sql, (sources,)).scalars()) if sources else []
        bills = [doc.header.bill_id] if self.samples else []
        mine = {line.goods_id for line in gifts}
        rows = [row for row in self._read_families(ctx, orders, bills) if row.goods_id in mine]
        return _join_messages(rows, self._format_excess)

    def describe_unpaid(self, ctx: Context, doc: Document) -> str:
        """Describe the gifts of a bill that has nothing else and is drawn from no other; empty otherwise."""
        if not doc.lines or not all(line.is_gift and not getattr(line, self.column) for line in doc.lines):
            return ""
        names = read_goods_names(ctx.conn, {line.goods_id for line in doc.lines})
        return f"没有付款商品，只有赠品{'、'.join(list(names.values())[:SHOWN])}"

    def describe_stranded(self, ctx: Context, doc: Document) -> str:
        """Describe the gifts of orders that are unearned once a delivery is reversed; empty if none."""
        sources = sorted(
            {key for line in doc.lines if (key := getattr(line, self.column)) and not line.is_gift}
        )
        if not sources:
            return ""
        orders: list[int] = list(
            ctx.conn.exec_driver_sql(_ORDERS_OF.format(order=self.order), (sources,)).scalars()
        )
        return _join_messages(self._read_families(ctx, orders, []), self._format_excess)

    def describe_unreturned(self, ctx: Context, doc: Document, action: str) -> str:
        """Describe the gifts that stay though unearned once a return is audited or reversed; empty if none.

        Goods that are delivered again on their order keep their gifts; a return without gifts has none to
        take back.
        """
        taken_back = action != "auditorPass"
        concerned = any(line.is_gift if taken_back else not line.order_line_id for line in doc.lines)
        if not concerned:
            return ""
        sources = sorted({line.source_line_id for line in doc.lines if line.source_line_id})
        if not sources:
            return ""
        sql = _SOURCES.format(delivery=self.delivery, order=self.order, column=self.column)
        found = ctx.conn.exec_driver_sql(sql, (sources, taken_back)).one()
        orders = [key for key in found.orders or () if key]
        return _join_messages(self._read_families(ctx, orders, found.bills or []), self._format_unreturned)

    def describe_outstanding(self, ctx: Context, doc: Document) -> str:
        """Describe the gifts of an order that are earned and not yet delivered; empty if none."""
        if not any(line.is_gift and line.executed_quantity < line.quantity for line in doc.lines):
            return ""
        return _join_messages(self._read_families(ctx, [doc.header.bill_id], []), self._format_outstanding)

    def _format_excess(self, row: Row[Any]) -> str:
        if row.kind == ON_BILL:
            if row.paid_whole and row.is_promoted and row.whole > row.promised:
                return (
                    f"赠品{row.goods_name} {_format_quantity(row.whole)}，"
                    f"促销按付款商品只送 {_format_quantity(row.promised)}"
                )
            return ""
        allowed = _compute_earned_quantity(row, ROUND_CEILING)
        if not row.paid_whole or row.net <= allowed:
            return ""
        return (
            f"赠品{row.goods_name}已{self.done} {_format_quantity(row.net)}，"
            f"按已{self.done}的付款商品只应有 {_format_quantity(allowed)}"
        )

    def _format_unreturned(self, row: Row[Any]) -> str:
        over = row.net - _compute_earned_quantity(row, ROUND_CEILING)
        if not row.paid_whole or over <= 0:
            return ""
        return f"随货赠品{row.goods_name}还有 {_format_quantity(over)} 未退回"

    def _format_outstanding(self, row: Row[Any]) -> str:
        over = min(_compute_earned_quantity(row, ROUND_FLOOR), row.whole) - row.net
        return f"赠品{row.goods_name}还有 {_format_quantity(over)} {self.due}" if over > 0 else ""

    def _read_families(self, ctx: Context, orders: list[int], bills: list[int]) -> list[Row[Any]]:
        if not orders and not bills:
            return []
        returned = _RETURNED.format(back=self.back, posted=POSTED_SQL) if self.back else "0"
        promoted = self.partner == "customer"
        sql = _FAMILIES.format(
            ordered=ORDERED,
            on_bill=ON_BILL,
            order=self.order,
            delivery=self.delivery,
            column=self.column,
            partner=self.partner,
            returned=returned,
            posted=POSTED_SQL,
            for_whole=_promised_gifts_sql("f.wholes") if promoted else _NO_GIFTS,
            for_net=_promised_gifts_sql("f.nets") if promoted else _NO_GIFTS,
            for_any=_promised_gifts_sql(_ANY.format(family="f")) if promoted else _NO_GIFTS,
        )
        return list(ctx.conn.execute(text(sql), {"orders": orders, "bills": bills}))


def _compute_earned_quantity(row: Row[Any], rounding: str) -> Decimal:
    """Return the quantity of a gift that the paid goods, delivered and not returned, have earned."""
    by_policy = min(row.promised, row.whole)
    rest = row.whole - by_policy
    if not row.paid_whole:
        return Decimal(row.whole)
    part = (rest * max(row.paid_net, 0) / row.paid_whole).to_integral_value(rounding)
    # Of what isn't whole pieces the last part is earned with the last paid goods.
    part = rest if row.paid_net >= row.paid_whole else min(part, rest)
    return Decimal(min(row.earned, by_policy) + part)


def _join_messages(rows: Iterable[Row[Any]], say: Callable[[Row[Any]], str]) -> str:
    found = list(dict.fromkeys(filter(None, map(say, rows))))
    more = f"等{len(found)}种" if len(found) > SHOWN else ""
    return "、".join(found[:SHOWN]) + more


def _format_quantity(quantity: Decimal) -> str:
    return f"{quantity.normalize():f}"


SALE = GiftRules(
    *("sales_order", "sales_outbound", "order_line_id", "sales_return", "customer"),
    samples=True,
    done="出库",
    due="未出库",
)
QUOTED = GiftRules(
    *("sales_quote", "sales_order", "quote_line_id", None, "customer"),
    samples=True,
    done="订货",
    due="未订货",
)
PURCHASE = GiftRules(
    *("purchase_order", "purchase_inbound", "order_line_id", "purchase_return", "supplier"),
    samples=False,
    done="入库",
    due="未入库",
)
