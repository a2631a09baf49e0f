"""Customer audit (客户审核): new and changed customers wait for it where the group wants it, alike ones are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Row, update
from sqlalchemy.orm import Mapped

from api.kit import business_log, records
from api.kit.context import Context
from api.kit.errors import Invalid, Refusal
from api.kit.fields import enum, key, ref
from api.kit.fields import text as words
from api.kit.resource import ACTION_LABELS, Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import Sql, Values, View
from api.master.alike_customers import ALIKE, ask_about_alike
from api.master.business_types import classified
from api.master.partners import AUDIT_STATES, AUDITED, REFUSED, WAITING, Customer

_AUDITS = f"""
select c.customer_id as customer_audit_id, c.customer_id, c.company_id, c.customer_type_id, c.contact_name,
    c.customer_mobile, c.credit_code, c.employee_id, c.audit_state, c.refuse_reason, a.alike
from customer c
left join lateral ({ALIKE}) a on c.audit_state <> {AUDITED}
"""


class CustomerAudit(View):
    """客户审核: those who wait, as a rule."""

    __tablename__ = "customer_audit"
    found_by = "customer_id"
    declaration = Declaration(
        "客户审核",
        "v2/custom/CustomerAudit",
        "customer_id",
        routes={"list": "/custom/customer_auditor_list"},
        menu=Menu("客户管理", "客户资料", 8),
        actions=("list", "auditorPass", "auditorNoPass", "export"),
        also_called={"auditorPass": "/v2/custom/Customer/audit"},
        see="/custom/customerinfo_search",
        see_key="customer_id",
    )

    customer_audit_id: Mapped[int] = key()
    customer_id: Mapped[int] = ref("customer", "客户", within=("company_id",), search=True, width=200)
    company_id: Mapped[int] = ref("company", "公司", search=True)
    audit_state: Mapped[int] = enum("审核状态", AUDIT_STATES, default=WAITING, search=True, width=90)
    alike: Mapped[str | None] = words("疑似重复", width=260)
    customer_type_id: Mapped[int | None] = classified("customer_type", "客户类别")
    contact_name: Mapped[str | None] = words("联系人", search=True)
    customer_mobile: Mapped[str | None] = words("手机号", search=True)
    credit_code: Mapped[str | None] = words("统一社会信用代码", search=True, width=180)
    employee_id: Mapped[int | None] = ref("employee", "业务员", within=("company_id",), search=True)
    refuse_reason: Mapped[str | None] = words("驳回原因", width=200)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return {"audit_state": str(WAITING)}

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _AUDITS, {}


def audit(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Let customers be used on bills; who may be another one is asked about."""

    def step(row: Row[Any]) -> None:
        ask_about_alike(ctx, row._mapping)
        _move(ctx, row, "auditorPass", AUDITED, None)

    return _each(ctx, keys, "auditorPass", step)


def refuse(ctx: Context, keys: list[int], reason: str) -> dict[str, Any]:
    """Send customers back: they wait again once they are changed."""
    if not reason:
        raise Refusal("请填写驳回原因")
    return _each(ctx, keys, "auditorNoPass", lambda row: _move(ctx, row, "auditorNoPass", REFUSED, reason))


def _each(ctx: Context, keys: list[int], action: str, step: Callable[[Row[Any]], None]) -> dict[str, Any]:
    def waiting(row: Row[Any]) -> None:
        if row.audit_state != WAITING:
            raise Invalid(f"{row.customer_name}{AUDIT_STATES[row.audit_state]}，请刷新后重试")
        step(row)

    return records.each(ctx, Customer, keys, ACTION_LABELS[action], waiting)


def _move(ctx: Context, row: Row[Any], action: str, state: int, reason: str | None) -> None:
    table = Customer.table()
    mine = table.c.customer_id == row.customer_id
    ctx.conn.execute(update(table).where(mine).values(audit_state=state, refuse_reason=reason))
    business_log.write(
        ctx.conn,
        ctx.principal,
        Customer.name(),
        row.customer_id,
        action,
        company_id=row.company_id,
        reason=reason,
    )
