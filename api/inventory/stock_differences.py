"""Stocktake differences (盘点差异): surplus in (PYRK), loss out (PKCK) and surplus out (PYCK), at the moving
average.

A stocktake's audit creates and audits the first two; they are reversed only with it. Another bill's audit
creates them where its goods were counted before it was posted (late_moves.py). A surplus that proves wrong
goes out again by a PYCK.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Row, Text, select
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.inventory import stock_counts
from api.kit.bills import drafts, numbering, transitions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import COST, derived_field, price_field, text_field
from api.kit.declaration.flow import AUDITED, POSTED
from api.kit.declaration.posting import Outside, Postings
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.master.goods.goods import GoodsBatch
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import (
    IssueLine,
    MoveBill,
    ReceiptLine,
    build_inbound_moves,
    build_outbound_moves,
    line_cost_column,
    resolve_batches,
)

_NUMBER = "(select t.bill_no from stock_take t where t.bill_id = {table}.stock_take_id)"
_RECEIPT = "(select t.bill_no from transfer_in t where t.bill_id = {table}.transfer_in_id)"
_RECEIVED = "select bill_no, status from transfer_in where bill_id = %s"
_TAKEN = "select bill_no, status from stock_take where bill_id = %s"


def _build_routes(name: str) -> dict[str, str]:
    head = f"/inventory/takestock/{name}"
    return {"list": head, "add": f"{head}Add", "see": f"{head}See"}


class StockDifference(MoveBill):
    """Bill that corrects the stock quantity."""

    __abstract__ = True

    reason: Mapped[str | None] = text_field("原因", free=True, search=True, sort=-50)

    @declared_attr
    @classmethod
    def stock_take_id(cls) -> Mapped[int | None]:
        return mapped_column(BigInteger, ForeignKey("stock_take.bill_id"), index=True, sort_order=-49)

    late_type: Mapped[str | None] = mapped_column(Text, sort_order=-48)
    late_bill_id: Mapped[int | None] = mapped_column(BigInteger, index=True, sort_order=-47)
    late_bill_no: Mapped[str | None] = text_field("已盘后审单据", form=False, bill=True, width=190, sort=-46)
    """The bill that was posted after its goods had been counted; this one takes its effect back."""

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        """Forbid the reversal while the stocktake, or the bill that it corrects, is in force."""
        if action == "auditorPass":
            return
        assert cls.bill is not None
        header = doc.header
        taken = ctx.conn.exec_driver_sql(_TAKEN, (header.stock_take_id,)).first()
        stands = taken is not None and taken.status in POSTED
        if header.late_bill_id:
            late = registry.map_prefixes()[header.late_type]
            found = select(late.table().c.status).where(late.key() == header.late_bill_id)
            by_it = (f"late {header.late_type}", header.late_bill_id) in ctx.lookup_cache
            if not by_it and stands and ctx.conn.execute(found).scalar() in POSTED:
                raise Refusal(
                    f"该单据由{late.declaration.label}{header.late_bill_no}生成，请反审核或作废{late.declaration.label}"
                )
        elif taken is not None and stands:
            raise Refusal(f"该单据由盘点单{taken.bill_no}生成，请反审核或作废盘点单")
        elif not header.stock_take_id:
            stock_counts.forbid_reversal_if_counted(ctx, cls.bill.prefix, doc)


class StockSurplusLine(ReceiptLine):
    __tablename__ = "stock_surplus_line"
    bill_table = "stock_surplus"
    derived = (line_cost_column("PYRK", sign=""),)

    unit_cost: Mapped[Decimal | None] = price_field(
        "盘盈单位成本", default=None, copied=False, rule="Positive", permission=COST, width=110, sort=20
    )
    """Unit cost where neither an average nor a receipt has one."""


class StockSurplus(StockDifference):
    """盘盈入库"""

    __tablename__ = "stock_surplus"
    declaration = declare_bill("盘盈入库", "v2/inventory/StockSurplus", routes=_build_routes("surplus"))
    bill = BillType(
        "PYRK",
        (Block("lines", "盘盈明细", StockSurplusLine),),
        moves=True,
    )
    derived = (derived_field("stock_take_no", "盘点单号", "text", _NUMBER, width=190, bill=True),)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        resolve_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        moves = zip(build_inbound_moves(doc, priced=False), doc.lines, strict=True)
        stock = tuple(replace(move, fallback_unit_cost=line.unit_cost) for move, line in moves)
        return Postings(stock=stock, outside=Outside("lost"), as_it_lies=True)


class StockLossLine(IssueLine):
    __tablename__ = "stock_loss_line"
    bill_table = "stock_loss"
    derived = (line_cost_column("PKCK"), *picked_columns("PKCK"))

    transfer_line_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("transfer_out_line.line_id"), index=True, sort_order=91
    )
    """The transfer line whose pieces were lost in transit."""


class StockLoss(StockDifference):
    """盘亏出库"""

    __tablename__ = "stock_loss"
    declaration = declare_bill("盘亏出库", "v2/inventory/StockLoss", routes=_build_routes("loss"))
    bill = BillType(
        "PKCK",
        (Block("lines", "盘亏明细", StockLossLine),),
        moves=True,
    )
    derived = (
        derived_field("stock_take_no", "盘点单号", "text", _NUMBER, width=190, bill=True),
        derived_field("transfer_in_no", "调拨入库单号", "text", _RECEIPT, width=190, bill=True),
    )

    transfer_in_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("transfer_in.bill_id"), index=True, sort_order=-45
    )

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        """Forbid the reversal of a transit loss while the transfer's receipt is in force."""
        if not doc.header.transfer_in_id:
            super().check_transition(ctx, doc, action)
        elif action != "auditorPass":
            received = ctx.conn.exec_driver_sql(_RECEIVED, (doc.header.transfer_in_id,)).one()
            if received.status in POSTED:
                raise Refusal(f"该单据由调拨入库{received.bill_no}生成，请反审核或作废调拨入库")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        if doc.header.transfer_in_id:
            lost = build_outbound_moves(doc, frozen=True, origin=lambda line: ("DBCK", line.transfer_line_id))
            return Postings(stock=lost, outside=Outside("lost"))
        moves = build_outbound_moves(doc)
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
    derived = (line_cost_column("PYCK"), *picked_columns("PYCK"))


