"""Consignment sale (寄售销售), JSXS: goods are put at a customer's place and stay ours until he has sold them.

They lie frozen in the company's consignment warehouse, at the value they had; settlements sell them, returns bring them
back.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.customers.customer_addresses import Sent, send_to_default
from api.customers.customer_salesmen import hand_to_salesman
from api.kit import orders
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.errors import Refusal
from api.kit.fields import quantity, ref
from api.kit.flow import POSTED_SQL
from api.kit.goods_bills import GoodsLine
from api.kit.posting import Landing, Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.ledger.checks import Check, register
from api.master.partners import customer
from api.master.picks import picked
from api.master.stock_lines import FromPlace, StockBill, outbound, value_travelled
from api.master.warehouses import CONSIGNED, system_warehouse

SETTLED = ("未结算", "全部结算", "部分结算")

register(
    Check(
        "consigned_is_unsettled",
        "寄售仓的库存全部冻结，等于已审核寄售减去已结算和已退回",
        f"""select t.warehouse_id, t.goods_id, t.quantity, t.frozen, coalesce(o.quantity, 0) as consigned
        from stock_total t
        join warehouse w on w.warehouse_id = t.warehouse_id and w.type = {CONSIGNED}
        left join (
            select h.consignment_warehouse_id as warehouse_id, l.goods_id,
                sum(l.quantity - l.executed_quantity) as quantity
            from consignment_sale_line l
            join consignment_sale h using (bill_id)
            where h.status in {POSTED_SQL}
            group by 1, 2
        ) o on o.warehouse_id = t.warehouse_id and o.goods_id = t.goods_id
        where t.quantity <> t.frozen or t.quantity <> coalesce(o.quantity, 0)""",
    )
)


class ConsignmentSaleLine(FromPlace, GoodsLine):
    __tablename__ = "consignment_sale_line"
    bill_table = "consignment_sale"
    moves = "through"
    takes_available = True
    derived = (value_travelled("JSXS"), *picked("JSXS"))

    executed_quantity: Mapped[Decimal] = quantity(
        "已结算及退回", form=False, total=True, copied=False, width=110, sort=30
    )


class ConsignmentSale(Sent, StockBill):
    """寄售销售"""

    __tablename__ = "consignment_sale"
    declaration = declare(
        "寄售销售",
        "v2/sales/SalesCommission",
        routes={
            "list": "/sales/salescommission",
            "add": "/sales/salescommissionAdd",
            "edit": "/sales/salescommissionModify",
            "see": "/sales/salescommissionSee",
        },
        menu=Menu("销售管理", "销售业务", 60),
    )
    bill = BillType(
        "JSXS",
        (Block("lines", "寄售明细", ConsignmentSaleLine),),
        detail=DetailPlace("寄售销售明细", "/sales/salescommissionDetail", Menu("销售管理", "明细查询", 60)),
        moves=True,
    )
    derived = (orders.progress("settlement_status", "结算状态", "executed_quantity", SETTLED),)

    customer_id: Mapped[int] = customer()
    consignment_warehouse_id: Mapped[int] = ref(
        "warehouse", "寄售仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        send_to_default(ctx, header)
        hand_to_salesman(ctx, header)
        header["consignment_warehouse_id"] = system_warehouse(ctx, header["company_id"], CONSIGNED)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        there = Landing(warehouse_id=doc.header.consignment_warehouse_id, frozen=True)
        return Postings(stock=outbound(doc, lands=lambda line: there))

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        if action in ("antiAuditor", "invalid") and any(line.executed_quantity for line in doc.lines):
            raise Refusal("该寄售单已有结算或退回，不能反审核或作废，请先处理寄售结算单和寄售退回单")
