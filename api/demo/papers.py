"""The papers on a demo company's desk (演示单据): some of each further kind of bill, audited but for the last.

Quotes, policies, deliveries, invoices, plans, goods on consignment, arrivals to be shared out, accounts counted,
who may become a customer and what salespeople earn; what was sold and bought stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select, text

from api.customers import potential_customer
from api.customers.potential_customer import PotentialCustomer
from api.kit import drafts, links, packs, records, transitions
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.flow import AUDITED
from api.ledger.tables import MoneyBalance
from api.master.goods import Brand
from api.master.warehouses import GOOD, Warehouse
from api.money.account_count import AccountCount
from api.purchase.purchase_allocation import PurchaseAllocation
from api.purchase.purchase_inbound import PurchaseInbound
from api.purchase.purchase_invoice import PurchaseInvoice
from api.purchase.purchase_plan import PurchasePlan
from api.sales.commission_scheme import PROFIT, REVENUE, CommissionScheme
from api.sales.consignment_sale import ConsignmentSale
from api.sales.promotion_policy import PromotionPolicy
from api.sales.sales_delivery import SalesDelivery
from api.sales.sales_invoice import SalesInvoice
from api.sales.sales_outbound import SalesOutbound
from api.sales.sales_quote import SalesQuote

MANY = 3
"""So many bills of a kind, the last one unaudited."""
_STOCK = text("""
select t.goods_id, g.sale_price as price
from stock_total t join company_goods g on g.goods_id = t.goods_id and g.company_id = :company
where t.warehouse_id = :warehouse and t.quantity - t.reserved - t.frozen >= 6
order by t.quantity desc, t.goods_id limit 4
""")
_CARRIER = text("""
select d.logistics_id, d.logistics_driver_id, m.delivery_mode_id
from logistics_driver d cross join delivery_mode m
where m.delivery_mode_name = '物流发货' order by d.logistics_driver_id limit 1
""")


def make(ctx: Context, company_id: int, day: date) -> None:
    """Write the papers of `day`."""
    sold = _latest(ctx, SalesOutbound, company_id)
    bought = _latest(ctx, PurchaseInbound, company_id)
    quoted = {"business_date": day, "valid_until": day + timedelta(days=30)}
    _all(ctx, SalesQuote, _copied(ctx, SalesOutbound, sold, ("customer_id",), quoted))
    _all(ctx, PromotionPolicy, _policies(ctx, sold, day))
    carrier = ctx.conn.execute(_CARRIER).one()._mapping
    _all(ctx, SalesDelivery, _drawn(ctx, SalesDelivery, sold, lambda _: {**carrier, "business_date": day}))
    for cls, sources in ((SalesInvoice, sold), (PurchaseInvoice, bought)):
        _all(ctx, cls, _drawn(ctx, cls, sources, lambda source: _numbered(source, day)))
    planned = {"business_date": day, "delivery_date": day + timedelta(days=10)}
    _all(ctx, PurchasePlan, _copied(ctx, PurchaseInbound, bought, (), planned))
    _all(ctx, ConsignmentSale, _consigned(ctx, sold, day))
    _all(ctx, PurchaseAllocation, _shared_out(ctx, bought, day))
    _count(ctx, company_id, day)
    _call_on(ctx, company_id, day)
    _pay_salespeople(ctx, company_id, day)


def _pay_salespeople(ctx: Context, company_id: int, day: date) -> None:
    """One percent of what comes in for all goods, and of one brand a share of the profit."""
    brand: int = ctx.conn.execute(select(func.min(Brand.table().c.brand_id))).scalar_one()
    common = {"company_id": company_id, "starts_on": date(day.year - 1, 1, 1).isoformat()}
    for scheme in (
        {"commission_scheme_name": "全部商品按收入", "basis": REVENUE, "rate": "1"},
        {"commission_scheme_name": "主推品牌按毛利", "basis": PROFIT, "rate": "8", "brand_id": brand},
    ):
        records.add(ctx, CommissionScheme, common | scheme)


def _all(ctx: Context, cls: type[Bill], payloads: Iterator[dict[str, Any]]) -> None:
    made = [drafts.add(ctx, cls, payload)["id"] for payload in payloads]
    for key in made[:-1]:
        transitions.move(ctx, cls, "auditorPass", key)


def _latest(ctx: Context, cls: type[Bill], company_id: int) -> Sequence[Any]:
    """The last audited bills of a type that have an amount, the eldest of them first."""
    table = cls.table()
    mine = (table.c.company_id == company_id) & (table.c.status == AUDITED) & (table.c.total_amount > 0)
    query = select(table).where(mine).order_by(table.c.bill_id.desc()).limit(MANY)
    return ctx.conn.execute(query).all()[::-1]


def _lines(ctx: Context, cls: type[Bill], key: int) -> list[dict[str, Any]]:
    """The goods of a bill as lines of another, each once."""
    assert cls.bill is not None
    table = cls.bill.blocks[0].cls.table()
    query = select(table).where(table.c.bill_id == key).order_by(table.c.line_no)
    kept = ("goods_id", "quantity", "price", "tax_rate")
    rows = {row.goods_id: {name: getattr(row, name) for name in kept} for row in ctx.conn.execute(query)}
    return list(rows.values())


def _of(source: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in ("company_id", *names)}


def _copied(
    ctx: Context, cls: type[Bill], sources: Sequence[Any], names: Sequence[str], told: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Bills of the goods of others, whose named fields they share."""
    for source in sources:
        shared = _of(source, *names, "warehouse_id", "employee_id", "department_id")
        yield {**shared, **told, "lines": _lines(ctx, cls, source.bill_id)}


