"""Sales outbound (销售出库), XSCK: stock leaves at the moving average, the customer owes the gross total."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from api.customers.customer_addresses import ShippingAddressMixin, fill_default_address
from api.customers.customer_salesman import fill_salesman
from api.kit.bills.orders import (
    delivered_quantity_field,
    forbid_reversal_with_successors,
    fulfilment_status,
    returned_quantity_field,
)
from api.kit.context import Context
from api.kit.declaration.document import (
    BillLine,
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import derived_field, source_line_field
from api.kit.declaration.flow import POSTED, POSTED_SQL
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Outside, Postings, SettlementOpen
from api.kit.declaration.resource import Menu, ScreenPlacement
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.ledger.integrity_checks import Check, register_checks
from api.master.partners.partners import customer_field
from api.master.pricing import gift_rules
from api.master.rebates import rebate_checks
from api.master.settings import settings
from api.master.settings.business_types import code_list_field
from api.master.settlements import prepayment
from api.master.settlements.invoices import INVOICE_STATUS, invoiced_amount_field
from api.master.settlements.settlements import DueDateMixin
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import OutboundLine, StockBill, build_outbound_moves, line_cost_column
from api.sales import credit, gifts
from api.sales.sales_order import SalesOrderLine

_SETTLEMENT = "(select s.bill_no from consignment_settlement s where s.bill_id = {table}.settlement_id)"
_UNDELIVERED = f"""(
    select max(e.back) from (
        select sum(m.quantity) over (order by m.business_date, m.audited_at) as back
        from (
            select h.business_date, h.audited_at, r.quantity
            from sales_return_line r join sales_return h using (bill_id)
            where r.source_line_id = {{table}}.line_id and h.status in {POSTED_SQL}
            union all
            select h.business_date, h.audited_at, -d.quantity
            from sales_delivery_line d join sales_delivery h using (bill_id)
            where d.source_line_id = {{table}}.line_id and h.status in {POSTED_SQL}
        ) m
    ) e
)"""
DELIVERABLE = f"""(
    {{table}}.quantity - {{table}}.delivered_quantity
    - case when {{table}}.returned_quantity = 0 then 0 else greatest({_UNDELIVERED}, 0) end
)"""
"""SQL of a line's deliverable quantity: shipped, less delivered, less returned undelivered.

Day by day, and within a day in order of audit, a return is taken from the delivered quantity first, and only the
excess from the undelivered one. So 4 of 10 returned before any delivery leave 6; 3 returned of 5 delivered leave
the other 5."""
_OVERDELIVERED = f"""
select distinct h.bill_no, l.line_no
from sales_outbound_line l join sales_outbound h using (bill_id)
where l.line_id in (select x.source_line_id from {{lines}} x where x.bill_id = %s)
    and {DELIVERABLE.format(table="l")} < 0
