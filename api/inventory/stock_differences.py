"""Stocktake differences (盘点差异): surplus in (PYRK), loss out (PKCK), and surplus out (PYCK), at the present average.

A stocktake's audit makes the first two and audits them with it; they are taken back only with it. A surplus that proves
none goes out again by a PYCK.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Row, select
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.kit import drafts, numbering, transitions
from api.kit.context import Context
from api.kit.document import Bill, BillType, Block, Document, Rows, Values, declare
from api.kit.errors import Refusal
from api.kit.fields import derived, text
from api.kit.flow import AUDITED, POSTED
from api.kit.posting import Outside, Postings
from api.kit.validation import Problems
from api.master.goods import GoodsBatch
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
_STATUS = "select status from stock_take where bill_id = %s"


def _routes(name: str) -> dict[str, str]:
    head = f"/inventory/takestock/{name}"
    return {"list": head, "add": f"{head}Add", "see": f"{head}See"}


class Difference(MoveBill):
    """A bill that sets stock right."""

    __abstract__ = True

    reason: Mapped[str | None] = text("原因", search=True, sort=-50)

    @declared_attr
    @classmethod
    def stock_take_id(cls) -> Mapped[int | None]:
        return mapped_column(BigInteger, ForeignKey("stock_take.bill_id"), index=True, sort_order=-49)

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        """Once a stocktake stands, what it made stands too."""
        if action == "auditorPass" or not doc.header.stock_take_id:
            return
        if ctx.conn.exec_driver_sql(_STATUS, (doc.header.stock_take_id,)).scalar_one() in POSTED:
            raise Refusal("该单据由盘点单生成，请反审核或作废盘点单")


class StockSurplusLine(ReceiptLine):
    __tablename__ = "stock_surplus_line"
    bill_table = "stock_surplus"
    derived = (cost_of_line("PYRK", sign=""),)


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
        settle_batches(ctx, children["lines"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=inbound(doc, priced=False), outside=Outside("lost"))


class StockLossLine(IssueLine):
    __tablename__ = "stock_loss_line"
    bill_table = "stock_loss"
    derived = (cost_of_line("PKCK"),)


class StockLoss(Difference):
    """盘亏出库"""

    __tablename__ = "stock_loss"
    declaration = declare("盘亏出库", "v2/inventory/StockLoss", routes=_routes("loss"))
    bill = BillType(
        "PKCK",
        (Block("lines", "盘亏明细", StockLossLine),),
        moves=True,
    )
    derived = (derived("stock_take_no", "盘点单号", "text", _NUMBER, width=190, bill=True),)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        moves = outbound(doc)
        if doc.header.stock_take_id:
            # What was counted lies at its place, none included; nothing is picked elsewhere.
            moves = tuple(
                replace(move, allocation_id=move.allocation_id or 0, batch_id=move.batch_id or 0)
                for move in moves
            )
        return Postings(stock=moves, outside=Outside("lost"))


class SurplusOutLine(IssueLine):
    __tablename__ = "surplus_out_line"
    bill_table = "surplus_out"
    derived = (cost_of_line("PYCK"),)


class SurplusOut(MoveBill):
    """盘盈出库"""

    __tablename__ = "surplus_out"
    declaration = declare("盘盈出库", "v2/inventory/SurplusOut", routes=_routes("surplusOut"))
    bill = BillType(
        "PYCK",
        (Block("lines", "出库明细", SurplusOutLine),),
        moves=True,
    )

    reason: Mapped[str | None] = text("原因", search=True, sort=-50)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=outbound(doc), outside=Outside("lost"))


def make(ctx: Context, take: Row[Any], differences: Sequence[tuple[Any, Decimal]]) -> None:
    """Make and audit what sets the counted lines of a stocktake right: (line, counted − book) each."""
    batches = _batches(ctx, [line.batch_id for line, _ in differences if line.batch_id])
    for cls, sign in ((StockSurplus, 1), (StockLoss, -1)):
        rows = [
            {
                "goods_id": line.goods_id,
                "allocation_id": line.allocation_id,
                "batch_id": line.batch_id,
                "quantity": abs(difference),
                "remark": line.remark,
                "tire_numbers": line.tire_numbers,
                **(batches.get(line.batch_id, {}) if sign > 0 else {}),
            }
            for line, difference in differences
            if difference * sign > 0
        ]
        if rows:
            _audit_new(ctx, cls, take, rows)


def _audit_new(ctx: Context, cls: type[Bill], take: Row[Any], rows: list[dict[str, Any]]) -> None:
    assert cls.bill is not None
    shared = ("company_id", "warehouse_id", "business_date", "department_id", "employee_id")
    header = {name: getattr(take, name) for name in shared}
    header |= {"stock_take_id": take.bill_id, "reason": f"盘点单{take.bill_no}"}
    header["total_quantity"] = sum((row["quantity"] for row in rows), Decimal(0))
    lines = [{**row, "line_no": number} for number, row in enumerate(rows, 1)]
    number = numbering.draw(ctx.conn, cls.bill.prefix, take.company_id, take.business_date)
    key = drafts.insert(ctx.conn, cls, drafts.Draft(header, {"lines": lines}), number, ctx.principal)
    transitions.move(ctx, cls, "auditorPass", key)


def void_of(ctx: Context, take: int) -> None:
    """Void what a stocktake made."""
    for cls in (StockLoss, StockSurplus):
        table = cls.table()
        query = select(table.c.bill_id).where(table.c.stock_take_id == take, table.c.status == AUDITED)
        keys: Sequence[int] = ctx.conn.execute(query).scalars().all()
        for key in keys:
            transitions.move(ctx, cls, "invalid", key)


def _batches(ctx: Context, keys: list[int]) -> dict[int, dict[str, Any]]:
    table = GoodsBatch.table()
    query = select(table.c.batch_id, table.c.batch, table.c.production_date).where(table.c.batch_id.in_(keys))
    found = ctx.conn.execute(query) if keys else ()
    return {row.batch_id: {"batch": row.batch, "production_date": row.production_date} for row in found}
