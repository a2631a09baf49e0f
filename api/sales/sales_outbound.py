"""Sales outbound (销售出库), XSCK: stock leaves at the present average, the customer owes the gross total."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from api.customers.customer_addresses import Sent, send_to_default
from api.customers.customer_salesmen import hand_to_salesman
from api.kit.context import Context
from api.kit.document import BillType, Block, Child, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.errors import Refusal
from api.kit.fields import derived, source_line
from api.kit.flow import POSTED, POSTED_SQL
from api.kit.goods_bills import DrawnLine
from api.kit.orders import delivered, progress, refuse_followed, returned
from api.kit.posting import Outside, Postings, SettlementOpen
from api.kit.resource import Menu, Place
from api.kit.validation import Problems
from api.ledger.checks import Check, register
from api.master import earned_gifts, prepayment, rebate_bases, settings
from api.master.business_types import classified
from api.master.invoices import INVOICE_STATUS, invoiced
from api.master.partners import customer
from api.master.picks import picked
from api.master.settlements import FallsDue
from api.master.stock_lines import OutboundLine, StockBill, cost_of_line, outbound
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
"""What of a line can still be brought to the customer: what was shipped, less what was delivered, less what came back
undelivered.

Day by day, and within a day as they were audited, what comes back is taken from what the customer has been brought, and
only what is more than that from what was still to be brought. So 4 of 10 returned before any was delivered leave 6; 3
returned of 5 delivered leave the other 5.
"""
_BEYOND = f"""
select distinct h.bill_no, l.line_no
from sales_outbound_line l join sales_outbound h using (bill_id)
where l.line_id in (select x.source_line_id from {{lines}} x where x.bill_id = %s)
    and {DELIVERABLE.format(table="l")} < 0
order by h.bill_no, l.line_no
"""

register(
    Check(
        "sales_outbound_deliverable",
        "销售出库各行已配送与配送前退回的数量之和不超过出库数量",
        f"""select h.bill_no, l.line_no, l.quantity, l.delivered_quantity, l.returned_quantity
        from sales_outbound_line l join sales_outbound h using (bill_id)
        where l.delivered_quantity > 0 and {DELIVERABLE.format(table="l")} < 0""",
    )
)
_SETTLED = "select bill_no, status from consignment_settlement where bill_id = %s"


def _refuse_settled(ctx: Context, doc: Document, action: str) -> None:
    """While a consignment settlement stands, the outbound of it stands too."""
    if action == "auditorPass" or not doc.header.settlement_id:
        return
    settled = ctx.conn.exec_driver_sql(_SETTLED, (doc.header.settlement_id,)).one()
    if settled.status in POSTED:
        raise Refusal(f"该出库单由寄售结算{settled.bill_no}生成，请反审核或作废寄售结算")


def refuse_undeliverable(ctx: Context, lines: type[Child], key: int, msg: str) -> None:
    """Refuse a bill after which more of its outbounds was delivered, or came back undelivered, than was shipped."""
    rows = ctx.conn.exec_driver_sql(_BEYOND.format(lines=lines.name()), (key,)).all()
    if rows:
        places = "、".join(f"{row.bill_no}第{row.line_no}行" for row in rows[: settings.SHOWN])
        raise Refusal(msg.format(places))


class SalesOutboundLine(DrawnLine, OutboundLine):
    __tablename__ = "sales_outbound_line"
    bill_table = "sales_outbound"
    derived = (
        cost_of_line("XSCK"),
        *picked("XSCK"),
        derived("deliverable_quantity", "可配送数量", "quantity", DELIVERABLE, list=False),
    )

    order_line_id: Mapped[int | None] = source_line("sales_order_line", "销售订单明细")
    returned_quantity: Mapped[Decimal] = returned()
    delivered_quantity: Mapped[Decimal] = delivered()
    invoiced_amount: Mapped[Decimal] = invoiced()
    consignment_line_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("consignment_sale_line.line_id"), index=True, sort_order=91
    )
    """Whose goods a settlement sells."""


class SalesOutbound(Sent, FallsDue, StockBill):
    """销售出库"""

    __tablename__ = "sales_outbound"
    terms_of = "customer"
    declaration = declare(
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
            Place(
                {
                    "list": "/inventory/salesoutstorage",
                    "add": "/inventory/instroageSalesoutAdd",
                    "edit": "/inventory/salesoutModify",
                    "see": "/inventory/salesoutSee",
                },
                Menu("库存管理", "出入库", 2),
            ),
        ),
        allowances=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
        beyond=("payLink",),
    )
    bill = BillType(
        "XSCK",
        (Block("lines", "出库明细", SalesOutboundLine, proposals=(gifts.PROPOSAL,)),),
        (
            Link(
                "order_line_id",
                "sales_order",
                SalesOrderLine,
                "executed_quantity",
                ("company_id", "customer_id"),
            ),
        ),
        detail=DetailPlace("销售出库明细", "/sales/outstockgoodsdetail", Menu("销售管理", "明细查询", 20)),
        moves=True,
        settles=True,
    )

    derived = (
        progress(
            "delivery_status",
            "配送状态",
            "delivered_quantity",
            ("未配送", "全部配送", "部分配送"),
            f"delivered_quantity + {DELIVERABLE.format(table='l')}",
        ),
        INVOICE_STATUS,
        derived("settlement_no", "寄售结算单号", "text", _SETTLEMENT, width=190, bill=True, list=False),
    )

    customer_id: Mapped[int] = customer()
    sales_type_id: Mapped[int | None] = classified("sales_type", "销售类型", sort=-45)
    delivery_mode_id: Mapped[int | None] = classified("delivery_mode", "配送方式", sort=-39)
    settlement_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("consignment_settlement.bill_id"), index=True, sort_order=-30
    )
    """The consignment settlement whose audit made it."""

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        cls.fall_due(ctx, header)
        send_to_default(ctx, header)
        hand_to_salesman(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("customer", header.customer_id, header.total_amount, header.due_date)
        consigned = (lambda line: ("JSXS", line.consignment_line_id)) if header.settlement_id else None
        return Postings(
            stock=outbound(doc, orders=True, frozen=bool(header.settlement_id), origin=consigned),
            settlements=(owed,),
            outside=Outside("customer", header.customer_id),
        )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        refuse_followed(doc, action)
        _refuse_settled(ctx, doc, action)
        if action == "auditorPass":
            settings.refuse_or_ask(ctx, cls, doc, earned_gifts.SALE.find_questions(ctx, doc))
        else:
            settings.refuse_or_ask(
                ctx, cls, doc, [(settings.ASKS, earned_gifts.SALE.describe_stranded(ctx, doc))]
            )
        lacking = prepayment.SALE.lacking
        settings.hold(ctx, cls, doc, action, credit.of_outbound, lacking, rebate_bases.describe_sold)
