"""Receipts in reports (报表中的收款): the columns by which they are looked at; amount = written off + advances."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.fields import NO_RECORD, money, ref
from api.reporting.party_rows import customer_column
from api.reporting.published import Published
from api.reporting.trade_rows import person

RECEIPTS = "/report/receiptdetrpt"


class ReceiptRow(Published):
    """A report row about receipts; `maker_id` limits it to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)
    department_id: Mapped[int | None] = ref(
        "department", "部门", within=("company_id",), none=NO_RECORD, search=True, sort=-57
    )
    employee_id: Mapped[int | None] = person("收款人")
    customer_id: Mapped[int] = customer_column()
    receivables_mode_id: Mapped[int] = ref("receivables_mode", "结算方式", search=True, sort=-54)
    maker_id: Mapped[int] = mapped_column(BigInteger)
    amount: Mapped[Decimal] = money("收款金额", total=True, sort=10)
    written_off_amount: Mapped[Decimal] = money("核销应收", total=True, sort=11)
    advance_change: Mapped[Decimal] = money("预收增减", total=True, sort=12)
