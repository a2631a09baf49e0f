"""Consignment return (寄售退回), JSTH: unsold consigned goods come back into a warehouse."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.customers.customer_salesman import fill_salesman
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import derived_field, goods_field, reference_field, source_line_field
from api.kit.declaration.goods_bills import QuantityLine
from api.kit.declaration.posting import Landing, Postings, StockMove
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field
from api.master.stock.picking import sent_batches_column
from api.master.stock.stock_lines import MoveBill, relocated_cost_column
from api.master.stock.tyre_numbers import TyreNumbersMixin, split_numbers
from api.master.warehouses.warehouses import CONSIGNED, GOOD, ensure_system_warehouse, warehouse_field
from api.sales.consignment_sale import ConsignmentSaleLine
from api.sales.consignment_settlement import CONSIGNED_BY


class ConsignmentReturnLine(TyreNumbersMixin, QuantityLine):
    __tablename__ = "consignment_return_line"
    bill_table = "consignment_return"
    stock_direction = "through"
    derived = (
        derived_field("source_no", "寄售单号", "text", CONSIGNED_BY, width=190, bill=True),
        relocated_cost_column("JSTH"),
        sent_batches_column("JSTH", "JSXS"),
    )

    goods_id: Mapped[int] = goods_field(required=True, form=False, search=True, sort=-80)
    allocation_id: Mapped[int | None] = reference_field(
        "allocation", "库位", within=("warehouse_id",), sort=-40
    )
    source_line_id: Mapped[int | None] = source_line_field("consignment_sale_line", "寄售销售明细")


class ConsignmentReturn(MoveBill):
    """寄售退回"""

    __tablename__ = "consignment_return"
    declaration = declare_bill(
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
        (Block("lines", "退回明细", ConsignmentReturnLine, pick_from_sources=True),),
        (
            SourceLink(
                "source_line_id",
                "consignment_sale",
                ConsignmentSaleLine,
                "executed_quantity",
                ("company_id", "customer_id"),
                required=True,
            ),
        ),
        detail=DetailPlacement(
            "寄售退回明细", "/sales/salescommissionReturnDetail", Menu("销售管理", "明细查询", 65)
        ),
        moves=True,
    )

    customer_id: Mapped[int] = customer_field()
    warehouse_id: Mapped[int] = warehouse_field(GOOD, label="退回仓库", required=True)
    consignment_warehouse_id: Mapped[int] = reference_field(
        "warehouse", "寄售仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_salesman(ctx, header)
        header["consignment_warehouse_id"] = ensure_system_warehouse(ctx, header["company_id"], CONSIGNED)

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
                    tire_numbers=split_numbers(line),
                    lands=Landing(warehouse_id=header.warehouse_id, allocation_id=line.allocation_id),
                )
                for line in doc.lines
            )
        )
