"""Salesman assignment (业务员绑定): customers are bound to a salesman, transferred or released, many at once.

Sales to a customer count for his salesman unless the bill names another.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, select, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import flag_field, key_field, reference_field, text_field
from api.kit.declaration.resource import ACTION_LABELS, Declaration, Menu
from api.kit.declaration.view import Sql, Values, View
from api.kit.errors import InvalidInput
from api.kit.scope import Principal, scope_condition
from api.kit.storage import business_log, records
from api.master.organization.companies import Employee
from api.master.organization.geography import area_field, city_field, province_field
from api.master.partners.partners import Customer
from api.master.settings.business_types import code_list_field

_CUSTOMERS = """
select c.customer_id as customer_salesman_id, c.customer_id, c.company_id, c.customer_type_id, c.employee_id,
    c.contact_name, c.customer_mobile, c.province_id, c.city_id, c.area_id, c.enabled
from customer c
"""


class CustomerSalesman(View):
    """业务员绑定"""

    __tablename__ = "customer_salesman"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "业务员绑定",
        "v2/custom/BindingSalesman",
        "customer_id",
        routes={"list": "/custom/customersaleman"},
        menu=Menu("客户管理", "客户资料", 20),
        actions=("list", "bind", "transfer", "unbind", "export"),
        asks={"bind": ("employee_id",), "transfer": ("employee_id",)},
        also_called={"bind": "/v2/custom/Customer/bindingSalesman"},
        see="/custom/customerinfo_search",
        see_key="customer_id",
    )

    customer_salesman_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    customer_type_id: Mapped[int | None] = code_list_field("customer_type", "客户类别")
    contact_name: Mapped[str | None] = text_field("联系人", search=True)
    customer_mobile: Mapped[str | None] = text_field("手机号", search=True)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    enabled: Mapped[bool] = flag_field("启用", search=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _CUSTOMERS, {}


def fill_salesman(ctx: Context, header: dict[str, Any]) -> None:
    """Fill the customer's salesman in a new bill without an employee, if he is still employed in the company."""
    if "bill_id" in header or header.get("employee_id"):
        return
    place = ("customer.employee_id", header["customer_id"])
    if place not in ctx.lookup_cache:
        table, staff = Customer.table(), Employee.table()
        here = (staff.c.employee_id == table.c.employee_id) & (staff.c.company_id == table.c.company_id)
        query = select(staff.c.employee_id).join_from(table, staff, here & staff.c.enabled)
        ctx.lookup_cache[place] = ctx.conn.execute(query.where(table.c.customer_id == place[1])).scalar()
    header["employee_id"] = ctx.lookup_cache[place]


def bind_customers(ctx: Context, keys: list[int], employee_id: int) -> dict[str, Any]:
    """Assign a salesman to customers that have none."""
    salesman = _read_salesman(ctx, employee_id)

    def step(row: Row[Any]) -> None:
        if row.employee_id is not None:
            raise InvalidInput(f"{row.customer_name}已绑定业务员，请使用转移")
        _set_salesman(ctx, row, "bind", salesman)

    return records.apply_to_each(ctx, Customer, keys, ACTION_LABELS["bind"], step)


def transfer_customers(ctx: Context, keys: list[int], employee_id: int) -> dict[str, Any]:
    """Transfer customers to another salesman."""
    salesman = _read_salesman(ctx, employee_id)

    def step(row: Row[Any]) -> None:
        if row.employee_id is None:
            raise InvalidInput(f"{row.customer_name}没有绑定业务员，请使用绑定")
        if row.employee_id == employee_id:
            raise InvalidInput(f"{row.customer_name}已由该业务员负责")
        _set_salesman(ctx, row, "transfer", salesman)

    return records.apply_to_each(ctx, Customer, keys, ACTION_LABELS["transfer"], step)


def unbind_customers(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Release customers from their salesman."""

    def step(row: Row[Any]) -> None:
        if row.employee_id is None:
            raise InvalidInput(f"{row.customer_name}没有绑定业务员")
        _set_salesman(ctx, row, "unbind", None)

    return records.apply_to_each(ctx, Customer, keys, ACTION_LABELS["unbind"], step)


def _read_salesman(ctx: Context, employee_id: int) -> Row[Any]:
    table = Employee.table()
    mine = (table.c.employee_id == employee_id) & scope_condition(table, ctx.principal) & table.c.enabled
    row = ctx.conn.execute(select(table).where(mine)).first()
    if row is None:
        raise InvalidInput("业务员不存在或无权使用，请重新选择")
    return row


def _set_salesman(ctx: Context, row: Row[Any], action: str, salesman: Row[Any] | None) -> None:
    if salesman is not None and salesman.company_id != row.company_id:
        raise InvalidInput(f"{salesman.employee_name}与{row.customer_name}不是同一公司，请重新选择业务员")
    table, given = Customer.table(), salesman.employee_id if salesman is not None else None
    ctx.conn.execute(update(table).where(table.c.customer_id == row.customer_id).values(employee_id=given))
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        Customer.name(),
        row.customer_id,
        action,
        company_id=row.company_id,
        before={"employee_id": row.employee_id},
        after={"employee_id": given},
    )
