"""Lines that move stock (出入库明细): inbound lines bring a batch by its text, outbound lines may pick one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Connection, ForeignKey
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.kit.context import Context
from api.kit.declaration.document import BillLine, Document, Parts
from api.kit.declaration.fields import (
    COST,
    DerivedField,
    date_field,
    derived_field,
    reference_field,
    text_field,
)
from api.kit.declaration.goods_bills import GoodsBill, GoodsLine, QuantityBill, QuantityLine
from api.kit.declaration.posting import Landing, StockMove
from api.kit.storage.validation import Problems
from api.master.goods.goods import describe_batch_problem, describe_future_batch, is_tyre, parse_dot_week
from api.master.stock import picking
from api.master.stock.tyre_numbers import TyreNumbersMixin, split_numbers
from api.master.warehouses.warehouses import GOOD, warehouse_field

_COST = (
    "(select coalesce({sign}sum(s.amount), 0) from stock_ledger s"
    " where s.bill_type = '{prefix}' and s.line_id = {line})"
)


_RELOCATED_COST = (
    "(select coalesce(-sum(s.amount), 0) from stock_ledger s"
    " where s.bill_type = '{prefix}' and s.line_id = {line} and s.quantity < 0 and s.reverses is null"
    " and not exists (select from stock_ledger r where r.reverses = s.ledger_id))"
)


def line_cost_column(prefix: str, sign: str = "-") -> DerivedField:
    """Declare the cost of a line's goods from the ledger; 0 before the audit. Issues are negative in the
    ledger."""
    sql = _COST.format(sign=sign, prefix=prefix, line="{table}.line_id")
    return derived_field("cost_amount", "成本金额", "money", sql, permission=COST, total=True, width=110)


def relocated_cost_column(prefix: str) -> DerivedField:
    """Declare the value of a relocated line's goods when they left; 0 before the audit."""
    sql = _RELOCATED_COST.format(prefix=prefix, line="{table}.line_id")
    return derived_field("cost_amount", "成本金额", "money", sql, permission=COST, total=True, width=110)


class InboundPlaceMixin(TyreNumbersMixin):
    """Columns of a line that brings goods: location, batch and production date."""

    allocation_id: Mapped[int | None] = reference_field(
        "allocation", "库位", within=("warehouse_id",), sort=-40
    )
    batch: Mapped[str | None] = text_field("批次(DOT)", max_length=30, width=100, sort=-39)

    @declared_attr
    @classmethod
    def batch_id(cls) -> Mapped[int | None]:
        return reference_field(
            "goods_batch", "批次", target="batch_id", form=False, list=False, label_field="batch_text"
        )

    production_date: Mapped[date | None] = date_field("生产日期", form=False, width=110, sort=-38)


class InboundLine(InboundPlaceMixin, GoodsLine):
    """A priced line that brings goods."""

    __abstract__ = True
    stock_direction = "in"


class ReceiptLine(InboundPlaceMixin, QuantityLine):
    """A line that brings goods without a price."""

    __abstract__ = True
    stock_direction = "in"


def _moves_stock(cls: type[Any]) -> bool:
    """Return whether lines of a class move stock when they are audited, so that the ledger knows their
    batches."""
    return issubclass(cls, BillLine) and cls.stock_direction is not None


class OutboundBatchMixin:
    """Column of the batch that a line takes goods of; empty picks the oldest first."""

    @declared_attr
    @classmethod
    def batch_id(cls) -> Mapped[int | None]:
        return reference_field(
            *("goods_batch", "批次"),
            target="batch_id",
            within=("goods_id",),
            label_field="batch",
            told_by=picking.BATCHES if _moves_stock(cls) else None,
            sort=-39,
        )


class OutboundPlaceMixin(OutboundBatchMixin, TyreNumbersMixin):
    """Columns of a line that takes goods: location and batch; empty ones pick the oldest first."""

    @declared_attr
    @classmethod
    def allocation_id(cls) -> Mapped[int | None]:
        told = picking.PLACES if _moves_stock(cls) else None
        return reference_field("allocation", "库位", within=("warehouse_id",), told_by=told, sort=-40)


class OutboundLine(OutboundPlaceMixin, GoodsLine):
    """A priced line that takes goods."""

    __abstract__ = True
    stock_direction = "out"
    takes_available = True


