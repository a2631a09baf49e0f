"""Ledger tables (账簿): append-only journals of stock, reservations, settlements and money, and their cached balances.

Every balance equals the sum of its journal's rows (`checks.py` proves it). A reversal is a row of its own that names
the row it negates in `reverses`. No foreign keys to masters: bill lines carry those.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, DateTime, Identity, Index, Numeric, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base
from api.kit.storage.stamping import APPEND_ONLY, Snapshot, Stamped

QUANTITY = Numeric(14, 3)
UNIT_COST = Numeric(18, 6)
AMOUNT = Numeric(16, 2)
SHARE = Numeric(20, 6)
# Balances are updated by every posting: room on the page keeps those updates off the indexes.
HOT = {"postgresql_with": {"fillfactor": 70}}


def _key_column() -> Mapped[int]:
    return mapped_column(BigInteger, Identity(), primary_key=True)


def _key_part_column(**options: Any) -> Mapped[int]:
    return mapped_column(BigInteger, primary_key=True, autoincrement=False, **options)


class Journal(Stamped):
    """Columns of every journal: company, bill, time, and the row that it negates."""

    company_id: Mapped[int] = mapped_column(BigInteger)
    bill_type: Mapped[str] = mapped_column(Text)
    bill_id: Mapped[int] = mapped_column(BigInteger)
    bill_no: Mapped[str] = mapped_column(Text)
    business_date: Mapped[dt.date]
    posted_at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    reverses: Mapped[int | None] = mapped_column(BigInteger)


def _build_journal_args(name: str, *more: Any) -> tuple[Any, ...]:
    """Build a journal's table arguments: indexes by bill, by day, and one reversal a row at most."""
    live = text("reverses is not null")
    return (
        Index(f"ix_{name}_bill", "bill_type", "bill_id"),
        Index(f"ix_{name}_date", "business_date", postgresql_using="brin"),
        Index(f"uq_{name}_reverses", "reverses", unique=True, postgresql_where=live),
        *more,
        {"info": APPEND_ONLY},
    )


class StockLedger(Journal, Base):
    """A move of goods at one (location, batch): signed quantity and amount; unit cost in yuan per unit.

    `origin_type`, `origin_line_id`: the issuing line that a linked return came back from, or the sending line that a
    transfer's receipt takes from. A row of quantity 0 carries a cost adjustment, or the difference between the assumed
    and the real cost of stock that had been sold short. `pool_id`: which average it belongs to, as in `CostBalance`.
    `frozen` rows move stock that is not available. `first_date`: when goods that a transfer moves first came in; layers
    are dated by it, else by the business date.
    `basis`: what the amount of a posted row rests on — given, origin (a linked return), average, issue, landed,
    adjustment, correction (of stock sold short), converted. `corrects`: the row whose amount a cost recalculation
    changes by this one, at quantity 0; it is the same bill's and falls with it. `share`: how much of what its bill took
    out a converted row is made of, in parts of all its shares.
    """

    __tablename__ = "stock_ledger"
    __table_args__ = _build_journal_args(
        "stock_ledger",
        Index("ix_stock_ledger_line", "bill_type", "line_id"),
        Index("ix_stock_ledger_goods", "company_id", "goods_id", "ledger_id"),
        Index(
            "ix_stock_ledger_converted",
            *("company_id", "business_date"),
            postgresql_where=text("basis = 'converted'"),
        ),
        Index(
            "ix_stock_ledger_origin",
            "origin_type",
            "origin_line_id",
            postgresql_where=text("origin_line_id is not null"),
        ),
        Index(
            "ix_stock_ledger_corrections",
            "warehouse_id",
            "goods_id",
            postgresql_where=text("bill_type in ('PYRK', 'PKCK', 'PYCK')"),
        ),
        Index("ix_stock_ledger_corrects", "corrects", postgresql_where=text("corrects is not null")),
        CheckConstraint("corrects is null or quantity = 0", name="corrects_no_quantity"),
    )

    ledger_id: Mapped[int] = _key_column()
    warehouse_id: Mapped[int] = mapped_column(BigInteger)
    allocation_id: Mapped[int] = mapped_column(BigInteger)
    goods_id: Mapped[int] = mapped_column(BigInteger)
    batch_id: Mapped[int] = mapped_column(BigInteger)
    quantity: Mapped[Decimal] = mapped_column(QUANTITY)
    unit_cost: Mapped[Decimal] = mapped_column(UNIT_COST)
    amount: Mapped[Decimal] = mapped_column(AMOUNT)
    line_id: Mapped[int] = mapped_column(BigInteger)
    origin_type: Mapped[str | None] = mapped_column(Text)
    origin_line_id: Mapped[int | None] = mapped_column(BigInteger)
    pool_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    frozen: Mapped[bool] = mapped_column(server_default="false")
    first_date: Mapped[dt.date | None]
    basis: Mapped[str | None] = mapped_column(Text)
    corrects: Mapped[int | None] = mapped_column(BigInteger)
    share: Mapped[Decimal | None] = mapped_column(SHARE)


