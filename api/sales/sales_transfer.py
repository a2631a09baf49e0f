"""Sales transfer (销售调拨), XSDB: goods go from one company to another in one bill, posted on both sides.

Stock and its value travel; the transfer price is what the buying company owes: receivable here, payable there.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, GoodsLine, Rows, Values, declare
from api.kit.errors import Forbidden
from api.kit.fields import ref
from api.kit.posting import Landing, Postings, SettlementOpen
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.partners import customer
from api.master.settlements import due, due_date
from api.master.stock_lines import (
    ALLOTTED_BY,
    Allotted,
    FromPlace,
    StockBill,
    outbound,
    value_travelled,
)
from api.master.warehouses import Warehouse


class SalesTransferLine(FromPlace, GoodsLine):
    __tablename__ = "sales_transfer_line"
    bill_table = "sales_transfer"
    moves = "through"
    takes_available = True
    derived = (value_travelled("XSDB"),)


class SalesTransfer(Allotted, StockBill):
    """销售调拨"""

    __tablename__ = "sales_transfer"
    declaration = declare(
        "销售调拨",
        "v2/sales/SalesTransfer",
        routes={
            "list": "/sales/salestransfer",
            "add": "/sales/salesallocationAdd",
            "see": "/sales/salesallocationSee",
        },
        menu=Menu("销售管理", "销售业务", 40),
    )
    bill = BillType(
        "XSDB",
        (Block("lines", "调拨明细", SalesTransferLine),),
        detail=DetailPlace("销售调拨明细", "/sales/salestransferdetail", Menu("销售管理", "明细查询", 40)),
        moves=True,
    )

    derived = (ALLOTTED_BY,)

    customer_id: Mapped[int] = customer("客户（调入公司）")
    to_warehouse_id: Mapped[int] = ref(
        "warehouse", "调入仓库", target="warehouse_id", required=True, search=True, width=160, sort=-59
    )
    to_company_id: Mapped[int] = ref(
        "company",
        "调入公司",
        target="company_id",
        required=True,
        form=False,
        search=True,
        width=160,
        sort=-58,
    )
    supplier_id: Mapped[int] = ref("supplier", "供应商（调出公司）", required=True, width=200, sort=-57)
    due_date: Mapped[date | None] = due()

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        table = Warehouse.table()
        query = select(table.c.company_id).where(table.c.warehouse_id == header["to_warehouse_id"])
        header["to_company_id"] = ctx.conn.execute(query).scalar_one()
        if header["to_company_id"] == header["company_id"]:
            problems.add("调入仓库属于本公司，请用仓库调拨")
        header["due_date"] = due_date(ctx, header, "customer")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("customer", header.customer_id, header.total_amount, header.due_date)
        owing = replace(
            owed, party_type="supplier", party_id=header.supplier_id, company_id=header.to_company_id
        )
        there = Landing(warehouse_id=header.to_warehouse_id, company_id=header.to_company_id)
        return Postings(stock=outbound(doc, lands=lambda line: there), settlements=(owed, owing))

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        if not ctx.principal.reaches(doc.header.to_company_id):
            raise Forbidden("销售调拨由两家公司都有权限的人员审核")
