"""Other bills of a demo company (演示单据): some of each further type, audited but for the last.

Quotes, policies, deliveries, invoices, plans, goods on consignment, allocations of arrivals, account
reconciliations, potential customers and commission schemes; sales and purchases stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select, text

from api.customers import potential_customer
from api.customers.potential_customer import PotentialCustomer
from api.kit.bills import drafts, pack_units, source_links, transitions
from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import AUDITED
from api.kit.storage import records
from api.ledger.tables import MoneyBalance
from api.master.goods.goods import Brand
from api.master.warehouses.warehouses import GOOD, Warehouse
from api.money.account_reconciliation import AccountReconciliation
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


def make_other_bills(ctx: Context, company_id: int, day: date) -> None:
    """Make the other bills of `day`."""
    sold = _read_latest(ctx, SalesOutbound, company_id)
    bought = _read_latest(ctx, PurchaseInbound, company_id)
    quoted = {"business_date": day, "valid_until": day + timedelta(days=30)}
    _add_bills(ctx, SalesQuote, _copy_bills(ctx, SalesOutbound, sold, ("customer_id",), quoted))
    _add_bills(ctx, PromotionPolicy, _build_policies(ctx, sold, day))
    carrier = ctx.conn.execute(_CARRIER).one()._mapping
    _add_bills(
        ctx, SalesDelivery, _draw_bills(ctx, SalesDelivery, sold, lambda _: {**carrier, "business_date": day})
    )
    for cls, sources in ((SalesInvoice, sold), (PurchaseInvoice, bought)):
        _add_bills(ctx, cls, _draw_bills(ctx, cls, sources, lambda source: _invoice_fields(source, day)))
    planned = {"business_date": day, "delivery_date": day + timedelta(days=10)}
    _add_bills(ctx, PurchasePlan, _copy_bills(ctx, PurchaseInbound, bought, (), planned))
    _add_bills(ctx, ConsignmentSale, _build_consignments(ctx, sold, day))
    _add_bills(ctx, PurchaseAllocation, _build_allocations(ctx, bought, day))
    _reconcile_accounts(ctx, company_id, day)
    _add_potential_customers(ctx, company_id, day)
    _make_commission_schemes(ctx, company_id, day)


def _make_commission_schemes(ctx: Context, company_id: int, day: date) -> None:
    """Add commission schemes: one percent of revenue for all goods, and of one brand a share of the profit."""
    brand: int = ctx.conn.execute(select(func.min(Brand.table().c.brand_id))).scalar_one()
    common = {"company_id": company_id, "starts_on": date(day.year - 1, 1, 1).isoformat()}
    for scheme in (
        {"commission_scheme_name": "全部商品按收入", "basis": REVENUE, "rate": "1"},
        {"commission_scheme_name": "主推品牌按毛利", "basis": PROFIT, "rate": "8", "brand_id": brand},
    ):
        records.add_record(ctx, CommissionScheme, common | scheme)


def _add_bills(ctx: Context, cls: type[Bill], payloads: Iterator[dict[str, Any]]) -> None:
    made = [drafts.add_draft(ctx, cls, payload)["id"] for payload in payloads]
    for key in made[:-1]:
        transitions.apply_transition(ctx, cls, "auditorPass", key)


def _read_latest(ctx: Context, cls: type[Bill], company_id: int) -> Sequence[Any]:
    """Return the last audited bills of a type that have an amount, the eldest of them first."""
    table = cls.table()
    mine = (table.c.company_id == company_id) & (table.c.status == AUDITED) & (table.c.total_amount > 0)
    query = select(table).where(mine).order_by(table.c.bill_id.desc()).limit(MANY)
    return ctx.conn.execute(query).all()[::-1]


def _read_lines(ctx: Context, cls: type[Bill], key: int) -> list[dict[str, Any]]:
    """Return the goods of a bill as lines of another, each once."""
    assert cls.bill is not None
    table = cls.bill.blocks[0].cls.table()
    query = select(table).where(table.c.bill_id == key).order_by(table.c.line_no)
    kept = ("goods_id", "quantity", "price", "tax_rate")
    rows = {row.goods_id: {name: getattr(row, name) for name in kept} for row in ctx.conn.execute(query)}
    return list(rows.values())


def _pick_fields(source: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in ("company_id", *names)}


def _copy_bills(
    ctx: Context, cls: type[Bill], sources: Sequence[Any], names: Sequence[str], fields: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield bills of the goods of others, whose named fields they share."""
    for source in sources:
        shared = _pick_fields(source, *names, "warehouse_id", "employee_id", "department_id")
        yield {**shared, **fields, "lines": _read_lines(ctx, cls, source.bill_id)}