class StockBalance(Base):
    """Stock on hand of goods at one (location, batch).

    `first_date`: business date of the first receipt since the row was last empty; with `production_date` it decides
    the picking order and nothing else.
    """

    __tablename__ = "stock_balance"
    __table_args__ = (Index("ix_stock_balance_goods", "goods_id"), HOT)

    warehouse_id: Mapped[int] = _key_part_column()
    goods_id: Mapped[int] = _key_part_column()
    allocation_id: Mapped[int] = _key_part_column()
    batch_id: Mapped[int] = _key_part_column()
    company_id: Mapped[int] = mapped_column(BigInteger)
    quantity: Mapped[Decimal] = mapped_column(QUANTITY)
    first_date: Mapped[dt.date]
    production_date: Mapped[dt.date | None]


class StockTotal(Base):
    """Stock of goods in one warehouse; available = quantity − reserved − frozen."""

    __tablename__ = "stock_total"
    __table_args__ = (
        Index("ix_stock_total_goods", "goods_id"),
        HOT,
    )

    warehouse_id: Mapped[int] = _key_part_column()
    goods_id: Mapped[int] = _key_part_column()
    company_id: Mapped[int] = mapped_column(BigInteger)
    quantity: Mapped[Decimal] = mapped_column(QUANTITY, server_default="0")
    reserved: Mapped[Decimal] = mapped_column(QUANTITY, server_default="0")
    frozen: Mapped[Decimal] = mapped_column(QUANTITY, server_default="0")


class StockCheckpoint(Base):
    """Stock at the end of a month, added up beforehand, of the rows that the snapshot `seen` shows (checkpoints.py).

    Other rows of these days are added by who reads it, so it is never out of date. `instance`: the cluster whose
    transactions `seen` tells of; in another one, say after a restore from a dump, it counts as absent.
    """

    __tablename__ = "stock_checkpoint"

    day: Mapped[dt.date] = mapped_column(primary_key=True)
    seen: Mapped[str] = mapped_column(Snapshot)
    instance: Mapped[str] = mapped_column(Text)
    row_count: Mapped[int] = mapped_column(BigInteger)


class StockCheckpointRow(Base):
    """A checkpoint's stock at one (location, batch); `frozen` is part of `quantity`."""

    __tablename__ = "stock_checkpoint_row"

    day: Mapped[dt.date] = mapped_column(primary_key=True)
    warehouse_id: Mapped[int] = _key_part_column()
    goods_id: Mapped[int] = _key_part_column()
    allocation_id: Mapped[int] = _key_part_column()
    batch_id: Mapped[int] = _key_part_column()
    company_id: Mapped[int] = _key_part_column()
    pool_id: Mapped[int] = _key_part_column()
    quantity: Mapped[Decimal] = mapped_column(QUANTITY)
    frozen: Mapped[Decimal] = mapped_column(QUANTITY)
    amount: Mapped[Decimal] = mapped_column(AMOUNT)


class CostBalance(Base):
    """Quantity and value of goods in one company: the moving weighted average, and the mutex of every posting.

    `pool_id` is 0 for the company's stock at large; a warehouse that is valued on its own has its id there.
    `last_unit_cost`: of the newest live purchase, or of the newest live inbound of what was never bought, that had
    one; it values stock that comes in when there is none.
    `latest_date`: the latest business date of its rows, by which a posting knows for nothing that it comes too late.
    """

    __tablename__ = "cost_balance"
    __table_args__ = (
        CheckConstraint("quantity <> 0 or amount = 0", name="nothing_is_worth_nothing"),
        CheckConstraint("quantity <= 0 or amount >= 0", name="stock_has_value"),
        HOT,
    )

    company_id: Mapped[int] = _key_part_column()
    goods_id: Mapped[int] = _key_part_column()
    pool_id: Mapped[int] = _key_part_column(server_default="0")
    quantity: Mapped[Decimal] = mapped_column(QUANTITY, server_default="0")
    amount: Mapped[Decimal] = mapped_column(AMOUNT, server_default="0")
    last_unit_cost: Mapped[Decimal | None] = mapped_column(UNIT_COST)
    latest_date: Mapped[dt.date | None]


