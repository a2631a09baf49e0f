"""Ledger gateway (过账): posts bills to the ledgers with the warehouses' rules, and names goods in refusals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, text

from api import ledger
from api.kit.bills.refusal_causes import link_to_bill, link_to_list
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.posting import BillRef, Postings
from api.kit.errors import Remedy
from api.kit.storage.projection import masked_names
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
from api.master.goods.goods import read_goods_names
from api.master.stock import inbound_costs, reservation_losses, tyre_numbers, tyre_steps
from api.master.warehouses import safety_stock
from api.master.warehouses.warehouses import DEFECTIVE, GUARANTEE

# One statement, since every audit asks it: the warehouses with rules of their own, and whether any of these goods is
# kept by number, or what a bill moved may have been taken back where it was counted.
_POSTING_CONTEXT = text("""
select
    array(select warehouse_id from warehouse where allow_negative) as negative,
    array(select warehouse_id from warehouse where type = :guarantee) as own_cost,
    array(select warehouse_id from warehouse where type = :defective) as frozen,
    array(select warehouse_id from warehouse where document_warning <> 0) as warning,
    exists (select from goods where is_numbered and goods_id = any (cast(:goods as bigint[]))) as numbered,
    exists (select from stock_loss where late_bill_id = any (cast(:bills as bigint[]))) as corrected
""")


class LateMoves(Protocol):
    """Handler of bills dated before stocktakes; `api.inventory` supplies it."""

    def void_corrections(self, ctx: Context, bill: BillRef) -> None: ...

    def reconcile_counts(self, ctx: Context, bill: BillRef) -> None: ...

    def find_ways(
        self, ctx: Context, bill: BillRef, short: Collection[tuple[int, int]]
    ) -> Iterator[Remedy]: ...


_late_move_handler: LateMoves | None = None


def set_late_move_handler(moves: LateMoves) -> None:
    """Set the handler of bills that are dated before stocktakes."""
    global _late_move_handler
    _late_move_handler = moves


def get_late_move_handler() -> LateMoves:
    """Return the handler that was set."""
    assert _late_move_handler is not None
    return _late_move_handler


class LedgerGateway:
    """The kit's `Ledgers`, over the ledger package."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None:
        premises = _read_posting_context(ctx.conn, [(bill, postings)])
        if premises.corrected:
            get_late_move_handler().void_corrections(ctx, bill)
        planned = tyre_numbers.NumberPlan(postings)
        if premises.numbered:
            with ctx.collecting_refusals():
                planned = tyre_numbers.plan_numbers(ctx, bill, postings)
        try:
            counted = ledger.post_bill(ctx.conn, bill, planned.postings, _build_policy(premises))
        except LedgerRefusal as refusal:
            named = _name_goods(ctx, refusal, bill)
            # Who lost a race for a number is told of it, not of the stock that went with it.
            ctx.conn.rollback()
            tyre_steps.validate_steps(ctx, bill, [step for step in planned.steps if step.source])
            raise named from None
        tyre_steps.apply_steps(ctx, bill, planned.steps, planned.goods)
        if postings.counted:
            reservation_losses.report_reservation_losses(ctx, bill)
        if premises.warning:
            with ctx.collecting_refusals():
                safety_stock.enforce_safety_stock(ctx, bill, postings, frozenset(premises.warning))
        with ctx.collecting_refusals():
            inbound_costs.require_inbound_costs(ctx, bill, postings)
        if counted or premises.corrected:
            get_late_move_handler().reconcile_counts(ctx, bill)

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None:
        premises = _read_posting_context(ctx.conn, bills)
        if premises.numbered or premises.corrected:
            # Where a number lies is known once the bill before has moved it, and what was taken back gives way first.
            for bill, postings in bills:
                self.post(ctx, bill, postings)
            return
        try:
            counted = ledger.post_bills(ctx.conn, bills, _build_policy(premises))
        except LedgerRefusal as refusal:
            raise _name_goods(ctx, refusal, bills[0][0]) from None
        for bill, postings in bills:
            inbound_costs.require_inbound_costs(ctx, bill, postings)
            if counted:
                get_late_move_handler().reconcile_counts(ctx, bill)

    def reverse(self, ctx: Context, bill: BillRef) -> None:
        get_late_move_handler().void_corrections(ctx, bill)
        try:
            ledger.reverse_bill(ctx.conn, bill, _build_policy(_read_posting_context(ctx.conn, ())))
        except LedgerRefusal as refusal:
            raise _name_goods(ctx, refusal, bill) from None
        tyre_steps.reverse_steps(ctx, bill)
        get_late_move_handler().reconcile_counts(ctx, bill)


