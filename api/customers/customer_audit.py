"""Customer audit (客户审核): approval of new and changed customers, where the group requires it; likely
duplicates are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Row, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import enum_field, key_field, reference_field, text_field
from api.kit.declaration.resource import ACTION_LABELS, Declaration, Menu
from api.kit.declaration.view import Sql, Values, View
from api.kit.errors import InvalidInput, Refusal
from api.kit.scope import Principal
from api.kit.storage import business_log, records
from api.master.partners.duplicate_customers import DUPLICATES_SQL, confirm_duplicate_customers
from api.master.partners.partners import AUDIT_STATES, AUDITED, REFUSED, WAITING, Customer
from api.master.settings.business_types import code_list_field

_AUDITS = f"""
select c.customer_id as customer_audit_id, c.customer_id, c.company_id, c.customer_type_id, c.contact_name,
    c.customer_mobile, c.credit_code, c.employee_id, c.audit_state, c.refuse_reason, a.alike
from customer c
left join lateral ({DUPLICATES_SQL}) a on c.audit_state <> {AUDITED}
"""


class CustomerAudit(View):
    """客户审核: those that wait for it, by default."""

    __tablename__ = "customer_audit"
    keyword_reference = "customer_id"
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

    customer_audit_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    audit_state: Mapped[int] = enum_field("审核状态", AUDIT_STATES, default=WAITING, search=True, width=90)
    alike: Mapped[str | None] = text_field("疑似重复", width=260)
    customer_type_id: Mapped[int | None] = code_list_field("customer_type", "客户类别")
    contact_name: Mapped[str | None] = text_field("联系人", search=True)
    customer_mobile: Mapped[str | None] = text_field("手机号", search=True)
    credit_code: Mapped[str | None] = text_field("统一社会信用代码", search=True, width=180)
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    refuse_reason: Mapped[str | None] = text_field("驳回原因", width=200)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"audit_state": str(WAITING)}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _AUDITS, {}


def audit_customers(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Approve customers for use on bills; asks for confirmation of likely duplicates."""

    def step(row: Row[Any]) -> None:
        confirm_duplicate_customers(ctx, row._mapping)
        _set_audit_state(ctx, row, "auditorPass", AUDITED, None)

    return _update_each(ctx, keys, "auditorPass", step)


def reject_customers(ctx: Context, keys: list[int], reason: str) -> dict[str, Any]:
    """Reject customers with a reason; they wait again once they are changed."""
    if not reason:
        raise Refusal("请填写驳回原因")
    return _update_each(
        ctx, keys, "auditorNoPass", lambda row: _set_audit_state(ctx, row, "auditorNoPass", REFUSED, reason)
    )


def _update_each(
    ctx: Context, keys: list[int], action: str, step: Callable[[Row[Any]], None]
) -> dict[str, Any]:
    def require_waiting(row: Row[Any]) -> None:
        if row.audit_state != WAITING:
            raise InvalidInput(f"{row.customer_name}{AUDIT_STATES[row.audit_state]}，请刷新后重试")
        step(row)

    return records.apply_to_each(ctx, Customer, keys, ACTION_LABELS[action], require_waiting)


def _set_audit_state(ctx: Context, row: Row[Any], action: str, state: int, reason: str | None) -> None:
    table = Customer.table()
    mine = table.c.customer_id == row.customer_id
    ctx.conn.execute(update(table).where(mine).values(audit_state=state, refuse_reason=reason))
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        Customer.name(),
        row.customer_id,
        action,
        company_id=row.company_id,
        reason=reason,
    )
