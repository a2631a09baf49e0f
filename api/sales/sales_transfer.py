"""Sales transfer (销售调拨), XSDB: goods go from one company to another in one bill, posted on both sides.

Stock moves at its value; the transfer price is the receivable of one company and the payable of the other.
The parties are the two companies' inner partners; credit and price are checked as in any sale.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Mapped

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
from api.kit.declaration.fields import reference_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.goods_bills import GoodsLine
from api.kit.declaration.posting import Landing, Postings, SettlementOpen
from api.kit.declaration.resource import Menu
from api.kit.errors import Forbidden, Refusal
from api.kit.storage.validation import Problems
from api.ledger.integrity_checks import Check, register_checks
from api.master.partners import inner_partners
from api.master.settings import settings
from api.master.settlements.settlements import DueDateMixin
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import (
    ALLOCATION_NUMBER,
    AllocatedMixin,
    OutboundPlaceMixin,
    StockBill,
    build_outbound_moves,
    relocated_cost_column,
)
from api.master.warehouses.warehouses import Warehouse
from api.sales import credit

register_checks(
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


class SalesTransferLine(OutboundPlaceMixin, GoodsLine):
    __tablename__ = "sales_transfer_line"
    bill_table = "sales_transfer"
    stock_direction = "through"
    takes_available = True
    derived = (relocated_cost_column("XSDB"), *picked_columns("XSDB"))


class SalesTransfer(AllocatedMixin, DueDateMixin, StockBill):
    """销售调拨"""

    __tablename__ = "sales_transfer"
    terms_of = "customer"
    declaration = declare_bill(
        "销售调拨",
        "v2/sales/SalesTransfer",
        routes={
            "list": "/sales/salestransfer",
            "add": "/sales/salesallocationAdd",
            "see": "/sales/salesallocationSee",
        },
        menu=Menu("销售管理", "销售业务", 40),
        override_rights=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
    )
    bill = BillType(
        "XSDB",
        (Block("lines", "调拨明细", SalesTransferLine),),
        detail=DetailPlacement(
            "销售调拨明细", "/sales/salestransferdetail", Menu("销售管理", "明细查询", 40)
        ),
        moves=True,
        settles=True,
    )

    derived = (ALLOCATION_NUMBER,)

    customer_id: Mapped[int] = reference_field(
        "customer",
        "客户（调入公司）",
        required=True,
        form=False,
        search=True,
        index=True,
        width=200,
        sort=-70,
    )
    to_warehouse_id: Mapped[int] = reference_field(
        "warehouse", "调入仓库", target="warehouse_id", required=True, search=True, width=160, sort=-59
    )
    to_company_id: Mapped[int] = reference_field(
        "company",
        "调入公司",
        target="company_id",
        required=True,
        form=False,
        search=True,
        width=160,
        sort=-58,
    )
    supplier_id: Mapped[int] = reference_field(
        "supplier", "供应商（调出公司）", required=True, form=False, width=200, sort=-57
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        table = Warehouse.table()
        query = select(table.c.company_id).where(table.c.warehouse_id == header["to_warehouse_id"])
        header["to_company_id"] = ctx.conn.execute(query).scalar_one()
        if header["to_company_id"] == header["company_id"]:
            problems.add("调入仓库属于本公司，请用仓库调拨")
            problems.raise_if_any()
        found = _find_parties(ctx, header["company_id"], header["to_company_id"])
        found.report_missing(problems, header)
        problems.raise_if_any()
        header |= {"customer_id": found.customer_id, "supplier_id": found.supplier_id}
        cls.fill_due_date(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("customer", header.customer_id, header.total_amount, header.due_date)
        owing = replace(
            owed, party_type="supplier", party_id=header.supplier_id, company_id=header.to_company_id
        )
        there = Landing(warehouse_id=header.to_warehouse_id, company_id=header.to_company_id)
        return Postings(stock=build_outbound_moves(doc, lands=lambda line: there), settlements=(owed, owing))

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if not ctx.principal.covers_company(doc.header.to_company_id):
            raise Forbidden("销售调拨由两家公司都有权限的人员审核")
        if action == "auditorPass":
            _require_inner_parties(ctx, doc)
        settings.enforce_controls(
            ctx,
            cls,
            doc,
            action,
            beyond_credit=credit.describe_outbound_excess,
            buyer=doc.header.to_company_id,
        )


def _find_parties(ctx: Context, company_id: int, other: int) -> inner_partners.InnerParties:
    return inner_partners.find_inner_parties(ctx, company_id, {other})[other]


def _require_inner_parties(ctx: Context, doc: Document) -> None:
    """Raise Refusal if a draft from before the companies were bound names other partners."""
    header = doc.header
    found = _find_parties(ctx, header.company_id, header.to_company_id)
    if (header.customer_id, header.supplier_id) != (found.customer_id, found.supplier_id):
        raise Refusal("单据的客户和供应商不是调入、调出公司，请打开单据重新保存后再审核")
