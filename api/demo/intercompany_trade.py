"""Trade between the demo companies (演示公司间往来): neighbours send each other goods once a month.

What each owes the other is set off at the end of a quarter, and the rest is paid some days later. The bills come after
all others, with the dates that they would have had: they take only pieces that lay there from their day on, and only of
goods that the sender sells to nobody else, so that the oldest go first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from sqlalchemy import select, text

from api.customers.customer_addresses import CustomerAddress
from api.customers.customer_receipt import CustomerReceipt
from api.demo.bill_insert import add_months
from api.demo.masters import DemoBranch, DemoGroup, build_address
from api.demo.names import COMPANIES, ROADS, draw_mobile, draw_name
from api.kit.bills import drafts
from api.kit.bills.bulk_posting import BulkBill
from api.kit.bills.drafts import Draft
from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.storage.records import insert_records
from api.kit.storage.validation import Problems
from api.master.organization.companies import Company
from api.master.partners.partners import Customer, Supplier
from api.master.settings.business_types import CustomerType, SupplierType
from api.master.stock import bulk_balances
from api.money.receivable_payable_offset import ReceivablePayableOffset
from api.purchase.supplier_payment import SupplierPayment
from api.sales.sales_transfer import SalesTransfer

TERMS = 30
MONTHS = 23
SENDING_DAY, LINES, SHARES = 15, 3, (50, 80, 100)
"""The day of the month, goods of a bill, and what part of the pieces goes."""
MARGIN = Decimal("1.04")
PAID_AFTER = timedelta(days=9)

# Of a goods that never left: what moved by day where most of it lies, and how much of it nobody waits for.
_MOVES = text("""
select l.goods_id, l.allocation_id, l.batch_id, l.business_date, sum(l.quantity) as quantity, b.available
from stock_ledger l
join (
    select distinct on (b.goods_id) b.*, t.quantity - t.reserved - t.frozen as available
    from stock_balance b join stock_total t using (warehouse_id, goods_id)
    where b.warehouse_id = :warehouse and not exists (
        select from stock_ledger s
        where s.warehouse_id = :warehouse and s.goods_id = b.goods_id and s.quantity < 0
    )
    order by b.goods_id, b.quantity desc, b.allocation_id, b.batch_id
) b using (warehouse_id, goods_id, allocation_id, batch_id)
where b.available > 0
group by l.goods_id, l.allocation_id, l.batch_id, l.business_date, b.available
order by l.goods_id, l.business_date
""")
_ITEMS = text("""
select i.settlement_id, i.company_id, i.party_type, i.party_id, i.business_date, i.open_amount
from settlement_item i where i.bill_type = 'XSDB' order by i.business_date, i.settlement_id
""")


def make_intercompany_trade(
    ctx: Context, group: DemoGroup, branches: Sequence[DemoBranch], day: date
) -> None:
    """Make all the trade between pairs of neighbours, unless it is there."""
    there = select(SalesTransfer.key()).limit(1)
    pairs = list(zip(branches[::2], branches[1::2], strict=False))
    if not pairs or ctx.conn.execute(there).first() is not None:
        return
    partners = _make_partners(ctx, branches)
    sent: list[BulkBill] = []
    for one, other in pairs:
        for sender, receiver in ((one, other), (other, one)):
            sent += _Sender(ctx, group, sender, receiver).bills(day)
    bulk_balances.post_bills(ctx, sent)
    open_items: defaultdict[tuple[int, str, int], list[_Item]] = defaultdict(list)
    for row in ctx.conn.execute(_ITEMS):
        item = _Item(row.settlement_id, row.business_date, row.open_amount)
        open_items[row.company_id, row.party_type, row.party_id].append(item)
    settled: list[BulkBill] = []
    for one, other in pairs:
        for own, partner in ((one, other), (other, one)):
            account = _PartnerAccount(
                own, partners[own.company_id, partner.company_id], open_items, group.modes[0]
            )
            settled += account.bills(day)
    bulk_balances.post_bills(ctx, settled)


@dataclass(frozen=True, slots=True)
class _Partner:
    """A sister company as another one's customer, and as everybody's supplier."""

    customer_id: int
    supplier_id: int


@dataclass(slots=True)
class _StockPlace:
    """Stock of a goods at one place: what may still go, and its moves by day."""

    allocation_id: int | None
    batch_id: int | None
    left: Decimal
    moves: list[tuple[date, Decimal]]

    def free(self, on: date) -> Decimal:
        """Return the quantity that may go, of what has lain there untouched from a day on."""
        balance = lowest = sum((pieces for day, pieces in self.moves if day <= on), Decimal(0))
        for _, pieces in sorted(move for move in self.moves if move[0] > on):
            balance += pieces
            lowest = min(lowest, balance)
        return min(self.left, lowest)

    def take(self, on: date, pieces: Decimal) -> None:
        self.left -= pieces
        self.moves.append((on, -pieces))


@dataclass(slots=True)
class _Item:
    settlement_id: int
    business_date: date
    left: Decimal


def _make_partners(ctx: Context, branches: Sequence[DemoBranch]) -> dict[tuple[int, int], _Partner]:
    """Make the companies each other's partners, and return them by (company, its partner)."""
    internal = select(SupplierType.key()).where(SupplierType.table().c.supplier_type_name == "内部公司")
    kind: int = ctx.conn.execute(internal).scalar_one()
    dealers = select(CustomerType.key()).where(CustomerType.table().c.customer_type_name == "经销商")
    dealer: int = ctx.conn.execute(dealers).scalar_one()
    names = {branch.company_id: COMPANIES[branch.code][0] for branch in branches}
    rows = [
        {
            "supplier_name": name,
            "supplier_type_id": kind,
            "payment_days": TERMS,
            "inner_company_id": company,
        }
        for company, name in names.items()
    ]
    suppliers = dict(zip(names, insert_records(ctx.conn, Supplier, rows), strict=True))
    places = {
        row.company_id: {name: getattr(row, name) for name in ("province_id", "city_id", "area_id")}
        for row in ctx.conn.execute(select(Company.table()))
    }
    chance = Random("demo between")
    pairs = [(own, other) for own in names for other in names if own != other]
    sellers = {branch.company_id: branch.sellers[0] for branch in branches}
    customers = [
        {
            "customer_name": names[other],
            "company_id": own,
            "inner_company_id": other,
            "customer_type_id": dealer,
            "contact_name": draw_name(chance),
            "customer_mobile": draw_mobile(chance),
            "employee_id": sellers[own],
            "payment_days": TERMS,
            "address": ROADS[0],
            **places[other],
        }
        for own, other in pairs
    ]
    keys = insert_records(ctx.conn, Customer, customers)
    insert_records(
        ctx.conn, CustomerAddress, [build_address(*one) for one in zip(keys, customers, strict=True)]
    )
    return {pair: _Partner(customer, suppliers[pair[1]]) for pair, customer in zip(pairs, keys, strict=True)}


