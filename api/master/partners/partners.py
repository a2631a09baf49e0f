"""Partners (往来单位): suppliers of the group, customers of a company, banks and payment methods."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, ColumnElement, Index, Row, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, MappedColumn

from api.kit.context import Context
from api.kit.declaration.fields import (
    enabled_field,
    enum_field,
    image_field,
    integer_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.declaration.validation_rules import NumberBounds
from api.master.organization.geography import address_field, area_field, city_field, province_field
from api.master.partners.duplicate_customers import IDENTIFYING_COLUMNS, confirm_duplicate_customers
from api.master.partners.inner_partners import forbid_rebinding
from api.master.partners.partner_autofill import declare_card_autofill, declare_company_autofill
from api.master.settings.business_types import code_list_field
from api.master.settings.settings import NEW_AND_CHANGED, NO_AUDIT, read_customer_audit


def customer_field(label: str = "客户", *, for_settlement: bool = False) -> MappedColumn[int]:
    """Declare the customer of a bill.

    With `for_settlement` disabled ones are offered as well: their debts are still collected.
    """
    marks: dict[str, Any] = {"search": True, "index": True, "width": 200, "sort": -70}
    return reference_field(
        "customer", label, required=True, within=("company_id",), disabled=for_settlement, **marks
    )


def supplier_field(*, for_settlement: bool = False) -> MappedColumn[int]:
    """Declare the supplier of a bill; with `for_settlement` disabled ones are offered as well."""
    marks: dict[str, Any] = {"search": True, "index": True, "width": 200, "sort": -70}
    return reference_field("supplier", "供应商", required=True, disabled=for_settlement, **marks)


def inner_company_field() -> MappedColumn[int]:
    """Declare the company of the group that a partner is; bills between companies find their parties by it
    alone."""
    return reference_field("company", "内部公司", search=True, extract=False, copied=False, width=160)


ACCOUNT_KINDS = {1: "现金", 2: "银行", 3: "平台"}
PAYMENT_DAYS = NumberBounds(most=3650)
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
        fillings=declare_company_autofill(
            ("supplier_name", "name"),
            ("contact_name", "legal_person"),
            ("supplier_mobile", "phone"),
            ("address", "address"),
        ),
        distinguishing_fields=("supplier_type_id", "city_id"),
    )

    supplier_id: Mapped[int] = key_field()
    supplier_name: Mapped[str] = text_field("供应商名称", required=True, unique=True, search=True, width=220)
    supplier_type_id: Mapped[int | None] = code_list_field("supplier_type", "供应商类型")
    contact_name: Mapped[str | None] = text_field("联系人", max_length=50)
    supplier_mobile: Mapped[str | None] = text_field("联系电话", rule="phone", search=True, max_length=20)
    payment_days: Mapped[int] = integer_field("账期（天）", rule="positiveInt", bounds=PAYMENT_DAYS)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field()
    inner_company_id: Mapped[int | None] = inner_company_field()
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        forbid_rebinding(ctx, cls, row, before)


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
            *declare_company_autofill(
                ("customer_name", "name"),
                ("credit_code", "code"),
                ("legal_person", "legal_person"),
                ("customer_mobile", "phone"),
                ("address", "address"),
                also=("chainLicenseOcr",),
            ),
            declare_card_autofill(("legal_person", "name"), ("contact_name", "name"), ("address", "address")),
        ),
        distinguishing_fields=("customer_type_id", "city_id"),
    )

    customer_id: Mapped[int] = key_field()
    customer_name: Mapped[str] = text_field("客户名称", required=True, search=True, width=220)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, fixed="always")
    customer_type_id: Mapped[int | None] = code_list_field("customer_type", "客户类别")
    credit_code: Mapped[str | None] = text_field(
        "统一社会信用代码", rule="creditCode", search=True, max_length=18, width=180
    )
    contact_name: Mapped[str | None] = text_field("联系人", search=True, max_length=50)
    customer_mobile: Mapped[str | None] = text_field("手机号", rule="mobile", search=True, max_length=11)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field("详细地址")
    legal_person: Mapped[str | None] = text_field("法定代表人", max_length=50, list=False, extract=False)
    papers: Mapped[str | None] = image_field("证照", scene="contract")
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    payment_days: Mapped[int] = integer_field("账期（天）", rule="positiveInt", bounds=PAYMENT_DAYS)
    credit_limit: Mapped[Decimal | None] = money_field("信用额度", rule="Positive", default=None)
    """Limit of debts and orders together; None is not controlled, 0 sells for cash only."""
    inner_company_id: Mapped[int | None] = inner_company_field()
    enabled: Mapped[bool] = enabled_field()
    audit_state: Mapped[int] = enum_field(
        "审核状态", AUDIT_STATES, default=AUDITED, form=False, search=True, extract=False, width=90
    )
    refuse_reason: Mapped[str | None] = text_field(
        "驳回原因", free=True, max_length=200, form=False, extract=False, list=False
    )

    @classmethod
    def selectable_condition(cls) -> ColumnElement[bool]:
        return cls.table().c.audit_state == AUDITED

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """Set new and changed customers to wait for their audit where the group wants it, refused ones once
        changed.

        Possible duplicates are asked about by the audit, or here where there is none.
        """
        forbid_rebinding(ctx, cls, row, before)
        watched = [item.name for item in cls.fields() if item.writable and item.name != "enabled"]
        if before is not None and all(row[name] == getattr(before, name) for name in watched):
            return
        audit_mode = read_customer_audit(ctx)
        if before is None:
            row["audit_state"] = AUDITED if audit_mode == NO_AUDIT else WAITING
        elif before.audit_state == REFUSED or audit_mode == NEW_AND_CHANGED:
            row["audit_state"] = WAITING
        known = before is not None and all(row[name] == getattr(before, name) for name in IDENTIFYING_COLUMNS)
        if row["audit_state"] == AUDITED and not known:
            confirm_duplicate_customers(ctx, row)


class Bank(Resource):
    """银行: a bank at which accounts are kept."""

    __tablename__ = "bank"
    declaration = Declaration(
        "银行",
        "v2/system/Bank",
        "bank_name",
        routes={"list": "/system/bank"},
        menu=Menu("资金管理", "基础资料", 20),
        lookup="open/Bank/getBankList",
    )

    bank_id: Mapped[int] = key_field()
    bank_name: Mapped[str] = text_field("银行名称", required=True, unique=True, search=True, width=220)
    union_no: Mapped[str | None] = text_field("联行号", rule="unionNo", search=True, max_length=20)
    enabled: Mapped[bool] = enabled_field()


class PaymentMethod(Resource):
    """结算方式 (payment method): an account with a journal of its own."""

    __tablename__ = "receivables_mode"
    declaration = Declaration(
        "结算方式",
        "v2/system/ReceivablesMode",
        "receivables_mode_name",
        routes={"list": "/system/payment"},
        menu=Menu("资金管理", "基础资料", 10),
        lookup="open/Financialsetup/getCollectionList",
        distinguishing_fields=("account_kind",),
    )

    receivables_mode_id: Mapped[int] = key_field()
    receivables_mode_name: Mapped[str] = text_field("结算方式", required=True, unique=True, search=True)
    account_kind: Mapped[int] = enum_field("账户类别", ACCOUNT_KINDS, default=1, search=True, fixed="named")
    account_type_id: Mapped[int | None] = code_list_field("account_type", "账户类型")
    bank_id: Mapped[int | None] = reference_field("bank", "开户银行", search=True)
    account_no: Mapped[str | None] = text_field("账号", search=True, max_length=40)
    enabled: Mapped[bool] = enabled_field()
