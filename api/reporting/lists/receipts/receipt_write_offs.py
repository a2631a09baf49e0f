"""Write-offs by receipts (收款核销明细): each with both its bills, days overdue, and the salesperson of
the sale.

`api.reporting.lists.receipts.commissions` computes the commission. Items without a sale, such as opening ones, have no
salesperson.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import COST, date_field, integer_field, key_field, money_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import BillReportRow, bill_columns_sql
from api.reporting.lists.partner_columns import CUSTOMER, PartnerRow, customer_column
from api.reporting.lists.sales_purchase_columns import employee_column

# One that was reversed is none. Days are asked for here: what receipts paid in other months isn't looked up.
WRITE_OFFS = """
select cast(hash(bill_type, bill_id, settlement_id, business_date) % 9007199254740991 as bigint) as write_off_id,
    any_value(company_id) as company_id, any_value(party_id) as customer_id, business_date, bill_type, bill_id,
    any_value(bill_no) as bill_no, settlement_id, any_value(item_bill_type) as item_bill_type,
    any_value(item_bill_id) as item_bill_id, any_value(item_bill_no) as item_bill_no, any_value(item_date) as item_date,
    any_value(due_date) as due_date, any_value(item_amount) as item_amount,
    cast(-sum(amount) as decimal(18, 2)) as amount
from facts.fct_settlement_entry
where party_type = 'customer' and is_write_off and business_date between cast(:first as date) and cast(:last as date)
group by bill_type, bill_id, settlement_id, business_date
having sum(amount) <> 0
"""
"""What was written off of what customers owe from `:first` to `:last`."""
_WITH_PROFIT = f"""
select w.write_off_id as receipt_write_off_id, w.*, s.employee_id,
    cast((s.revenue - s.cost) * w.amount / nullif(w.item_amount, 0) as decimal(18, 2)) as profit,
    {{bill}}, {{item}}, greatest(w.business_date - w.due_date, 0) as late_days
from ({WRITE_OFFS}) w
left join facts.fct_sales_bill s on s.bill_type = w.item_bill_type and s.bill_id = w.item_bill_id
"""


class ReceiptWriteOff(BillReportRow, PartnerRow):
    """Write-offs by receipts (收款核销明细)."""

    __tablename__ = "receipt_write_off"
    pinned_columns = (
        "business_date",
        "employee_id",
        "customer_id",
        "bill_no",
        "item_bill_no",
        "item_amount",
        "amount",
    )
    party = CUSTOMER
    declaration = Declaration(
        "收款核销明细",
        "v2/report/ReceiptWriteOff",
        "bill_no",
        routes={"list": "/report/receiptdetail"},
        menu=Menu("报表中心", "收款报表", 30),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="收来的款核销了哪些单据？",
    )

    receipt_write_off_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("核销日期", search=True, width=110, sort=-60)
    employee_id: Mapped[int | None] = employee_column("业务员")
    customer_id: Mapped[int] = customer_column()
    bill_name: Mapped[str | None] = text_field("核销单据类型", width=110, sort=-50)
    bill_no: Mapped[str] = text_field("核销单据号", search=True, width=190, sort=-49)
    item_bill_name: Mapped[str | None] = text_field("被核销单据类型", width=120)
    item_bill_no: Mapped[str] = text_field("被核销单据号", search=True, width=190, bill=True)
    item_date: Mapped[date] = date_field("单据日期", search=True, width=110)
    due_date: Mapped[date] = date_field("到期日", search=True, width=110)
    late_days: Mapped[int] = integer_field("逾期天数", search=True, width=90)
    item_amount: Mapped[Decimal] = money_field("单据金额")
    amount: Mapped[Decimal] = money_field("核销金额", total=True)
    profit: Mapped[Decimal | None] = money_field("核销毛利", total=True, permission=COST)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "business_date", "核销日期")
        lines = _WITH_PROFIT.format(bill=bill_columns_sql("w"), item=bill_columns_sql("w", of="item_"))
        return lines, {"first": first, "last": last}
