"""Supplier resources (供应商资源): possible suppliers of the group, with licence and accounts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from sqlalchemy import Row, UniqueConstraint, select, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    date_field,
    enabled_field,
    enum_field,
    flag_field,
    image_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import ACTION_LABELS, READ, WRITE, Declaration, Menu, Resource
from api.kit.errors import InvalidInput
from api.kit.storage import business_log, records
from api.kit.storage.database import today
from api.master.organization.geography import address_field, area_field, city_field, province_field
from api.master.partners.partner_autofill import declare_company_autofill
from api.master.partners.partners import PAYMENT_DAYS, Supplier
from api.master.settings.business_types import code_list_field

WAITING, COOPERATING, SUSPENDED = 1, 2, 3
STATES = {WAITING: "待合作", COOPERATING: "合作中", SUSPENDED: "停用"}
SETTLEMENTS = {1: "现结", 2: "月结", 3: "预付", 4: "货到付款"}


class SupplierResource(Resource):
    """供应商资源: turned into a supplier, it stays as the file on him."""

    __tablename__ = "supplier_resource"
    declaration = Declaration(
        "供应商资源",
        "v2/system/SupplierResourceManagement",
        "supplier_resource_name",
        routes={
            "list": "/system/supplierresourcemanagement",
            "add": "/system/newsupplier",
            "see": "/system/suppliesee",
        },
        menu=Menu("系统管理", "供应商设置", 10),
        actions=(*READ, *WRITE, "cooperate", "suspend", "resume", "export"),
        also_called={
            "getInfo": "getSupplierInfo",
            "add": "addSupplier",
            "edit": "editSupplier",
            "del": "delSupplier",
        },
        fillings=declare_company_autofill(
            ("supplier_resource_name", "name"),
            ("credit_code", "code"),
            ("legal_person", "legal_person"),
            ("licence_until", "until"),
            ("mobile", "phone"),
            ("landline", "phone"),
            ("address", "address"),
        ),
        names_confidential=True,
    )

    supplier_resource_id: Mapped[int] = key_field()
    supplier_resource_name: Mapped[str] = text_field(
        "供应商名称", required=True, unique=True, search=True, width=220
    )
    state: Mapped[int] = enum_field("合作状态", STATES, default=WAITING, search=True, form=False, width=90)
    supplier_type_id: Mapped[int | None] = code_list_field("supplier_type", "供应商类型")
    contact_name: Mapped[str | None] = text_field("联系人", search=True, max_length=50)
    mobile: Mapped[str | None] = text_field("手机号", rule="mobile", search=True, max_length=11)
    landline: Mapped[str | None] = text_field("座机", rule="landline", max_length=20)
    email: Mapped[str | None] = text_field("邮箱", rule="email", max_length=100, width=180)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field("详细地址")
    credit_code: Mapped[str | None] = text_field(
        "统一社会信用代码", rule="creditCode", search=True, max_length=18, width=180
    )
    legal_person: Mapped[str | None] = text_field("法定代表人", max_length=50)
    licence_until: Mapped[date | None] = date_field("营业执照有效期至", search=True)
    papers: Mapped[str | None] = image_field("证照", scene="contract")
    settlement_type: Mapped[int] = enum_field("结算类型", SETTLEMENTS, default=2, search=True)
    payment_days: Mapped[int] = integer_field("账期（天）", rule="positiveInt", bounds=PAYMENT_DAYS)
    supplier_id: Mapped[int | None] = reference_field("supplier", "已转供应商", form=False, width=200)
    remark: Mapped[str | None] = textarea_field("备注", max_length=500)


class SupplierAccount(Resource):
    """供应商银行账户: a bank account of a supplier."""

    __tablename__ = "supplier_account"
    __table_args__ = (UniqueConstraint("supplier_resource_id", "account_no"),)
    declaration = Declaration(
        "供应商银行账户",
        "v2/system/SupplierAccount",
        "account_no",
        routes={"list": "/system/supplieraccount"},
        menu=Menu("系统管理", "供应商设置", 20),
    )

    supplier_account_id: Mapped[int] = key_field()
    supplier_resource_id: Mapped[int] = reference_field(
        "supplier_resource", "供应商", required=True, search=True, index=True, width=220
    )
    account_name: Mapped[str] = text_field("户名", required=True, search=True, max_length=100, width=200)
    bank_id: Mapped[int] = reference_field("bank", "开户银行", required=True, search=True, width=180)
    account_no: Mapped[str] = text_field(
        "银行账号", required=True, rule="bankCard", search=True, max_length=30, width=180
    )
    is_default: Mapped[bool] = flag_field("默认账户")
    enabled: Mapped[bool] = enabled_field()


def start_cooperation(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Make suppliers of resources; one whose name is a supplier already is linked to him."""
    return _apply_each(ctx, keys, "cooperate", _make_supplier)


def suspend_resources(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Suspend resources; a supplier made of one is disabled."""
    return _apply_each(ctx, keys, "suspend", lambda ctx, row: _set_state(ctx, row, SUSPENDED))


def resume_resources(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Resume suspended resources."""
    return _apply_each(ctx, keys, "resume", _resume_one)


def _apply_each(
    ctx: Context, keys: list[int], action: str, step: Callable[[Context, Row[Any]], None]
) -> dict[str, Any]:
    def change_one(row: Row[Any]) -> None:
        step(ctx, row)
        business_log.log_action(
            ctx.conn,
            ctx.principal,
            SupplierResource.name(),
            row.supplier_resource_id,
            action,
            company_id=ctx.principal.company_id,
            before={"state": row.state},
        )

    return records.apply_to_each(ctx, SupplierResource, keys, ACTION_LABELS[action], change_one)


def _make_supplier(ctx: Context, row: Row[Any]) -> None:
    if row.state != WAITING:
        raise InvalidInput(f"{row.supplier_resource_name}{STATES[row.state]}，只有待合作的可转为供应商")
    if row.licence_until and row.licence_until < today():
        raise InvalidInput(f"{row.supplier_resource_name}的营业执照已过期，请先更新有效期")
    supplier = Supplier.table()
    known = select(supplier.c.supplier_id).where(supplier.c.supplier_name == row.supplier_resource_name)
    made = ctx.conn.execute(known).scalar()
    if made is None:
        ctx.require_right(Supplier.right("add"))
        same = (
            "supplier_type_id",
            "contact_name",
            "payment_days",
            "province_id",
            "city_id",
            "area_id",
            "address",
        )
        values = {name: getattr(row, name) for name in same}
        values |= {"supplier_name": row.supplier_resource_name, "supplier_mobile": row.mobile or row.landline}
        made = records.add_record(ctx, Supplier, values)
    _set_state(ctx, row, COOPERATING, supplier_id=made)


def _resume_one(ctx: Context, row: Row[Any]) -> None:
    if row.state != SUSPENDED:
        raise InvalidInput(f"{row.supplier_resource_name}{STATES[row.state]}，没有停用")
    _set_state(ctx, row, COOPERATING if row.supplier_id else WAITING)


def _set_state(ctx: Context, row: Row[Any], state: int, **more: Any) -> None:
    if row.state == state:
        raise InvalidInput(f"{row.supplier_resource_name}已{STATES[state]}")
    table, supplier = SupplierResource.table(), Supplier.table()
    mine = table.c.supplier_resource_id == row.supplier_resource_id
    ctx.conn.execute(update(table).where(mine).values(state=state, **more))
    if row.supplier_id:
        theirs = supplier.c.supplier_id == row.supplier_id
        ctx.conn.execute(update(supplier).where(theirs).values(enabled=state == COOPERATING))
