"""Stocktake differences (盘点差异): surplus in (PYRK), loss out (PKCK), and surplus out (PYCK), at the present average.

A stocktake's audit makes the first two and audits them with it; they are taken back only with it. Another bill's audit
makes them where its goods were counted before it was posted (late_moves.py). A surplus that proves none goes out again
by a PYCK.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Row, Text, select
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.inventory import stock_counts
from api.kit import drafts, numbering, registry, transitions
from api.kit.context import Context
from api.kit.document import Bill, BillType, Block, Document, Rows, Values, declare
from api.kit.errors import Refusal
from api.kit.fields import COST, derived, price, text
from api.kit.flow import AUDITED, POSTED
from api.kit.posting import Outside, Postings
from api.kit.validation import Problems
from api.master.goods import GoodsBatch
from api.master.picks import picked
from api.master.stock_lines import (
    IssueLine,
    MoveBill,
    ReceiptLine,
    cost_of_line,
    inbound,
    outbound,
    settle_batches,
)

_NUMBER = "(select t.bill_no from stock_take t where t.bill_id = {table}.stock_take_id)"
_RECEIPT = "(select t.bill_no from transfer_in t where t.bill_id = {table}.transfer_in_id)"
_RECEIVED = "select bill_no, status from transfer_in where bill_id = %s"
_TAKEN = "select bill_no, status from stock_take where bill_id = %s"


def _routes(name: str) -> dict[str, str]:
    head = f"/inventory/takestock/{name}"
    return {"list": head, "add": f"{head}Add", "see": f"{head}See"}


class Difference(MoveBill):
    """A bill that sets stock right."""

    __abstract__ = True

    reason: Mapped[str | None] = text("原因", free=True, search=True, sort=-50)

    @declared_attr
    @classmethod
    def stock_take_id(cls) -> Mapped[int | None]:
        return mapped_column(BigInteger, ForeignKey("stock_take.bill_id"), index=True, sort_order=-49)

    late_type: Mapped[str | None] = mapped_column(Text, sort_order=-48)
    late_bill_id: Mapped[int | None] = mapped_column(BigInteger, index=True, sort_order=-47)
    late_bill_no: Mapped[str | None] = text("已盘后审单据", form=False, bill=True, width=190, sort=-46)
    """The bill that was posted after its goods had been counted; this one takes its effect back."""

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        """Once a stocktake or the bill that it is for stands, what was made of it stands too."""
        if action == "auditorPass":
            return
        assert cls.bill is not None
        header = doc.header
        taken = ctx.conn.exec_driver_sql(_TAKEN, (header.stock_take_id,)).first()
        stands = taken is not None and taken.status in POSTED
        if header.late_bill_id:
            late = registry.prefixes()[header.late_type]
            found = select(late.table().c.status).where(late.key() == header.late_bill_id)
            by_it = (f"late {header.late_type}", header.late_bill_id) in ctx.known
            if not by_it and stands and ctx.conn.execute(found).scalar() in POSTED:
                raise Refusal(
                    f"该单据由{late.declaration.label}{header.late_bill_no}生成，请反审核或作废{late.declaration.label}"
                )
        elif taken is not None and stands:
            raise Refusal(f"该单据由盘点单{taken.bill_no}生成，请反审核或作废盘点单")
        elif not header.stock_take_id:
            stock_counts.refuse_counted_since(ctx, cls.bill.prefix, doc)


class StockSurplusLine(ReceiptLine):
    __tablename__ = "stock_surplus_line"
    bill_table = "stock_surplus"
    derived = (cost_of_line("PYRK", sign=""),)

    unit_cost: Mapped[Decimal | None] = price(
        "盘盈单位成本", default=None, copied=False, rule="Positive", permission=COST, width=110, sort=20
    )
    """What a piece is worth where neither an average nor a receipt tells."""


class StockSurplus(Difference):
    """盘盈入库"""

    __tablename__ = "stock_surplus"
    declaration = declare("盘盈入库", "v2/inventory/StockSurplus", routes=_routes("surplus"))
    bill = BillType(
        "PYRK",
        (Block("lines", "盘盈明细", StockSurplusLine),),
        moves=True,
    )
    derived = (derived("stock_take_no", "盘点单号", "text", _NUMBER, width=190, bill=True),)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        settle_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        moves = zip(inbound(doc, priced=False), doc.lines, strict=True)
        stock = tuple(replace(move, fallback_unit_cost=line.unit_cost) for move, line in moves)
        return Postings(stock=stock, outside=Outside("lost"), as_it_lies=True)


class StockLossLine(IssueLine):
    __tablename__ = "stock_loss_line"
    bill_table = "stock_loss"
    derived = (cost_of_line("PKCK"), *picked("PKCK"))

    transfer_line_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("transfer_out_line.line_id"), index=True, sort_order=91
    )
    """The line of a transfer whose pieces were lost on the road."""


class StockLoss(Difference):
    """盘亏出库"""

    __tablename__ = "stock_loss"
    declaration = declare("盘亏出库", "v2/inventory/StockLoss", routes=_routes("loss"))
    bill = BillType(
        "PKCK",
        (Block("lines", "盘亏明细", StockLossLine),),
        moves=True,
    )
    derived = (
        derived("stock_take_no", "盘点单号", "text", _NUMBER, width=190, bill=True),
        derived("transfer_in_no", "调拨入库单号", "text", _RECEIPT, width=190, bill=True),
    )

    transfer_in_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("transfer_in.bill_id"), index=True, sort_order=-45
    )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        """What a transfer's receipt says was lost stands with it."""
        if not doc.header.transfer_in_id:
            super().guard(ctx, doc, action)
        elif action != "auditorPass":
            received = ctx.conn.exec_driver_sql(_RECEIVED, (doc.header.transfer_in_id,)).one()
            if received.status in POSTED:
                raise Refusal(f"该单据由调拨入库{received.bill_no}生成，请反审核或作废调拨入库")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        if doc.header.transfer_in_id:
            lost = outbound(doc, frozen=True, origin=lambda line: ("DBCK", line.transfer_line_id))
            return Postings(stock=lost, outside=Outside("lost"))
        moves = outbound(doc)
        if doc.header.stock_take_id:
            # What was counted lies at its place, none included; nothing is picked elsewhere.
            moves = tuple(
                replace(move, allocation_id=move.allocation_id or 0, batch_id=move.batch_id or 0)
                for move in moves
            )
        return Postings(
            stock=moves, outside=Outside("lost"), counted=bool(doc.header.stock_take_id), as_it_lies=True
        )