class ReservationLedger(Journal, Base):
    """A change of what a sales order line claims in one warehouse; the sum per line is never negative."""

    __tablename__ = "reservation_ledger"
    __table_args__ = _build_journal_args(
        "reservation_ledger",
        Index("ix_reservation_ledger_order_line_id", "order_line_id"),
    )

    entry_id: Mapped[int] = _key_column()
    order_line_id: Mapped[int] = mapped_column(BigInteger)
    warehouse_id: Mapped[int] = mapped_column(BigInteger)
    goods_id: Mapped[int] = mapped_column(BigInteger)
    quantity: Mapped[Decimal] = mapped_column(QUANTITY)


class SettlementItem(Stamped, Base):
    """A receivable or payable of one bill; `open_amount` is what is left of `amount`, with the same sign.

    Returns and advances are negative. A reversed item keeps its amount and has nothing open.
    """

    __tablename__ = "settlement_item"
    __table_args__ = (
        CheckConstraint("party_type in ('customer', 'supplier')", name="party_type"),
        CheckConstraint("kind in ('bill', 'advance', 'opening', 'freight')", name="kind"),
        CheckConstraint(
            "amount <> 0 and open_amount between least(amount, 0) and greatest(amount, 0)", name="open_amount"
        ),
        Index("ix_settlement_item_bill", "bill_type", "bill_id"),
        Index(
            "ix_settlement_item_open",
            "party_type",
            "party_id",
            "due_date",
            postgresql_where=text("open_amount <> 0"),
        ),
    )

    settlement_id: Mapped[int] = _key_column()
    company_id: Mapped[int] = mapped_column(BigInteger)
    party_type: Mapped[str] = mapped_column(Text)
    party_id: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(Text)
    bill_type: Mapped[str] = mapped_column(Text)
    bill_id: Mapped[int] = mapped_column(BigInteger)
    bill_no: Mapped[str] = mapped_column(Text)
    business_date: Mapped[dt.date]
    due_date: Mapped[dt.date]
    amount: Mapped[Decimal] = mapped_column(AMOUNT)
    open_amount: Mapped[Decimal] = mapped_column(AMOUNT)


class SettlementLedger(Journal, Base):
    """A change of an item's open amount, with the bill that caused it, on the day of that bill or a later one of its
    item's; `waived` was paid by nobody (抹零、现金折扣)."""

    __tablename__ = "settlement_ledger"
    __table_args__ = _build_journal_args(
        "settlement_ledger",
        CheckConstraint("entry in ('open', 'write_off', 'reverse')", name="entry"),
        Index("ix_settlement_ledger_settlement_id", "settlement_id"),
        Index("ix_settlement_ledger_waived", "company_id", "business_date", postgresql_where=text("waived")),
        Index(
            "ix_settlement_ledger_party",
            *("party_type", "party_id", "company_id", "business_date"),
            postgresql_include=["amount"],
        ),
    )

    entry_id: Mapped[int] = _key_column()
    settlement_id: Mapped[int] = mapped_column(BigInteger)
    party_type: Mapped[str] = mapped_column(Text)
    party_id: Mapped[int] = mapped_column(BigInteger)
    amount: Mapped[Decimal] = mapped_column(AMOUNT)
    entry: Mapped[str] = mapped_column(Text)
    waived: Mapped[bool] = mapped_column(server_default="false")


class MoneyLedger(Journal, Base):
    """A move on one account of a settlement method: positive received, negative paid."""

    __tablename__ = "money_ledger"
    __table_args__ = _build_journal_args(
        "money_ledger",
        Index(
            "ix_money_ledger_account",
            *("receivables_mode_id", "company_id", "business_date"),
            postgresql_include=["amount"],
        ),
    )

    entry_id: Mapped[int] = _key_column()
    receivables_mode_id: Mapped[int] = mapped_column(BigInteger)
    amount: Mapped[Decimal] = mapped_column(AMOUNT)


class MoneyBalance(Base):
    """Balance of one account of a company."""

    __tablename__ = "money_balance"
    __table_args__ = (HOT,)

    company_id: Mapped[int] = _key_part_column()
    receivables_mode_id: Mapped[int] = _key_part_column()
    amount: Mapped[Decimal] = mapped_column(AMOUNT)


class AccountingPeriod(Base):
    """A company's month (`YYYY-MM`): 0 open, 1 closed; a month without a row is open."""

    __tablename__ = "accounting_period"
    __table_args__ = (
        CheckConstraint("status in (0, 1)", name="status"),
        CheckConstraint("period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'", name="period"),
    )

    company_id: Mapped[int] = _key_part_column()
    period: Mapped[str] = mapped_column(Text, primary_key=True)
    status: Mapped[int] = mapped_column(server_default="0")
