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
from api.kit.document import Child, Document, Parts
from api.kit.fields import COST, Derived, day, derived, ref, text
from api.kit.goods_bills import GoodsBill, GoodsLine, QuantityBill, QuantityLine
from api.kit.posting import Landing, StockMove
from api.kit.validation import Problems
from api.master import picks
from api.master.goods import batch_problem, dot_week, is_tyre, made_later
from api.master.tire_numbers import Numbered, stored
from api.master.warehouses import GOOD, warehouse

_COST = (
    "(select coalesce({sign}sum(s.amount), 0) from stock_ledger s"
    " where s.bill_type = '{prefix}' and s.line_id = {line})"
)


_TRAVELLED = (
    "(select coalesce(-sum(s.amount), 0) from stock_ledger s"
    " where s.bill_type = '{prefix}' and s.line_id = {line} and s.quantity < 0 and s.reverses is null"
    " and not exists (select from stock_ledger r where r.reverses = s.ledger_id))"
)


def cost_of_line(prefix: str, sign: str = "-") -> Derived:
    """What a line's goods cost, as the ledger stored it; 0 before the audit. The ledger's issues are negative."""
    sql = _COST.format(sign=sign, prefix=prefix, line="{table}.line_id")
    return derived("cost_amount", "成本金额", "money", sql, permission=COST, total=True, width=110)


def value_travelled(prefix: str) -> Derived:
    """What a relocated line's goods were worth when they left; 0 before the audit."""
    sql = _TRAVELLED.format(prefix=prefix, line="{table}.line_id")
    return derived("cost_amount", "成本金额", "money", sql, permission=COST, total=True, width=110)


class ToPlace(Numbered):
    """What a line that brings goods says of them: into a location, under a batch."""

    allocation_id: Mapped[int | None] = ref("allocation", "库位", within=("warehouse_id",), sort=-40)
    batch: Mapped[str | None] = text("批次(DOT)", max_length=30, width=100, sort=-39)

    @declared_attr
    @classmethod
    def batch_id(cls) -> Mapped[int | None]:
        return ref("goods_batch", "批次", target="batch_id", form=False, list=False, label_field="batch_text")

    production_date: Mapped[date | None] = day("生产日期", form=False, width=110, sort=-38)


class InboundLine(ToPlace, GoodsLine):
    """A priced line that brings goods."""

    __abstract__ = True
    moves = "in"


class ReceiptLine(ToPlace, QuantityLine):
    """A line that brings goods without a price."""

    __abstract__ = True
    moves = "in"


def _takes(cls: type[Any]) -> bool:
    """Whether lines of a class take goods when they are audited: then the ledger knows which."""
    return issubclass(cls, Child) and cls.moves is not None


class FromBatch:
    """Of which batch a line takes goods, or none for the oldest first."""

    @declared_attr
    @classmethod
    def batch_id(cls) -> Mapped[int | None]:
        return ref(
            *("goods_batch", "批次"),
            target="batch_id",
            within=("goods_id",),
            label_field="batch",
            told_by=picks.BATCHES if _takes(cls) else None,
            sort=-39,
        )


class FromPlace(FromBatch, Numbered):
    """What a line that takes goods says of them: a named location and batch, or none for the oldest first."""

    @declared_attr
    @classmethod
    def allocation_id(cls) -> Mapped[int | None]:
        told = picks.PLACES if _takes(cls) else None
        return ref("allocation", "库位", within=("warehouse_id",), told_by=told, sort=-40)


class OutboundLine(FromPlace, GoodsLine):
    """A priced line that takes goods."""

    __abstract__ = True
    moves = "out"
    takes_available = True


class IssueLine(FromPlace, QuantityLine):
    """A line that takes goods without a price."""

    __abstract__ = True
    moves = "out"
    takes_available = True


class RelocatedLine(FromPlace, QuantityLine):
    """A line whose goods land elsewhere in the same posting."""

    __abstract__ = True
    moves = "through"
    takes_available = True


ALLOTTED_BY = derived(
    "purchase_allocation_no",
    "到货分配单号",
    "text",
    "(select a.bill_no from purchase_allocation a where a.bill_id = {table}.purchase_allocation_id)",
    width=190,
    list=False,
    bill=True,
)


class Allotted:
    """A bill that an allocation of arrivals may have made."""

    @declared_attr
    @classmethod
    def purchase_allocation_id(cls) -> Mapped[int | None]:
        return mapped_column(
            BigInteger, ForeignKey("purchase_allocation.bill_id"), index=True, sort_order=-30
        )


class OfWarehouse:
    """A bill of one warehouse."""

    warehouse_id: Mapped[int] = warehouse(required=True)