class SurplusOutLine(IssueLine):
    __tablename__ = "surplus_out_line"
    bill_table = "surplus_out"
    derived = (cost_of_line("PYCK"), *picked("PYCK"))


class SurplusOut(MoveBill):
    """盘盈出库"""

    __tablename__ = "surplus_out"
    declaration = declare("盘盈出库", "v2/inventory/SurplusOut", routes=_routes("surplusOut"))
    bill = BillType(
        "PYCK",
        (Block("lines", "出库明细", SurplusOutLine),),
        moves=True,
    )

    reason: Mapped[str | None] = text("原因", free=True, search=True, sort=-50)

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        if action != "auditorPass":
            stock_counts.refuse_counted_since(ctx, "PYCK", doc)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=outbound(doc), outside=Outside("lost"), as_it_lies=True)


def make(ctx: Context, take: Row[Any], differences: Sequence[tuple[Any, Decimal]]) -> None:
    """Make and audit what sets the counted lines of a stocktake right: (line, counted − book) each."""
    rows = [
        {
            "goods_id": line.goods_id,
            "allocation_id": line.allocation_id,
            "batch_id": line.batch_id,
            "quantity": difference,
            "remark": line.remark,
            "tire_numbers": line.tire_numbers,
            "unit_cost": line.unit_cost,
        }
        for line, difference in differences
    ]
    audit_new(ctx, take, rows, reason="盘点差异")