class IssueLine(OutboundPlaceMixin, QuantityLine):
    """A line that takes goods without a price."""

    __abstract__ = True
    stock_direction = "out"
    takes_available = True


class RelocatedLine(OutboundPlaceMixin, QuantityLine):
    """A line whose goods land elsewhere in the same posting."""

    __abstract__ = True
    stock_direction = "through"
    takes_available = True


ALLOCATION_NUMBER = derived_field(
    "purchase_allocation_no",
    "到货分配单号",
    "text",
    "(select a.bill_no from purchase_allocation a where a.bill_id = {table}.purchase_allocation_id)",
    width=190,
    list=False,
    bill=True,
)


class AllocatedMixin:
    """Column of the arrival allocation that may have made a bill."""

    @declared_attr
    @classmethod
    def purchase_allocation_id(cls) -> Mapped[int | None]:
        return mapped_column(
            BigInteger, ForeignKey("purchase_allocation.bill_id"), index=True, sort_order=-30
        )


class WarehouseMixin:
    """Column of a bill's only warehouse."""

    warehouse_id: Mapped[int] = warehouse_field(required=True)


class StockBill(WarehouseMixin, GoodsBill):
    """A priced bill that moves stock of one warehouse, of goods to sell unless it says otherwise."""

    __abstract__ = True

    warehouse_id: Mapped[int] = warehouse_field(GOOD, required=True)


class MoveBill(WarehouseMixin, QuantityBill):
    """A bill that moves stock of one warehouse at its cost, without prices."""

    __abstract__ = True


def resolve_batches(
    ctx: Context,
    lines: list[dict[str, Any]],
    problems: Problems,
    on: date | None,
    *,
    needed: bool = True,
) -> None:
    """Set the batch rows of inbound lines, created where new.

    Batch-managed goods must name one where `needed`; DOT weeks must exist and have begun on `on`, the
    bill's day. Lines that have theirs already, because many bills were resolved at once, stay as they are.
    """
    lines = [line for line in lines if "batch_id" not in line]
    if not lines:
        return
    goods = read_batch_rules(ctx.conn, [(line["goods_id"], line.get("batch")) for line in lines])
    for line in lines:
        problems.place = f"第{line['line_no']}行"
        code, known = line.get("batch"), goods.get(line["goods_id"], NO_BATCH_RULES)
        line["production_date"] = parse_dot_week(code) if code else None
        if (code or needed) and (problem := known.describe_problem(code, on)):
            problems.add(problem)
    problems.place = ""
    problems.raise_if_any()
    keys = ensure_batches(
        ctx.conn,
        {(line["goods_id"], line["batch"]): line["production_date"] for line in lines if line.get("batch")},
    )
    for line in lines:
        line["batch_id"] = keys.get((line["goods_id"], line.get("batch")))


def read_taken_batches(conn: Connection, prefix: str, left: Mapping[int, Decimal]) -> dict[int, Parts]:
    """Return by line the batches that issuing lines took `left` of; lines that the ledger can't tell are
    absent."""
    rows = conn.exec_driver_sql(
        """
        select s.line_id, b.batch, -sum(s.quantity) as quantity
        from (
            select line_id, batch_id, quantity from stock_ledger
            where bill_type = %(prefix)s and line_id = any(%(lines)s)
            union all
            select origin_line_id, batch_id, quantity from stock_ledger
            where origin_type = %(prefix)s and origin_line_id = any(%(lines)s)
        ) s
        left join goods_batch b using (batch_id)
        group by s.line_id, s.batch_id, b.batch
        having sum(s.quantity) < 0
        order by s.line_id, s.batch_id
        """,
        {"prefix": prefix, "lines": list(left)},
    )
    found: defaultdict[int, list[tuple[Decimal, dict[str, Any]]]] = defaultdict(list)
    for row in rows:
        found[row.line_id].append((row.quantity, {"batch": row.batch}))
    return {line: parts for line, parts in found.items() if sum(part[0] for part in parts) == left[line]}


@dataclass(frozen=True, slots=True)
class BatchRules:
    """Batch rules of a goods: whether it needs batches, whether it is a tyre, and the batches that it has
    had."""

    is_batch: bool
    is_tyre: bool
    batches: frozenset[str]

    def describe_problem(self, code: str | None, on: date | None = None) -> str | None:
        """Describe what is wrong with a batch that goods come in under on a day; None if nothing is."""
        if not code:
            return "请录入批次(DOT)" if self.is_batch else None
        # Had they that batch before its week came, what went out of it may come back.
        wrong = None if code in self.batches else describe_batch_problem(code, self.is_tyre)
        return wrong or describe_future_batch(code, on)


