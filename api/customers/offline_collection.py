"""Offline collection (线下收款), XXSK: a payment reported by a salesman; its audit creates the receipt."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, select
from sqlalchemy.orm import Mapped, declared_attr

from api.customers.customer_receipt import CustomerReceipt
from api.kit.bills import drafts, numbering, transitions
from api.kit.context import Context
from api.kit.declaration.document import Bill, BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import derived_field, image_field, money_field, reference_field, text_field
from api.kit.declaration.flow import AUDITED
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field
from api.master.settlements.settlements import WriteOffLine, validate_write_offs

_RECEIPT = (
    "(select r.bill_no from customer_receipt r where r.collection_id = {table}.bill_id and r.status <> 3)"
)


class OfflineCollectionWriteOff(WriteOffLine):
    __tablename__ = "offline_collection_write_off"
    bill_table = "offline_collection"


class OfflineCollection(Bill):
    """线下收款: posts nothing itself; its receipt is audited and voided with it."""

    __tablename__ = "offline_collection"
    declaration = declare_bill(
        "线下收款",
        "v2/custom/OfflineCollection",
        routes={
            "list": "/custom/customerpaymanage",
            "add": "/custom/customerpaymanage/add",
            "see": "/custom/customerpaymanage/see",
        },
        menu=Menu("客户管理", "收款业务", 25),
    )
    bill = BillType(
        "XXSK",
        (
            Block(
                "write_offs",
                "核销明细",
                OfflineCollectionWriteOff,
                required=False,
                source="v2/custom/OfflineCollection/getOpenItems",
                source_by=("company_id", "customer_id"),
            ),
        ),
        undoes="所生成的收款单随之作废，往来和资金冲回",
    )
    derived = (derived_field("receipt_no", "收款单号", "text", _RECEIPT, width=190, bill=True),)

    customer_id: Mapped[int] = customer_field(for_settlement=True)
    receivables_mode_id: Mapped[int] = reference_field(
        "receivables_mode", "结算方式", required=True, search=True, sort=-50
    )
    amount: Mapped[Decimal] = money_field(
        "收款金额", required=True, rule="positive", total=True, width=130, sort=-45
    )
    waived_amount: Mapped[Decimal] = money_field(
        "抹零/现金折扣", rule="Positive", total=True, width=110, sort=-44
    )
    payer: Mapped[str | None] = text_field("付款人", search=True, max_length=50, sort=-44)
    voucher_no: Mapped[str | None] = text_field(
        "银行流水号", search=True, max_length=60, copied=False, width=180, sort=-43
    )
    vouchers: Mapped[str | None] = image_field("付款凭证", scene="image", sort=-42)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        once = Index(
            "uq_offline_collection_voucher_no",
            "company_id",
            "receivables_mode_id",
            "voucher_no",
            unique=True,
            postgresql_where="status <> 3",
        )
        return (*super().__table_args__, once)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        validate_write_offs(ctx, cls, header, children["write_offs"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "post":
            _create_receipt(ctx, doc)
        else:
            _void_receipt(ctx, doc.header.bill_id)


def _create_receipt(ctx: Context, doc: Document) -> None:
    """Create and audit the receipt of a collection."""
    collected = doc.header
    assert CustomerReceipt.bill is not None
    shared = (
        *("company_id", "business_date", "customer_id", "receivables_mode_id", "amount", "waived_amount"),
        *("department_id", "employee_id", "remark"),
    )
    header = {name: getattr(collected, name) for name in shared} | {"collection_id": collected.bill_id}
    lines = [
        {name: getattr(row, name) for name in ("line_no", "settlement_id", "amount", "settled_on")}
        for row in doc.children["write_offs"]
    ]
    prefix = CustomerReceipt.bill.prefix
    number = numbering.draw_number(ctx.conn, prefix, collected.company_id, collected.business_date)
    draft = drafts.Draft(header, {"write_offs": lines})
    key = drafts.insert_draft(ctx.conn, CustomerReceipt, draft, number, ctx.principal)
    transitions.apply_transition(ctx, CustomerReceipt, "auditorPass", key)


def _void_receipt(ctx: Context, collection: int) -> None:
    """Void the receipt of a collection."""
    table = CustomerReceipt.table()
    query = select(table.c.bill_id).where(table.c.collection_id == collection, table.c.status == AUDITED)
    keys: Sequence[int] = ctx.conn.execute(query).scalars().all()
    for key in keys:
        transitions.apply_transition(ctx, CustomerReceipt, "invalid", key)