class SurplusOut(MoveBill):
    """盘盈出库"""

    __tablename__ = "surplus_out"
    declaration = declare_bill("盘盈出库", "v2/inventory/SurplusOut", routes=_build_routes("surplusOut"))
    bill = BillType(
        "PYCK",
        (Block("lines", "出库明细", SurplusOutLine),),
        moves=True,
    )

    reason: Mapped[str | None] = text_field("原因", free=True, search=True, sort=-50)

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action != "auditorPass":
            stock_counts.forbid_reversal_if_counted(ctx, "PYCK", doc)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_outbound_moves(doc), outside=Outside("lost"), as_it_lies=True)


def create_difference_bills(ctx: Context, take: Row[Any], differences: Sequence[tuple[Any, Decimal]]) -> None:
    """Create and audit the bills that correct a stocktake's lines: (line, counted − book) each."""
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
    create_audited_bills(ctx, take, rows, reason="盘点差异")


def create_audited_bills(ctx: Context, take: Row[Any], rows: Sequence[dict[str, Any]], **given: Any) -> None:
    """Create and audit the difference bills of a stocktake: surplus of positive rows, loss of negative ones.

    `given` comes on top of the header values shared with the stocktake.
    """
    batches = _read_batches(ctx, [row["batch_id"] for row in rows if row["batch_id"]])
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
            _create_audited_bill(ctx, cls, take, lines, {"stock_take_id": take.bill_id, **given})


def audit_transit_loss(ctx: Context, receipt: Row[Any], rows: list[dict[str, Any]]) -> None:
    """Create and audit the loss that a transfer's receipt records, out of the stock in transit."""
    given = {
        "warehouse_id": receipt.transit_warehouse_id,
        "transfer_in_id": receipt.bill_id,
        "reason": "调拨途损",
    }
    _create_audited_bill(widen_scope(ctx), StockLoss, receipt, rows, given)


def void_transit_loss(ctx: Context, receipt: int) -> None:
    """Void the loss of a transfer's receipt."""
    void_bills(widen_scope(ctx), StockLoss, StockLoss.table().c.transfer_in_id == receipt)


def widen_scope(ctx: Context) -> Context:
    """Return the context without the user's data scope: bills created with his may lie elsewhere."""
    return replace(ctx, principal=replace(ctx.principal, companies=None, warehouses=None, own="all"))


def _create_audited_bill(
    ctx: Context, cls: type[Bill], maker: Row[Any], rows: list[dict[str, Any]], given: dict[str, Any]
) -> None:
    """Create and audit a bill with another's header; `given` comes on top."""
    assert cls.bill is not None
    shared = ("company_id", "warehouse_id", "business_date", "department_id", "employee_id")
    header = {**{name: getattr(maker, name) for name in shared}, **given}
    header["total_quantity"] = sum((row["quantity"] for row in rows), Decimal(0))
    lines = [{**row, "line_no": number} for number, row in enumerate(rows, 1)]
    number = numbering.draw_number(ctx.conn, cls.bill.prefix, maker.company_id, maker.business_date)
    key = drafts.insert_draft(ctx.conn, cls, drafts.Draft(header, {"lines": lines}), number, ctx.principal)
    transitions.apply_transition(ctx, cls, "auditorPass", key)


def void_difference_bills(ctx: Context, take: int) -> None:
    """Void the difference bills of a stocktake, late corrections included; losses first."""
    for cls in (StockLoss, StockSurplus):
        void_bills(ctx, cls, cls.table().c.stock_take_id == take)


def void_bills(ctx: Context, cls: type[Bill], *which: ColumnElement[bool]) -> None:
    """Void the audited bills of a type that meet the conditions."""
    table = cls.table()
    query = select(table.c.bill_id).where(table.c.status == AUDITED, *which).order_by(table.c.bill_id)
    keys: Sequence[int] = ctx.conn.execute(query).scalars().all()
    for key in keys:
        transitions.apply_transition(ctx, cls, "invalid", key)


def _read_batches(ctx: Context, keys: list[int]) -> dict[int, dict[str, Any]]:
    table = GoodsBatch.table()
    query = select(table.c.batch_id, table.c.batch, table.c.production_date).where(table.c.batch_id.in_(keys))
    found = ctx.conn.execute(query) if keys else ()
    return {row.batch_id: {"batch": row.batch, "production_date": row.production_date} for row in found}
