"""Shares of arrivals (到货建议): who gets how much of what came, by what the branches' plans still wait for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import or_, select

from api.kit import links, pricing
from api.kit.context import Context
from api.kit.flow import AUDITED
from api.kit.projection import MASK
from api.kit.scope import within
from api.master.organisation import Company
from api.master.warehouses import Warehouse
from api.purchase.purchase_allocation import PurchaseAllocation
from api.purchase.purchase_plan import PurchasePlan, PurchasePlanLine


def shares(arrived: Decimal, wanted: Sequence[Decimal]) -> list[Decimal]:
    """What each gets of so much: what he wants, else whole pieces by what he wants of all.

    The pieces that are left over by that go to the largest remainders, the first of equal ones.
    """
    whole = sum(wanted, Decimal(0))
    if whole <= arrived:
        return list(wanted)
    exact = [arrived * want / whole for want in wanted]
    parts = [Decimal(int(part)) for part in exact]
    left = int(arrived - sum(parts))
    for place in sorted(range(len(parts)), key=lambda place: parts[place] - exact[place])[:left]:
        parts[place] = min(parts[place] + 1, wanted[place])
    return parts


def proposed(ctx: Context, company_id: int, warehouse_id: int) -> list[dict[str, Any]]:
    """What arrived in a warehouse, as lines to the warehouses whose plans wait for it, oldest first."""
    ctx.require(PurchasePlan.right("list"))
    place = {"company_id": company_id, "warehouse_id": warehouse_id}
    arrived: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for line in links.open_lines(ctx, PurchaseAllocation, place)["data"]:
        if MASK not in (line["goods_id"], line["quantity"]):
            arrived[line["goods_id"]].append(line)
    plans: defaultdict[int, list[Any]] = defaultdict(list)
    for plan in _waiting(ctx, warehouse_id, arrived):
        plans[plan.goods_id].append(plan)
    return [line for key, wanted in plans.items() for line in _shared(arrived[key], wanted)]


def _shared(arrived: list[dict[str, Any]], plans: list[Any]) -> list[dict[str, Any]]:
    """The lines of one goods: each plan's share, taken from the arrivals in their order."""
    left = [Decimal(line["quantity"]) for line in arrived]
    found, place = [], 0
    for plan, share in zip(plans, shares(sum(left, Decimal(0)), [p.quantity for p in plans]), strict=True):
        while share > 0:
            part = min(share, left[place])
            if part > 0:
                found.append(_line(arrived[place], plan, part))
            left[place] -= part
            share -= part
            if not left[place]:
                place += 1
    return found


def _line(line: dict[str, Any], plan: Any, part: Decimal) -> dict[str, Any]:
    discount = line["discount_amount"]
    if discount != MASK:
        discount = pricing.share(Decimal(discount), part, Decimal(line["quantity"]))
    told = ("plan_line_id", "plan_no", "to_warehouse_id", "to_warehouse_name", "to_company_name")
    return {
        **line,
        **{name: getattr(plan, name) for name in told},
        "quantity": part.quantize(Decimal("0.001")),
        "discount_amount": discount,
    }


def _waiting(ctx: Context, warehouse_id: int, goods: Any) -> Any:
    """Lines of other warehouses' open plans that something is left of."""
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
            within(head, ctx.principal),
        )
        .order_by(head.c.business_date, own.c.line_id)
    )
    return ctx.conn.execute(query)
