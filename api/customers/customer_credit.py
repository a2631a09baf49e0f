"""Customer credit (客户信用额度), KHXY: its audit sets a customer's credit limit, or raises it for some days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, Row, select, update
from sqlalchemy.orm import Mapped, declared_attr

from api.kit.context import Context
from api.kit.declaration.document import Bill, BillType, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import date_field, enum_field, money_field
from api.kit.declaration.flow import ORDER, POSTED
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu, ScreenPlacement
from api.kit.errors import Refusal
from api.kit.http import consequences
from api.kit.http.consequences import Fact
from api.kit.storage import business_log
from api.kit.storage.projection import MASK, can_see_all
from api.kit.storage.validation import Problems
from api.master.partners.partners import Customer, customer_field

LASTING, TEMPORARY = 1, 2
ADJUSTED_SINCE = "该客户的额度之后已调整过，请先处理后来的额度单，或另建额度单调整"
KINDS = {LASTING: "长期额度", TEMPORARY: "临时额度"}


class CustomerCredit(Bill):
    """客户信用额度: closing ends a temporary limit early, and restores the limit before a lasting one."""

    __tablename__ = "customer_credit"
    declaration = declare_bill(
        "客户信用额度",
        "v2/custom/CustomerCredit",
        transitions=ORDER,
        routes={
            "list": "/custom/creditmanage",
            "add": "/custom/creditmanage_add",
            "see": "/custom/creditmanage_search",
        },
        menu=Menu("客户管理", "信用管理", 10),
        also=(ScreenPlacement({"list": "/custom/getLimitList", "add": "/custom/getLimitListAdd"}),),
    )
    bill = BillType("KHXY", transitions=ORDER, in_force="额度")

    customer_id: Mapped[int] = customer_field()
    kind: Mapped[int] = enum_field("额度类型", KINDS, default=LASTING, search=True, sort=-60)
    amount: Mapped[Decimal] = money_field("额度", required=True, rule="Positive", width=130, sort=-59)
    previous_amount: Mapped[Decimal | None] = money_field(
        "原长期额度", default=None, form=False, copied=False, width=130, sort=-58
    )
    starts_on: Mapped[date | None] = date_field("生效日期", search=True, copied=False, width=110, sort=-57)
    ends_on: Mapped[date | None] = date_field("失效日期", search=True, copied=False, width=110, sort=-56)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        days = CheckConstraint("(kind = 2) = (starts_on is not null and ends_on is not null)", name="days")
        return (*super().__table_args__, days)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        starts, ends = header.get("starts_on"), header.get("ends_on")
        if header["kind"] == LASTING:
            header["starts_on"] = header["ends_on"] = None
        elif starts is None or ends is None:
            problems.add("临时额度请填写生效日期和失效日期")
        elif ends < starts:
            problems.add("失效日期不能早于生效日期")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        header = doc.header
        if header.kind != LASTING:
            return
        table, own = Customer.table(), cls.table()
        mine = table.c.customer_id == header.customer_id
        before: Decimal | None = ctx.conn.execute(
            select(table.c.credit_limit).where(mine).with_for_update()
        ).scalar_one()
        sets = effect in ("post", "open")
        if not sets and before != header.amount:
            raise Refusal(ADJUSTED_SINCE)
        limit = header.amount if sets else header.previous_amount
        ctx.conn.execute(update(table).where(mine).values(credit_limit=limit))
        if sets:
            ctx.conn.execute(
                update(own).where(own.c.bill_id == header.bill_id).values(previous_amount=before)
            )
        business_log.log_action(
            ctx.conn,
            ctx.principal,
            Customer.name(),
            header.customer_id,
            "edit",
            company_id=header.company_id,
            before={"credit_limit": before},
            after={"credit_limit": limit},
            reason=f"{cls.declaration.label} {header.bill_no}",
        )


def _build_consequence_finder(sets: bool) -> consequences.FactFinder:
    """Build a finder that describes how customers' limits change, from which amount to which."""

    def find(ctx: Context, rows: Sequence[Row[Any]]) -> tuple[list[Fact], list[str]]:
        table, bills = Customer.table(), CustomerCredit.table()
        keys = [row.bill_id for row in rows]
        query = (
            select(bills, table.c.customer_name, table.c.credit_limit)
            .join_from(bills, table, bills.c.customer_id == table.c.customer_id)
            .where(bills.c.bill_id.in_(keys), bills.c.status.in_(POSTED))
            .order_by(bills.c.bill_id)
        )
        told, against = [], []
        for head in ctx.conn.execute(query):
            if head.kind == TEMPORARY:
                told.append(_describe_temporary_limit(ctx, head, sets))
                continue
            if not sets and head.credit_limit != head.amount:
                against.append(f"{head.bill_no}：{ADJUSTED_SINCE}")
                continue
            after = head.amount if sets else head.previous_amount
            places = ((CustomerCredit, "amount"), (Customer, "credit_limit"))
            change = (
                f"{_format_limit(head.credit_limit)} → {_format_limit(after)}"
                if can_see_all(ctx.principal, *places)
                else MASK
            )
            told.append(Fact(label=f"{head.customer_name}的长期额度", value=change))
        return told[: consequences.MAX_NAMES], against

    return find


def _describe_temporary_limit(ctx: Context, head: Row[Any], sets: bool) -> Fact:
    amount = f"{head.amount:,.2f}" if can_see_all(ctx.principal, (CustomerCredit, "amount")) else MASK
    verb = "重新生效" if sets else "失效"
    days = f"{head.starts_on:%Y-%m-%d} 至 {head.ends_on:%Y-%m-%d}"
    return Fact(label=f"{head.customer_name}的临时额度", value=f"{amount}（{days}）{verb}")


def _format_limit(amount: Decimal | None) -> str:
    return "不限" if amount is None else f"{amount:,.2f}"


for _action in ("close", "antiAuditor", "invalid"):
    consequences.register_facts(CustomerCredit, _action)(_build_consequence_finder(sets=False))
consequences.register_facts(CustomerCredit, "open")(_build_consequence_finder(sets=True))
