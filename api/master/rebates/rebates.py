"""Rebates (返利单): a policy's accrual of one cycle, confirmed once, between one partner and the company.

Its audit opens a settlement item below zero, so that receipts, payments and offsets use it as they use a
return. One that takes back what later returns no longer earn is negative: its item is owed as a bill is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import Index, Row, select, text
from sqlalchemy.orm import Mapped, declared_attr

from api.kit.bills import drafts
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Document, Rows, Values
from api.kit.declaration.fields import DerivedField, date_field, derived_field, money_field, quantity_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.posting import Postings, SettlementOpen
from api.kit.declaration.resource import ACTION_LABELS
from api.kit.errors import InvalidInput, NotFound, Refusal, RowFailure
from api.kit.storage.database import today
from api.kit.storage.projection import format_yuan
from api.kit.storage.records import batch_result
from api.kit.storage.validation import Problems
from api.master.rebates.rebate_accruals import POLICY_FACTOR, find_accrual, rebate_accruals_sql
from api.master.rebates.rebate_policies import Direction

_LEFT = (
    "coalesce((select -sum(i.open_amount) from settlement_item i"
    " where i.bill_type = '{prefix}' and i.bill_id = {{table}}.bill_id), 0)"
)


def rebate_usage_columns(of: Direction) -> tuple[DerivedField, ...]:
    """Declare the columns of a rebate's used and unused amount."""
    left = _LEFT.format(prefix=of.prefix)
    used = f"case when {{table}}.status in {POSTED_SQL} then {{table}}.amount - {left} else 0 end"
    return (
        derived_field("used_amount", "已使用", "money", used, width=120),
        derived_field("left_amount", "未使用", "money", left, width=120),
    )


class Rebate(Bill):
    """返利单: a rebate of one cycle, which any of its days names."""

    __abstract__ = True

    direction: ClassVar[Direction]

    cycle_start: Mapped[date] = date_field("周期开始", required=True, search=True, width=110, sort=-58)
    cycle_end: Mapped[date] = date_field("周期结束", form=False, search=True, width=110, sort=-57)
    base_quantity: Mapped[Decimal] = quantity_field("计返数量", form=False, width=110, sort=-56)
    base_amount: Mapped[Decimal] = money_field("计返金额", form=False, width=130, sort=-55)
    accrued_amount: Mapped[Decimal] = money_field("应计返利", form=False, total=True, width=120, sort=-54)
    amount: Mapped[Decimal] = money_field("返利总金额", required=True, total=True, width=130, sort=-45)

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
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        found = find_accrual(ctx.conn, cls.direction, header["policy_id"], header["cycle_start"])
        if found is None:
            problems.add("返利政策在该日期没有返利周期")
            return
        if found.cycle_end > min(header["business_date"], today()):
            problems.add(f"返利周期到{found.cycle_end}结束，业务日期不能早于该日")
        accrued = format_yuan(found.accrued, ctx.principal, (cls, "accrued_amount"))
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
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        """Raise Refusal unless the policy is in force and the accrual is still what the rebate says."""
        if action != "auditorPass":
            return
        header, policies = doc.header, registry.get_resource(cls.direction.policy)
        table = policies.table()
        bills = select(table.c.bill_id).where(
            table.c.bill_id == header.policy_id, policies.selectable_condition()
        )
        if ctx.conn.execute(bills.with_for_update(read=True)).first() is None:
            raise Refusal("返利政策已暂停或未审核，请先打开或审核返利政策")
        found = find_accrual(ctx.conn, cls.direction, header.policy_id, header.cycle_start)
        if found is None or found.accrued != header.accrued_amount:
            accrued = found.accrued if found else Decimal(0)
            now = format_yuan(accrued, ctx.principal, (cls, "accrued_amount"))
            raise Refusal(f"该周期的应计返利已变{'为' if now else '动'}{now}，请修改返利单后再审核")


def generate_rebates(ctx: Context, cls: type[Rebate], keys: Sequence[int]) -> dict[str, Any]:
    """Draft the rebate of each accrual with its whole amount; failures are reported by row."""
    done, failures = [], []
    keys = list(dict.fromkeys(keys))
    for index, key in enumerate(keys, 1):
        try:
            with ctx.conn.begin_nested():
                drafts.add_draft(ctx, cls, _build_payload(cls, _find_open_accrual(ctx, cls.direction, key)))
            done.append(key)
        except Refusal as error:
            if len(keys) == 1:
                raise
            failures.append(RowFailure(index, str(index), error.msg, error.code))
    return batch_result(keys, done, failures, ACTION_LABELS["generate"])


def _find_open_accrual(ctx: Context, of: Direction, key: int) -> Row[Any]:
    named = text(
        f"select * from ({rebate_accruals_sql(of)}) a where a.policy_id = :policy and a.{of.rebate}_accrual_id = :key"
    )
    row = ctx.conn.execute(named, {"today": today(), "policy": key // POLICY_FACTOR, "key": key}).first()
    if row is None:
        raise NotFound("返利周期")
    if row.rebate_no:
        raise InvalidInput(f"该周期已有返利单{row.rebate_no}")
    if not row.accrued:
        raise InvalidInput("该周期没有可确认的返利")
    return row


def _build_payload(cls: type[Rebate], row: Row[Any]) -> dict[str, Any]:
    shared = ("company_id", f"{cls.direction.party}_id", "policy_id", "cycle_start")
    return {
        **{name: getattr(row, name) for name in shared},
        "business_date": today(),
        "amount": row.accrued,
    }