class _Sender:
    """Bills of one company to another."""

    def __init__(
        self,
        ctx: Context,
        group: DemoGroup,
        sender: DemoBranch,
        receiver: DemoBranch,
    ) -> None:
        self.sender, self.receiver = sender, receiver
        self.chance = Random(f"demo between {sender.code} {receiver.code}")
        self.costs = {item.goods_id: item.cost for item in group.goods}
        self.spots: dict[int, _StockPlace] = {}
        for row in ctx.conn.execute(_MOVES, {"warehouse": sender.warehouses[0]}):
            place = _StockPlace(row.allocation_id or None, row.batch_id or None, row.available, [])
            spot = self.spots.setdefault(row.goods_id, place)
            spot.moves.append((row.business_date, row.quantity))

    def bills(self, day: date) -> Iterator[BulkBill]:
        for ago in range(MONTHS, -1, -1):
            on = add_months(day, -ago).replace(day=SENDING_DAY)
            rows = list(self._rows(on)) if on <= day else []
            if rows:
                yield self._bill(on, rows)

    def _rows(self, on: date) -> Iterator[dict[str, Any]]:
        free = {goods: left for goods, spot in self.spots.items() if (left := spot.free(on)) > 0}
        most = sorted(free, key=lambda goods: (-free[goods], goods))[: 2 * LINES]
        for goods in self.chance.sample(most, min(LINES, len(most))):
            spot = self.spots[goods]
            pieces = (free[goods] * self.chance.choice(SHARES) / 100).quantize(Decimal(1))
            if pieces > 0:
                spot.take(on, pieces)
                yield {
                    "goods_id": goods,
                    "allocation_id": spot.allocation_id,
                    "batch_id": spot.batch_id,
                    "quantity": pieces,
                    "price": (self.costs[goods] * MARGIN).quantize(Decimal("0.1")),
                    "discount_amount": Decimal(0),
                    "tax_rate": Decimal(13),
                }

    def _bill(self, on: date, rows: list[dict[str, Any]]) -> BulkBill:
        worker = self.sender.sellers[0]
        header = {
            "company_id": self.sender.company_id,
            "business_date": on,
            "warehouse_id": self.sender.warehouses[0],
            "to_warehouse_id": self.receiver.warehouses[0],
            "employee_id": worker,
            "department_id": self.sender.department_of[worker],
        }
        return _build_entry(SalesTransfer, header, rows)


