"""Purchase order (采购订单), CGDD: what a supplier is to deliver; it posts nothing, its lines count what arrived."""

from __future__ import annotations

from datetime import date

from sqlalchemy.orm import Mapped

from api.kit import orders
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import day, enum, source_line
from api.kit.flow import ORDER
from api.kit.goods_bills import DrawnLine
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master import earned_gifts, prepayment, replacements, settings
from api.master.business_types import Delivered
from api.master.partners import supplier
from api.master.stock_lines import StockBill
from api.purchase.purchase_plan import PLANNED_BY, PurchasePlanLine

BY_HAND, MALL, CONVERTED, GROUP_BUYING = 0, 1, 2, 3
ORDER_SOURCES = {BY_HAND: "ERP", MALL: "网上商城", CONVERTED: "采购单转换", GROUP_BUYING: "团购平台"}

ANY_SOURCE = 4
"""Stands for all of them in what a list is asked for (spec/2-routes.md 4)."""


class PurchaseOrderLine(DrawnLine, orders.OrderLine):
    __tablename__ = "purchase_order_line"
    bill_table = "purchase_order"
    derived = (PLANNED_BY,)

    plan_line_id: Mapped[int | None] = source_line("purchase_plan_line", "采购计划明细")


class PurchaseOrder(Delivered, StockBill):
    """采购订单"""

    __tablename__ = "purchase_order"
    declaration = declare(
        "采购订单",
        "v2/purchase/PurchaseOrder",
        also_called={"getInfo": "get"},
        transitions=ORDER,
        routes={
            "list": "/purchase/order",
            "add": "/purchase/orderAdd",
            "see": "/purchase/orderSee",
        },
        menu=Menu("采购管理", "采购业务", 10),
    )
    bill = BillType(
        "CGDD",
        (Block("lines", "采购明细", PurchaseOrderLine),),
        (
            Link(
                "plan_line_id",
                "purchase_plan",
                PurchasePlanLine,
                "executed_quantity",
                ("company_id", "warehouse_id"),
                offered=False,
                agreed=False,
            ),
        ),
        transitions=ORDER,
        detail=DetailPlace("采购订单明细", "/purchase/orderdetail", Menu("采购管理", "明细查询", 10)),
    )
    derived = (orders.receiving_status, *prepayment.PURCHASE.shown())

    supplier_id: Mapped[int] = supplier()
    delivery_date: Mapped[date | None] = day("交货日期", since="business_date", sort=-40)
    order_source: Mapped[int] = enum(
        "订单来源",
        ORDER_SOURCES,
        default=BY_HAND,
        every=ANY_SOURCE,
        form=False,
        search=True,
        copied=False,
        extract=False,
        width=100,
        sort=-35,
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        planned = any(line.get("plan_line_id") for line in children["lines"])
        header["order_source"] = CONVERTED if planned else BY_HAND

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.refuse_executed(doc, action)
        replacements.refuse_delivered(ctx, doc, action, "purchase_inbound")
        if action == "close":
            settings.refuse_or_ask(
                ctx, cls, doc, [(settings.ASKS, earned_gifts.PURCHASE.describe_owed(ctx, doc))]
            )
        settings.hold(ctx, cls, doc, action)
