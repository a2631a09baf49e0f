"""Receivable-payable offset (应收冲应付), YSYF: settles receivables against payables of one partner.

Customers belong to a company and suppliers to the group; the same name in both is the same partner, as in
往来核算.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Rows, Values, declare_bill
from api.kit.declaration.fields import derived_field
from api.kit.declaration.resource import Menu
from api.kit.storage.projection import format_yuan
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field, supplier_field
from api.master.settlements.settlements import OffsettingBill, WriteOffLine, validate_items

_SIDE = """
(select case i.party_type when 'customer' then '应收' else '应付' end from settlement_item i
where i.settlement_id = {table}.settlement_id)
"""
_NAMESAKES = """
select 1 from customer c join supplier s on s.supplier_name = c.customer_name
where c.customer_id = %s and s.supplier_id = %s
"""


class ReceivablePayableWriteOff(WriteOffLine):
    __tablename__ = "contra_write_off"
    bill_table = "contra"

    derived = (derived_field("side", "往来", "text", _SIDE, width=80), *WriteOffLine.derived)


class ReceivablePayableOffset(OffsettingBill):
    """应收冲应付"""

    __tablename__ = "contra"
    pinned_columns = ("bill_no", "business_date", "status", "customer_id", "supplier_id", "amount")
    declaration = declare_bill(
        "应收冲应付",
        "v2/money/Contra",
        routes={
            "list": "/MoneyManagement/contra",
            "add": "/MoneyManagement/contra/add",
            "see": "/MoneyManagement/contra/see",
        },
        menu=Menu("资金管理", "资金业务", 20),
    )
    bill = BillType(
        "YSYF",
        (
            Block(
                "write_offs",
                "冲抵明细",
                ReceivablePayableWriteOff,
                source="v2/money/Contra/getOpenItems",
                source_by=("company_id", "customer_id", "supplier_id"),
            ),
        ),
        settles=True,
    )

    customer_id: Mapped[int] = customer_field(for_settlement=True)
    supplier_id: Mapped[int] = supplier_field(for_settlement=True)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        """Require equal amounts of receivables and payables of one partner; the bill's amount follows."""
        if not ctx.conn.exec_driver_sql(_NAMESAKES, (header["customer_id"], header["supplier_id"])).first():
            problems.add("客户和供应商须是同一往来单位（名称相同）")
        rows = children["write_offs"]
        whose = validate_items(ctx, cls, header, rows, problems)
        sums = {"customer": Decimal(0), "supplier": Decimal(0)}
        for row in rows:
            if row["settlement_id"] in whose:
                sums[whose[row["settlement_id"]]] += row["amount"]
        if sums["customer"] != sums["supplier"] or sums["customer"] <= 0:
            owed, owing = (
                format_yuan(one, ctx.principal, (ReceivablePayableWriteOff, "amount"))
                for one in sums.values()
            )
            problems.add(f"冲抵的两边须相等且大于零：应收{owed}，应付{owing}")
        header["amount"] = sums["customer"]
