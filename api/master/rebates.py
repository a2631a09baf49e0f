"""Rebates (返利单): what a policy has earned in a cycle, confirmed once, is what one partner owes another.

Its audit opens a settlement item below zero, so that receipts, payments and offsets use it as they use a return. One
that takes back what later returns no longer earn is negative: its item is owed as a bill is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import Index, Row, select, text
from sqlalchemy.orm import Mapped, declared_attr

from api.kit import drafts, registry
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Bill, Document, Rows, Values
from api.kit.errors import Failure, Invalid, NotFound, Refusal
from api.kit.fields import Derived, day, derived, money, quantity
from api.kit.flow import POSTED_SQL
from api.kit.posting import Postings, SettlementOpen
from api.kit.projection import in_yuan
from api.kit.records import settle_batch
from api.kit.resource import ACTION_LABELS
from api.kit.validation import Problems
from api.master.rebate_accruals import PLACES, accrual, accruals
from api.master.rebate_policies import Direction

_LEFT = (
    "coalesce((select -sum(i.open_amount) from settlement_item i"
    " where i.bill_type = '{prefix}' and i.bill_id = {{table}}.bill_id), 0)"
)


def used_and_left(of: Direction) -> tuple[Derived, ...]:
    """How much of a rebate has settled bills, and how much may yet."""
    left = _LEFT.format(prefix=of.prefix)
    used = f"case when {{table}}.status in {POSTED_SQL} then {{table}}.amount - {left} else 0 end"
    return (
        derived("used_amount", "已使用", "money", used, width=120),
        derived("left_amount", "未使用", "money", left, width=120),
    )


class Rebate(Bill):
    """返利单: any day of a cycle names it."""

    __abstract__ = True

    direction: ClassVar[Direction]

    cycle_start: Mapped[date] = day("周期开始", required=True, search=True, width=110, sort=-58)
    cycle_end: Mapped[date] = day("周期结束", form=False, search=True, width=110, sort=-57)
    base_quantity: Mapped[Decimal] = quantity("计返数量", form=False, width=110, sort=-56)
    base_amount: Mapped[Decimal] = money("计返金额", form=False, width=130, sort=-55)
    accrued_amount: Mapped[Decimal] = money("应计返利", form=False, total=True, width=120, sort=-54)
    amount: Mapped[Decimal] = money("返利总金额", required=True, total=True, width=130, sort=-45)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        once = Index(
            f"uq_{cls.__tablename__}_policy_id_cycle_start",
            "policy_id",
            "cycle_start",
            unique=True,
            postgresql_where="status <> 3",
        )
        return (*super().__table_args__, once)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        found = accrual(ctx.conn, cls.direction, header["policy_id"], header["cycle_start"])
        if found is None:
            problems.add("返利政策在该日期没有返利周期")
            return
        if found.cycle_end > min(header["business_date"], today()):
            problems.add(f"返利周期到{found.cycle_end}结束，业务日期不能早于该日")
        accrued = in_yuan(found.accrued, ctx.principal, (cls, "accrued_amount"))
        if not header["amount"]:
            problems.add("返利总金额不能为零")
        elif header["amount"] * found.accrued < 0:
            sign = "正" if found.accrued > 0 else "负"
            problems.add(f"应计返利{'为' if accrued else ''}{accrued}，返利总金额须同为{sign}数")
        elif header["amount"] != found.accrued and not header.get("remark"):
            problems.add(f"返利总金额与应计返利{accrued}不同，请在备注中说明原因")
        copied = ("cycle_start", "cycle_end", "base_quantity", "base_amount")
        header.update({name: getattr(found, name) for name in copied}, accrued_amount=found.accrued)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header, party = doc.header, cls.direction.party
        credited = SettlementOpen(party, getattr(header, f"{party}_id"), -header.amount, header.business_date)
        return Postings(settlements=(credited,))

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        """What is confirmed is in force, and what it was computed from has not changed since."""
        if action != "auditorPass":
            return
        header, policies = doc.header, registry.get(cls.direction.policy)
        table = policies.table()
        held = select(table.c.bill_id).where(table.c.bill_id == header.policy_id, policies.choosable())
        if ctx.conn.execute(held.with_for_update(read=True)).first() is None:
            raise Refusal("返利政策已暂停或未审核，请先打开或审核返利政策")
        found = accrual(ctx.conn, cls.direction, header.policy_id, header.cycle_start)
        if found is None or found.accrued != header.accrued_amount:
            accrued = found.accrued if found else Decimal(0)
            now = in_yuan(accrued, ctx.principal, (cls, "accrued_amount"))
            raise Refusal(f"该周期的应计返利已变{'为' if now else '动'}{now}，请修改返利单后再审核")


def generate(ctx: Context, cls: type[Rebate], keys: Sequence[int]) -> dict[str, Any]:
    """Draft the rebate of each accrual, all that it earned; what can't be is told by row."""
    done, failures = [], []
    keys = list(dict.fromkeys(keys))
    for index, key in enumerate(keys, 1):
        try:
            with ctx.conn.begin_nested():
                drafts.add(ctx, cls, _payload(cls, _accrual_of(ctx, cls.direction, key)))
            done.append(key)
        except Refusal as error:
            if len(keys) == 1:
                raise
            failures.append(Failure(index, str(index), error.msg, error.code))
    return settle_batch(keys, done, failures, ACTION_LABELS["generate"])


def _accrual_of(ctx: Context, of: Direction, key: int) -> Row[Any]:
    named = text(
        f"select * from ({accruals(of)}) a where a.policy_id = :policy and a.{of.rebate}_accrual_id = :key"
    )
    row = ctx.conn.execute(named, {"today": today(), "policy": key // PLACES, "key": key}).first()
    if row is None:
        raise NotFound("返利周期")
    if row.rebate_no:
        raise Invalid(f"该周期已有返利单{row.rebate_no}")
    if not row.accrued:
        raise Invalid("该周期没有可确认的返利")
    return row


def _payload(cls: type[Rebate], row: Row[Any]) -> dict[str, Any]:
    shared = ("company_id", f"{cls.direction.party}_id", "policy_id", "cycle_start")
    return {
        **{name: getattr(row, name) for name in shared},
        "business_date": today(),
        "amount": row.accrued,
    }