order by h.bill_no, l.line_no
"""

register_checks(
    Check(
        "sales_outbound_deliverable",
        "销售出库各行已配送与配送前退回的数量之和不超过出库数量",
        f"""select h.bill_no, l.line_no, l.quantity, l.delivered_quantity, l.returned_quantity
        from sales_outbound_line l join sales_outbound h using (bill_id)
        where l.delivered_quantity > 0 and {DELIVERABLE.format(table="l")} < 0""",
    )
)
_SETTLEMENT_STATUS = "select bill_no, status from consignment_settlement where bill_id = %s"


def _forbid_settlement_reversal(ctx: Context, doc: Document, action: str) -> None:
    """Raise Refusal on reversal while the consignment settlement that created the outbound is in force."""
    if action == "auditorPass" or not doc.header.settlement_id:
        return
    settled = ctx.conn.exec_driver_sql(_SETTLEMENT_STATUS, (doc.header.settlement_id,)).one()
    if settled.status in POSTED:
        raise Refusal(f"该出库单由寄售结算{settled.bill_no}生成，请反审核或作废寄售结算")


def require_deliverable(ctx: Context, lines: type[BillLine], key: int, msg: str) -> None:
    """Raise Refusal if more of an outbound was delivered, or returned undelivered, than was shipped."""
    rows = ctx.conn.exec_driver_sql(_OVERDELIVERED.format(lines=lines.name()), (key,)).all()
    if rows:
        places = "、".join(f"{row.bill_no}第{row.line_no}行" for row in rows[: settings.SHOWN])
        raise Refusal(msg.format(places))


class SalesOutboundLine(DrawnLine, OutboundLine):
    __tablename__ = "sales_outbound_line"
    bill_table = "sales_outbound"
    derived = (
        line_cost_column("XSCK"),
        *picked_columns("XSCK"),
        derived_field("deliverable_quantity", "可配送数量", "quantity", DELIVERABLE, list=False),
    )

    order_line_id: Mapped[int | None] = source_line_field("sales_order_line", "销售订单明细")
    returned_quantity: Mapped[Decimal] = returned_quantity_field()
    delivered_quantity: Mapped[Decimal] = delivered_quantity_field()
    invoiced_amount: Mapped[Decimal] = invoiced_amount_field()
    consignment_line_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("consignment_sale_line.line_id"), index=True, sort_order=91
    )
    """The consignment line whose goods a settlement sells."""


class SalesOutbound(ShippingAddressMixin, DueDateMixin, StockBill):
    """销售出库"""

    __tablename__ = "sales_outbound"
    terms_of = "customer"
    declaration = declare_bill(
        "销售出库",
        "v2/sales/SalesOutstock",
        routes={
            "list": "/sales/salesout",
            "add": "/sales/salesoutAdd",
            "edit": "/sales/salesoutModify",
            "see": "/sales/salesamend",
        },
        menu=Menu("销售管理", "销售业务", 20),
        also=(
            ScreenPlacement(
                {
                    "list": "/inventory/salesoutstorage",
                    "add": "/inventory/instroageSalesoutAdd",
                    "edit": "/inventory/salesoutModify",
                    "see": "/inventory/salesoutSee",
                },
                Menu("库存管理", "出入库", 2),
            ),
        ),
        override_rights=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
        beyond=("payLink",),
    )
    bill = BillType(
        "XSCK",
        (Block("lines", "出库明细", SalesOutboundLine, proposals=(gifts.PROPOSAL,)),),
        (
            SourceLink(
                "order_line_id",
                "sales_order",
                SalesOrderLine,
                "executed_quantity",
                ("company_id", "customer_id"),
            ),
        ),
        detail=DetailPlacement(
            "销售出库明细", "/sales/outstockgoodsdetail", Menu("销售管理", "明细查询", 20)
        ),
        moves=True,
        settles=True,
    )

    derived = (
        fulfilment_status(
            "delivery_status",
            "配送状态",
            "delivered_quantity",
            ("未配送", "全部配送", "部分配送"),
            f"delivered_quantity + {DELIVERABLE.format(table='l')}",
        ),
        INVOICE_STATUS,
        derived_field("settlement_no", "寄售结算单号", "text", _SETTLEMENT, width=190, bill=True, list=False),
    )

    customer_id: Mapped[int] = customer_field()
    sales_type_id: Mapped[int | None] = code_list_field("sales_type", "销售类型", sort=-45)
    delivery_mode_id: Mapped[int | None] = code_list_field("delivery_mode", "配送方式", sort=-39)
    settlement_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("consignment_settlement.bill_id"), index=True, sort_order=-30
    )
    """The consignment settlement whose audit created it."""

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        cls.fill_due_date(ctx, header)
        fill_default_address(ctx, header)
        fill_salesman(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("customer", header.customer_id, header.total_amount, header.due_date)
        consigned = (lambda line: ("JSXS", line.consignment_line_id)) if header.settlement_id else None
        return Postings(
            stock=build_outbound_moves(doc, orders=True, frozen=bool(header.settlement_id), origin=consigned),
            settlements=(owed,),
            outside=Outside("customer", header.customer_id),
        )

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        forbid_reversal_with_successors(doc, action)
        _forbid_settlement_reversal(ctx, doc, action)
        if action == "auditorPass":
            settings.refuse_or_confirm(ctx, cls, doc, gift_rules.SALE.find_questions(ctx, doc))
        else:
            settings.refuse_or_confirm(
                ctx, cls, doc, [(settings.ASKS, gift_rules.SALE.describe_stranded(ctx, doc))]
            )
        lacking = prepayment.SALE.shortfall
        settings.enforce_controls(
            ctx,
            cls,
            doc,
            action,
            credit.describe_outbound_excess,
            lacking,
            rebate_checks.describe_customer_rebates,
        )
