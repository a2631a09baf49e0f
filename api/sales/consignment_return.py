"""Consignment return (寄售退回), JSTH: consigned goods that the customer has not sold come back into a warehouse."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.customers.customer_salesmen import hand_to_salesman
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import derived, goods, ref, source_line
from api.kit.goods_bills import QuantityLine
from api.kit.posting import Landing, Postings, StockMove
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.partners import customer
from api.master.picks import sent_batches
from api.master.stock_lines import MoveBill, value_travelled
from api.master.tire_numbers import Numbered, stored
from api.master.warehouses import CONSIGNED, GOOD, system_warehouse, warehouse
from api.sales.consignment_sale import ConsignmentSaleLine
from api.sales.consignment_settlement import CONSIGNED_BY


class ConsignmentReturnLine(Numbered, QuantityLine):
    __tablename__ = "consignment_return_line"
    bill_table = "consignment_return"
    moves = "through"
    derived = (
        derived("source_no", "寄售单号", "text", CONSIGNED_BY, width=190, bill=True),
        value_travelled("JSTH"),
        sent_batches("JSTH", "JSXS"),
    )

    goods_id: Mapped[int] = goods(required=True, form=False, search=True, sort=-80)
    allocation_id: Mapped[int | None] = ref("allocation", "库位", within=("warehouse_id",), sort=-40)
    source_line_id: Mapped[int | None] = source_line("consignment_sale_line", "寄售销售明细")


class ConsignmentReturn(MoveBill):
    """寄售退回"""

    __tablename__ = "consignment_return"
    declaration = declare(
        "寄售退回",
        "v2/sales/SalesCommissionReturn",
        routes={
            "list": "/sales/salescommissionReturn",
            "add": "/sales/salescommissionReturn/add",
            "see": "/sales/salescommissionReturn/see",
        },
        menu=Menu("销售管理", "销售业务", 65),
    )
    bill = BillType(
        "JSTH",
        (Block("lines", "退回明细", ConsignmentReturnLine, drawn=True),),
        (
            Link(
                "source_line_id",
                "consignment_sale",
                ConsignmentSaleLine,
                "executed_quantity",
                ("company_id", "customer_id"),
                required=True,
            ),
        ),
        detail=DetailPlace(
            "寄售退回明细", "/sales/salescommissionReturnDetail", Menu("销售管理", "明细查询", 65)
        ),
        moves=True,
    )

    customer_id: Mapped[int] = customer()
    warehouse_id: Mapped[int] = warehouse(GOOD, label="退回仓库", required=True)
    consignment_warehouse_id: Mapped[int] = ref(
        "warehouse", "寄售仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        hand_to_salesman(ctx, header)
        header["consignment_warehouse_id"] = system_warehouse(ctx, header["company_id"], CONSIGNED)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        return Postings(
            stock=tuple(
                StockMove(
                    line_id=line.line_id,
                    warehouse_id=header.consignment_warehouse_id,
                    goods_id=line.goods_id,
                    quantity=-line.quantity,
                    origin=("JSXS", line.source_line_id),
                    frozen=True,
                    tire_numbers=stored(line),
                    lands=Landing(warehouse_id=header.warehouse_id, allocation_id=line.allocation_id),
                )
                for line in doc.lines
            )
        )
