"""Auditing meets the ledgers: what a warehouse allows is looked up, and refusals name the goods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select, text

from api import ledger
from api.kit.context import Context
from api.kit.posting import BillRef, Postings
from api.ledger.refusals import LedgerRefusal
from api.master import safety_stock
from api.master.goods import Goods
from api.master.warehouses import GUARANTEE

_SPECIAL = text(
    "select warehouse_id, allow_negative, type, document_warning from warehouse"
    " where allow_negative or type = :guarantee or document_warning <> 0"
)


class Books:
    """The kit's `Ledgers`, over the ledger package."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None:
        special = _special(ctx.conn)
        try:
            ledger.post(ctx.conn, bill, postings, _policy(special))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal) from None
        warning = frozenset(row.warehouse_id for row in special if row.document_warning)
        if warning:
            safety_stock.hold(ctx, bill, postings, warning)

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None:
        try:
            ledger.post_all(ctx.conn, bills, policy_of(ctx.conn))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal) from None

    def reverse(self, ctx: Context, bill: BillRef) -> None:
        try:
            ledger.reverse(ctx.conn, bill, policy_of(ctx.conn))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal) from None


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
