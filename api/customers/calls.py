"""Calls of this domain beyond the declared ones (未核销单据、客户审核、业务员绑定、潜在客户跟进)."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from api.customers import customer_audit, customer_salesmen, potential_customer
from api.customers.customer_audit import CustomerAudit
from api.customers.customer_receipt import CustomerReceipt
from api.customers.customer_salesmen import CustomerSalesman
from api.customers.deposits import Deposit
from api.customers.offline_collection import OfflineCollection
from api.customers.potential_customer import PotentialCustomer
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.endpoints import action
from api.kit.schemas import Act, Key, Keys, Oldest
from api.kit.validation import FIRST_DAY, LAST_DAY
from api.master.open_items import OpenItem, open_items

api = router()


def _open_items(ctx: Context, company_id: Key, customer_id: Key) -> Any:
    """客户未收单据"""
    return open_items(ctx, company_id, customer_id=customer_id)


for cls in (CustomerReceipt, Deposit, OfflineCollection):
    path = f"{cls.declaration.api}/getOpenItems"
    call(api, "GET", path, right=cls.right("list"), returns=Oldest[OpenItem])(_open_items)


class Binding(Keys):
    """Customers, and the salesman they are given."""

    employee_id: int = Field(ge=1, le=2**62, description="业务员")


class FollowUp(Keys):
    """Potential customers, what was spoken with them, and when to speak again."""

    last_note: str = Field(min_length=1, max_length=500, description="跟进内容")
    next_on: date = Field(ge=FIRST_DAY, le=LAST_DAY, description="下次跟进日期")


@action(api, CustomerAudit, "auditorPass")
def pass_customers(ctx: Context, body: Act) -> Any:
    """客户审核"""
    ctx.confirmed = body.confirmed
    return customer_audit.audit(ctx, body.ids)


@action(api, CustomerAudit, "auditorNoPass")
def refuse_customers(ctx: Context, body: Act) -> Any:
    """客户驳回"""
    return customer_audit.refuse(ctx, body.ids, (body.reason or "").strip())


@action(api, CustomerSalesman, "bind")
def bind(ctx: Context, body: Binding) -> Any:
    """绑定业务员"""
    return customer_salesmen.bind(ctx, body.ids, body.employee_id)


@action(api, CustomerSalesman, "transfer")
def transfer(ctx: Context, body: Binding) -> Any:
    """转移业务员"""
    return customer_salesmen.transfer(ctx, body.ids, body.employee_id)


@action(api, CustomerSalesman, "unbind")
def unbind(ctx: Context, body: Keys) -> Any:
    """解绑业务员"""
    return customer_salesmen.unbind(ctx, body.ids)


@action(api, PotentialCustomer, "followUp")
def follow_up(ctx: Context, body: FollowUp) -> Any:
    """潜在客户跟进"""
    return potential_customer.follow_up(ctx, body.ids, body.last_note, body.next_on)


@action(api, PotentialCustomer, "convert")
def convert(ctx: Context, body: Act) -> Any:
    """潜在客户转为客户"""
    ctx.confirmed = body.confirmed
    return potential_customer.convert(ctx, body.ids)


@action(api, PotentialCustomer, "giveUp")
def give_up(ctx: Context, body: Keys) -> Any:
    """潜在客户放弃"""
    return potential_customer.give_up(ctx, body.ids)