NO_BATCH_RULES = BatchRules(False, False, frozenset())


def read_batch_rules(conn: Connection, named: Iterable[tuple[int, str | None]]) -> dict[int, BatchRules]:
    """Return the batch rules of goods, by goods id; `named` are pairs of goods and batch."""
    wanted = set(named)
    rows = conn.exec_driver_sql(
        """
        select g.goods_id, g.goods_name, g.specification_type, g.is_batch, g.is_numbered, array(
            select b.batch from goods_batch b where b.goods_id = g.goods_id and b.batch = any(%s)
        ) as batches
        from goods g
        where g.goods_id = any(%s)
        """,
        (sorted({code for _, code in wanted if code}), sorted({goods for goods, _ in wanted})),
    )
    return {
        row.goods_id: BatchRules(
            row.is_batch,
            is_tyre(row.is_numbered, row.specification_type, row.goods_name),
            frozenset(row.batches),
        )
        for row in rows
    }


def ensure_batches(
    conn: Connection, batches: Mapping[tuple[int, str], date | None]
) -> dict[tuple[int, str | None], int]:
    """Return the ids of batches, created where new, in key order so that two bills never deadlock."""
    if not batches:
        return {}
    wanted = sorted(batches)
    values = ([key[0] for key in wanted], [key[1] for key in wanted], [batches[key] for key in wanted])
    conn.exec_driver_sql(
        "insert into goods_batch (goods_id, batch, production_date)"
        " select * from unnest(%s::bigint[], %s::text[], %s::date[]) on conflict (goods_id, batch) do nothing",
        values,
    )
    rows = conn.exec_driver_sql(
        "select b.batch_id, b.goods_id, b.batch from goods_batch b"
        " join unnest(%s::bigint[], %s::text[]) as w (goods_id, batch) using (goods_id, batch)",
        values[:2],
    )
    return {(row.goods_id, row.batch): row.batch_id for row in rows}


def build_inbound_moves(
    doc: Document,
    *,
    priced: bool = True,
    origin: str | None = None,
    extra: Sequence[Decimal] | None = None,
    came_back: bool = False,
) -> tuple[StockMove, ...]:
    """Build the stock moves of inbound lines; `priced` lines bring their net amount, others the ledger's
    cost.

    `extra` adds to the value of each priced line, say freight, in yuan net of tax. `came_back`: the goods
    had left before.
    """
    more = extra or [Decimal(0)] * len(doc.lines)
    return tuple(
        StockMove(
            line_id=line.line_id,
            warehouse_id=doc.header.warehouse_id,
            goods_id=line.goods_id,
            quantity=line.quantity,
            allocation_id=line.allocation_id,
            batch_id=line.batch_id,
            amount=line.no_tax_amount + part if priced else None,
            origin=(origin, line.source_line_id) if origin and line.source_line_id else None,
            production_date=line.production_date,
            tire_numbers=split_numbers(line),
            came_back=came_back,
        )
        for line, part in zip(doc.lines, more, strict=True)
    )


def build_outbound_moves(
    doc: Document,
    *,
    orders: bool = False,
    frozen: bool = False,
    lands: Callable[[Any], Landing] | None = None,
    origin: Callable[[Any], tuple[str, int]] | None = None,
    pieces_of: Callable[[Any], tuple[str, int] | None] | None = None,
) -> tuple[StockMove, ...]:
    """Build the stock moves of outbound lines at the ledger's average; `orders` releases their reservations.

    `lands` gives a line's destination, `frozen` takes them from stock that is not available, `origin`
    gives the line that brought the very pieces, `pieces_of` the one that brought those named by number.
    """
    return tuple(
        StockMove(
            line_id=line.line_id,
            warehouse_id=doc.header.warehouse_id,
            goods_id=line.goods_id,
            quantity=-line.quantity,
            allocation_id=line.allocation_id,
            batch_id=line.batch_id,
            order_line_id=line.order_line_id if orders else None,
            lands=lands(line) if lands else None,
            origin=origin(line) if origin else None,
            frozen=frozen,
            tire_numbers=split_numbers(line),
            pieces_of=pieces_of(line) if pieces_of else None,
        )
        for line in doc.lines
    )