def _policies(ctx: Context, sold: Sequence[Any], day: date) -> Iterator[dict[str, Any]]:
    """Those of the past months, and one to come."""
    for source, ahead in zip(sold, (-2, -1, 1), strict=False):
        month = day.year * 12 + day.month - 1 + ahead
        starts = date(month // 12, month % 12 + 1, 1)
        yield {
            **_of(source),
            "business_date": min(day, starts),
            "policy_name": f"{starts.month}月特价",
            "starts_on": starts,
            "ends_on": starts + timedelta(days=27),
            "lines": [
                {
                    "goods_id": line["goods_id"],
                    "method": 1,
                    "price": (line["price"] * Decimal("0.95")).quantize(Decimal("0.1")),
                }
                for line in _lines(ctx, SalesOutbound, source.bill_id)
                if line["price"]
            ],
        }


def _drawn(
    ctx: Context, cls: type[Bill], sources: Sequence[Any], told: Callable[[Any], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Bills drawn from all of their sources' lines."""
    assert cls.bill is not None
    for source in sources:
        yield {**links.draft(ctx, cls, cls.bill.links[0], source.bill_id), **told(source)}


def _numbered(source: Any, day: date) -> dict[str, Any]:
    number = f"26{source.company_id:04}{source.bill_id:014}"
    return {"business_date": day, "invoice_kind": 3, "invoice_no": number, "invoice_date": day}


def _consigned(ctx: Context, sold: Sequence[Any], day: date) -> Iterator[dict[str, Any]]:
    """Two pieces each of what there is most of."""
    for source in sold:
        place = {"company": source.company_id, "warehouse": source.warehouse_id}
        lines = [
            {"goods_id": row.goods_id, "quantity": 2, "price": row.price, "tax_rate": 13}
            for row in ctx.conn.execute(_STOCK, place)
        ]
        if lines:
            yield {
                **_of(source, "customer_id", "warehouse_id", "employee_id", "department_id"),
                "business_date": day,
                "lines": lines,
            }


def _shared_out(ctx: Context, bought: Sequence[Any], day: date) -> Iterator[dict[str, Any]]:
    """A part of what arrived, for the company's other warehouse if it has one."""
    houses = Warehouse.table()
    for source in bought:
        others = select(houses.c.warehouse_id).where(
            houses.c.company_id == source.company_id,
            houses.c.type == GOOD,
            houses.c.warehouse_id != source.warehouse_id,
        )
        target = ctx.conn.execute(others.order_by(houses.c.warehouse_id)).scalar()
        link = PurchaseAllocation.bill.links[0]
        found = links.draft(ctx, PurchaseAllocation, link, source.bill_id)
        lines = [
            {**line, "quantity": min(line["quantity"], Decimal(2)), "to_warehouse_id": target}
            for line in found.pop("lines")[:3]
        ]
        packs.carry(ctx.conn, lines)
        if target:
            yield {**found, "business_date": day, "lines": lines}


def _count(ctx: Context, company_id: int, day: date) -> None:
    """Every account of the company is reconciled; the first lacks some change."""
    held = MoneyBalance.__table__
    query = select(held).where(held.c.company_id == company_id).order_by(held.c.receivables_mode_id)
    for at, row in enumerate(ctx.conn.execute(query).all()):
        found = (
            {"counted_amount": row.amount}
            if at
            else {"counted_amount": row.amount - 20, "remark": "找零短款，待查"}
        )
        account = {
            "company_id": company_id,
            "receivables_mode_id": row.receivables_mode_id,
            "business_date": day,
        }
        records.add(ctx, AccountCount, {**account, **found})


def _call_on(ctx: Context, company_id: int, day: date) -> None:
    """Two were spoken with, the third is new."""
    made = [
        records.add(
            ctx,
            PotentialCustomer,
            {"company_id": company_id, "customer_name": name, "contact_name": person, "source": source},
        )
        for name, person, source in (
            ("恒通汽修厂", "陈师傅", 4),
            ("远达物流车队", "吴队长", 2),
            ("佳驰轮胎店", "方老板", 1),
        )
    ]
    note = "询过常用规格的价格，月底前补货时再联系"
    potential_customer.follow_up(ctx, made[:-1], note, day + timedelta(days=7))