class _PartnerAccount:
    """Open items of a company and its neighbour, in the company's ledgers."""

    def __init__(
        self,
        own: DemoBranch,
        partner: _Partner,
        items: dict[tuple[int, str, int], list[_Item]],
        mode: int,
    ) -> None:
        self.own, self.partner, self.mode = own, partner, mode
        self.receivable = items.get((own.company_id, "customer", partner.customer_id), [])
        self.payable = items.get((own.company_id, "supplier", partner.supplier_id), [])

    def bills(self, day: date) -> Iterator[BulkBill]:
        """Yield the offset and the payments of each quarter that is over."""
        for ago in range(MONTHS + 1, 0, -1):
            month = add_months(day.replace(day=1), -ago)
            end = add_months(month, 1) - timedelta(days=1)
            if month.month % 3 or end + PAID_AFTER > day:
                continue
            sides = [
                [item for item in side if item.business_date <= end and item.left]
                for side in (self.receivable, self.payable)
            ]
            both = min(sum((item.left for item in side), Decimal(0)) for side in sides)
            if both:
                rows = [row for side in sides for row in _write_off(side, both)]
                parties = {"customer_id": self.partner.customer_id, "supplier_id": self.partner.supplier_id}
                yield self._entry(ReceivablePayableOffset, end, parties, rows)
            yield from self._build_payments(end + PAID_AFTER, *sides)

    def _build_payments(self, on: date, receivable: list[_Item], payable: list[_Item]) -> Iterator[BulkBill]:
        for cls, side in ((CustomerReceipt, receivable), (SupplierPayment, payable)):
            rest = sum((item.left for item in side), Decimal(0))
            if rest:
                party = f"{cls.party}_id"
                header = {
                    party: getattr(self.partner, party),
                    "receivables_mode_id": self.mode,
                    "amount": rest,
                }
                yield self._entry(cls, on, header, list(_write_off(side, rest)))

    def _entry(
        self, cls: type[Bill], on: date, header: dict[str, Any], rows: list[dict[str, Any]]
    ) -> BulkBill:
        worker = self.own.cashiers[0]
        common = {
            "company_id": self.own.company_id,
            "business_date": on,
            "employee_id": worker,
            "department_id": self.own.department_of[worker],
        }
        return _build_entry(cls, common | header, rows)


def _write_off(items: list[_Item], amount: Decimal) -> Iterator[dict[str, Any]]:
    """Write an amount off items, the oldest first."""
    for item in items:
        part = min(item.left, amount)
        if part:
            item.left -= part
            amount -= part
            yield {"settlement_id": item.settlement_id, "amount": part}


def _build_entry(cls: type[Bill], header: dict[str, Any], rows: list[dict[str, Any]]) -> BulkBill:
    assert cls.bill is not None
    draft = Draft(header, {cls.bill.blocks[0].name: rows})
    drafts.price_lines(cls, draft, Problems())
    drafts.total_lines(cls, draft)
    return BulkBill(cls, draft)
