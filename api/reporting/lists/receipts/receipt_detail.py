"""Customer receipts (收款明细): the amount received, written off and taken in advance by each."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import BillReportRow, bill_columns_sql
from api.reporting.lists.receipts.receipt_columns import RECEIPTS_ROUTE, ReceiptRow

_RECEIPTS = """
with receipts as (
    select *, 'KHSK' as bill_type from facts.fct_receipt
)
select r.bill_id as receipt_detail_id, r.*, {bill}
from receipts r
"""


class ReceiptDetail(BillReportRow, ReceiptRow):
    """Customer receipts (收款明细报表)."""

    __tablename__ = "receipt_detail"
    has_no_warehouse = True
    pinned_columns = (
        "business_date",
        "bill_no",
        "customer_id",
        "amount",
        "written_off_amount",
        "advance_change",
    )
    declaration = Declaration(
        "收款明细报表",
        "v2/report/ReceiptDetail",
        "bill_no",
        routes={"list": RECEIPTS_ROUTE},
        menu=Menu("报表中心", "收款报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="每笔款是谁付的，收进了哪个账户？",
    )

    receipt_detail_id: Mapped[int] = key_field()

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _RECEIPTS.format(bill=bill_columns_sql("r", "KHSK")), {}
