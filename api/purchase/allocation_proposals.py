"""Allocation of arrivals (到货建议): divides arrived goods among the branches whose plans wait for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import or_, select

from api.kit.bills import source_links
from api.kit.bills.proration import SourceMoney, TakenParts, allocate_by_weight, take_part
from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.flow import AUDITED
from api.kit.scope import scope_condition
from api.kit.storage.projection import MASK
from api.master.organization.companies import Company
from api.master.warehouses.warehouses import Warehouse
from api.purchase.purchase_allocation import PurchaseAllocation
from api.purchase.purchase_plan import PurchasePlan, PurchasePlanLine

PIECE, MILLI = Decimal(1), Decimal("0.001")


def allocate_arrivals(arrived: Decimal, wanted: Sequence[Decimal]) -> list[Decimal]:
    """Allocate an arrived quantity: everyone's demand if it suffices, else whole pieces by demand."""
    if sum(wanted, Decimal(0)) <= arrived:
        return list(wanted)
    parts = allocate_by_weight(arrived, wanted, PIECE)
    return [min(part, want) for part, want in zip(parts, wanted, strict=True)]


def propose_allocation(ctx: Context, company_id: int, warehouse_id: int) -> list[dict[str, Any]]:
    """Propose lines that send arrivals of a warehouse to the warehouses whose plans wait, oldest first."""
    ctx.require_right(PurchasePlan.right("list"))
    place = {"company_id": company_id, "warehouse_id": warehouse_id}
    arrived: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for line in source_links.list_open_lines(ctx, PurchaseAllocation, place)["data"]:
        if MASK not in (line["goods_id"], line["quantity"]):
            arrived[line["goods_id"]].append(line)
    plans: defaultdict[int, list[Any]] = defaultdict(list)
    for plan in _select_waiting_plans(ctx, warehouse_id, arrived):
        plans[plan.goods_id].append(plan)
    hidden = [name for name, mark in _OF_PLAN.items() if not mark.is_visible_to(ctx.principal)]
    return [line for key, wanted in plans.items() for line in _allocate_goods(arrived[key], wanted, hidden)]


_OF_PLAN = {
    "plan_no": from_fields("purchase_plan.bill_no"),
    "to_warehouse_id": from_fields("purchase_plan.warehouse_id"),
    "to_warehouse_name": from_fields("purchase_plan.warehouse_id"),
    "to_company_name": from_fields("purchase_plan.company_id"),
}
"""Fields of a proposed line that come from the waiting plan."""


def _allocate_goods(
    arrived: list[dict[str, Any]], plans: list[Any], hidden: list[str]
) -> list[dict[str, Any]]:
    """Allocate the arrivals of one goods, in their order, to the plans."""
    left = [Decimal(line["quantity"]) for line in arrived]
    taken = [_parse_taken_parts(line) for line in arrived]
    found, place = [], 0
    parts = allocate_arrivals(sum(left, Decimal(0)), [plan.quantity for plan in plans])
    for plan, share in zip(plans, parts, strict=True):
        while share > 0:
            part = min(share, left[place])
            if part > 0:
                line = _build_line(arrived[place], plan, part) | dict.fromkeys(hidden, MASK)
                found.append(line | _take_money(arrived[place], taken[place], part))
            left[place] -= part
            share -= part
            if not left[place]:
                place += 1
    return found


def _build_line(line: dict[str, Any], plan: Any, part: Decimal) -> dict[str, Any]:
    copied = ("plan_line_id", "plan_no", "to_warehouse_id", "to_warehouse_name", "to_company_name")
    return {
        **line,
        **{name: getattr(plan, name) for name in copied},
        "quantity": part.quantize(MILLI),
    }


def _parse_taken_parts(line: dict[str, Any]) -> TakenParts:
    """Return the parts of an arrival's money taken by others; empty for who may not see it."""
    drawn = line["drawn"]
    names = ("taken_quantity", "taken_amount", "taken_discount", "taken_tax")
    return TakenParts(*(drawn[name] for name in names)) if drawn else TakenParts()


def _take_money(line: dict[str, Any], taken: TakenParts, quantity: Decimal) -> dict[str, Any]:
    """Take and return the money of so much more of an arrival."""
    drawn = line["drawn"]
    if not drawn:
        # What is left out follows its source, which the server knows.
        return {"discount_amount": MASK if line["discount_amount"] == MASK else None}
    names = ("quantity", "amount", "discount_amount", "tax_amount")
    part = take_part(SourceMoney(*(drawn[name] for name in names)), taken, quantity)
    taken.add(quantity, part)
    return {
        "amount": part.amount,
        "discount_amount": part.discount_amount,
        "tax_amount": part.tax_amount,
        "no_tax_amount": part.amount - part.tax_amount,
        "drawn": {**drawn, "proposed_discount": part.discount_amount},
    }


def _select_waiting_plans(ctx: Context, warehouse_id: int, goods: Any) -> Any:
    """Select unfulfilled lines of open plans of other warehouses."""
    head, own = PurchasePlan.table(), PurchasePlanLine.table()
    there, company = Warehouse.table(), Company.table()
    query = (
        select(
            own.c.line_id.label("plan_line_id"),
            own.c.goods_id,
            (own.c.quantity - own.c.executed_quantity).label("quantity"),
            head.c.bill_no.label("plan_no"),
            head.c.warehouse_id.label("to_warehouse_id"),
            there.c.warehouse_name.label("to_warehouse_name"),
            company.c.company_name.label("to_company_name"),
        )
        .join_from(own, head, own.c.bill_id == head.c.bill_id)
        .join(there, there.c.warehouse_id == head.c.warehouse_id)
        .join(company, company.c.company_id == there.c.company_id)
        .where(
            own.c.goods_id.in_(sorted(goods)),
            own.c.quantity > own.c.executed_quantity,
            or_(head.c.status == AUDITED, head.c.locked_from == AUDITED),
            head.c.warehouse_id != warehouse_id,
            scope_condition(head, ctx.principal),
        )
        .order_by(head.c.business_date, own.c.line_id)
    )
    return ctx.conn.execute(query)