class PostingContext(NamedTuple):
    """Data looked up before posting.

    Warehouses with rules of their own, whether goods are kept by number, and whether corrections of
    stocktakes have to be withdrawn first.
    """

    negative: Sequence[int]
    own_cost: Sequence[int]
    frozen: Sequence[int]
    warning: Sequence[int]
    numbered: bool
    corrected: bool


def _read_posting_context(conn: Connection, bills: Sequence[tuple[BillRef, Postings]]) -> PostingContext:
    postings = [one for _, one in bills]
    goods = {move.goods_id for one in postings for move in one.stock}
    values = {
        "guarantee": GUARANTEE,
        "defective": DEFECTIVE,
        "goods": sorted(goods),
        "bills": [bill.bill_id for bill, _ in bills],
    }
    row = conn.execute(_POSTING_CONTEXT, values).one()
    named = any(one.registrations or any(move.tire_numbers for move in one.stock) for one in postings)
    return PostingContext(
        row.negative, row.own_cost, row.frozen, row.warning, row.numbered or named, row.corrected
    )


def _build_policy(premises: PostingContext) -> ledger.Policy:
    return ledger.Policy(
        negative_warehouses=frozenset(premises.negative),
        own_cost_warehouses=frozenset(premises.own_cost),
        frozen_warehouses=frozenset(premises.frozen),
    )


def _name_goods(ctx: Context, refusal: LedgerRefusal, bill: BillRef) -> LedgerRefusal:
    """Name the goods in a refusal and mask hidden amounts; rolls the failed transaction back before it reads."""
    refusal.mask_fields(_list_hidden_fields(ctx, refusal, bill))
    wanted = refusal.goods_ids()
    names: dict[int, str] = {}
    if wanted:
        ctx.conn.rollback()
        names = read_goods_names(ctx.conn, wanted)
        refusal.name_goods(names)
    refusal.remedies = tuple(_find_ways(ctx, refusal, bill, names))
    return refusal


def _find_ways(
    ctx: Context, refusal: LedgerRefusal, bill: BillRef, names: Mapping[int, str]
) -> Iterator[Remedy]:
    """Yield links to what is in the way: the missing stock, the bills that took it, the closed month."""
    causes = refusal.causes if isinstance(refusal.causes, dict) else {"lines": refusal.causes}
    if isinstance(refusal, Shortage | PastShortage):
        short = {(row["goods_id"], row["warehouse_id"]): row for row in causes["lines"]}
        for goods, warehouse in list(short)[:SHOWN]:
            label = f"查看{names.get(goods, '商品')}的库存"
            yield link_to_list("stock_detail", label, goods_id=goods, warehouse_id=warehouse)
        yield from get_late_move_handler().find_ways(ctx, bill, short)
        yield Remedy("减少数量，或换有货的仓库、库位、批次；要先入库的，入库审核后再审核本单")
    for other in causes.get("bills") or ():
        cls = registry.map_prefixes().get(other.get("bill_type", ""))
        if cls and other.get("bill_id"):
            yield link_to_bill(cls, other["bill_id"], other["bill_no"])
    if isinstance(refusal, PeriodClosed):
        yield link_to_list("month_close", "查看月结")


def _list_hidden_fields(ctx: Context, refusal: LedgerRefusal, bill: BillRef) -> frozenset[str]:
    """Return the fields of a refusal's causes that the principal may not see: costs, or open amounts of
    items."""
    if isinstance(refusal, CostUsed | BelowZeroValue) and not ctx.principal.sees_cost:
        return frozenset({"amount"})
    if isinstance(refusal, OverWriteOff):
        [block, *_] = registry.map_prefixes()[bill.bill_type].blocks()
        return masked_names(block.cls, block.cls.name(), ctx.principal) & {"open_amount", "amount"}
    return frozenset()
