"""Purchase allocation (到货分配), DHFP: divides goods received for several branches among their warehouses.

Its lines draw on audited inbounds of one warehouse, never more than received and not asked back; the
quantity for a branch's plan counts as ordered there. The audit creates an unaudited transfer per warehouse
of the company, and a sales transfer at the line's price per warehouse of another company; it posts nothing
itself. Un-auditing deletes those bills, and is refused once one of them is audited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Mapped, declared_attr

from api.kit.bills import bulk_posting, drafts, pack_units
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import (
    Bill,
    BillType,
    Block,
    DetailPlacement,
    Document,
    Proposal,
    Rows,
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import derived_field, goods_field, reference_field, source_line_field
from api.kit.declaration.fields import price_field as price_of
from api.kit.declaration.flow import UNAUDITED, VOIDED
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.master.partners import inner_partners
from api.master.stock.stock_lines import StockBill
from api.master.warehouses.warehouses import GOOD, Warehouse
from api.purchase.purchase_inbound import ALLOTTABLE, PurchaseInboundLine, build_receipt_field
from api.purchase.purchase_plan import PLANNED_BY, PurchasePlan, PurchasePlanLine

API = "v2/purchase/Allocation"


class PurchaseAllocationLine(DrawnLine):
    __tablename__ = "purchase_allocation_line"
    bill_table = "purchase_allocation"
    derived = (
        build_receipt_field("source_no", "入库单号", "text", "b.bill_no", 190, bill=True),
        build_receipt_field(
            "source_supplier",
            "供应商",
            "text",
            "(select s.supplier_name from supplier s where s.supplier_id = b.supplier_id)",
            180,
        ),
        build_receipt_field("source_quantity", "入库数量", "quantity", "i.quantity"),
        build_receipt_field(
            "allottable_quantity", "可分配数量", "quantity", ALLOTTABLE.format(table="i"), decides=True
        ),
        derived_field(
            "to_company_name",
            "调入公司",
            "text",
            "(select c.company_name from warehouse w join company c using (company_id)"
            " where w.warehouse_id = {table}.to_warehouse_id)",
            width=150,
        ),
        PLANNED_BY,
    )

    goods_id: Mapped[int] = goods_field(required=True, form=False, search=True, sort=-80)
    to_warehouse_id: Mapped[int] = reference_field(
        "warehouse",
        "调入仓库",
        target="warehouse_id",
        only=("type", (GOOD,)),
        required=True,
        search=True,
        sort=-75,
    )
    price: Mapped[Decimal] = price_of("调拨单价", rule="Positive", width=110, sort=11)
    customer_id: Mapped[int | None] = reference_field("customer", "客户（调入公司）", form=False, sort=30)
    supplier_id: Mapped[int | None] = reference_field("supplier", "供应商（调出公司）", form=False, sort=31)
    source_line_id: Mapped[int | None] = source_line_field("purchase_inbound_line", "采购入库明细")
    plan_line_id: Mapped[int | None] = source_line_field("purchase_plan_line", "采购计划明细")

    @declared_attr
    @classmethod
    def batch_id(cls) -> Mapped[int | None]:
        return reference_field(
            "goods_batch", "批次", target="batch_id", form=False, label_field="batch", sort=-39
        )


class PurchaseAllocation(StockBill):
    """到货分配"""

    __tablename__ = "purchase_allocation"
    declaration = declare_bill(
        "到货分配",
        API,
        also_at=("purchase_center/Allocation",),
        also_called={
            "getInfo": "/purchase_center/Allocation/info",
            "auditorPass": "/purchase_center/Allocation/audit",
        },
        routes={
            "list": "/purchase/allocation",
            "add": "/purchase/allocation/add",
            "see": "/purchase/allocation/see",
        },
        menu=Menu("采购管理", "采购业务", 22),
    )
    bill = BillType(
        "DHFP",
        (
            Block(
                "lines",
                "分配明细",
                PurchaseAllocationLine,
                pick_from_sources=True,
                proposals=(Proposal("按采购计划分配", f"{API}/getProposal", ("company_id", "warehouse_id")),),
            ),
        ),
        (
            SourceLink(
                "source_line_id",
                "purchase_inbound",
                PurchaseInboundLine,
                "allotted_quantity",
                ("company_id", "warehouse_id"),
                required=True,
                rest="allottable_quantity",
            ),
            SourceLink(
                "plan_line_id",
                "purchase_plan",
                PurchasePlanLine,
                "executed_quantity",
                (),
                offered=False,
                price_already_approved=False,
                shares=False,
            ),
        ),
        detail=DetailPlacement(
            "到货分配明细", "/purchase/allocationDetail", Menu("采购管理", "明细查询", 22)
        ),
        undoes="所生成的未审核调拨单、配销单随之删除",
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        lines = children["lines"]
        owners = _read_owners(ctx, lines)
        planned = _read_planned_warehouses(ctx, lines)
        batches = _read_batches(ctx, lines)
        foreign = set(owners.values()) - {header["company_id"]}
        parties = inner_partners.find_inner_parties(ctx, header["company_id"], foreign)
        for line in lines:
            problems.place = f"第{line['line_no']}行"
            target = line["to_warehouse_id"]
            line["batch_id"] = batches[line["source_line_id"]]
            if target == header["warehouse_id"]:
                problems.add("调入仓库就是到货仓库，无需分配")
            if line.get("plan_line_id") and planned.get(line["plan_line_id"]) != target:
                problems.add("采购计划属于其他仓库，请重新选择调入仓库")
            line |= {"customer_id": None, "supplier_id": None}
            if owners[target] != header["company_id"]:
                found = parties[owners[target]]
                found.report_missing(problems, line)
                line |= {"customer_id": found.customer_id, "supplier_id": found.supplier_id}
        problems.place = ""

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action not in ("antiAuditor", "invalid"):
            return
        done = [
            f"{made.declaration.label}{row.bill_no}"
            for made, row in _read_created_bills(ctx, doc.header.bill_id)
            if row.status not in (UNAUDITED, VOIDED)
        ]
        if done:
            raise Refusal(f"分配生成的{'、'.join(done)}已审核，不能反审核或作废，请先反审核这些单据")

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "post":
            _create_transfers(ctx, doc)
            return
        for made, row in _read_created_bills(ctx, doc.header.bill_id):
            if row.status == UNAUDITED:
                drafts.delete_draft(ctx, made, row.bill_id)


def _read_owners(ctx: Context, lines: Iterable[Any]) -> dict[int, int]:
    """Read the companies of the target warehouses, by warehouse."""
    table = Warehouse.table()
    wanted = table.c.warehouse_id.in_({line["to_warehouse_id"] for line in lines})
    rows = ctx.conn.execute(select(table.c.warehouse_id, table.c.company_id).where(wanted))
    return {row.warehouse_id: row.company_id for row in rows}


def _read_batches(ctx: Context, lines: Iterable[Any]) -> dict[int, int | None]:
    """Read the batches of the receipts' lines."""
    table = PurchaseInboundLine.table()
    wanted = table.c.line_id.in_({line["source_line_id"] for line in lines})
    rows = ctx.conn.execute(select(table.c.line_id, table.c.batch_id).where(wanted))
    return {row.line_id: row.batch_id for row in rows}


