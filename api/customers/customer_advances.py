"""Customer advances (客户预收账户), the items that each one settled, and write-offs of receipts (收款核销明细)."""

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

ITEMS = "/custom/customerdeposits_search"


class CustomerAdvance(AdvanceAccount):
    """客户预收账户"""

    __tablename__ = "customer_advance"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "客户预收账户",
        "v2/custom/CustomerDeposits",
        "customer_id",
        routes={"list": "/custom/customerdeposits"},
        menu=Menu("客户管理", "收款业务", 40),
        actions=READ_ONLY,
        order_by=("left_amount", "desc"),
        balance="left_amount",
        drill=Drill("预收明细", ITEMS, (("company_id", "company_id"), ("customer_id", "customer_id"))),
    )

    customer_advance_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )

    accounts = advance_accounts_sql("customer")


class CustomerAdvanceItem(AdvanceItem):
    """客户预收明细"""

    __tablename__ = "customer_advance_item"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "客户预收明细",
        "v2/custom/CustomerDepositsDetail",
        "bill_no",
        routes={"list": ITEMS},
        menu=Menu("客户管理", "收款业务", 50),
        actions=READ_ONLY,
        order_by=("customer_advance_item_id", "desc"),
        drill=BILL,
    )

    customer_advance_item_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )

    rows = advance_items_sql("customer")


class CustomerWriteOff(WriteOffRow):
    """收款核销明细"""

    __tablename__ = "customer_write_off"
    pinned_columns = ("business_date", "bill_no", "customer_id", "item_no", "amount")
    keyword_reference = "customer_id"
    declaration = Declaration(
        "收款核销明细",
        "v2/custom/CustomerReceiptDetail",
        "bill_no",
        routes={"list": "/custom/CustomReceiptBillDetail"},
        menu=Menu("客户管理", "收款业务", 60),
        actions=READ_ONLY,
        order_by=("customer_write_off_id", "desc"),
        drill=BILL,
    )

    customer_write_off_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )

    rows = write_off_rows_sql("customer")
