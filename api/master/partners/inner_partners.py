"""Inner partners (内部往来单位): the customers and suppliers that companies of the group are to each other.

A bill between two companies is with the customer and the supplier that name them, and with nobody else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Row

from api.kit.context import Context
from api.kit.declaration.resource import Resource
from api.kit.errors import InvalidInput
from api.kit.storage import fixed_fields
from api.kit.storage.validation import Problems

BINDING_BILLS = ("sales_transfer", "purchase_allocation")
"""The bills that find their parties by whom a partner is."""


class InnerParties(NamedTuple):
    """Customer and supplier that two companies of the group are to each other, for a bill from one to the
    other."""

    company_name: str
    other_name: str
    customer_id: int | None
    customer_name: str | None
    is_sold_to: bool
    supplier_id: int | None
    supplier_name: str | None
    is_bought_from: bool

    def report_missing(self, problems: Problems, named: Mapping[str, Any]) -> None:
        """Add a problem for a party that is missing, or disabled and not yet named by the bill."""
        if self.customer_id is None:
            problems.add(f"{self.company_name}没有内部公司为{self.other_name}的客户，请先在客户资料中指定")
        elif not self.is_sold_to and named.get("customer_id") != self.customer_id:
            problems.add(f"内部客户{self.customer_name}已停用或未审核，请先启用或审核")
        if self.supplier_id is None:
            problems.add(f"没有内部公司为{self.company_name}的供应商，请先在供应商资料中指定")
        elif not self.is_bought_from and named.get("supplier_id") != self.supplier_id:
            problems.add(f"内部供应商{self.supplier_name}已停用，请先启用")


_PARTIES = """
select
    t.company_id, o.company_name, t.company_name as other_name,
    c.customer_id, c.customer_name, coalesce(c.enabled and c.audit_state = 2, false) as is_sold_to,
    s.supplier_id, s.supplier_name, coalesce(s.enabled, false) as is_bought_from
from company o
join company t on t.company_id = any(%s)
left join customer c on c.company_id = o.company_id and c.inner_company_id = t.company_id
left join supplier s on s.inner_company_id = o.company_id
where o.company_id = %s
"""


def find_inner_parties(ctx: Context, company_id: int, others: Collection[int]) -> dict[int, InnerParties]:
    """Return the parties of a company's bills by the other company; read once a context."""
    name = f"inner_parties_of_{company_id}"
    wanted = sorted({other for other in others if (name, other) not in ctx.lookup_cache})
    if wanted:
        for row in ctx.conn.exec_driver_sql(_PARTIES, (wanted, company_id)):
            ctx.lookup_cache[name, row.company_id] = InnerParties(*row[1:])
    return {other: ctx.lookup_cache[name, other] for other in others}


def forbid_rebinding(
    ctx: Context, cls: type[Resource], row: Mapping[str, Any], before: Row[Any] | None
) -> None:
    """Raise Invalid for a customer who is his own company, or a changed company that bills were found by."""
    bound = row.get("inner_company_id")
    if bound is not None and bound == row.get("company_id"):
        raise InvalidInput("内部公司不能是客户所属的公司")
    if before is None or before.inner_company_id in (None, bound):
        return
    bills = fixed_fields.describe_naming_bills(
        ctx, cls, before._mapping[cls.key().key], among=BINDING_BILLS, voided=False
    )
    if bills:
        raise InvalidInput(f"内部公司不能修改：已有{bills}")
