"""Auditing meets the ledgers: what a warehouse allows is looked up, refusals name the goods, stocktakes hold theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select, text

from api import ledger
from api.kit.context import Context
from api.kit.posting import BillRef, Postings
from api.ledger.refusals import LedgerRefusal
from api.master import safety_stock, stock_holds, tire_numbers, tire_steps
from api.master.goods import Goods
from api.master.warehouses import GUARANTEE

_SPECIAL = text(
    "select warehouse_id, allow_negative, type, document_warning from warehouse"
    " where allow_negative or type = :guarantee or document_warning <> 0"
)


class Books:
    """The kit's `Ledgers`, over the ledger package."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None:
        special, places = _special(ctx.conn), stock_holds.places(postings)
        planned = tire_numbers.plan(ctx, bill, postings)
        try:
            ledger.post(ctx.conn, bill, planned.postings, _policy(special))
        except LedgerRefusal as refusal:
            named = _named(ctx, refusal)
            # Who is short of what a stocktake holds, or lost a race for a number, is told of that instead.
            stock_holds.refuse(ctx, places)
            tire_steps.refuse(ctx, [step for step in planned.steps if step.source])
            raise named from None
        # Under the goods' locks, which a hold takes as well.
        stock_holds.refuse(ctx, places)
        tire_steps.apply(ctx, bill, planned.steps, planned.goods)
        warning = frozenset(row.warehouse_id for row in special if row.document_warning)
        if warning:
            safety_stock.hold(ctx, bill, postings, warning)

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None:
        if tire_numbers.any_kept(ctx, (postings for _, postings in bills)):
            # Where a number lies is known once the bill before has moved it.
            for bill, postings in bills:
                self.post(ctx, bill, postings)
            return
        try:
            ledger.post_all(ctx.conn, bills, policy_of(ctx.conn))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal) from None
        stock_holds.refuse(ctx, {place for _, postings in bills for place in stock_holds.places(postings)})

    def reverse(self, ctx: Context, bill: BillRef) -> None:
        try:
            ledger.reverse(ctx.conn, bill, policy_of(ctx.conn))
        except LedgerRefusal as refusal:
            named = _named(ctx, refusal)
            stock_holds.refuse_reversal(ctx, bill)
            raise named from None
        stock_holds.refuse_reversal(ctx, bill)
        tire_steps.reverse(ctx, bill)


def policy_of(conn: Connection) -> ledger.Policy:
    """The warehouses that may go below zero, and those that are valued on their own."""
    return _policy(_special(conn))


def _special(conn: Connection) -> Sequence[Row[Any]]:
    return conn.execute(_SPECIAL, {"guarantee": GUARANTEE}).all()


def _policy(special: Sequence[Row[Any]]) -> ledger.Policy:
    if not special:
        return ledger.STRICT
    return ledger.Policy(
        negative_warehouses=frozenset(row.warehouse_id for row in special if row.allow_negative),
        own_cost_warehouses=frozenset(row.warehouse_id for row in special if row.type == GUARANTEE),
    )


def _named(ctx: Context, refusal: LedgerRefusal) -> LedgerRefusal:
    """Word the refusal with goods' names, read after the failed transaction is undone."""
    wanted = refusal.goods_ids()
    if wanted:
        ctx.conn.rollback()
        table = Goods.table()
        rows = ctx.conn.execute(
            select(table.c.goods_id, table.c.goods_name).where(table.c.goods_id.in_(wanted))
        )
        refusal.name({row.goods_id: row.goods_name for row in rows})
    return refusal