def _read_planned_warehouses(ctx: Context, lines: Iterable[Any]) -> dict[int, int]:
    """Read the warehouses of the plan lines."""
    head, own = PurchasePlan.table(), PurchasePlanLine.table()
    wanted = {line["plan_line_id"] for line in lines if line.get("plan_line_id")}
    if not wanted:
        return {}
    query = select(own.c.line_id, head.c.warehouse_id).join_from(own, head, own.c.bill_id == head.c.bill_id)
    return {row.line_id: row.warehouse_id for row in ctx.conn.execute(query.where(own.c.line_id.in_(wanted)))}


def _read_created_bills(ctx: Context, key: int) -> Iterator[tuple[type[Bill], Any]]:
    """Read the bills that an allocation's audit created."""
    for name in ("transfer_out", "sales_transfer"):
        cls: Any = registry.get_resource(name)
        table = cls.table()
        query = select(table.c.bill_id, table.c.bill_no, table.c.status)
        for row in ctx.conn.execute(
            query.where(table.c.purchase_allocation_id == key).order_by(table.c.bill_id)
        ):
            yield cls, row


_ALIKE = ("goods_id", "quantity", "batch_id", "remark", *pack_units.COLUMNS)
_PRICED = ("price", "discount_amount", "tax_rate", "is_gift")


def _create_transfers(ctx: Context, doc: Document) -> None:
    """Create an unaudited transfer per target warehouse; a sales transfer for other companies."""
    header = doc.header
    rows = [line._asdict() for line in doc.lines]
    owners = _read_owners(ctx, rows)
    bills: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        own = owners[row["to_warehouse_id"]] == header.company_id
        kept = _ALIKE if own else (*_ALIKE, *_PRICED)
        bills[row["to_warehouse_id"]].append({name: row[name] for name in kept})
    shared = ("company_id", "warehouse_id", "business_date", "department_id", "employee_id")
    common = {name: getattr(header, name) for name in shared} | {"purchase_allocation_id": header.bill_id}
    entries = []
    for target, lines in bills.items():
        own = owners[target] == header.company_id
        made: Any = registry.get_resource("transfer_out" if own else "sales_transfer")
        draft = drafts.Draft({**common, "to_warehouse_id": target}, {"lines": lines})
        entries.append(bulk_posting.BulkBill(made, draft, audited=False))
    bulk_posting.save_bills(ctx, entries)
