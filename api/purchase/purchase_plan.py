"""Purchase plan (采购计划), CGJH: demand of a warehouse, turned into an order per supplier.

It posts nothing; its lines count the ordered quantity, and closing it ends that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Mapped

from api.kit.bills import drafts, orders, pack_units, source_links
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
    Values,
    declare_bill,
)
from api.kit.declaration.fields import (
    date_field,
    derived_field,
    integer_field,
    quantity_field,
    reference_field,
)
from api.kit.declaration.flow import ORDER, UNAUDITED
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Drill, Menu
from api.kit.declaration.validation_rules import NumberBounds
from api.kit.errors import Refusal
from api.kit.storage.database import today
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import StockBill
from api.purchase import replenishment

API = "v2/purchase/Plan"
ORDERED = {1: "未下单", 2: "全部下单", 3: "部分下单"}
YEAR = NumberBounds(least=1, most=365)
TRANSITIONS = (*ORDER, "turnOrder")
PLANNED_BY = derived_field(
    "plan_no",
    "采购计划",
    "text",
    "(select h.bill_no from purchase_plan_line p join purchase_plan h using (bill_id)"
    " where p.line_id = {table}.plan_line_id)",
    width=190,
    bill=True,
)
"""Derived field: number of the plan whose line is carried out."""


class PurchasePlanLine(orders.OrderLine):
    __tablename__ = "purchase_plan_line"
    bill_table = "purchase_plan"
    derived = (
        derived_field(
            "left_quantity",
            "未下单数量",
            "quantity",
            "{table}.quantity - {table}.executed_quantity",
            total=True,
            width=100,
        ),
    )

    stocks: Mapped[Decimal] = quantity_field("现存量", form=False, copied=False, width=90, sort=-30)
    available_stocks: Mapped[Decimal] = quantity_field(
        "可用库存", form=False, copied=False, decides=True, width=90, sort=-29
    )
    on_order: Mapped[Decimal] = quantity_field(
        "在途及计划", form=False, copied=False, decides=True, width=90, sort=-28
    )
    safety_stock: Mapped[Decimal] = quantity_field("安全库存", form=False, copied=False, width=90, sort=-27)
    sales_quantity: Mapped[Decimal] = quantity_field("近期销量", form=False, copied=False, width=90, sort=-26)
    supplier_id: Mapped[int | None] = reference_field("supplier", "供应商", index=True, width=180, sort=-20)
    executed_quantity: Mapped[Decimal] = quantity_field(
        "已下单数量", form=False, total=True, copied=False, width=100, sort=30
    )


class PurchasePlan(StockBill):
    """采购计划"""

    __tablename__ = "purchase_plan"
    declaration = declare_bill(
        "采购计划",
        API,
        also_called={"getInfo": "get"},
        transitions=TRANSITIONS,
        routes={"list": "/purchase/plan", "add": "/purchase/planAdd", "see": "/purchase/planSee"},
        menu=Menu("采购管理", "采购业务", 5),
        drill=Drill("采购订单", "/purchase/orderdetail", (("plan_no", "bill_no"),)),
    )
    bill = BillType(
        "CGJH",
        (
            Block(
                "lines",
                "计划明细",
                PurchasePlanLine,
                proposals=(
                    Proposal(
                        "按安全库存生成",
                        f"{API}/getSafetyProposal",
                        ("company_id", "warehouse_id", "sales_days"),
                    ),
                    Proposal(
                        "按销量生成",
                        f"{API}/getSalesProposal",
                        ("company_id", "warehouse_id", "sales_days", "cover_days"),
                    ),
                ),
            ),
        ),
        transitions=TRANSITIONS,
        detail=DetailPlacement("采购计划明细", "/purchase/planDetail", Menu("采购管理", "明细查询", 5)),
    )
    derived = (
        derived_field(
            "ordered_status", "下单状态", "enum", orders.EXECUTION, options=tuple(ORDERED.items()), width=100
        ),
    )

    delivery_date: Mapped[date | None] = date_field("交货日期", since="business_date", sort=-45)
    sales_days: Mapped[int] = integer_field(
        "销量天数", default=30, rule="PositiveInt", bounds=YEAR, list=False, sort=-44
    )
    cover_days: Mapped[int] = integer_field(
        "备货天数", default=30, rule="PositiveInt", bounds=YEAR, list=False, sort=-43
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        lines = children["lines"]
        places = (header["company_id"], header["warehouse_id"], header["business_date"], header["sales_days"])
        known = replenishment.read_stock_figures(ctx, *places, (line["goods_id"] for line in lines))
        for line in lines:
            position = known[line["goods_id"]]
            line.update({name: position[name] for name in replenishment.FIGURES})
            line["supplier_id"] = line.get("supplier_id") or position["supplier_id"]

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.forbid_reversal_if_executed(doc, action)

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "draw":
            _create_orders(ctx, doc)


def _create_orders(ctx: Context, doc: Document) -> None:
    """Create an unaudited order per supplier, of quantities not yet on unaudited orders.

    Lines planned without a price are ordered at the supplier's price.
    """
    order: Any = registry.get_resource("purchase_order")
    ctx.require_right(order.right("add"))
    waiting = _read_waiting_quantities(ctx, order, (line.line_id for line in doc.lines))
    left = [
        (line, line.quantity - line.executed_quantity - waiting.get(line.line_id, 0)) for line in doc.lines
    ]
    left = [(line, rest) for line, rest in left if rest > 0]
    if not left:
        raise Refusal("采购计划已全部转为采购订单")
    nameless = "、".join(str(line.line_no) for line, _ in left if line.supplier_id is None)
    if nameless:
        raise Refusal(f"采购计划第{nameless}行没有供应商，请反审核后补上")
    bills: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    unpriced = {(line.goods_id, line.supplier_id) for line, _ in left if not (line.price or line.is_gift)}
    known = replenishment.read_supplier_prices(ctx, doc.header.company_id, today(), unpriced)
    for line, rest in left:
        price = line.price or known.get((line.goods_id, line.supplier_id), line.price)
        bills[line.supplier_id].append(_build_order_line(line, rest) | {"price": price})
    shared = ("company_id", "warehouse_id", "department_id", "employee_id", "delivery_date")
    header = {name: getattr(doc.header, name) for name in shared}
    source_links.clear_past_days(order, header)
    for supplier_id, lines in sorted(bills.items()):
        pack_units.copy_packs(ctx.conn, lines)
        drafts.add_draft(
            ctx, order, {**header, "business_date": today(), "supplier_id": supplier_id, "lines": lines}
        )


def _build_order_line(line: Any, rest: Decimal) -> dict[str, Any]:
    """Build the order line of a plan line's remaining quantity; its discount is prorated as of any source."""
    kept = ("goods_id", "tax_rate", "is_gift", "remark", *pack_units.COLUMNS)
    return {
        **{name: getattr(line, name) for name in kept},
        "quantity": rest,
        "plan_line_id": line.line_id,
    }


def _read_waiting_quantities(ctx: Context, order: type[Bill], lines: Iterable[int]) -> dict[int, Decimal]:
    """Read the quantities of plan lines on unaudited orders."""
    assert order.bill is not None
    head, own = order.table(), order.bill.blocks[0].cls.table()
    query = (
        select(own.c.plan_line_id, func.sum(own.c.quantity))
        .join_from(own, head, own.c.bill_id == head.c.bill_id)
        .where(head.c.status == UNAUDITED, own.c.plan_line_id.in_(sorted(lines)))
        .group_by(own.c.plan_line_id)
    )
    return {row[0]: row[1] for row in ctx.conn.execute(query)}
