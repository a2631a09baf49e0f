"""Receipts over any days, summed up as chosen (收款汇总): by company, customer, settlement method, or several."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import integer_field, key_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY
from api.reporting.lists.groupings import AggregatedRow, Groupings
from api.reporting.lists.receipts.receipt_columns import RECEIPTS_ROUTE, ReceiptRow

BY = Groupings(
    {
        1: ("公司", ("company_id",)),
        2: ("客户", ("company_id", "customer_id")),
        3: ("结算方式", ("receivables_mode_id",)),
        4: ("部门", ("company_id", "department_id")),
        5: ("收款人", ("company_id", "employee_id")),
    },
    default_choice=2,
)

_RECEIPTS = """
select r.*, cast(:first as date) as first_day, cast(:last as date) as day, cast(:grouping as integer) as grouping
from facts.fct_receipt r
where r.business_date between cast(:first as date) and cast(:last as date)
"""
_SUMS = """
count(*) as bill_count, sum(amount) as amount, sum(written_off_amount) as written_off_amount,
sum(advance_change) as advance_change
"""


class ReceiptSummary(AggregatedRow, ReceiptRow):
    """Receipts summed by chosen columns (收款汇总报表)."""

    __tablename__ = "receipt_summary"
    by, lines, sums = BY, _RECEIPTS, _SUMS
    declaration = Declaration(
        "收款汇总报表",
        "v2/report/ReceiptSummary",
        "bill_count",
        routes={"list": "/report/receiptsumrpt"},
        menu=Menu("报表中心", "收款报表", 10),
        actions=READ_ONLY,
        also_at=("v2/report/Receive",),
        order_by=("amount", "desc"),
        drill=BY.build_drill("收款明细报表", RECEIPTS_ROUTE),
        question="这段时间收了多少款，是哪些公司、业务员、客户、账户收的？",
        words="回款",
    )

    receipt_summary_id: Mapped[int] = key_field()
    bill_count: Mapped[int] = integer_field("收款单数", sort=9)
