"""Prepayments to suppliers (供应商预付账户), what each settled, and the write-offs of payments (付款核销明细)."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.fields import key, ref
from api.kit.resource import Declaration, Drill, Menu
from api.kit.view import BILL, READ_ONLY
from api.master.advances import (
    AdvanceAccount,
    AdvanceItem,
    WriteOffRow,
    advance_accounts,
    advance_items,
    write_off_rows,
)

ITEMS = "/purchase/factoryprepaidSearch"


class SupplierAdvance(AdvanceAccount):
    """供应商预付账户"""

    __tablename__ = "supplier_advance"
    found_by = "supplier_id"
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

    supplier_advance_id: Mapped[int] = key()
    supplier_id: Mapped[int] = ref("supplier", "供应商", search=True, width=200)

    accounts = advance_accounts("supplier")


class SupplierAdvanceItem(AdvanceItem):
    """供应商预付明细"""

    __tablename__ = "supplier_advance_item"
    found_by = "supplier_id"
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

    supplier_advance_item_id: Mapped[int] = key()
    supplier_id: Mapped[int] = ref("supplier", "供应商", search=True, width=200)

    rows = advance_items("supplier")


class SupplierWriteOff(WriteOffRow):
    """付款核销明细"""

    __tablename__ = "supplier_write_off"
    leading = ("business_date", "bill_no", "supplier_id", "item_no", "amount")
    found_by = "supplier_id"
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

    supplier_write_off_id: Mapped[int] = key()
    supplier_id: Mapped[int] = ref("supplier", "供应商", search=True, width=200)

    rows = write_off_rows("supplier")
