"""Auditing meets the ledgers: what a warehouse allows is looked up, refusals name the goods."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, text

from api import ledger
from api.kit import registry
from api.kit.context import Context
from api.kit.errors import Way
from api.kit.posting import BillRef, Postings
from api.kit.projection import masks
from api.kit.reasons import see_bill, see_list
from api.ledger.refusals import (
    SHOWN,
    BelowZeroValue,
    CostUsed,
    LedgerRefusal,
    OverWriteOff,
    PastShortage,
    PeriodClosed,
    Shortage,
)
from api.master import first_costs, order_cuts, safety_stock, tire_numbers, tire_steps
from api.master.goods import names_of
from api.master.warehouses import DEFECTIVE, GUARANTEE

# One statement, since every audit asks it: the warehouses with rules of their own, and whether any of these goods is
# kept by number, or what a bill moved may have been taken back where it was counted.
_PREMISES = text("""
select
    array(select warehouse_id from warehouse where allow_negative) as negative,
    array(select warehouse_id from warehouse where type = :guarantee) as own_cost,
    array(select warehouse_id from warehouse where type = :defective) as frozen,
    array(select warehouse_id from warehouse where document_warning <> 0) as warning,
    exists (select from goods where is_numbered and goods_id = any (cast(:goods as bigint[]))) as numbered,
    exists (select from stock_loss where late_bill_id = any (cast(:bills as bigint[]))) as corrected
""")


class LateMoves(Protocol):
    """What becomes of bills that are dated before stocktakes; `api.inventory` says it."""

    def give_way(self, ctx: Context, bill: BillRef) -> None: ...

    def settle(self, ctx: Context, bill: BillRef) -> None: ...

    def find_ways(self, ctx: Context, bill: BillRef, short: Collection[tuple[int, int]]) -> Iterator[Way]: ...


_late_moves: LateMoves | None = None


def set_late_moves(moves: LateMoves) -> None:
    """The stocktakes say what becomes of bills that are dated before them."""
    global _late_moves
    _late_moves = moves


def late_moves() -> LateMoves:
    """What was set."""
    assert _late_moves is not None
    return _late_moves


class Books:
    """The kit's `Ledgers`, over the ledger package."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None:
        premises = _premises(ctx.conn, [(bill, postings)])
        if premises.corrected:
            late_moves().give_way(ctx, bill)
        planned = tire_numbers.Plan(postings)
        if premises.numbered:
            with ctx.part():
                planned = tire_numbers.plan(ctx, bill, postings)
        try:
            counted = ledger.post(ctx.conn, bill, planned.postings, _policy(premises))
        except LedgerRefusal as refusal:
            named = _named(ctx, refusal, bill)
            # Who lost a race for a number is told of it, not of the stock that went with it.
            ctx.conn.rollback()
            tire_steps.refuse(ctx, bill, [step for step in planned.steps if step.source])
            raise named from None
        tire_steps.apply(ctx, bill, planned.steps, planned.goods)
        if postings.counted:
            order_cuts.report_cuts(ctx, bill)
        if premises.warning:
            with ctx.part():
                safety_stock.hold(ctx, bill, postings, frozenset(premises.warning))
        with ctx.part():
            first_costs.require_costs(ctx, bill, postings)
        if counted or premises.corrected:
            late_moves().settle(ctx, bill)

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None:
        premises = _premises(ctx.conn, bills)
        if premises.numbered or premises.corrected:
            # Where a number lies is known once the bill before has moved it, and what was taken back gives way first.
            for bill, postings in bills:
                self.post(ctx, bill, postings)
            return
        try:
            counted = ledger.post_all(ctx.conn, bills, _policy(premises))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal, bills[0][0]) from None
        for bill, postings in bills:
            first_costs.require_costs(ctx, bill, postings)
            if counted:
                late_moves().settle(ctx, bill)

    def reverse(self, ctx: Context, bill: BillRef) -> None:
        late_moves().give_way(ctx, bill)
        try:
            ledger.reverse(ctx.conn, bill, _policy(_premises(ctx.conn, ())))
        except LedgerRefusal as refusal:
            raise _named(ctx, refusal, bill) from None
        tire_steps.reverse(ctx, bill)
        late_moves().settle(ctx, bill)


