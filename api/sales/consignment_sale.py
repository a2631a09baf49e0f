"""Consignment sale (寄售销售), JSXS: goods at a customer's place that remain ours until he has sold them.

They lie frozen in the company's consignment warehouse at their value; settlements sell them, returns bring
them back.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.customers.customer_addresses import ShippingAddressMixin, fill_default_address
from api.customers.customer_salesman import fill_salesman
from api.kit.bills import orders
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import quantity_field, reference_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.goods_bills import GoodsLine
from api.kit.declaration.posting import Landing, Postings
from api.kit.declaration.resource import Menu
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.ledger.integrity_checks import Check, register_checks
from api.master.partners.partners import customer_field
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import (
    OutboundPlaceMixin,
    StockBill,
    build_outbound_moves,
    relocated_cost_column,
)
from api.master.warehouses.warehouses import CONSIGNED, ensure_system_warehouse

SETTLEMENT_STATUSES = ("未结算", "全部结算", "部分结算")

register_checks(
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


class ConsignmentSaleLine(OutboundPlaceMixin, GoodsLine):
    __tablename__ = "consignment_sale_line"
    bill_table = "consignment_sale"
    stock_direction = "through"
    takes_available = True
    derived = (relocated_cost_column("JSXS"), *picked_columns("JSXS"))

    executed_quantity: Mapped[Decimal] = quantity_field(
        "已结算及退回", form=False, total=True, copied=False, width=110, sort=30
    )


class ConsignmentSale(ShippingAddressMixin, StockBill):
    """寄售销售"""

    __tablename__ = "consignment_sale"
    declaration = declare_bill(
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
        detail=DetailPlacement(
            "寄售销售明细", "/sales/salescommissionDetail", Menu("销售管理", "明细查询", 60)
        ),
        moves=True,
    )
    derived = (
        orders.fulfilment_status("settlement_status", "结算状态", "executed_quantity", SETTLEMENT_STATUSES),
    )

    customer_id: Mapped[int] = customer_field()
    consignment_warehouse_id: Mapped[int] = reference_field(
        "warehouse", "寄售仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_default_address(ctx, header)
        fill_salesman(ctx, header)
        header["consignment_warehouse_id"] = ensure_system_warehouse(ctx, header["company_id"], CONSIGNED)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        there = Landing(warehouse_id=doc.header.consignment_warehouse_id, frozen=True)
        return Postings(stock=build_outbound_moves(doc, lands=lambda line: there))

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action in ("antiAuditor", "invalid") and any(line.executed_quantity for line in doc.lines):
            raise Refusal("该寄售单已有结算或退回，不能反审核或作废，请先处理寄售结算单和寄售退回单")
