"""Purchase inbound (采购入库), CGRK: stock comes in at its net price, the supplier is owed the gross total.

Freight of a third-party carrier adds to the value of the goods, by amount or quantity, and is owed to the
carrier.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.bills.orders import (
    allotted_quantity_field,
    forbid_reversal_with_successors,
    requested_quantity_field,
    returned_quantity_field,
)
from api.kit.bills.proration import allocate_by_weight
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
from api.kit.declaration.fields import (
    DerivedField,
    Kind,
    derived_field,
    enum_field,
    money_field,
    source_line_field,
)
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Outside, Postings, SettlementOpen
from api.kit.declaration.resource import Menu, ScreenPlacement
from api.kit.storage.validation import Problems
from api.ledger.integrity_checks import Check, register_checks
from api.master.partners.partners import supplier_field
from api.master.pricing import gift_rules
from api.master.rebates import rebate_checks
from api.master.settings import settings
from api.master.settlements import prepayment
from api.master.settlements.freight import FreightBill, build_freight_payable, fill_freight
from api.master.settlements.invoices import INVOICE_STATUS, invoiced_amount_field
from api.master.settlements.settlements import DueDateMixin
from api.master.stock.stock_lines import InboundLine, StockBill, build_inbound_moves, resolve_batches
from api.purchase.purchase_order import PurchaseOrderLine

BY_AMOUNT, BY_QUANTITY = 1, 2
FREIGHT_BY = {BY_AMOUNT: "按金额", BY_QUANTITY: "按数量"}
RETURNABLE = """(
    {table}.quantity - {table}.requested_quantity - {table}.returned_quantity
    + (select coalesce(sum(a.executed_quantity), 0) from refund_request_line a where a.source_line_id = {table}.line_id)
)"""
"""SQL of a line's quantity that was neither asked back nor returned directly."""
ALLOTTABLE = f"({RETURNABLE} - {{table}}.allotted_quantity)"
"""SQL of the returnable quantity that is not allocated to a warehouse."""

register_checks(
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


def build_receipt_field(
    name: str, label: str, kind: Kind, column: str, width: int = 90, **marks: Any
) -> DerivedField:
    """Build a derived field from the receipt that a line names: line `i` of bill `b`."""
    return derived_field(name, label, kind, _RECEIPT.format(column=column), width=width, **marks)


class PurchaseInboundLine(DrawnLine, InboundLine):
    __tablename__ = "purchase_inbound_line"
    bill_table = "purchase_inbound"
    derived = (
        derived_field("returnable_quantity", "可退数量", "quantity", RETURNABLE, list=False),
        derived_field("allottable_quantity", "可分配数量", "quantity", ALLOTTABLE, list=False),
    )

    order_line_id: Mapped[int | None] = source_line_field("purchase_order_line", "采购订单明细")
    returned_quantity: Mapped[Decimal] = returned_quantity_field()
    requested_quantity: Mapped[Decimal] = requested_quantity_field()
    allotted_quantity: Mapped[Decimal] = allotted_quantity_field()
    invoiced_amount: Mapped[Decimal] = invoiced_amount_field()


def prorate_freight(doc: Document) -> list[Decimal]:
    """Prorate the freight over the lines; by amount, gifts among paid goods have none."""
    weight = "no_tax_amount" if doc.header.freight_by == BY_AMOUNT else "quantity"
    return allocate_by_weight(doc.header.freight_amount, [getattr(line, weight) for line in doc.lines])


class PurchaseInbound(FreightBill, DueDateMixin, StockBill):
    """采购入库"""

    __tablename__ = "purchase_inbound"
    terms_of = "supplier"
    declaration = declare_bill(
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
            ScreenPlacement(
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
            SourceLink(
                "order_line_id",
                "purchase_order",
                PurchaseOrderLine,
                "executed_quantity",
                ("company_id", "supplier_id"),
            ),
        ),
        detail=DetailPlacement("采购入库明细", "/purchase/InStorageDetail", Menu("采购管理", "明细查询", 20)),
        moves=True,
        settles=True,
    )

    derived = (INVOICE_STATUS,)

    supplier_id: Mapped[int] = supplier_field()
    freight_amount: Mapped[Decimal] = money_field(
        "运费（未税）", rule="Positive", total=True, copied=False, width=110, sort=-43
    )
    freight_by: Mapped[int] = enum_field(
        "运费分摊", FREIGHT_BY, default=BY_AMOUNT, list=False, width=100, sort=-42
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        resolve_batches(ctx, children["lines"], problems, header["business_date"])
        cls.fill_due_date(ctx, header)
        fill_freight(ctx, header, problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("supplier", header.supplier_id, header.total_amount, header.due_date)
        return Postings(
            stock=build_inbound_moves(doc, extra=prorate_freight(doc)),
            settlements=(owed, *build_freight_payable(header)),
            outside=Outside("supplier", header.supplier_id),
        )

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        forbid_reversal_with_successors(doc, action)
        if action == "auditorPass":
            settings.refuse_or_confirm(ctx, cls, doc, gift_rules.PURCHASE.find_questions(ctx, doc))
        else:
            settings.refuse_or_confirm(
                ctx, cls, doc, [(settings.ASKS, gift_rules.PURCHASE.describe_stranded(ctx, doc))]
            )
        lacking = prepayment.PURCHASE.shortfall
        settings.enforce_controls(
            ctx, cls, doc, action, shortfall=lacking, rebated=rebate_checks.describe_supplier_rebates
        )
