"""Receipts one by one (收款明细): what came in, what it wrote off, what was taken in advance."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.fields import key
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import BILL, READ_ONLY, Sql, Values
from api.reporting.bills import BilledRow, bill_columns
from api.reporting.receipt_rows import RECEIPTS, ReceiptRow

_RECEIPTS = """
with receipts as (
    select *, 'KHSK' as bill_type from facts.fct_receipt
)
select r.bill_id as receipt_detail_id, r.*, {bill}
from receipts r
"""


class ReceiptDetail(BilledRow, ReceiptRow):
    """收款明细报表"""

    __tablename__ = "receipt_detail"
    placeless = True
    leading = ("business_date", "bill_no", "customer_id", "amount", "written_off_amount", "advance_change")
    declaration = Declaration(
        "收款明细报表",
        "v2/report/ReceiptDetail",
        "bill_no",
        routes={"list": RECEIPTS},
        menu=Menu("报表中心", "收款报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="每笔款是谁付的，收进了哪个账户？",
    )

    receipt_detail_id: Mapped[int] = key()

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _RECEIPTS.format(bill=bill_columns("r", "KHSK")), {}
