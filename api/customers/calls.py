"""Calls of this domain beyond the declared ones (未核销单据、客户审核、业务员绑定、潜在客户跟进)."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from api.customers import customer_audit, customer_salesman, potential_customer
from api.customers.advance_offset import AdvanceOffset
from api.customers.customer_audit import CustomerAudit
from api.customers.customer_receipt import CustomerReceipt
from api.customers.customer_salesman import CustomerSalesman
from api.customers.offline_collection import OfflineCollection
from api.customers.potential_customer import PotentialCustomer
from api.kit.context import Context
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Act, Key, Keys, Oldest
from api.kit.storage.validation import FIRST_DAY, LAST_DAY
from api.master.settlements.open_items import OpenItem, list_open_items

api = build_router()


def _get_open_items(ctx: Context, company_id: Key, customer_id: Key) -> Any:
    """客户未收单据"""
    return list_open_items(ctx, company_id, customer_id=customer_id)


for cls in (CustomerReceipt, AdvanceOffset, OfflineCollection):
    path = f"{cls.declaration.api}/getOpenItems"
    call(api, "GET", path, right=cls.right("list"), returns=Oldest[OpenItem])(_get_open_items)


class Binding(Keys):
    """Customers, and the salesman to assign to them."""

    employee_id: int = Field(ge=1, le=2**62, description="业务员")


class FollowUpRequest(Keys):
    """Potential customers, a note of the conversation, and the date of the next one."""

    last_note: str = Field(min_length=1, max_length=500, description="跟进内容")
    next_on: date = Field(ge=FIRST_DAY, le=LAST_DAY, description="下次跟进日期")


@declare_action(api, CustomerAudit, "auditorPass")
def approve_customers(ctx: Context, body: Act) -> Any:
    """客户审核"""
    ctx.confirmed = body.confirmed
    return customer_audit.audit_customers(ctx, body.ids)


@declare_action(api, CustomerAudit, "auditorNoPass")
def reject_customers(ctx: Context, body: Act) -> Any:
    """客户驳回"""
    return customer_audit.reject_customers(ctx, body.ids, (body.reason or "").strip())


@declare_action(api, CustomerSalesman, "bind")
def bind_salesman(ctx: Context, body: Binding) -> Any:
    """绑定业务员"""
    return customer_salesman.bind_customers(ctx, body.ids, body.employee_id)


@declare_action(api, CustomerSalesman, "transfer")
def transfer_customers(ctx: Context, body: Binding) -> Any:
    """转移业务员"""
    return customer_salesman.transfer_customers(ctx, body.ids, body.employee_id)


@declare_action(api, CustomerSalesman, "unbind")
def unbind_salesman(ctx: Context, body: Keys) -> Any:
    """解绑业务员"""
    return customer_salesman.unbind_customers(ctx, body.ids)


@declare_action(api, PotentialCustomer, "followUp")
def add_follow_up(ctx: Context, body: FollowUpRequest) -> Any:
    """潜在客户跟进"""
    return potential_customer.add_follow_up(ctx, body.ids, body.last_note, body.next_on)


@declare_action(api, PotentialCustomer, "convert")
def convert_to_customers(ctx: Context, body: Act) -> Any:
    """潜在客户转为客户"""
    ctx.confirmed = body.confirmed
    return potential_customer.convert_to_customers(ctx, body.ids)


@declare_action(api, PotentialCustomer, "giveUp")
def give_up(ctx: Context, body: Keys) -> Any:
    """潜在客户放弃"""
    return potential_customer.give_up(ctx, body.ids)
