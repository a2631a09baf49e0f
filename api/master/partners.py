"""Partners (往来单位): suppliers of the group, customers of a company, and how money changes hands."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, ColumnElement, Index, Row, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, MappedColumn

from api.kit.context import Context
from api.kit.fields import enabled, enum, image, integer, key, money, ref, text
from api.kit.resource import Declaration, Menu, Resource
from api.kit.rules import Bounds
from api.master.alike_customers import TOLD_BY, ask_about_alike
from api.master.business_types import classified
from api.master.geography import area, city, province, street_address
from api.master.inner_partners import refuse_rebinding
from api.master.party_fillings import card_filling, company_fillings
from api.master.settings import NEW_AND_CHANGED, UNASKED, customer_audit


def customer(label: str = "客户", *, settles: bool = False) -> MappedColumn[int]:
    """The customer of a bill. One that settles takes disabled ones as well: what they owe is still collected."""
    marks: dict[str, Any] = {"search": True, "index": True, "width": 200, "sort": -70}
    return ref("customer", label, required=True, within=("company_id",), disabled=settles, **marks)


def supplier(*, settles: bool = False) -> MappedColumn[int]:
    """The supplier of a bill; one that settles takes disabled ones as well."""
    marks: dict[str, Any] = {"search": True, "index": True, "width": 200, "sort": -70}
    return ref("supplier", "供应商", required=True, disabled=settles, **marks)


def inner_company() -> MappedColumn[int]:
    """The company of the group that a partner is; bills between companies find their parties by it alone."""
    return ref("company", "内部公司", search=True, extract=False, copied=False, width=160)


ACCOUNT_KINDS = {1: "现金", 2: "银行", 3: "平台"}
PAYMENT_DAYS = Bounds(most=3650)
"""Payment terms are days, years at most: due dates stay dates."""
WAITING, AUDITED, REFUSED = 1, 2, 3
AUDIT_STATES = {WAITING: "待审核", AUDITED: "已审核", REFUSED: "已驳回"}


class Supplier(Resource):
    """供应商: belongs to the group."""

    __tablename__ = "supplier"
    __table_args__ = (
        UniqueConstraint("inner_company_id"),
        Index("ix_supplier_pinyin", sql("pinyin_key(supplier_name)"), "supplier_id"),
    )
    declaration = Declaration(
        "供应商",
        "v2/system/Supplier",
        "supplier_name",
        routes={"list": "/system/supplier"},
        menu=Menu("采购管理", "基础资料", 90),
        lookup="open/Supplier/getSupplierList",
        fillings=company_fillings(
            ("supplier_name", "name"),
            ("contact_name", "legal_person"),
            ("supplier_mobile", "phone"),
            ("address", "address"),
        ),
        tells=("supplier_type_id", "city_id"),
    )

    supplier_id: Mapped[int] = key()
    supplier_name: Mapped[str] = text("供应商名称", required=True, unique=True, search=True, width=220)
    supplier_type_id: Mapped[int | None] = classified("supplier_type", "供应商类型")
    contact_name: Mapped[str | None] = text("联系人", max_length=50)
    supplier_mobile: Mapped[str | None] = text("联系电话", rule="phone", search=True, max_length=20)
    payment_days: Mapped[int] = integer("账期（天）", rule="positiveInt", bounds=PAYMENT_DAYS)
    province_id: Mapped[int | None] = province()
    city_id: Mapped[int | None] = city()
    area_id: Mapped[int | None] = area()
    address: Mapped[str | None] = street_address()
    inner_company_id: Mapped[int | None] = inner_company()
    enabled: Mapped[bool] = enabled()

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        refuse_rebinding(ctx, cls, row, before)


class Customer(Resource):
    """客户: belongs to a company."""

    __tablename__ = "customer"
    __table_args__ = (
        UniqueConstraint("company_id", "customer_name"),
        UniqueConstraint("company_id", "credit_code"),
        UniqueConstraint("company_id", "inner_company_id"),
        CheckConstraint("inner_company_id <> company_id", name="inner_company"),
        Index("ix_customer_pinyin", sql("pinyin_key(customer_name)"), "customer_id"),
    )
    declaration = Declaration(
        "客户",
        "v2/custom/Customer",
        "customer_name",
        routes={
            "list": "/custom/customerinfo",
            "add": "/custom/customerinfo_add",
            "see": "/custom/customerinfo_search",
        },
        menu=Menu("客户管理", "客户资料", 10),
        lookup="open/Customer/getCustomerList",
        also_called={"getInfo": "getCustomerInfo"},
        also_named={"type": "customer_type_id"},
        fillings=(
            *company_fillings(
                ("customer_name", "name"),
                ("credit_code", "code"),
                ("legal_person", "legal_person"),
                ("customer_mobile", "phone"),
                ("address", "address"),
                also=("chainLicenseOcr",),
            ),
            card_filling(("legal_person", "name"), ("contact_name", "name"), ("address", "address")),
        ),
        tells=("customer_type_id", "city_id"),
    )

    customer_id: Mapped[int] = key()
    customer_name: Mapped[str] = text("客户名称", required=True, search=True, width=220)
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True, fixed="always")
    customer_type_id: Mapped[int | None] = classified("customer_type", "客户类别")
    credit_code: Mapped[str | None] = text(
        "统一社会信用代码", rule="creditCode", search=True, max_length=18, width=180
    )
    contact_name: Mapped[str | None] = text("联系人", search=True, max_length=50)
    customer_mobile: Mapped[str | None] = text("手机号", rule="mobile", search=True, max_length=11)
    province_id: Mapped[int | None] = province()
    city_id: Mapped[int | None] = city()
    area_id: Mapped[int | None] = area()
    address: Mapped[str | None] = street_address("详细地址")
    legal_person: Mapped[str | None] = text("法定代表人", max_length=50, list=False, extract=False)
    papers: Mapped[str | None] = image("证照", scene="contract")
    employee_id: Mapped[int | None] = ref("employee", "业务员", within=("company_id",), search=True)
    payment_days: Mapped[int] = integer("账期（天）", rule="positiveInt", bounds=PAYMENT_DAYS)
    credit_limit: Mapped[Decimal | None] = money("信用额度", rule="Positive", default=None)
    """What he may owe together with what he has ordered; None is not controlled, 0 sells for cash only."""
    inner_company_id: Mapped[int | None] = inner_company()
    enabled: Mapped[bool] = enabled()
    audit_state: Mapped[int] = enum(
        "审核状态", AUDIT_STATES, default=AUDITED, form=False, search=True, extract=False, width=90
    )
    refuse_reason: Mapped[str | None] = text(
        "驳回原因", free=True, max_length=200, form=False, extract=False, list=False
    )

    @classmethod
    def choosable(cls) -> ColumnElement[bool]:
        return cls.table().c.audit_state == AUDITED

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """New and changed customers wait for their audit where the group wants it, refused ones once changed.

        Whom others may be the same as is asked about by the audit, or here where there is none.
        """
        refuse_rebinding(ctx, cls, row, before)
        told = [item.name for item in cls.fields() if item.writable and item.name != "enabled"]
        if before is not None and all(row[name] == getattr(before, name) for name in told):
            return
        asked = customer_audit(ctx)
        if before is None:
            row["audit_state"] = AUDITED if asked == UNASKED else WAITING
        elif before.audit_state == REFUSED or asked == NEW_AND_CHANGED:
            row["audit_state"] = WAITING
        known = before is not None and all(row[name] == getattr(before, name) for name in TOLD_BY)
        if row["audit_state"] == AUDITED and not known:
            ask_about_alike(ctx, row)


class Bank(Resource):
    """银行: where accounts are kept."""

    __tablename__ = "bank"
    declaration = Declaration(
        "银行",
        "v2/system/Bank",
        "bank_name",
        routes={"list": "/system/bank"},
        menu=Menu("资金管理", "基础资料", 20),
        lookup="open/Bank/getBankList",
    )

    bank_id: Mapped[int] = key()
    bank_name: Mapped[str] = text("银行名称", required=True, unique=True, search=True, width=220)
    union_no: Mapped[str | None] = text("联行号", rule="unionNo", search=True, max_length=20)
    enabled: Mapped[bool] = enabled()


class ReceivablesMode(Resource):
    """结算方式: each stands for an account with a journal of its own."""

    __tablename__ = "receivables_mode"
    declaration = Declaration(
        "结算方式",
        "v2/system/ReceivablesMode",
        "receivables_mode_name",
        routes={"list": "/system/payment"},
        menu=Menu("资金管理", "基础资料", 10),
        lookup="open/Financialsetup/getCollectionList",
        tells=("account_kind",),
    )

    receivables_mode_id: Mapped[int] = key()
    receivables_mode_name: Mapped[str] = text("结算方式", required=True, unique=True, search=True)
    account_kind: Mapped[int] = enum("账户类别", ACCOUNT_KINDS, default=1, search=True, fixed="named")
    account_type_id: Mapped[int | None] = classified("account_type", "账户类型")
    bank_id: Mapped[int | None] = ref("bank", "开户银行", search=True)
    account_no: Mapped[str | None] = text("账号", search=True, max_length=40)
    enabled: Mapped[bool] = enabled()
