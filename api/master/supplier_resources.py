"""Supplier resources (供应商资源): whom the group may buy from one day, with licence and accounts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from sqlalchemy import Row, UniqueConstraint, select, update
from sqlalchemy.orm import Mapped

from api.kit import business_log, records
from api.kit.context import Context
from api.kit.database import today
from api.kit.errors import Invalid
from api.kit.fields import day, enabled, enum, flag, image, integer, key, ref, text, textarea
from api.kit.resource import ACTION_LABELS, READ, WRITE, Declaration, Menu, Resource
from api.master.business_types import classified
from api.master.geography import area, city, province, street_address
from api.master.partners import PAYMENT_DAYS, Supplier
from api.master.party_fillings import company_fillings

WAITING, WORKING, SUSPENDED = 1, 2, 3
STATES = {WAITING: "待合作", WORKING: "合作中", SUSPENDED: "停用"}
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
        fillings=company_fillings(
            ("supplier_resource_name", "name"),
            ("credit_code", "code"),
            ("legal_person", "legal_person"),
            ("licence_until", "until"),
            ("mobile", "phone"),
            ("landline", "phone"),
            ("address", "address"),
        ),
        confided=True,
    )

    supplier_resource_id: Mapped[int] = key()
    supplier_resource_name: Mapped[str] = text(
        "供应商名称", required=True, unique=True, search=True, width=220
    )
    state: Mapped[int] = enum("合作状态", STATES, default=WAITING, search=True, form=False, width=90)
    supplier_type_id: Mapped[int | None] = classified("supplier_type", "供应商类型")
    contact_name: Mapped[str | None] = text("联系人", search=True, max_length=50)
    mobile: Mapped[str | None] = text("手机号", rule="mobile", search=True, max_length=11)
    landline: Mapped[str | None] = text("座机", rule="landline", max_length=20)
    email: Mapped[str | None] = text("邮箱", rule="email", max_length=100, width=180)
    province_id: Mapped[int | None] = province()
    city_id: Mapped[int | None] = city()
    area_id: Mapped[int | None] = area()
    address: Mapped[str | None] = street_address("详细地址")
    credit_code: Mapped[str | None] = text(
        "统一社会信用代码", rule="creditCode", search=True, max_length=18, width=180
    )
    legal_person: Mapped[str | None] = text("法定代表人", max_length=50)
    licence_until: Mapped[date | None] = day("营业执照有效期至", search=True)
    papers: Mapped[str | None] = image("证照", scene="contract")
    settlement_type: Mapped[int] = enum("结算类型", SETTLEMENTS, default=2, search=True)
    payment_days: Mapped[int] = integer("账期（天）", rule="positiveInt", bounds=PAYMENT_DAYS)
    supplier_id: Mapped[int | None] = ref("supplier", "已转供应商", form=False, width=200)
    remark: Mapped[str | None] = textarea("备注", max_length=500)


class SupplierAccount(Resource):
    """供应商银行账户: where a supplier is paid."""

    __tablename__ = "supplier_account"
    __table_args__ = (UniqueConstraint("supplier_resource_id", "account_no"),)
    declaration = Declaration(
        "供应商银行账户",
        "v2/system/SupplierAccount",
        "account_no",
        routes={"list": "/system/supplieraccount"},
        menu=Menu("系统管理", "供应商设置", 20),
    )

    supplier_account_id: Mapped[int] = key()
    supplier_resource_id: Mapped[int] = ref(
        "supplier_resource", "供应商", required=True, search=True, index=True, width=220
    )
    account_name: Mapped[str] = text("户名", required=True, search=True, max_length=100, width=200)
    bank_id: Mapped[int] = ref("bank", "开户银行", required=True, search=True, width=180)
    account_no: Mapped[str] = text(
        "银行账号", required=True, rule="bankCard", search=True, max_length=30, width=180
    )
    is_default: Mapped[bool] = flag("默认账户")
    enabled: Mapped[bool] = enabled()


def cooperate(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Make suppliers of resources; one whose name is a supplier already is joined to him."""
    return _each(ctx, keys, "cooperate", _cooperate)


def suspend(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Work with them no more; a supplier made of one is disabled."""
    return _each(ctx, keys, "suspend", lambda ctx, row: _move(ctx, row, SUSPENDED))


def resume(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Take suspended ones up again."""
    return _each(ctx, keys, "resume", _resume)


def _each(
    ctx: Context, keys: list[int], action: str, step: Callable[[Context, Row[Any]], None]
) -> dict[str, Any]:
    def move(row: Row[Any]) -> None:
        step(ctx, row)
        business_log.write(
            ctx.conn,
            ctx.principal,
            SupplierResource.name(),
            row.supplier_resource_id,
            action,
            company_id=ctx.principal.company_id,
            before={"state": row.state},
        )

    return records.each(ctx, SupplierResource, keys, ACTION_LABELS[action], move)


def _cooperate(ctx: Context, row: Row[Any]) -> None:
    if row.state != WAITING:
        raise Invalid(f"{row.supplier_resource_name}{STATES[row.state]}，只有待合作的可转为供应商")
    if row.licence_until and row.licence_until < today():
        raise Invalid(f"{row.supplier_resource_name}的营业执照已过期，请先更新有效期")
    supplier = Supplier.table()
    known = select(supplier.c.supplier_id).where(supplier.c.supplier_name == row.supplier_resource_name)
    made = ctx.conn.execute(known).scalar()
    if made is None:
        ctx.require(Supplier.right("add"))
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
        made = records.add(ctx, Supplier, values)
    _move(ctx, row, WORKING, supplier_id=made)


def _resume(ctx: Context, row: Row[Any]) -> None:
    if row.state != SUSPENDED:
        raise Invalid(f"{row.supplier_resource_name}{STATES[row.state]}，没有停用")
    _move(ctx, row, WORKING if row.supplier_id else WAITING)


def _move(ctx: Context, row: Row[Any], state: int, **more: Any) -> None:
    if row.state == state:
        raise Invalid(f"{row.supplier_resource_name}已{STATES[state]}")
    table, supplier = SupplierResource.table(), Supplier.table()
    mine = table.c.supplier_resource_id == row.supplier_resource_id
    ctx.conn.execute(update(table).where(mine).values(state=state, **more))
    if row.supplier_id:
        theirs = supplier.c.supplier_id == row.supplier_id
        ctx.conn.execute(update(supplier).where(theirs).values(enabled=state == WORKING))
