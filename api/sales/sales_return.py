"""Sales return (销售退货), XSTH: stock comes back at its issue cost, or the average when not linked; the
receivable falls.

Goods to be replaced (补发) reopen their order, and reserve available stock for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Mapped

from api.customers.customer_salesman import fill_salesman
from api.kit.bills import transitions
from api.kit.bills.orders import forbid_reversal_with_successors
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Parts,
    Rows,
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import COST, price_field, source_line_field
from api.kit.declaration.flow import AUDITED
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Outside, Postings, Reservation, SettlementOpen
from api.kit.declaration.resource import BEYOND_SOURCE, Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field
from api.master.pricing import gift_rules
from api.master.rebates import rebate_checks
from api.master.settings import settings
from api.master.settings.business_types import code_list_field
from api.master.settlements import prepayment
from api.master.settlements.invoices import INVOICE_STATUS, invoiced_amount_field
from api.master.settlements.settlements import DueDateMixin
from api.master.stock import replacements, return_batches
from api.master.stock.stock_lines import (
    InboundLine,
    StockBill,
    build_inbound_moves,
    line_cost_column,
    read_taken_batches,
    resolve_batches,
)
from api.sales.sales_order import SalesOrderLine
from api.sales.sales_outbound import SalesOutboundLine, require_deliverable

_UNRESERVED = """
select l.line_id, h.warehouse_id, l.goods_id, l.quantity - l.executed_quantity - coalesce(r.quantity, 0) as quantity
from sales_order_line l
join sales_order h using (bill_id)
left join lateral (
    select sum(r.quantity) as quantity from reservation_ledger r where r.order_line_id = l.line_id
) r on true
where l.line_id = any(%s) and l.quantity - l.executed_quantity > coalesce(r.quantity, 0)
order by l.line_id
"""


def _read_claims(ctx: Context, lines: Sequence[int]) -> tuple[Reservation, ...]:
    """Read the reservations still missing for reopened order lines, each in its order's warehouse."""
    rows = ctx.conn.exec_driver_sql(_UNRESERVED, (sorted(set(lines)),))
    return tuple(Reservation(row.line_id, row.warehouse_id, row.goods_id, row.quantity) for row in rows)


class SalesReturnLine(DrawnLine, InboundLine):
    __tablename__ = "sales_return_line"
    bill_table = "sales_return"
    derived = (line_cost_column("XSTH", sign=""),)

    source_line_id: Mapped[int | None] = source_line_field("sales_outbound_line", "销售出库明细")
    unit_cost: Mapped[Decimal | None] = price_field(
        "单位成本",
        default=None,
        rule="Positive",
        permission=COST,
        copied=False,
        optional=True,
        width=110,
        sort=21,
    )
    """Unit cost of goods returned without their sale, where neither an average nor a receipt has one."""
    order_line_id: Mapped[int | None] = replacements.reopened_line_field("sales_order_line")
    invoiced_amount: Mapped[Decimal] = invoiced_amount_field()


class SalesReturn(prepayment.AdvanceConsumingBill, DueDateMixin, StockBill):
    """销售退货"""

    __tablename__ = "sales_return"
    declaration = declare_bill(
        "销售退货",
        "v2/sales/SalesReturn",
        routes={"list": "/sales/salesrefund", "add": "/sales/salesReturnAdd", "see": "/sales/salesReturnSee"},
        menu=Menu("销售管理", "销售业务", 30),
        override_rights=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "XSTH",
        (Block("lines", "退货明细", SalesReturnLine),),
        (
            SourceLink(
                "source_line_id",
                "sales_outbound",
                SalesOutboundLine,
                "returned_quantity",
                ("company_id", "customer_id"),
                capped=True,
                returns=True,
            ),
            replacements.build_reopening_link("sales_order", SalesOrderLine, ("company_id", "customer_id")),
        ),
        detail=DetailPlacement("销售退货明细", "/sales/salesdetailed", Menu("销售管理", "明细查询", 30)),
        moves=True,
        settles=True,
    )

    derived = (INVOICE_STATUS,)

    customer_id: Mapped[int] = customer_field()
    remedy: Mapped[int] = replacements.remedy_field("补发")
    sales_return_reason_id: Mapped[int | None] = code_list_field("sales_return_reason", "退货原因", sort=-45)

    @classmethod
    def split_source_lines(
        cls, ctx: Context, link: SourceLink, rows: Sequence[Row[Any]]
    ) -> Mapping[int, Parts]:
        """Return goods under the batches that were issued, named or not."""
        return read_taken_batches(ctx.conn, "XSCK", {row.line_id: link.remaining(row) for row in rows})

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_salesman(ctx, header)
        return_batches.fill_batches(ctx, cls, children["lines"], "batch")
        resolve_batches(ctx, children["lines"], problems, header["business_date"])
        cls.fill_due_date(ctx, header)
        replacements.fill_order_lines(ctx, header, children["lines"], SalesOutboundLine)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        credited = SettlementOpen("customer", header.customer_id, -header.total_amount, header.due_date)
        moves = zip(
            build_inbound_moves(doc, priced=False, origin="XSCK", came_back=True), doc.lines, strict=True
        )
        return Postings(
            stock=tuple(replace(move, fallback_unit_cost=line.unit_cost) for move, line in moves),
            settlements=(credited,),
            outside=Outside("customer", header.customer_id),
        )

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        super().check_transition(ctx, doc, action)
        forbid_reversal_with_successors(doc, action)
        messages = (
            rebate_checks.describe_customer_rebates(ctx, doc),
            gift_rules.SALE.describe_unreturned(ctx, doc, action),
        )
        settings.refuse_or_confirm(ctx, cls, doc, [(settings.ASKS, msg) for msg in messages])

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().after_transition(ctx, doc, effect)
        if effect == "post":
            return_batches.forbid_other_batches(ctx, cls, doc)
        if effect == "post" and doc.header.remedy == replacements.REPLACED:
            claims = _read_claims(ctx, [line.order_line_id for line in doc.lines])
            if claims:
                transitions.get_ledgers().post(ctx, cls.reference(doc.header), Postings(reservations=claims))

    @classmethod
    def sync_dependents(cls, ctx: Context, key: int, status: int | None) -> None:
        if status == AUDITED:
            msg = "销售出库{}退回的数量在退货日期以后才配送，请核对退货日期和配送单"
            require_deliverable(ctx, SalesReturnLine, key, msg)