def audit_new(ctx: Context, take: Row[Any], rows: Sequence[dict[str, Any]], **given: Any) -> None:
    """Make and audit the bills of a stocktake that bring rows of positive quantity and take those of negative.

    `given` comes on top of what their headers share with the stocktake's.
    """
    batches = _batches(ctx, [row["batch_id"] for row in rows if row["batch_id"]])
    more = [
        {**row, **batches.get(row["batch_id"], {"batch": None, "production_date": None})}
        for row in rows
        if row["quantity"] > 0
    ]
    less = [{**row, "quantity": -row["quantity"]} for row in rows if row["quantity"] < 0]
    for row in less:
        row.pop("unit_cost", None)
    for cls, lines in ((StockSurplus, more), (StockLoss, less)):
        if lines:
            _audit_new(ctx, cls, take, lines, {"stock_take_id": take.bill_id, **given})


def audit_transit_loss(ctx: Context, receipt: Row[Any], rows: list[dict[str, Any]]) -> None:
    """Make and audit the loss of what a transfer's receipt says never arrived, out of what is on the way."""
    given = {
        "warehouse_id": receipt.transit_warehouse_id,
        "transfer_in_id": receipt.bill_id,
        "reason": "调拨途损",
    }
    _audit_new(beyond_scope(ctx), StockLoss, receipt, rows, given)


def void_transit_loss(ctx: Context, receipt: int) -> None:
    """Void the loss of a transfer's receipt."""
    void_bills(beyond_scope(ctx), StockLoss, StockLoss.table().c.transfer_in_id == receipt)


def beyond_scope(ctx: Context) -> Context:
    """The same, beyond its user's scope: what is made with his bill may lie in another warehouse or department."""
    return replace(ctx, principal=replace(ctx.principal, companies=None, warehouses=None, own="all"))


def _audit_new(
    ctx: Context, cls: type[Bill], maker: Row[Any], rows: list[dict[str, Any]], given: dict[str, Any]
) -> None:
    """Make and audit a bill with another's header; `given` comes on top."""
    assert cls.bill is not None
    shared = ("company_id", "warehouse_id", "business_date", "department_id", "employee_id")
    header = {**{name: getattr(maker, name) for name in shared}, **given}
    header["total_quantity"] = sum((row["quantity"] for row in rows), Decimal(0))
    lines = [{**row, "line_no": number} for number, row in enumerate(rows, 1)]
    number = numbering.draw(ctx.conn, cls.bill.prefix, maker.company_id, maker.business_date)
    key = drafts.insert(ctx.conn, cls, drafts.Draft(header, {"lines": lines}), number, ctx.principal)
    transitions.move(ctx, cls, "auditorPass", key)


def void_of(ctx: Context, take: int) -> None:
    """Void what a stocktake made, and other bills because it had counted their goods: what took goods away first."""
    for cls in (StockLoss, StockSurplus):
        void_bills(ctx, cls, cls.table().c.stock_take_id == take)


def void_bills(ctx: Context, cls: type[Bill], *which: ColumnElement[bool]) -> None:
    """Void the audited bills of a type that these conditions tell."""
    table = cls.table()
    query = select(table.c.bill_id).where(table.c.status == AUDITED, *which).order_by(table.c.bill_id)
    keys: Sequence[int] = ctx.conn.execute(query).scalars().all()
    for key in keys:
        transitions.move(ctx, cls, "invalid", key)


def _batches(ctx: Context, keys: list[int]) -> dict[int, dict[str, Any]]:
    table = GoodsBatch.table()
    query = select(table.c.batch_id, table.c.batch, table.c.production_date).where(table.c.batch_id.in_(keys))
    found = ctx.conn.execute(query) if keys else ()
    return {row.batch_id: {"batch": row.batch, "production_date": row.production_date} for row in found}
