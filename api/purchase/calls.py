"""Calls of this domain beyond the declared ones (未核销单据)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from api.kit.calls import call, router
from api.kit.context import Context
from api.master.open_items import OpenItem, open_items
from api.purchase.prepaid_offset import PrepaidOffset
from api.purchase.supplier_payment import SupplierPayment

api = router()
Key = Annotated[int, Query(ge=0, le=2**62)]


def _open_items(ctx: Context, company_id: Key, supplier_id: Key) -> Any:
    """供应商未付单据"""
    return open_items(ctx, "supplier", company_id, supplier_id)


for cls in (SupplierPayment, PrepaidOffset):
    path = f"{cls.declaration.api}/getOpenItems"
    call(api, "GET", path, right=cls.right("list"), returns=list[OpenItem])(_open_items)
