"""Postings (过账): effects of an audited bill on stock, reservations, settlements and money, as plain values.

A bill's `postings()` is pure and returns `Postings`; `api.ledger.post_bill` persists them in the audit's
transaction. Units: quantities are in the goods' stock unit with at most 3 decimals; amounts are yuan with
2 decimals, net of tax where they value stock and tax-inclusive where they settle or pay; unit costs are
yuan per unit with 6 decimals.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

PartyType = Literal["customer", "supplier"]
OutsideKind = Literal["customer", "supplier", "scrapped", "lost", "issued"]
SettlementKind = Literal["bill", "advance", "opening", "freight"]


@dataclass(frozen=True, slots=True)
class BillRef:
    """The bill that posts: its prefix (`XSCK`), id, number, company and business date (单据日期)."""

    bill_type: str
    bill_id: int
    bill_no: str
    company_id: int
    business_date: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """The place where an outbound move's goods arrive at once (移库、调拨).

    Goods, batches, value and first receipt dates stay the same. `company_id`: another company's, None is
    the bill's. `frozen` goods are not available there (在途、残次品). `extra_amount` adds to their value, say
    freight, in yuan net of tax.
    """

    warehouse_id: int
    allocation_id: int | None = None
    company_id: int | None = None
    frozen: bool = False
    extra_amount: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Outside:
    """The other end of goods that leave the warehouses or come in: a partner, or out of use (报废、盘亏)."""

    kind: OutsideKind
    party_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StockMove:
    """One line's effect on stock (出入库); `quantity` is positive when goods come in, negative when they leave.

    `allocation_id`, `batch_id`: the location and batch, 0 = none. On the way out None means "pick for me": oldest
    production date first, then first receipt, split over several balances when one does not cover the line. On the
    way in None is 0.

    Cost of an inbound, the first that applies: `amount` (given value of the whole line, net of tax, >= 0); `origin`
    (the issuing `(bill_type, line_id)`: comes back at that line's issue cost, prorated, never more than it delivered);
    the present moving average; the last purchase's unit cost, or else the last inbound's; `fallback_unit_cost`; zero.
    An outbound always leaves at the moving average and carries no `amount`; with an `origin` it takes the very pieces
    which that line brought to the warehouse and nobody has taken since. `lands` says where an outbound's goods arrive
    in the same posting; `frozen` moves take or bring stock that is not available (冻结库存).

    `share`: of an inbound that is made of what its bill takes out, how much of that, in parts of all shares; without
    one it is what as many are worth now.

    `order_line_id`: the sales order line whose reservation this outbound uses up, by at most the moved quantity.
    `production_date`: of the batch (for tyres the Monday of its DOT week); an inbound hands it on to the balance,
    where it decides the picking order.
    `tire_numbers`: which pieces move, of goods that are kept by number (胎号); as many as the quantity. They are among
    those that the line `pieces_of` moved, which is the `origin` unless it says otherwise; `came_back`: without such a
    line they are at least pieces that had left.
    """

    line_id: int
    warehouse_id: int
    goods_id: int
    quantity: Decimal
    allocation_id: int | None = None
    batch_id: int | None = None
    amount: Decimal | None = None
    origin: tuple[str, int] | None = None
    fallback_unit_cost: Decimal | None = None
    order_line_id: int | None = None
    production_date: date | None = None
    lands: Landing | None = None
    frozen: bool = False
    tire_numbers: tuple[str, ...] = ()
    pieces_of: tuple[str, int] | None = None
    came_back: bool = False
    share: Decimal | None = None

    def __post_init__(self) -> None:
        if not self.quantity:
            raise ValueError("a stock move moves something: quantity is zero")
        if self.quantity < 0 and self.amount is not None:
            raise ValueError("an outbound leaves at the moving average: no amount")
        if self.quantity > 0 and self.lands is not None:
            raise ValueError("only an outbound lands elsewhere")
        if self.quantity > 0 and self.order_line_id is not None:
            raise ValueError("only an outbound uses up a reservation")
        if self.amount is not None and self.amount < 0:
            raise ValueError("the given value of an inbound is not negative")


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion of goods (形态转换): outbound moves become the inbound ones.

    The bill's inbound moves are worth what its outbound ones leave at, and `labour` in yuan, by their
    shares. All of them have a share, or none has.
    """

    labour: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRegistration:
    """Numbers (胎号) of pieces that lie at a place already."""

    line_id: int
    warehouse_id: int
    goods_id: int
    allocation_id: int
    batch_id: int
    tire_numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CostAdjustment:
    """A change of the value of goods at quantity 0 (成本调整).

    Without stock in the warehouse the ledger books it to the period's result.
    """

    line_id: int
    warehouse_id: int
    goods_id: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Reservation:
    """An order line's claim on a warehouse's stock (占用): positive claims, negative gives back.

    A claim is cut to what is available unless the policy reserves beyond stock; a release is cut to what is left.
    """

    order_line_id: int
    warehouse_id: int
    goods_id: int
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class SettlementOpen:
    """A new receivable or payable (应收/应付): `amount` is what the party owes us (customer) or we owe it (supplier).

    Returns and advances (预收/预付) are negative. `due_date` comes from the party's payment terms. Zero opens nothing.
    `company_id`: whose books, None is the bill's company. `settled`: how much of it the bill's own write-offs of later
    days use up, by those days, with its sign.
    """

    party_type: PartyType
    party_id: int
    amount: Decimal
    due_date: date
    kind: SettlementKind = "bill"
    company_id: int | None = None
    settled: tuple[tuple[date, Decimal], ...] = ()


@dataclass(frozen=True, slots=True)
class WriteOff:
    """Settles (核销) `amount` of an open item, with the item's own sign and never past its open amount.

    `on`: the day it settles, None is the bill's; never before the item's. `waived`: by no money, but given up (抹零).
    """

    settlement_id: int
    amount: Decimal
    on: date | None = None
    waived: bool = False


@dataclass(frozen=True, slots=True)
class MoneyEntry:
    """A move on an account of a settlement method (资金流水): positive is money received, negative paid."""

    receivables_mode_id: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Postings:
    """All that one audit posts; every part may be empty. `outside` is the other end of what comes and goes.

    What leaves because it was `counted` and is not there (盘亏) is not refused where orders have reserved it: the last
    of them lose what can't be kept. What moves `as_it_lies` is frozen where all stock of its warehouse is.
    """

    stock: tuple[StockMove, ...] = ()
    adjustments: tuple[CostAdjustment, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    settlements: tuple[SettlementOpen, ...] = ()
    write_offs: tuple[WriteOff, ...] = ()
    money: tuple[MoneyEntry, ...] = ()
    registrations: tuple[NumberRegistration, ...] = ()
    outside: Outside = Outside("issued")
    counted: bool = False
    as_it_lies: bool = False
    conversion: Conversion | None = None

    def __post_init__(self) -> None:
        if self.conversion is None:
            return
        made = [move for move in self.stock if move.quantity > 0]
        if not made or len(made) == len(self.stock):
            raise ValueError("a conversion takes something and makes something")
        if any(move.amount is not None or move.origin for move in made):
            raise ValueError("what is made is worth what it is made of: no amount, no origin")
        if len({move.share is None for move in made}) > 1 or all(move.share == 0 for move in made):
            raise ValueError("all that is made has a share, or nothing has one")
