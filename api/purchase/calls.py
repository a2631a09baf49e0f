"""Calls of this domain beyond the declared ones (未核销单据、采购计划与到货分配建议、批量开票)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query

from api.kit.context import Context
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Oldest
from api.master.settlements.invoices import Invoicing, invoice_bills
from api.master.settlements.open_items import OpenItem, list_open_items
from api.purchase import allocation_proposals, replenishment
from api.purchase.prepaid_offset import PrepaidOffset
from api.purchase.purchase_allocation import API as ALLOCATION
from api.purchase.purchase_allocation import PurchaseAllocation
from api.purchase.purchase_invoice import PurchaseUninvoiced
from api.purchase.purchase_plan import API as PLAN
from api.purchase.purchase_plan import PurchasePlan
from api.purchase.replenishment import ProposedLine
from api.purchase.supplier_payment import SupplierPayment

api = build_router()


def _get_open_items(ctx: Context, company_id: Key, supplier_id: Key) -> Any:
    """供应商未付单据"""
    return list_open_items(ctx, company_id, supplier_id=supplier_id)


for cls in (SupplierPayment, PrepaidOffset):
    path = f"{cls.declaration.api}/getOpenItems"
    call(api, "GET", path, right=cls.right("list"), returns=Oldest[OpenItem])(_get_open_items)


Days = Annotated[int, Query(ge=1, le=365)]


def _declare_proposal(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return call(api, "GET", f"{PLAN}/{name}", right=PurchasePlan.right("add"), returns=list[ProposedLine])


@_declare_proposal("getSafetyProposal")
def _get_safety_proposal(ctx: Context, company_id: Key, warehouse_id: Key, sales_days: Days = 30) -> Any:
    """低于安全库存的商品"""
    return replenishment.propose_below_safety(ctx, company_id, warehouse_id, sales_days)


@_declare_proposal("getSalesProposal")
def _get_sales_proposal(
    ctx: Context, company_id: Key, warehouse_id: Key, sales_days: Days = 30, cover_days: Days = 30
) -> Any:
    """按销量要补的商品"""
    return replenishment.propose_for_sales(ctx, company_id, warehouse_id, sales_days, cover_days)


@call(
    api,
    "GET",
    f"{ALLOCATION}/getProposal",
    right=PurchaseAllocation.right("add"),
    returns=list[dict[str, Any]],
)
def _get_allocation_proposal(ctx: Context, company_id: Key, warehouse_id: Key) -> Any:
    """按采购计划分配到货"""
    return allocation_proposals.propose_allocation(ctx, company_id, warehouse_id)


@declare_action(api, PurchaseUninvoiced, "invoice")
def _invoice_purchases(ctx: Context, body: Invoicing) -> Any:
    """批量开票"""
    return invoice_bills(ctx, PurchaseUninvoiced, body)
