"""Sales order (销售订单), XSDD: its audit reserves available stock for a customer, closing releases the rest.

Stock missing at its audit is reserved as it arrives, for the more urgent order first.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Index
from sqlalchemy.orm import Mapped, declared_attr

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
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import date_field, derived_field, enum_field, source_line_field
from api.kit.declaration.flow import AUDITED, ORDER
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Postings, Reservation
from api.kit.declaration.resource import Menu, ScreenPlacement
from api.kit.storage.validation import Problems
from api.ledger import order_demand
from api.ledger.integrity_checks import Check, register_checks
from api.master.partners.partners import customer_field
from api.master.pricing import gift_rules
from api.master.settings import settings
from api.master.settings.business_types import DeliveryTermsMixin, code_list_field
from api.master.settlements import prepayment
from api.master.stock import replacements
from api.master.stock.stock_lines import StockBill
from api.sales import credit, gifts
from api.sales.sales_quote import SalesQuoteLine, validate_quotes

PLAIN, SOONER, URGENT = 1, 2, 3
PRIORITIES = {PLAIN: "普通", SOONER: "优先", URGENT: "加急"}
IDLE, COVERED, PARTLY, UNCOVERED = 0, 1, 2, 3
COVERS = {IDLE: "无需占用", COVERED: "已占足", PARTLY: "部分占用", UNCOVERED: "未占用"}

order_demand.declare_demand(f"""
select
    l.line_id as order_line_id, 'XSDD' as bill_type, o.bill_id, o.bill_no, o.company_id, o.warehouse_id, l.goods_id,
    l.quantity as ordered, l.executed_quantity as executed,
    case when coalesce(o.locked_from, o.status) = {AUDITED} then l.quantity - l.executed_quantity else 0 end as wanted,
    o.priority, o.delivery_date, o.business_date as ordered_on,
    exists (
        select from bill_setting s
        where s.company_id = o.company_id and s.type = {settings.SALES} and s.arrival_mode = {settings.FILLS}
    ) as takes_arrivals
from sales_order_line l
join sales_order o using (bill_id)
""")
_RESERVED_OF_LINE = (
    "(select coalesce(sum(r.quantity), 0.000) from reservation_ledger r where r.order_line_id = {line})"
)
_RESERVED = _RESERVED_OF_LINE.format(line="{table}.line_id")
_SHORT = f"(select d.wanted - {_RESERVED} from order_demand d where d.order_line_id = {{table}}.line_id)"
_COVER = (
    "(select case when coalesce(sum(c.wanted), 0) = 0 then 0 when sum(c.held) >= sum(c.wanted) then 1"
    " when sum(c.held) > 0 then 2 else 3 end"
    f" from (select d.wanted, {_RESERVED_OF_LINE.format(line='d.order_line_id')} as held from order_demand d"
    " where d.bill_id = {table}.bill_id) c)"
)
COVER = derived_field(
    "cover", "占用状态", "enum", _COVER, options=tuple(COVERS.items()), search=True, width=90, extract=False
)
register_checks(
    Check(
        "orders_hold_what_they_want",
        "每个销售订单行的占用不超过其未执行数量，未生效的不占用",
        """select coalesce(d.bill_no, '') as bill_no, r.order_line_id, d.wanted, r.held
        from (
            select order_line_id, sum(quantity) as held from reservation_ledger group by order_line_id
        ) r
        left join order_demand d on d.order_line_id = r.order_line_id
        where r.held > coalesce(d.wanted, 0)""",
    )
)


class SalesOrderLine(DrawnLine, orders.OrderLine):
    __tablename__ = "sales_order_line"
    bill_table = "sales_order"
    derived = (
        derived_field("reserved_quantity", "已占用数量", "quantity", _RESERVED, width=100, extract=False),
        derived_field("short_quantity", "未占用数量", "quantity", _SHORT, width=100, extract=False),
    )

    quote_line_id: Mapped[int | None] = source_line_field("sales_quote_line", "销售报价明细")

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        """Index of lines that wait for arriving goods."""
        waiting = Index(
            "ix_sales_order_line_waiting", "goods_id", postgresql_where="executed_quantity < quantity"
        )
        return (*super().__table_args__, waiting)


class SalesOrder(ShippingAddressMixin, DeliveryTermsMixin, StockBill):
    """销售订单"""

    __tablename__ = "sales_order"
    declaration = declare_bill(
        "销售订单",
        "v2/sales/SalesOrder",
        transitions=ORDER,
        routes={"list": "/sales/salesorder", "add": "/sales/salesorderAdd", "see": "/sales/salesorderSee"},
        menu=Menu("销售管理", "销售业务", 10),
        also=(ScreenPlacement({"see": "/sales/customreSee"}),),
        override_rights=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
    )
    bill = BillType(
        "XSDD",
        (Block("lines", "订单明细", SalesOrderLine, proposals=(gifts.PROPOSAL,)),),
        (
            SourceLink(
                "quote_line_id",
                "sales_quote",
                SalesQuoteLine,
                "executed_quantity",
                ("company_id", "customer_id"),
            ),
        ),
        transitions=ORDER,
        detail=DetailPlacement(
            "销售订单明细", "/sales/salesfind", Menu("销售管理", "明细查询", 10), see="/sales/customreSee"
        ),
    )
    derived = (orders.receiving_status, COVER, *prepayment.SALE.derived_columns())

    customer_id: Mapped[int] = customer_field()
    delivery_date: Mapped[date | None] = date_field("交货日期", since="business_date", sort=-40)
    priority: Mapped[int] = enum_field("优先级", PRIORITIES, default=PLAIN, search=True, width=80, sort=-39)
    sales_type_id: Mapped[int | None] = code_list_field("sales_type", "销售类型", sort=-45)

    @classmethod
    def column(cls, name: str) -> ColumnElement[Any] | None:
        return COVER.expression(cls.table()) if name == COVER.field.name else super().column(name)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_default_address(ctx, header)
        fill_salesman(ctx, header)
        validate_quotes(ctx, header, children["lines"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return _build_reservations(doc, Decimal(1))

    @classmethod
    def closing_postings(cls, doc: Document) -> Postings:
        return _build_reservations(doc, Decimal(-1))

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.forbid_reversal_if_executed(doc, action)
        replacements.forbid_reversal_when_delivered(ctx, doc, action, "sales_outbound")
        if action == "close":
            settings.refuse_or_confirm(
                ctx, cls, doc, [(settings.ASKS, gift_rules.SALE.describe_outstanding(ctx, doc))]
            )
        if action == "auditorPass":
            settings.refuse_or_confirm(ctx, cls, doc, gift_rules.QUOTED.find_questions(ctx, doc))
        settings.enforce_controls(ctx, cls, doc, action, credit.describe_order_excess)


def _build_reservations(doc: Document, sign: Decimal) -> Postings:
    warehouse = doc.header.warehouse_id
    rest = ((line, line.quantity - line.executed_quantity) for line in doc.lines)
    return Postings(
        reservations=tuple(
            Reservation(line.line_id, warehouse, line.goods_id, sign * left) for line, left in rest if left
        )
    )
