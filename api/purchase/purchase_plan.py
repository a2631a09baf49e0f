"""Purchase plan (采购计划), CGJH: what a warehouse should buy, turned into an order for each supplier.

It posts nothing; its lines count what was ordered, and closing it ends that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Mapped

from api.kit import drafts, links, orders, packs, registry
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Bill, BillType, Block, DetailPlace, Document, Proposal, Rows, Values, declare
from api.kit.errors import Refusal
from api.kit.fields import day, derived, integer, quantity, ref
from api.kit.flow import ORDER, UNAUDITED
from api.kit.posting import Postings
from api.kit.resource import Drill, Menu
from api.kit.rules import Bounds
from api.kit.validation import Problems
from api.master.stock_lines import StockBill
from api.purchase import replenishment

API = "v2/purchase/Plan"
ORDERED = {1: "未下单", 2: "全部下单", 3: "部分下单"}
YEAR = Bounds(least=1, most=365)
TRANSITIONS = (*ORDER, "turnOrder")
PLANNED_BY = derived(
    "plan_no",
    "采购计划",
    "text",
    "(select h.bill_no from purchase_plan_line p join purchase_plan h using (bill_id)"
    " where p.line_id = {table}.plan_line_id)",
    width=190,
    bill=True,
)
"""Of lines that carry out a plan's: its number."""


class PurchasePlanLine(orders.OrderLine):
    __tablename__ = "purchase_plan_line"
    bill_table = "purchase_plan"
    derived = (
        derived(
            "left_quantity",
            "未下单数量",
            "quantity",
            "{table}.quantity - {table}.executed_quantity",
            total=True,
            width=100,
        ),
    )

    stocks: Mapped[Decimal] = quantity("现存量", form=False, copied=False, width=90, sort=-30)
    available_stocks: Mapped[Decimal] = quantity(
        "可用库存", form=False, copied=False, decides=True, width=90, sort=-29
    )
    on_order: Mapped[Decimal] = quantity(
        "在途及计划", form=False, copied=False, decides=True, width=90, sort=-28
    )
    safety_stock: Mapped[Decimal] = quantity("安全库存", form=False, copied=False, width=90, sort=-27)
    sales_quantity: Mapped[Decimal] = quantity("近期销量", form=False, copied=False, width=90, sort=-26)
    supplier_id: Mapped[int | None] = ref("supplier", "供应商", index=True, width=180, sort=-20)
    executed_quantity: Mapped[Decimal] = quantity(
        "已下单数量", form=False, total=True, copied=False, width=100, sort=30
    )


class PurchasePlan(StockBill):
    """采购计划"""

    __tablename__ = "purchase_plan"
    declaration = declare(
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
        detail=DetailPlace("采购计划明细", "/purchase/planDetail", Menu("采购管理", "明细查询", 5)),
    )
    derived = (
        derived(
            "ordered_status", "下单状态", "enum", orders.EXECUTION, options=tuple(ORDERED.items()), width=100
        ),
    )

    delivery_date: Mapped[date | None] = day("交货日期", since="business_date", sort=-45)
    sales_days: Mapped[int] = integer(
        "销量天数", default=30, rule="PositiveInt", bounds=YEAR, list=False, sort=-44
    )
    cover_days: Mapped[int] = integer(
        "备货天数", default=30, rule="PositiveInt", bounds=YEAR, list=False, sort=-43
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        lines = children["lines"]
        places = (header["company_id"], header["warehouse_id"], header["business_date"], header["sales_days"])
        known = replenishment.figures(ctx, *places, (line["goods_id"] for line in lines))
        for line in lines:
            standing = known[line["goods_id"]]
            line.update({name: standing[name] for name in replenishment.FIGURES})
            line["supplier_id"] = line.get("supplier_id") or standing["supplier_id"]

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.refuse_executed(doc, action)

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "draw":
            _order(ctx, doc)


def _order(ctx: Context, doc: Document) -> None:
    """An unaudited order for each supplier, of what is left beyond orders that wait for their audit.

    What was planned without a price is ordered at the supplier's.
    """
    order: Any = registry.get("purchase_order")
    ctx.require(order.right("add"))
    waiting = _waiting(ctx, order, (line.line_id for line in doc.lines))
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
    known = replenishment.prices(ctx, doc.header.company_id, today(), unpriced)
    for line, rest in left:
        price = line.price or known.get((line.goods_id, line.supplier_id), line.price)
        bills[line.supplier_id].append(_ordered(line, rest) | {"price": price})
    shared = ("company_id", "warehouse_id", "department_id", "employee_id", "delivery_date")
    header = {name: getattr(doc.header, name) for name in shared}
    links.forget_past_days(order, header)
    for supplier_id, lines in sorted(bills.items()):
        packs.carry(ctx.conn, lines)
        drafts.add(
            ctx, order, {**header, "business_date": today(), "supplier_id": supplier_id, "lines": lines}
        )


def _ordered(line: Any, rest: Decimal) -> dict[str, Any]:
    """What is left of a plan's line as an order's; its discount is shared as of any source."""
    kept = ("goods_id", "tax_rate", "is_gift", "remark", *packs.COLUMNS)
    return {
        **{name: getattr(line, name) for name in kept},
        "quantity": rest,
        "plan_line_id": line.line_id,
    }


def _waiting(ctx: Context, order: type[Bill], lines: Iterable[int]) -> dict[int, Decimal]:
    """What unaudited orders hold of plan lines."""
    assert order.bill is not None
    head, own = order.table(), order.bill.blocks[0].cls.table()
    query = (
        select(own.c.plan_line_id, func.sum(own.c.quantity))
        .join_from(own, head, own.c.bill_id == head.c.bill_id)
        .where(head.c.status == UNAUDITED, own.c.plan_line_id.in_(sorted(lines)))
        .group_by(own.c.plan_line_id)
    )
    return {row[0]: row[1] for row in ctx.conn.execute(query)}
