"""Settlements (核销): due dates from payment terms, and the block of open items that bills write off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, case, select
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, ChildRow, Document, Rows, Values
from api.kit.declaration.fields import (
    DerivedField,
    Field,
    Kind,
    date_field,
    derived_field,
    flag_field,
    money_field,
    reference_field,
)
from api.kit.declaration.posting import MoneyEntry, PartyType, Postings, SettlementOpen, WriteOff
from api.kit.errors import Refusal
from api.kit.storage.bill_visibility import bill_visible_sql
from api.kit.storage.projection import format_yuan
from api.kit.storage.validation import Problems
from api.master.settings.settings import ErpConfig, read_waive_limit
from api.master.settlements.prepayment import AdvanceConsumingBill

WAIVE = "waive"
"""The right to waive more than the group's limit."""

_ITEM = "(select i.{column} from settlement_item i where i.settlement_id = {table}.settlement_id)"


def _item_column(name: str, label: str, kind: Kind, **marks: Any) -> DerivedField:
    return derived_field(
        name, label, kind, _ITEM.format(column=name, table="{table}"), **{"width": 110, **marks}
    )


class WriteOffLine(BillLine):
    """A line of a write-off: one open item and the amount written off."""

    __abstract__ = True

    derived: ClassVar[tuple[DerivedField, ...]] = (
        _item_column("bill_no", "单据号", "text", bill=True, width=190),
        _item_column("business_date", "业务日期", "date"),
        _item_column("due_date", "到期日", "date"),
        _item_column("open_amount", "未核销金额", "money"),
    )

    settlement_id: Mapped[int] = mapped_column(
        BigInteger,
        ForeignKey("settlement_item.settlement_id"),
        index=True,
        info={
            "field": Field("settlement_id", "待核销单据", "integer", required=True, list=False, hidden=True)
        },
        sort_order=-80,
    )
    amount: Mapped[Decimal] = money_field("本次核销", required=True, total=True, sort=10)
    settled_on: Mapped[date] = date_field("核销日期", form=False, required=True, width=110, sort=11)


