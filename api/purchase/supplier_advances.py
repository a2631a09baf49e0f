"""Prepayments to suppliers (供应商预付账户), the items that each one settled, and write-offs of payments
(付款核销明细)."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field, reference_field
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY
from api.master.settlements.advances import (
    AdvanceAccount,
    AdvanceItem,
    WriteOffRow,
    advance_accounts_sql,
    advance_items_sql,
    write_off_rows_sql,
)

ITEMS = "/purchase/factoryprepaidSearch"


class SupplierAdvance(AdvanceAccount):
    """供应商预付账户"""

    __tablename__ = "supplier_advance"
    keyword_reference = "supplier_id"
    declaration = Declaration(
        "供应商预付账户",
        "v2/purchase/FactoryPrepaid",
        "supplier_id",
        routes={"list": "/purchase/factoryprepaid"},
        menu=Menu("采购管理", "付款业务", 60),
        actions=READ_ONLY,
        order_by=("left_amount", "desc"),
        balance="left_amount",
        drill=Drill("预付明细", ITEMS, (("company_id", "company_id"), ("supplier_id", "supplier_id"))),
    )

    supplier_advance_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)

    accounts = advance_accounts_sql("supplier")


class SupplierAdvanceItem(AdvanceItem):
    """供应商预付明细"""

    __tablename__ = "supplier_advance_item"
    keyword_reference = "supplier_id"
    declaration = Declaration(
        "供应商预付明细",
        "v2/purchase/FactoryPrepaidDetail",
        "bill_no",
        routes={"list": ITEMS},
        menu=Menu("采购管理", "付款业务", 70),
        actions=READ_ONLY,
        order_by=("supplier_advance_item_id", "desc"),
        drill=BILL,
    )

    supplier_advance_item_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)

    rows = advance_items_sql("supplier")


class SupplierWriteOff(WriteOffRow):
    """付款核销明细"""

    __tablename__ = "supplier_write_off"
    pinned_columns = ("business_date", "bill_no", "supplier_id", "item_no", "amount")
    keyword_reference = "supplier_id"
    declaration = Declaration(
        "付款核销明细",
        "v2/purchase/PaymentDetail",
        "bill_no",
        routes={"list": "/purchase/paydetail"},
        menu=Menu("采购管理", "付款业务", 80),
        actions=READ_ONLY,
        order_by=("supplier_write_off_id", "desc"),
        drill=BILL,
    )

    supplier_write_off_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)

    rows = write_off_rows_sql("supplier")
