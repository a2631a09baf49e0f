"""Calls of this domain beyond the declared ones (未核销单据)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from api.customers.customer_receipt import CustomerReceipt
from api.customers.deposits import Deposit
from api.kit.calls import call, router
from api.kit.context import Context
from api.master.open_items import OpenItem, open_items

api = router()
Key = Annotated[int, Query(ge=0, le=2**62)]


def _open_items(ctx: Context, company_id: Key, customer_id: Key) -> Any:
    """客户未收单据"""
    return open_items(ctx, "customer", company_id, customer_id)


for cls in (CustomerReceipt, Deposit):
    path = f"{cls.declaration.api}/getOpenItems"
    call(api, "GET", path, right=cls.right("list"), returns=list[OpenItem])(_open_items)