class StockBill(OfWarehouse, GoodsBill):
    """A priced bill that moves stock of one warehouse, of goods to sell unless it says otherwise."""

    __abstract__ = True

    warehouse_id: Mapped[int] = warehouse(GOOD, required=True)


class MoveBill(OfWarehouse, QuantityBill):
    """A bill that moves stock of one warehouse at its cost, without prices."""

    __abstract__ = True


def settle_batches(
    ctx: Context,
    lines: list[dict[str, Any]],
    problems: Problems,
    on: date | None,
    *,
    needed: bool = True,
) -> None:
    """Give inbound lines their batch rows, made where new; batch-managed goods must name one, DOT weeks must exist and
    have begun on the day `on` of their bill, where one is told.

    Lines that have theirs already, because many bills were settled at once, stay as they are. Where none is `needed`,
    it may yet follow from where the goods lie.
    """
    lines = [line for line in lines if "batch_id" not in line]
    if not lines:
        return
    goods = batched(ctx.conn, [(line["goods_id"], line.get("batch")) for line in lines])
    for line in lines:
        problems.place = f"第{line['line_no']}行"
        code, known = line.get("batch"), goods.get(line["goods_id"], UNKNOWN)
        line["production_date"] = dot_week(code) if code else None
        if (code or needed) and (problem := known.problem(code, on)):
            problems.add(problem)
    problems.place = ""
    problems.settle()
    keys = batch_keys(
        ctx.conn,
        {(line["goods_id"], line["batch"]): line["production_date"] for line in lines if line.get("batch")},
    )
    for line in lines:
        line["batch_id"] = keys.get((line["goods_id"], line.get("batch")))


def taken_batches(conn: Connection, prefix: str, left: Mapping[int, Decimal]) -> dict[int, Parts]:
    """Of which batches issuing lines took what is left of them, by their ids; nothing where the ledger can't tell."""
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
class Batched:
    """How goods are kept by batch, and of those asked for the batches they have had: what came in so may go back so."""

    is_batch: bool
    is_tyre: bool
    batches: frozenset[str]

    def problem(self, code: str | None, on: date | None = None) -> str | None:
        """What is wrong with the batch under which they come in, on a day."""
        if not code:
            return "请录入批次(DOT)" if self.is_batch else None
        # Had they that batch before its week came, what went out of it may come back.
        wrong = None if code in self.batches else batch_problem(code, self.is_tyre)
        return wrong or made_later(code, on)


UNKNOWN = Batched(False, False, frozenset())


def batched(conn: Connection, named: Iterable[tuple[int, str | None]]) -> dict[int, Batched]:
    """How each of some goods is kept by batch, as lines name them: goods and batch."""
    asked = set(named)
    rows = conn.exec_driver_sql(
        """
        select g.goods_id, g.goods_name, g.specification_type, g.is_batch, g.is_numbered, array(
            select b.batch from goods_batch b where b.goods_id = g.goods_id and b.batch = any(%s)
        ) as batches
        from goods g
        where g.goods_id = any(%s)
        """,
        (sorted({code for _, code in asked if code}), sorted({goods for goods, _ in asked})),
    )
    return {
        row.goods_id: Batched(
            row.is_batch,
            is_tyre(row.is_numbered, row.specification_type, row.goods_name),
            frozenset(row.batches),
        )
        for row in rows
    }


def batch_keys(
    conn: Connection, batches: Mapping[tuple[int, str], date | None]
) -> dict[tuple[int, str | None], int]:
    """The ids of batches, made where new, in key order so that two bills never wait on each other crosswise."""
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


def inbound(
    doc: Document,
    *,
    priced: bool = True,
    origin: str | None = None,
    extra: Sequence[Decimal] | None = None,
    came_back: bool = False,
) -> tuple[StockMove, ...]:
    """The moves of inbound lines; `priced` lines bring their net amount, others the ledger's cost.

    `extra` adds to what each priced line's goods are worth, say freight, in yuan net of tax. What `came_back` had left.
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
            tire_numbers=stored(line),
            came_back=came_back,
        )
        for line, part in zip(doc.lines, more, strict=True)
    )


def outbound(
    doc: Document,
    *,
    orders: bool = False,
    frozen: bool = False,
    lands: Callable[[Any], Landing] | None = None,
    origin: Callable[[Any], tuple[str, int]] | None = None,
    pieces_of: Callable[[Any], tuple[str, int] | None] | None = None,
) -> tuple[StockMove, ...]:
    """The moves of outbound lines, at the ledger's average; `orders` release what their order lines reserved.

    `lands` says where a line's goods arrive, `frozen` that they are taken from stock that is not available, `origin`
    which line has brought the very pieces, `pieces_of` which one brought those that are named by number.
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
            tire_numbers=stored(line),
            pieces_of=pieces_of(line) if pieces_of else None,
        )
        for line in doc.lines
    )
