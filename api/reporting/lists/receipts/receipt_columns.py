"""Receipt columns of list reports (报表中的收款); amount = written off + advances."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import NO_RECORD, money_field, reference_field
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.partner_columns import customer_column
from api.reporting.lists.sales_purchase_columns import employee_column

RECEIPTS_ROUTE = "/report/receiptdetrpt"


class ReceiptRow(ListReport):
    """Base of report rows about receipts; `maker_id` limits them to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    department_id: Mapped[int | None] = reference_field(
        "department", "部门", within=("company_id",), none=NO_RECORD, search=True, sort=-57
    )
    employee_id: Mapped[int | None] = employee_column("收款人")
    customer_id: Mapped[int] = customer_column()
    receivables_mode_id: Mapped[int] = reference_field("receivables_mode", "结算方式", search=True, sort=-54)
    maker_id: Mapped[int] = mapped_column(BigInteger)
    amount: Mapped[Decimal] = money_field("收款金额", total=True, sort=10)
    written_off_amount: Mapped[Decimal] = money_field("核销应收", total=True, sort=11)
    advance_change: Mapped[Decimal] = money_field("预收增减", total=True, sort=12)
