"""Sales quote (销售报价单), XSBJ: prices offered until a day. It posts nothing; orders are drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.customers.customer_salesman import fill_salesman
from api.kit.bills import orders
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import date_field, derived_field
from api.kit.declaration.flow import ORDER
from api.kit.declaration.goods_bills import GoodsBill
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field
from api.master.settings import settings

ORDERED = {1: "未成交", 2: "全部成交", 3: "部分成交"}


class SalesQuoteLine(orders.OrderLine):
    __tablename__ = "sales_quote_line"
    bill_table = "sales_quote"


class SalesQuote(GoodsBill):
    """销售报价单"""

    __tablename__ = "sales_quote"
    declaration = declare_bill(
        "销售报价单",
        "v2/sales/BidManagement",
        transitions=ORDER,
        routes={
            "list": "/sales/BidManagement",
            "add": "/sales/BidManagement/add",
            "see": "/sales/BidManagement/see",
        },
        menu=Menu("销售管理", "销售业务", 5),
        override_rights=(settings.BELOW_LOWEST,),
    )
    bill = BillType(
        "XSBJ",
        (Block("lines", "报价明细", SalesQuoteLine),),
        transitions=ORDER,
        detail=DetailPlacement("销售报价明细", "/sales/BidManagementDetail", Menu("销售管理", "明细查询", 5)),
    )
    derived = (
        derived_field(
            "ordered_status", "成交状态", "enum", orders.EXECUTION, options=tuple(ORDERED.items()), width=100
        ),
    )

    customer_id: Mapped[int] = customer_field()
    valid_until: Mapped[date] = date_field(
        "有效期至", since="business_date", required=True, search=True, width=110, sort=-60
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_salesman(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.forbid_reversal_if_executed(doc, action)
        settings.enforce_controls(ctx, cls, doc, action)


def validate_quotes(
    ctx: Context, header: Values, lines: Sequence[dict[str, Any]], problems: Problems
) -> None:
    """Add a problem for each quote that had expired on the order's business date."""
    quoted = sorted({line["quote_line_id"] for line in lines if line.get("quote_line_id")})
    if not quoted:
        return
    own, of = SalesQuote.table(), SalesQuoteLine.table()
    late = (
        select(own.c.bill_no, own.c.valid_until)
        .where(own.c.valid_until < header["business_date"])
        .where(own.c.bill_id.in_(select(of.c.bill_id).where(of.c.line_id.in_(quoted))))
    )
    for quote in ctx.conn.execute(late):
        problems.add(f"报价单{quote.bill_no}已于{quote.valid_until}到期，请重新报价")
