"""Consignment settlement (寄售结算), JSJS: what the customer has sold of consigned goods; its audit sells it to him.

It posts nothing itself: the outbound that it makes takes the very pieces out of the consignment warehouse, at their
cost, and opens the receivable. Both stand and fall together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.customers.customer_salesmen import hand_to_salesman
from api.kit import drafts, numbering, packs, transitions
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import derived, goods, source_line
from api.kit.flow import AUDITED
from api.kit.goods_bills import DrawnLine, GoodsBill
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.partners import customer
from api.master.settlements import FallsDue
from api.master.tire_numbers import Numbered
from api.master.warehouses import CONSIGNED, system_warehouse
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
    *("no_tax_amount", "is_gift", "tire_numbers", "remark", *packs.COLUMNS),
)


class ConsignmentSettlementLine(Numbered, DrawnLine):
    __tablename__ = "consignment_settlement_line"
    bill_table = "consignment_settlement"
    numbers_move = False
    derived = (derived("source_no", "寄售单号", "text", CONSIGNED_BY, width=190, bill=True),)

    goods_id: Mapped[int] = goods(required=True, form=False, search=True, sort=-80)
    source_line_id: Mapped[int | None] = source_line("consignment_sale_line", "寄售销售明细")


class ConsignmentSettlement(FallsDue, GoodsBill):
    """寄售结算"""

    __tablename__ = "consignment_settlement"
    terms_of = "customer"
    declaration = declare(
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
        (Block("lines", "结算明细", ConsignmentSettlementLine, drawn=True),),
        (
            Link(
                "source_line_id",
                "consignment_sale",
                ConsignmentSaleLine,
                "executed_quantity",
                ("company_id", "customer_id"),
                required=True,
            ),
        ),
        detail=DetailPlace("寄售结算明细", "/sales/salessettlementDetail", Menu("销售管理", "明细查询", 70)),
        undoes="所生成的销售出库单随之作废，库存和往来冲回",
    )
    derived = (derived("outbound_no", "销售出库单号", "text", _OUTBOUND, width=190, bill=True),)

    customer_id: Mapped[int] = customer()

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        hand_to_salesman(ctx, header)
        cls.fall_due(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "post":
            _sell(ctx, doc)
        else:
            _take_back(ctx, doc.header.bill_id)


def _sell(ctx: Context, doc: Document) -> None:
    """Make and audit the outbound of a settlement."""
    settled: dict[str, Any] = {name: getattr(doc.header, name) for name in _HEADER}
    header = {
        **settled,
        "settlement_id": doc.header.bill_id,
        "warehouse_id": system_warehouse(ctx, doc.header.company_id, CONSIGNED),
    }
    lines = [
        {**{name: getattr(line, name) for name in _LINE}, "consignment_line_id": line.source_line_id}
        for line in doc.lines
    ]
    assert SalesOutbound.bill is not None
    number = numbering.draw(
        ctx.conn, SalesOutbound.bill.prefix, header["company_id"], header["business_date"]
    )
    key = drafts.insert(
        ctx.conn, SalesOutbound, drafts.Draft(header, {"lines": lines}), number, ctx.principal
    )
    transitions.move(ctx, SalesOutbound, "auditorPass", key)


def _take_back(ctx: Context, settlement: int) -> None:
    """Void the outbound of a settlement."""
    table = SalesOutbound.table()
    query = select(table.c.bill_id).where(table.c.settlement_id == settlement, table.c.status == AUDITED)
    keys: Sequence[int] = ctx.conn.execute(query).scalars().all()
    for key in keys:
        transitions.move(ctx, SalesOutbound, "invalid", key)
