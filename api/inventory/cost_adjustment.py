"""Cost adjustment (成本调整), CBTZ: what stock is worth changes at quantity 0.

Without stock the amount goes to the period's result.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import Bill, BillType, Block, Document, Rows, Values, declare
from api.kit.fields import COST, derived, money, text
from api.kit.flow import POSTED_SQL
from api.kit.goods_bills import GoodsChild
from api.kit.posting import CostAdjustment, Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.stock_lines import OfWarehouse

_ON_STOCK = (
    "(select coalesce(sum(s.amount), 0.00) from stock_ledger s"
    " where s.bill_type = 'CBTZ' and s.line_id = {table}.line_id)"
)
_POSTED = (
    f"exists (select from cost_adjustment h where h.bill_id = {{table}}.bill_id and h.status in {POSTED_SQL})"
)


class CostAdjustmentLine(GoodsChild):
    __tablename__ = "cost_adjustment_line"
    bill_table = "cost_adjustment"
    derived = (
        derived("stock_amount", "计入库存", "money", _ON_STOCK, permission=COST, width=110),
        derived(
            "result_amount",
            "计入当期损益",
            "money",
            f"(case when {_POSTED} then {{table}}.amount - {_ON_STOCK} else 0.00 end)",
            permission=COST,
            width=120,
        ),
    )

    amount: Mapped[Decimal] = money("调整金额", required=True, permission=COST, total=True, sort=10)


class CostAdjustmentBill(OfWarehouse, Bill):
    """成本调整"""

    __tablename__ = "cost_adjustment"
    declaration = declare(
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

    adjusted_amount: Mapped[Decimal] = money(
        "调整金额合计", form=False, permission=COST, total=True, width=130, sort=-65
    )
    reason: Mapped[str] = text("调整原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
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