class Premises(NamedTuple):
    """What a posting meets: warehouses with rules of their own, whether it is about numbered pieces, and whether what
    it moves may have been taken back where it was counted before."""

    negative: Sequence[int]
    own_cost: Sequence[int]
    frozen: Sequence[int]
    warning: Sequence[int]
    numbered: bool
    corrected: bool


def _premises(conn: Connection, bills: Sequence[tuple[BillRef, Postings]]) -> Premises:
    postings = [one for _, one in bills]
    goods = {move.goods_id for one in postings for move in one.stock}
    values = {
        "guarantee": GUARANTEE,
        "defective": DEFECTIVE,
        "goods": sorted(goods),
        "bills": [bill.bill_id for bill, _ in bills],
    }
    row = conn.execute(_PREMISES, values).one()
    named = any(one.registrations or any(move.tire_numbers for move in one.stock) for one in postings)
    return Premises(row.negative, row.own_cost, row.frozen, row.warning, row.numbered or named, row.corrected)


def _policy(premises: Premises) -> ledger.Policy:
    return ledger.Policy(
        negative_warehouses=frozenset(premises.negative),
        own_cost_warehouses=frozenset(premises.own_cost),
        frozen_warehouses=frozenset(premises.frozen),
    )


def _named(ctx: Context, refusal: LedgerRefusal, bill: BillRef) -> LedgerRefusal:
    """Word the refusal with goods' names, read after the failed transaction is undone, and no amount that is hidden."""
    refusal.hide(_hidden_of(ctx, refusal, bill))
    wanted = refusal.goods_ids()
    names: dict[int, str] = {}
    if wanted:
        ctx.conn.rollback()
        names = names_of(ctx.conn, wanted)
        refusal.name(names)
    refusal.ways = tuple(_ways(ctx, refusal, bill, names))
    return refusal


def _ways(ctx: Context, refusal: LedgerRefusal, bill: BillRef, names: Mapping[int, str]) -> Iterator[Way]:
    """Where to see what stands in the way: the stock that is missing, the bills that took it, the closed month."""
    told = refusal.causes if isinstance(refusal.causes, dict) else {"lines": refusal.causes}
    if isinstance(refusal, Shortage | PastShortage):
        short = {(row["goods_id"], row["warehouse_id"]): row for row in told["lines"]}
        for goods, warehouse in list(short)[:SHOWN]:
            label = f"查看{names.get(goods, '商品')}的库存"
            yield see_list("stock_detail", label, goods_id=goods, warehouse_id=warehouse)
        yield from late_moves().find_ways(ctx, bill, short)
        yield Way("减少数量，或换有货的仓库、库位、批次；要先入库的，入库审核后再审核本单")
    for other in told.get("bills") or ():
        cls = registry.prefixes().get(other.get("bill_type", ""))
        if cls and other.get("bill_id"):
            yield see_bill(cls, other["bill_id"], other["bill_no"])
    if isinstance(refusal, PeriodClosed):
        yield see_list("month_close", "查看月结")


def _hidden_of(ctx: Context, refusal: LedgerRefusal, bill: BillRef) -> frozenset[str]:
    """What of a refusal's causes the principal may not see: costs, or what is open of items that a bill settles."""
    if isinstance(refusal, CostUsed | BelowZeroValue) and not ctx.principal.sees_cost:
        return frozenset({"amount"})
    if isinstance(refusal, OverWriteOff):
        [block, *_] = registry.prefixes()[bill.bill_type].blocks()
        return masks(block.cls, block.cls.name(), ctx.principal) & {"open_amount", "amount"}
    return frozenset()