def _build_policies(ctx: Context, sold: Sequence[Any], day: date) -> Iterator[dict[str, Any]]:
    """Yield the policies of the past months, and one to come."""
    for source, ahead in zip(sold, (-2, -1, 1), strict=False):
        month = day.year * 12 + day.month - 1 + ahead
        starts = date(month // 12, month % 12 + 1, 1)
        yield {
            **_pick_fields(source),
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
                for line in _read_lines(ctx, SalesOutbound, source.bill_id)
                if line["price"]
            ],
        }


def _draw_bills(
    ctx: Context, cls: type[Bill], sources: Sequence[Any], fields: Callable[[Any], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield bills drawn from all of their sources' lines."""
    assert cls.bill is not None
    for source in sources:
        yield {
            **source_links.draft_from_source(ctx, cls, cls.bill.links[0], source.bill_id),
            **fields(source),
        }


def _invoice_fields(source: Any, day: date) -> dict[str, Any]:
    number = f"26{source.company_id:04}{source.bill_id:014}"
    return {"business_date": day, "invoice_kind": 3, "invoice_no": number, "invoice_date": day}


def _build_consignments(ctx: Context, sold: Sequence[Any], day: date) -> Iterator[dict[str, Any]]:
    """Yield consignments of two pieces each of the goods with the largest stock."""
    for source in sold:
        place = {"company": source.company_id, "warehouse": source.warehouse_id}
        lines = [
            {"goods_id": row.goods_id, "quantity": 2, "price": row.price, "tax_rate": 13}
            for row in ctx.conn.execute(_STOCK, place)
        ]
        if lines:
            yield {
                **_pick_fields(source, "customer_id", "warehouse_id", "employee_id", "department_id"),
                "business_date": day,
                "lines": lines,
            }


def _build_allocations(ctx: Context, bought: Sequence[Any], day: date) -> Iterator[dict[str, Any]]:
    """Yield allocations of a part of what arrived, for the company's other warehouse if it has one."""
    houses = Warehouse.table()
    for source in bought:
        others = select(houses.c.warehouse_id).where(
            houses.c.company_id == source.company_id,
            houses.c.type == GOOD,
            houses.c.warehouse_id != source.warehouse_id,
        )
        target = ctx.conn.execute(others.order_by(houses.c.warehouse_id)).scalar()
        link = PurchaseAllocation.bill.links[0]
        found = source_links.draft_from_source(ctx, PurchaseAllocation, link, source.bill_id)
        lines = [
            {**line, "quantity": min(line["quantity"], Decimal(2)), "to_warehouse_id": target}
            for line in found.pop("lines")[:3]
        ]
        pack_units.copy_packs(ctx.conn, lines)
        if target:
            yield {**found, "business_date": day, "lines": lines}


def _reconcile_accounts(ctx: Context, company_id: int, day: date) -> None:
    """Reconcile every account of the company; the first lacks some change."""
    balances = MoneyBalance.__table__
    query = (
        select(balances).where(balances.c.company_id == company_id).order_by(balances.c.receivables_mode_id)
    )
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
        records.add_record(ctx, AccountReconciliation, {**account, **found})


def _add_potential_customers(ctx: Context, company_id: int, day: date) -> None:
    """Add potential customers: two were spoken with, the third is new."""
    made = [
        records.add_record(
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
    potential_customer.add_follow_up(ctx, made[:-1], note, day + timedelta(days=7))
