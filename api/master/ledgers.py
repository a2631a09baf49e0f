"""Auditing meets the ledgers: what a warehouse allows is looked up, refusals name the goods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, text

from api import ledger
from api.kit.context import Context
from api.kit.posting import BillRef, Postings
from api.ledger.refusals import LedgerRefusal
from api.master import safety_stock, tire_numbers, tire_steps
from api.master.goods import names_of
from api.master.warehouses import GUARANTEE

# One statement, since every audit asks it: the warehouses with rules of their own, and whether any of these goods is
# kept by number.
_PREMISES = text("""
select
    array(select warehouse_id from warehouse where allow_negative) as negative,
    array(select warehouse_id from warehouse where type = :guarantee) as own_cost,
    array(select warehouse_id from warehouse where document_warning <> 0) as warning,
    exists (select from goods where is_numbered and goods_id = any (cast(:goods as bigint[]))) as numbered
""")


class Books:
    """The kit's `Ledgers`, over the ledger package."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None:
        premises = _premises(ctx.conn, [postings])
        planned = tire_numbers.plan(ctx, bill, postings) if premises.numbered else tire_numbers.Plan(postings)
        try:
            ledger.post(ctx.conn, bill, planned.postings, _policy(premises))
        except LedgerRefusal as refusal:
            named = _named(ctx, refusal)
            # Who lost a race for a number is told of it, not of the stock that went with it.
            tire_steps.refuse(ctx, [step for step in planned.steps if step.source])
            raise named from None
        tire_steps.apply(ctx, bill, planned.steps, planned.goods)
        if premises.warning:
            safety_stock.hold(ctx, bill, postings, frozenset(premises.warning))

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None:
        premises = _premises(ctx.conn, [postings for _, postings in bills])
        if premises.numbered:
            # Where a number lies is known once the bill before has moved it.
            for bill, postings in bills:
                self.post(ctx, bill, postings)
            return
        try:
            ledger.post_all(ctx.conn, bills, _policy(premises))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal) from None

    def reverse(self, ctx: Context, bill: BillRef) -> None:
        try:
            ledger.reverse(ctx.conn, bill, _policy(_premises(ctx.conn, ())))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal) from None
        tire_steps.reverse(ctx, bill)


class Premises(NamedTuple):
    """What masters say about a posting: warehouses with rules of their own, and whether it is about numbered pieces."""

    negative: Sequence[int]
    own_cost: Sequence[int]
    warning: Sequence[int]
    numbered: bool


def _premises(conn: Connection, postings: Sequence[Postings]) -> Premises:
    goods = {move.goods_id for one in postings for move in one.stock}
    row = conn.execute(_PREMISES, {"guarantee": GUARANTEE, "goods": sorted(goods)}).one()
    named = any(one.registrations or any(move.tire_numbers for move in one.stock) for one in postings)
    return Premises(row.negative, row.own_cost, row.warning, row.numbered or named)


def _policy(premises: Premises) -> ledger.Policy:
    return ledger.Policy(
        negative_warehouses=frozenset(premises.negative), own_cost_warehouses=frozenset(premises.own_cost)
    )


def _named(ctx: Context, refusal: LedgerRefusal) -> LedgerRefusal:
    """Word the refusal with goods' names, read after the failed transaction is undone."""
    wanted = refusal.goods_ids()
    if wanted:
        ctx.conn.rollback()
        refusal.name(names_of(ctx.conn, wanted))
    return refusal
