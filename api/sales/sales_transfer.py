"""Sales transfer (销售调拨), XSDB: goods go from one company to another in one bill, posted on both sides.

Stock and its value travel; the transfer price is what the buying company owes: receivable here, payable there. The
parties are the two companies, found by whom customers and suppliers are; credit and price are held as in any sale.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.errors import Forbidden, Refusal
from api.kit.fields import ref
from api.kit.flow import POSTED_SQL
from api.kit.goods_bills import GoodsLine
from api.kit.posting import Landing, Postings, SettlementOpen
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.ledger.checks import Check, register
from api.master import inner_partners, settings
from api.master.picks import picked
from api.master.settlements import FallsDue
from api.master.stock_lines import (
    ALLOTTED_BY,
    Allotted,
    FromPlace,
    StockBill,
    outbound,
    value_travelled,
)
from api.master.warehouses import Warehouse
from api.sales import credit

register(
    Check(
        "sales_transfer_is_between_companies",
        "销售调拨的客户和供应商就是调入公司和调出公司",
        f"""select h.bill_no, h.company_id, h.to_company_id, c.inner_company_id as sold_to,
            s.inner_company_id as bought_of
        from sales_transfer h
        join customer c using (customer_id)
        join supplier s using (supplier_id)
        where h.status in {POSTED_SQL} and (
            c.inner_company_id is distinct from h.to_company_id or c.company_id <> h.company_id
            or s.inner_company_id is distinct from h.company_id
        )""",
    )
)


class SalesTransferLine(FromPlace, GoodsLine):
    __tablename__ = "sales_transfer_line"
    bill_table = "sales_transfer"
    moves = "through"
    takes_available = True
    derived = (value_travelled("XSDB"), *picked("XSDB"))


class SalesTransfer(Allotted, FallsDue, StockBill):
    """销售调拨"""

    __tablename__ = "sales_transfer"
    terms_of = "customer"
    declaration = declare(
        "销售调拨",
        "v2/sales/SalesTransfer",
        routes={
            "list": "/sales/salestransfer",
            "add": "/sales/salesallocationAdd",
            "see": "/sales/salesallocationSee",
        },
        menu=Menu("销售管理", "销售业务", 40),
        allowances=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
    )
    bill = BillType(
        "XSDB",
        (Block("lines", "调拨明细", SalesTransferLine),),
        detail=DetailPlace("销售调拨明细", "/sales/salestransferdetail", Menu("销售管理", "明细查询", 40)),
        moves=True,
        settles=True,
    )

    derived = (ALLOTTED_BY,)

    customer_id: Mapped[int] = ref(
        "customer",
        "客户（调入公司）",
        required=True,
        form=False,
        search=True,
        index=True,
        width=200,
        sort=-70,
    )
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
    supplier_id: Mapped[int] = ref(
        "supplier", "供应商（调出公司）", required=True, form=False, width=200, sort=-57
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        table = Warehouse.table()
        query = select(table.c.company_id).where(table.c.warehouse_id == header["to_warehouse_id"])
        header["to_company_id"] = ctx.conn.execute(query).scalar_one()
        if header["to_company_id"] == header["company_id"]:
            problems.add("调入仓库属于本公司，请用仓库调拨")
            problems.settle()
        found = _parties(ctx, header["company_id"], header["to_company_id"])
        found.tell_missing(problems, header)
        problems.settle()
        header |= {"customer_id": found.customer_id, "supplier_id": found.supplier_id}
        cls.fall_due(ctx, header)

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
        if action == "auditorPass":
            _refuse_outsiders(ctx, doc)
        settings.hold(ctx, cls, doc, action, beyond_credit=credit.of_outbound, buyer=doc.header.to_company_id)


def _parties(ctx: Context, company_id: int, other: int) -> inner_partners.Parties:
    return inner_partners.find_parties(ctx, company_id, {other})[other]


def _refuse_outsiders(ctx: Context, doc: Document) -> None:
    """Refuse a draft from before its companies were bound, which may still name others."""
    header = doc.header
    found = _parties(ctx, header.company_id, header.to_company_id)
    if (header.customer_id, header.supplier_id) != (found.customer_id, found.supplier_id):
        raise Refusal("单据的客户和供应商不是调入、调出公司，请打开单据重新保存后再审核")
