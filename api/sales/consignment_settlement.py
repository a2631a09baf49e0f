"""Consignment settlement (寄售结算), JSJS: consigned goods that the customer has sold; its audit sells them to
him.

It posts nothing itself: the outbound that it creates takes the very pieces out of the consignment
warehouse at their cost, and opens the receivable. Both are audited and reversed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.customers.customer_salesman import fill_salesman
from api.kit.bills import drafts, numbering, pack_units, transitions
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
from api.kit.declaration.fields import derived_field, goods_field, source_line_field
from api.kit.declaration.flow import AUDITED
from api.kit.declaration.goods_bills import DrawnLine, GoodsBill
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field
from api.master.settlements.settlements import DueDateMixin
from api.master.stock.tyre_numbers import TyreNumbersMixin
from api.master.warehouses.warehouses import CONSIGNED, ensure_system_warehouse
from api.sales.consignment_sale import ConsignmentSaleLine
from api.sales.sales_outbound import SalesOutbound

CONSIGNED_BY = (
    "(select h.bill_no from consignment_sale_line s join consignment_sale h using (bill_id)"
    " where s.line_id = {table}.source_line_id)"
)
_OUTBOUND = (
    "(select o.bill_no from sales_outbound o where o.settlement_id = {table}.bill_id and o.status <> 3)"
)
_HEADER = (
    *("company_id", "business_date", "customer_id", "department_id", "employee_id", "remark"),
    *("due_date", "due_typed"),
    *("total_quantity", "total_amount", "tax_amount", "no_tax_amount"),
)
_LINE = (
    *("line_no", "goods_id", "quantity", "price", "discount_amount", "tax_rate", "amount", "tax_amount"),
    *("no_tax_amount", "is_gift", "tire_numbers", "remark", *pack_units.COLUMNS),
)


class ConsignmentSettlementLine(TyreNumbersMixin, DrawnLine):
    __tablename__ = "consignment_settlement_line"
    bill_table = "consignment_settlement"
    moves_tire_numbers = False
    derived = (derived_field("source_no", "寄售单号", "text", CONSIGNED_BY, width=190, bill=True),)

    goods_id: Mapped[int] = goods_field(required=True, form=False, search=True, sort=-80)
    source_line_id: Mapped[int | None] = source_line_field("consignment_sale_line", "寄售销售明细")


class ConsignmentSettlement(DueDateMixin, GoodsBill):
    """寄售结算"""

    __tablename__ = "consignment_settlement"
    terms_of = "customer"
    declaration = declare_bill(
        "寄售结算",
        "v2/sales/SalesSettlement",
        routes={
            "list": "/sales/salessettlement",
            "add": "/sales/salessettlementAdd",
            "edit": "/sales/salessettlementModify",
            "see": "/sales/salessettlementSee",
        },
        menu=Menu("销售管理", "销售业务", 70),
    )
    bill = BillType(
        "JSJS",
        (Block("lines", "结算明细", ConsignmentSettlementLine, pick_from_sources=True),),
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
            "寄售结算明细", "/sales/salessettlementDetail", Menu("销售管理", "明细查询", 70)
        ),
        undoes="所生成的销售出库单随之作废，库存和往来冲回",
    )
    derived = (derived_field("outbound_no", "销售出库单号", "text", _OUTBOUND, width=190, bill=True),)

    customer_id: Mapped[int] = customer_field()

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_salesman(ctx, header)
        cls.fill_due_date(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "post":
            _create_outbound(ctx, doc)
        else:
            _void_outbound(ctx, doc.header.bill_id)


def _create_outbound(ctx: Context, doc: Document) -> None:
    """Create and audit the outbound of a settlement."""
    settled: dict[str, Any] = {name: getattr(doc.header, name) for name in _HEADER}
    header = {
        **settled,
        "settlement_id": doc.header.bill_id,
        "warehouse_id": ensure_system_warehouse(ctx, doc.header.company_id, CONSIGNED),
    }
    lines = [
        {**{name: getattr(line, name) for name in _LINE}, "consignment_line_id": line.source_line_id}
        for line in doc.lines
    ]
    assert SalesOutbound.bill is not None
    number = numbering.draw_number(
        ctx.conn, SalesOutbound.bill.prefix, header["company_id"], header["business_date"]
    )
    key = drafts.insert_draft(
        ctx.conn, SalesOutbound, drafts.Draft(header, {"lines": lines}), number, ctx.principal
    )
    transitions.apply_transition(ctx, SalesOutbound, "auditorPass", key)


def _void_outbound(ctx: Context, settlement: int) -> None:
    """Void the outbound of a settlement."""
    table = SalesOutbound.table()
    query = select(table.c.bill_id).where(table.c.settlement_id == settlement, table.c.status == AUDITED)
    keys: Sequence[int] = ctx.conn.execute(query).scalars().all()
    for key in keys:
        transitions.apply_transition(ctx, SalesOutbound, "invalid", key)