class SettlingBill(AdvanceConsumingBill):
    """A receipt or payment: an amount through an account, written off against open items; the rest is an advance.

    What it settles of later days is an advance until then. What is waived (抹零、现金折扣) is written off beyond the
    amount. A negative amount is a refund (退款): it goes back through the account, all of it advances or returns.
    """

    __abstract__ = True
    party: ClassVar[PartyType]

    receivables_mode_id: Mapped[int] = reference_field(
        "receivables_mode", "结算方式", required=True, search=True, sort=-50
    )
    amount: Mapped[Decimal] = money_field("金额", required=True, total=True, sort=-45, width=130)
    waived_amount: Mapped[Decimal] = money_field(
        "抹零/现金折扣", rule="Positive", total=True, sort=-44, width=110
    )

    @classmethod
    def flow(cls) -> int:
        """Return 1 where the amount enters the account, −1 where it leaves it."""
        return 1 if cls.party == "customer" else -1

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        validate_write_offs(ctx, cls, header, children["write_offs"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        """Return the money, the write-offs, and as an advance the rest and what settles later days."""
        header = doc.header
        paid, waived = split_waiver(list_write_offs(doc), header.waived_amount)
        later: dict[date, Decimal] = defaultdict(Decimal)
        for entry in paid:
            if entry.on and entry.on > header.business_date:
                later[entry.on] -= entry.amount
        rest = header.amount - sum((entry.amount for entry in paid), Decimal(0))
        advance = SettlementOpen(
            cls.party,
            getattr(header, f"{cls.party}_id"),
            sum(later.values(), -rest),
            header.business_date,
            kind="advance",
            settled=tuple(sorted(later.items())),
        )
        moved = MoneyEntry(header.receivables_mode_id, cls.flow() * header.amount)
        return Postings(
            settlements=(advance,) if advance.amount else (),
            write_offs=(*paid, *waived),
            money=(moved,) if header.amount else (),
        )

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        super().check_transition(ctx, doc, action)
        if action == "auditorPass":
            _forbid_over_waiving(ctx, cls, doc.header.waived_amount)

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().after_transition(ctx, doc, effect)
        if effect == "post":
            _forbid_repeated_waiving(ctx, cls, doc)


class OffsettingBill(AdvanceConsumingBill):
    """An offset of advances against receivables or payables (冲抵): items that sum to zero, and no money."""

    __abstract__ = True

    amount: Mapped[Decimal] = money_field("冲抵金额", form=False, total=True, sort=-45, width=130)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        validate_offset(ctx, cls, header, children["write_offs"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(write_offs=tuple(list_write_offs(doc)))


def list_write_offs(doc: Document) -> list[WriteOff]:
    """Return the write-offs of a bill's block of open items, with their days."""
    return [WriteOff(row.settlement_id, row.amount, row.settled_on) for row in doc.children["write_offs"]]


def split_waiver(entries: Sequence[WriteOff], amount: Decimal) -> tuple[list[WriteOff], list[WriteOff]]:
    """Split write-offs into what money settles and what is waived: the last items first, none that is credited."""
    paid, waived = [], []
    for entry in reversed(entries):
        part = max(min(entry.amount, amount), Decimal(0))
        amount -= part
        if part:
            waived.append(replace(entry, amount=part, waived=True))
        if entry.amount != part:
            paid.append(replace(entry, amount=entry.amount - part))
    return paid[::-1], waived[::-1]


def _forbid_over_waiving(ctx: Context, cls: type[Bill], amount: Decimal) -> None:
    """Raise Refusal for waiving more than the group's limit, unless the user has the right."""
    if not amount or ctx.principal.has_right(cls.right(WAIVE)):
        return
    limit = read_waive_limit(ctx)
    if amount > limit:
        much = format_yuan(amount, ctx.principal, (cls, "waived_amount"))
        most = format_yuan(limit, ctx.principal, (ErpConfig, "waive_limit"))
        raise Refusal(f"抹零/现金折扣{much}超过上限{most}，{_BY_RIGHT}")


_BY_RIGHT = "请由有“超额抹零”权限的人审核"
_WAIVED = """
select i.bill_no, -sum(l.amount) as waived, -sum(l.amount) filter (where (l.bill_type, l.bill_id) = (%s, %s)) as own
from settlement_ledger l
join settlement_item i using (settlement_id)
where l.settlement_id = any(%s) and l.waived
group by i.settlement_id, i.bill_no
having -sum(l.amount) > %s and sum(l.amount) filter (where (l.bill_type, l.bill_id) = (%s, %s)) <> 0
order by i.bill_no
"""


def _forbid_repeated_waiving(ctx: Context, cls: type[Bill], doc: Document) -> None:
    """Raise Refusal for waiving more of one item, by several bills, than the limit allows without the right.

    Call it after posting, while the items are locked.
    """
    if not doc.header.waived_amount or ctx.principal.has_right(cls.right(WAIVE)):
        return
    assert cls.bill is not None
    items, limit = [row.settlement_id for row in doc.children["write_offs"]], read_waive_limit(ctx)
    own = (cls.bill.prefix, doc.header.bill_id)
    rows = ctx.conn.exec_driver_sql(_WAIVED, (*own, items, limit, *own)).all()
    if rows:
        most = format_yuan(limit, ctx.principal, (ErpConfig, "waive_limit"))
        waived = (cls, "waived_amount")
        causes = "；".join(
            f"{row.bill_no}已抹零{format_yuan(row.waived - row.own, ctx.principal, waived)}，"
            f"连同本次{format_yuan(row.own, ctx.principal, waived)}超过上限{most}"
            for row in rows
        )
        raise Refusal(f"{causes}，{_BY_RIGHT}")


def compute_due_date(ctx: Context, header: Mapping[str, Any], partner: PartyType | None) -> date:
    """Return the given due date, else the business date plus the partner's payment days."""
    on: date = header.get("due_date") or header["business_date"]
    if header.get("due_date") or partner is None:
        return on
    place = (f"{partner}.payment_days", header[f"{partner}_id"])
    if place not in ctx.lookup_cache:
        table = registry.get_resource(partner).table()
        query = select(table.c.payment_days).where(table.c[f"{partner}_id"] == header[f"{partner}_id"])
        ctx.lookup_cache[place] = ctx.conn.execute(query).scalar_one()
    return on + timedelta(days=ctx.lookup_cache[place])


class DueDateMixin:
    """Columns of a due date: the given day, else the bill's day plus its partner's payment days."""

    terms_of: ClassVar[PartyType | None] = None
    """Side whose payment days count; None for returns, which fall due at once."""

    due_date: Mapped[date | None] = date_field(
        "到期日", search=True, copied=False, since="business_date", typed_in="due_typed", width=110, sort=-44
    )
    due_typed: Mapped[bool] = flag_field(
        "到期日为手工指定", hidden=True, list=False, copied=False, extract=False, export=False, sort=-43
    )

    @classmethod
    @cache
    def audit_values(cls) -> dict[str, ColumnElement[Any]]:
        """Set the due date by the partner's present terms, unless it was typed."""
        if cls.terms_of is None:
            return {}
        bills: Any = cls
        own, partner = bills.table(), registry.get_resource(cls.terms_of).table()
        days = (
            select(partner.c.payment_days)
            .where(partner.c[f"{cls.terms_of}_id"] == own.c[f"{cls.terms_of}_id"])
            .scalar_subquery()
        )
        return {"due_date": case((own.c.due_typed, own.c.due_date), else_=own.c.business_date + days)}

    @classmethod
    def fill_due_date(cls, ctx: Context, header: Values) -> None:
        """Fill in the due date where none was typed."""
        header["due_date"] = compute_due_date(ctx, header, cls.terms_of)


_OPEN = """
select settlement_id, party_type, party_id, company_id, bill_no, business_date, open_amount from settlement_item i
where settlement_id = any(%s) and ({opened} or settlement_id in (select settlement_id from {lines} where bill_id = %s))
"""
"""Items of bills that one may open, and those that the bill has already."""


def validate_write_offs(
    ctx: Context,
    cls: type[Bill],
    header: Mapping[str, Any],
    rows: list[dict[str, Any]],
    problems: Problems,
) -> None:
    """Validate a bill's write-offs: each item once, of this company and partner, within its open amount.

    Together they are not more than the bill's amount; with a waiver they are as much as both together. A
    refund is as much as its items are together, which are no later than it; nor is a credit that a receipt
    uses.
    """
    validate_items(
        ctx, cls, header, rows, problems, ahead=header["amount"] > 0 or bool(header.get("waived_amount"))
    )
    written = sum((row["amount"] for row in rows), Decimal(0))
    waived = header.get("waived_amount") or Decimal(0)
    chosen = format_yuan(written, ctx.principal, (get_write_off_class(cls), "amount"))
    own = format_yuan(header["amount"], ctx.principal, (cls, "amount"))
    if header["amount"] < 0 and waived:
        problems.add("退款不能抹零")
    elif header["amount"] < 0 and written != header["amount"]:
        problems.add(f"退款须选出要退的预收预付或退货：已选{chosen}，退款{own}")
    elif waived and written != header["amount"] + waived:
        both = format_yuan(header["amount"] + waived, ctx.principal, (cls, "amount"), (cls, "waived_amount"))
        problems.add(f"抹零只用于结清所选单据：核销合计{chosen}须等于单据金额与抹零合计{both}")
    elif written > header["amount"] + waived:
        problems.add(f"核销金额合计{chosen}超过单据金额{own}")
    elif waived > (owed := sum((row["amount"] for row in rows if row["amount"] > 0), Decimal(0))):
        much = format_yuan(waived, ctx.principal, (cls, "waived_amount"))
        debt = format_yuan(owed, ctx.principal, (get_write_off_class(cls), "amount"))
        problems.add(f"抹零{much}超过所核销的应收应付{debt}，请核对")
    if not rows and not header["amount"]:
        problems.add("请输入金额")


def validate_offset(
    ctx: Context, cls: type[Bill], header: dict[str, Any], rows: list[dict[str, Any]], problems: Problems
) -> None:
    """Validate an offset and set its amount: each item once, of this company and partner, within its open
    amount.

    Both sides must be equal.
    """
    validate_items(ctx, cls, header, rows, problems)
    settled = sum((row["amount"] for row in rows if row["amount"] > 0), Decimal(0))
    advanced = -sum((row["amount"] for row in rows if row["amount"] < 0), Decimal(0))
    if settled != advanced:
        one, other = (
            format_yuan(sum_, ctx.principal, (get_write_off_class(cls), "amount"))
            for sum_ in (settled, advanced)
        )
        problems.add(f"冲抵的两边须相等：应收应付{one}，预收预付{other}")
    header["amount"] = settled


def get_write_off_class(cls: type[Bill]) -> type[ChildRow]:
    """Return the class of a bill's write-off lines."""
    return next(block.cls for block in cls.blocks() if block.name == "write_offs")


def validate_items(
    ctx: Context,
    cls: type[Bill],
    header: Mapping[str, Any],
    rows: list[dict[str, Any]],
    problems: Problems,
    *,
    ahead: bool = False,
) -> dict[int, PartyType]:
    """Validate items: each once, of the bill's company and of a partner that it names, within its open
    amount.

    Returns the partner type of each item. An item is settled on the bill's day; with `ahead` receivables
    of later days may be settled too, each on its own day.
    """
    keys = [row["settlement_id"] for row in rows]
    lines = get_write_off_class(cls)
    query = _OPEN.format(opened=bill_visible_sql(ctx.principal, "i"), lines=lines.name())
    found = {
        row.settlement_id: row for row in ctx.conn.exec_driver_sql(query, (keys, header.get("bill_id", 0)))
    }
    seen: set[int] = set()
    for row in rows:
        problems.place, key, amount = f"第{row['line_no']}行", row["settlement_id"], row["amount"]
        item, row["settled_on"] = found.get(key), header["business_date"]
        if item is None or (item.party_id, item.company_id) != (
            header.get(f"{item.party_type}_id"),
            header["company_id"],
        ):
            problems.add("待核销单据不存在或不属于该往来单位")
        elif key in seen:
            problems.add("同一单据不能重复核销")
        elif amount * item.open_amount <= 0 or abs(amount) > abs(item.open_amount):
            problems.add(
                f"核销金额超过未核销金额{format_yuan(item.open_amount, ctx.principal, (lines, 'open_amount'))}"
            )
        elif item.business_date > header["business_date"]:
            row["settled_on"] = item.business_date
            if not ahead or amount < 0:
                problems.add(f"业务日期不能早于{item.bill_no}的日期 {item.business_date}")
        seen.add(key)
    problems.place = ""
    return {key: item.party_type for key, item in found.items()}
