"""Purchase order (采购订单), CGDD: goods ordered from a supplier; posts nothing, its lines count arrivals."""

from __future__ import annotations

from datetime import date

from sqlalchemy.orm import Mapped

from api.kit.bills import orders
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
from api.kit.declaration.fields import date_field, enum_field, source_line_field
from api.kit.declaration.flow import ORDER
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import supplier_field
from api.master.pricing import gift_rules
from api.master.settings import settings
from api.master.settings.business_types import DeliveryTermsMixin
from api.master.settlements import prepayment
from api.master.stock import replacements
from api.master.stock.stock_lines import StockBill
from api.purchase.purchase_plan import PLANNED_BY, PurchasePlanLine

BY_HAND, MALL, CONVERTED, GROUP_BUYING = 0, 1, 2, 3
ORDER_SOURCES = {BY_HAND: "ERP", MALL: "网上商城", CONVERTED: "采购单转换", GROUP_BUYING: "团购平台"}

ANY_SOURCE = 4
"""All sources, as a filter value of lists (spec/2-routes.md 4)."""


class PurchaseOrderLine(DrawnLine, orders.OrderLine):
    __tablename__ = "purchase_order_line"
    bill_table = "purchase_order"
    derived = (PLANNED_BY,)

    plan_line_id: Mapped[int | None] = source_line_field("purchase_plan_line", "采购计划明细")


class PurchaseOrder(DeliveryTermsMixin, StockBill):
    """采购订单"""

    __tablename__ = "purchase_order"
    declaration = declare_bill(
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
            SourceLink(
                "plan_line_id",
                "purchase_plan",
                PurchasePlanLine,
                "executed_quantity",
                ("company_id", "warehouse_id"),
                offered=False,
                price_already_approved=False,
            ),
        ),
        transitions=ORDER,
        detail=DetailPlacement("采购订单明细", "/purchase/orderdetail", Menu("采购管理", "明细查询", 10)),
    )
    derived = (orders.receiving_status, *prepayment.PURCHASE.derived_columns())

    supplier_id: Mapped[int] = supplier_field()
    delivery_date: Mapped[date | None] = date_field("交货日期", since="business_date", sort=-40)
    order_source: Mapped[int] = enum_field(
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
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        planned = any(line.get("plan_line_id") for line in children["lines"])
        header["order_source"] = CONVERTED if planned else BY_HAND

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.forbid_reversal_if_executed(doc, action)
        replacements.forbid_reversal_when_delivered(ctx, doc, action, "purchase_inbound")
        if action == "close":
            settings.refuse_or_confirm(
                ctx, cls, doc, [(settings.ASKS, gift_rules.PURCHASE.describe_outstanding(ctx, doc))]
            )
        settings.enforce_controls(ctx, cls, doc, action)
