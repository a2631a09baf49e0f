"""Rebate policies (返利政策): from when to when which goods earn how much, in cycles, with a supplier or a customer.

It posts nothing: what it has earned is computed from bills (`api.master.rebate_accruals`). A paused one is confirmed by
no rebate until it is opened again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Numeric, or_, select
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill, Child, Document, Rows, Values, bill_status
from api.kit.errors import Refusal
from api.kit.fields import day, enum, integer, money, quantity, rate, ref, text
from api.kit.flow import AUDITED, VOIDED
from api.kit.posting import PartyType, Postings
from api.kit.rules import PERCENT
from api.kit.validation import Problems
from api.master.business_types import RebateCycle
from api.master.rebate_tiers import Tier, quick_deductions

BY_QUANTITY, BY_AMOUNT = 1, 2
MEASURES = {BY_QUANTITY: "按数量", BY_AMOUNT: "按金额"}
EXCESS, ACCUMULATED = 1, 2
MODES = {EXCESS: "超额返利", ACCUMULATED: "累计返利"}
_REWARDS = {BY_QUANTITY: "unit_rebate", BY_AMOUNT: "rate"}


@dataclass(frozen=True, slots=True)
class Direction:
    """Between whom: the partner, the tables of policies and rebates, a rebate's prefix, and the bills that count."""

    party: PartyType
    policy: str
    rebate: str
    prefix: str
    traded: tuple[str, str]
    """Table and prefix of the bill that earns."""
    returned: tuple[str, str]
    """And of the one that gives back."""


SUPPLIER = Direction(
    "supplier",
    "supplier_rebate_policy",
    "supplier_rebate",
    "CGFL",
    ("purchase_inbound", "CGRK"),
    ("purchase_return", "CGTH"),
)
CUSTOMER = Direction(
    "customer",
    "customer_rebate_policy",
    "customer_rebate",
    "KHFL",
    ("sales_outbound", "XSCK"),
    ("sales_return", "XSTH"),
)


def of_policy(of: Direction) -> MappedColumn[int]:
    """The policy that a rebate, or what leads to it, is of."""
    return ref(
        of.policy,
        "返利政策",
        target="bill_id",
        required=True,
        within=("company_id", f"{of.party}_id"),
        search=True,
        width=200,
        sort=-60,
    )


class RebateTier(Child):
    """From how much on which rate holds."""

    __abstract__ = True

    starts_from: Mapped[Decimal] = quantity("起点", rule="Positive", width=120, sort=-80)
    rate: Mapped[Decimal | None] = rate(
        "返利比例%", rule="positive", bounds=PERCENT, default=None, width=110, sort=-70
    )
    unit_rebate: Mapped[Decimal | None] = money(
        "每件返利", rule="positive", default=None, width=110, sort=-69
    )
    quick_deduction: Mapped[Decimal] = mapped_column(Numeric(24, 9), server_default="0", sort_order=90)
    """What `base × rate` of this tier counts too much; see `api.master.rebate_tiers`."""


class RebatePolicy(Bill):
    """返利政策: without goods it is about all of them."""

    __abstract__ = True

    direction: ClassVar[Direction]

    policy_name: Mapped[str] = text(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-75
    )
    status: Mapped[int] = bill_status(closed="已暂停")
    rebate_type_id: Mapped[int] = ref(
        "rebate_type", "返利类型", required=True, search=True, width=110, sort=-65
    )
    rebate_cycle_id: Mapped[int] = ref(
        "rebate_cycle", "返利周期", required=True, search=True, width=110, sort=-64
    )
    cycle_months: Mapped[int] = integer("周期月数", default=1, form=False, list=False, sort=-63)
    measure: Mapped[int] = enum("计算依据", MEASURES, default=BY_AMOUNT, search=True, width=90, sort=-62)
    rebate_mode: Mapped[int] = enum("返利方式", MODES, default=EXCESS, search=True, width=100, sort=-61)
    starts_on: Mapped[date] = day("开始时间", required=True, search=True, width=110, sort=-60)
    ends_on: Mapped[date] = day(
        "结束时间", since="starts_on", required=True, search=True, width=110, sort=-59
    )

    @classmethod
    def choosable(cls) -> ColumnElement[bool]:
        """Those in force."""
        table = cls.table()
        return or_(table.c.status == AUDITED, table.c.locked_from == AUDITED)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        months = select(RebateCycle.table().c.months).where(RebateCycle.key() == header["rebate_cycle_id"])
        header["cycle_months"] = ctx.conn.execute(months).scalar_one()
        _arrange_tiers(children["tiers"], header["measure"], header["rebate_mode"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        if action not in ("antiAuditor", "invalid"):
            return
        table = registry.get(cls.direction.rebate).table()
        used = select(table.c.bill_no).where(
            table.c.policy_id == doc.header.bill_id, table.c.status != VOIDED
        )
        numbers: Sequence[str] = ctx.conn.execute(used.order_by(table.c.bill_id)).scalars().all()
        if numbers:
            raise Refusal(f"返利政策已有返利单，不能反审核或作废（相关单据：{'、'.join(numbers)}）")


def _arrange_tiers(rows: list[dict[str, Any]], measure: int, mode: int, problems: Problems) -> None:
    """Put tiers in their order, each with its rate and what that counts too much."""
    reward = _REWARDS[measure]
    for row in rows:
        if not row.get(reward):
            problems.place = f"第{row['line_no']}行"
            problems.add("按金额返利请填写返利比例%" if measure == BY_AMOUNT else "按数量返利请填写每件返利")
    problems.place = ""
    if len({row["starts_from"] for row in rows}) < len(rows):
        problems.add("返利阶梯的起点不能相同")
    if problems.failures:
        return
    rows.sort(key=lambda row: row["starts_from"])
    unit = 100 if measure == BY_AMOUNT else 1
    tiers = [Tier(row["starts_from"], row[reward] / unit) for row in rows]
    taken = quick_deductions(tiers, accumulated=mode == ACCUMULATED)
    for number, (row, deduction) in enumerate(zip(rows, taken, strict=True), 1):
        row.update(line_no=number, quick_deduction=deduction)
