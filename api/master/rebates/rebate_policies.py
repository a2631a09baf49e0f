"""Rebate policies (返利政策): rates that goods earn in cycles within a term, with a supplier or a customer.

It posts nothing: its accruals are computed from bills (`rebate_accruals`). A paused one is confirmed by no
rebate until it is opened again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Numeric, or_, select
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, Document, Rows, Values, bill_status_field
from api.kit.declaration.fields import (
    date_field,
    enum_field,
    integer_field,
    money_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import AUDITED, VOIDED
from api.kit.declaration.posting import PartyType, Postings
from api.kit.declaration.validation_rules import PERCENT
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.master.rebates.rebate_tiers import Tier, compute_quick_deductions
from api.master.settings.business_types import RebateCycle

BY_QUANTITY, BY_AMOUNT = 1, 2
MEASURES = {BY_QUANTITY: "按数量", BY_AMOUNT: "按金额"}
EXCESS, ACCUMULATED = 1, 2
MODES = {EXCESS: "超额返利", ACCUMULATED: "累计返利"}
_REWARDS = {BY_QUANTITY: "unit_rebate", BY_AMOUNT: "rate"}


@dataclass(frozen=True, slots=True)
class Direction:
    """A rebate's direction: partner, tables of policies and rebates, a rebate's prefix, and the bills that
    count."""

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


def policy_field(of: Direction) -> MappedColumn[int]:
    """Declare the policy of a rebate, or of what leads to it."""
    return reference_field(
        of.policy,
        "返利政策",
        target="bill_id",
        required=True,
        within=("company_id", f"{of.party}_id"),
        search=True,
        width=200,
        sort=-60,
    )


class RebateTier(BillLine):
    """A tier of a policy: its start and its rate."""

    __abstract__ = True

    starts_from: Mapped[Decimal] = quantity_field("起点", rule="Positive", width=120, sort=-80)
    rate: Mapped[Decimal | None] = rate_field(
        "返利比例%", rule="positive", bounds=PERCENT, default=None, width=110, sort=-70
    )
    unit_rebate: Mapped[Decimal | None] = money_field(
        "每件返利", rule="positive", default=None, width=110, sort=-69
    )
    quick_deduction: Mapped[Decimal] = mapped_column(Numeric(24, 9), server_default="0", sort_order=90)
    """The excess of `base × rate` of this tier; see `rebate_tiers`."""


class RebatePolicy(Bill):
    """返利政策: without goods it is about all of them."""

    __abstract__ = True

    direction: ClassVar[Direction]

    policy_name: Mapped[str] = text_field(
        "政策名称", required=True, search=True, max_length=60, width=200, sort=-75
    )
    status: Mapped[int] = bill_status_field(closed="已暂停")
    rebate_type_id: Mapped[int] = reference_field(
        "rebate_type", "返利类型", required=True, search=True, width=110, sort=-65
    )
    rebate_cycle_id: Mapped[int] = reference_field(
        "rebate_cycle", "返利周期", required=True, search=True, width=110, sort=-64
    )
    cycle_months: Mapped[int] = integer_field("周期月数", default=1, form=False, list=False, sort=-63)
    measure: Mapped[int] = enum_field(
        "计算依据", MEASURES, default=BY_AMOUNT, search=True, width=90, sort=-62
    )
    rebate_mode: Mapped[int] = enum_field("返利方式", MODES, default=EXCESS, search=True, width=100, sort=-61)
    starts_on: Mapped[date] = date_field("开始时间", required=True, search=True, width=110, sort=-60)
    ends_on: Mapped[date] = date_field(
        "结束时间", since="starts_on", required=True, search=True, width=110, sort=-59
    )

    @classmethod
    def selectable_condition(cls) -> ColumnElement[bool]:
        """Limit choices to policies in force."""
        table = cls.table()
        return or_(table.c.status == AUDITED, table.c.locked_from == AUDITED)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        months = select(RebateCycle.table().c.months).where(RebateCycle.key() == header["rebate_cycle_id"])
        header["cycle_months"] = ctx.conn.execute(months).scalar_one()
        _sort_tiers(children["tiers"], header["measure"], header["rebate_mode"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action not in ("antiAuditor", "invalid"):
            return
        table = registry.get_resource(cls.direction.rebate).table()
        used = select(table.c.bill_no).where(
            table.c.policy_id == doc.header.bill_id, table.c.status != VOIDED
        )
        numbers: Sequence[str] = ctx.conn.execute(used.order_by(table.c.bill_id)).scalars().all()
        if numbers:
            raise Refusal(f"返利政策已有返利单，不能反审核或作废（相关单据：{'、'.join(numbers)}）")


def _sort_tiers(rows: list[dict[str, Any]], measure: int, mode: int, problems: Problems) -> None:
    """Sort the tiers, check their rates, and set their quick deductions."""
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
    taken = compute_quick_deductions(tiers, accumulated=mode == ACCUMULATED)
    for number, (row, deduction) in enumerate(zip(rows, taken, strict=True), 1):
        row.update(line_no=number, quick_deduction=deduction)
