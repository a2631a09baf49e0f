"""Purchase inbound (采购入库), CGRK: stock comes in at its net price, the supplier is owed the gross total.

Freight that somebody else is paid for adds to what the goods are worth, by their amounts or quantities; its carrier is
owed it.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import Derived, Kind, derived, enum, money, source_line
from api.kit.goods_bills import DrawnLine
from api.kit.orders import allotted, refuse_followed, requested, returned
from api.kit.posting import Outside, Postings, SettlementOpen
from api.kit.proration import allocate_by_weight
from api.kit.resource import Menu, Place
from api.kit.validation import Problems
from api.ledger.checks import Check, register
from api.master import earned_gifts, prepayment, rebate_bases, settings
from api.master.carriers import Carried, freight_owed, settle_freight
from api.master.invoices import INVOICE_STATUS, invoiced
from api.master.partners import supplier
from api.master.settlements import FallsDue
from api.master.stock_lines import InboundLine, StockBill, inbound, settle_batches
from api.purchase.purchase_order import PurchaseOrderLine

BY_AMOUNT, BY_QUANTITY = 1, 2
FREIGHT_BY = {BY_AMOUNT: "按金额", BY_QUANTITY: "按数量"}
RETURNABLE = """(
    {table}.quantity - {table}.requested_quantity - {table}.returned_quantity
    + (select coalesce(sum(a.executed_quantity), 0) from refund_request_line a where a.source_line_id = {table}.line_id)
)"""
"""What of a line was neither asked back nor returned without being asked for."""
ALLOTTABLE = f"({RETURNABLE} - {{table}}.allotted_quantity)"
"""What of that was not allotted to a warehouse."""

register(
    Check(
        "purchase_inbound_line_returnable",
        "采购入库各行的退货与退货申请之和不超过其数量",
        f"""select l.line_id, l.quantity, l.returned_quantity, l.requested_quantity
        from purchase_inbound_line l
        where {RETURNABLE.format(table="l")} < 0""",
    )
)
_RECEIPT = (
    "(select {column} from purchase_inbound_line i join purchase_inbound b using (bill_id)"
    " where i.line_id = {{table}}.source_line_id)"
)


def of_receipt(name: str, label: str, kind: Kind, column: str, width: int = 90, **marks: Any) -> Derived:
    """What a line tells of the receipt that it names, line `i` of bill `b`."""
    return derived(name, label, kind, _RECEIPT.format(column=column), width=width, **marks)


class PurchaseInboundLine(DrawnLine, InboundLine):
    __tablename__ = "purchase_inbound_line"
    bill_table = "purchase_inbound"
    derived = (
        derived("returnable_quantity", "可退数量", "quantity", RETURNABLE, list=False),
        derived("allottable_quantity", "可分配数量", "quantity", ALLOTTABLE, list=False),
    )

    order_line_id: Mapped[int | None] = source_line("purchase_order_line", "采购订单明细")
    returned_quantity: Mapped[Decimal] = returned()
    requested_quantity: Mapped[Decimal] = requested()
    allotted_quantity: Mapped[Decimal] = allotted()
    invoiced_amount: Mapped[Decimal] = invoiced()


def freight(doc: Document) -> list[Decimal]:
    """Each line's part of the freight; gifts among paid goods have none of it by amount."""
    weight = "no_tax_amount" if doc.header.freight_by == BY_AMOUNT else "quantity"
    return allocate_by_weight(doc.header.freight_amount, [getattr(line, weight) for line in doc.lines])


class PurchaseInbound(Carried, FallsDue, StockBill):
    """采购入库"""

    __tablename__ = "purchase_inbound"
    terms_of = "supplier"
    declaration = declare(
        "采购入库",
        "v2/purchase/InStorage",
        also_called={"getInfo": "get"},
        routes={
            "list": "/purchase/instorage",
            "add": "/purchase/instorageAdd",
            "see": "/purchase/instorageSee",
        },
        menu=Menu("采购管理", "采购业务", 20),
        also=(
            Place(
                {
                    "list": "/inventory/purchaseinstorage",
                    "add": "/inventory/purchaseinstorageAdd",
                    "see": "/inventory/purchaseinstorageSee",
                },
                Menu("库存管理", "出入库", 1),
            ),
        ),
    )
    bill = BillType(
        "CGRK",
        (Block("lines", "入库明细", PurchaseInboundLine),),
        (
            Link(
                "order_line_id",
                "purchase_order",
                PurchaseOrderLine,
                "executed_quantity",
                ("company_id", "supplier_id"),
            ),
        ),
        detail=DetailPlace("采购入库明细", "/purchase/InStorageDetail", Menu("采购管理", "明细查询", 20)),
        moves=True,
        settles=True,
    )

    derived = (INVOICE_STATUS,)

    supplier_id: Mapped[int] = supplier()
    freight_amount: Mapped[Decimal] = money(
        "运费（未税）", rule="Positive", total=True, copied=False, width=110, sort=-43
    )
    freight_by: Mapped[int] = enum("运费分摊", FREIGHT_BY, default=BY_AMOUNT, list=False, width=100, sort=-42)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        settle_batches(ctx, children["lines"], problems, header["business_date"])
        cls.fall_due(ctx, header)
        settle_freight(ctx, header, problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("supplier", header.supplier_id, header.total_amount, header.due_date)
        return Postings(
            stock=inbound(doc, extra=freight(doc)),
            settlements=(owed, *freight_owed(header)),
            outside=Outside("supplier", header.supplier_id),
        )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        refuse_followed(doc, action)
        if action == "auditorPass":
            settings.refuse_or_ask(ctx, cls, doc, earned_gifts.PURCHASE.find_questions(ctx, doc))
        else:
            settings.refuse_or_ask(
                ctx, cls, doc, [(settings.ASKS, earned_gifts.PURCHASE.describe_stranded(ctx, doc))]
            )
        lacking = prepayment.PURCHASE.lacking
        settings.hold(ctx, cls, doc, action, lacking=lacking, rebated=rebate_bases.describe_bought)
