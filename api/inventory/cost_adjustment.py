"""Cost adjustment (成本调整), CBTZ: changes the value of stock at quantity 0.

Without stock the amount goes to the period's result.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import Bill, BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import COST, derived_field, money_field, text_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.goods_bills import GoodsBillLine
from api.kit.declaration.posting import CostAdjustment, Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import WarehouseMixin

_ON_STOCK = (
    "(select coalesce(sum(s.amount), 0.00) from stock_ledger s"
    " where s.bill_type = 'CBTZ' and s.line_id = {table}.line_id)"
)
_POSTED = (
    f"exists (select from cost_adjustment h where h.bill_id = {{table}}.bill_id and h.status in {POSTED_SQL})"
)


class CostAdjustmentLine(GoodsBillLine):
    __tablename__ = "cost_adjustment_line"
    bill_table = "cost_adjustment"
    derived = (
        derived_field("stock_amount", "计入库存", "money", _ON_STOCK, permission=COST, width=110),
        derived_field(
            "result_amount",
            "计入当期损益",
            "money",
            f"(case when {_POSTED} then {{table}}.amount - {_ON_STOCK} else 0.00 end)",
            permission=COST,
            width=120,
        ),
    )

    amount: Mapped[Decimal] = money_field("调整金额", required=True, permission=COST, total=True, sort=10)


class CostAdjustmentBill(WarehouseMixin, Bill):
    """成本调整"""

    __tablename__ = "cost_adjustment"
    declaration = declare_bill(
        "成本调整",
        "v2/inventory/AdjustCost",
        routes={
            "list": "/inventory/adjustcost",
            "add": "/inventory/adjustcostAdd",
            "see": "/inventory/adjustcostSee",
        },
        menu=Menu("库存管理", "盘点调整", 20),
    )
    bill = BillType(
        "CBTZ",
        (Block("lines", "调整明细", CostAdjustmentLine),),
        moves=True,
    )

    adjusted_amount: Mapped[Decimal] = money_field(
        "调整金额合计", form=False, permission=COST, total=True, width=130, sort=-65
    )
    reason: Mapped[str] = text_field("调整原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        for line in children["lines"]:
            if not line["amount"]:
                problems.place = f"第{line['line_no']}行"
                problems.add("请输入调整金额，可为负数")
        problems.place = ""
        header["adjusted_amount"] = sum((line["amount"] for line in children["lines"]), Decimal(0))

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(
            adjustments=tuple(
                CostAdjustment(line.line_id, doc.header.warehouse_id, line.goods_id, line.amount)
                for line in doc.lines
            )
        )
