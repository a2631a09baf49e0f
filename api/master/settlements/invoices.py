"""Invoices (发票): lines of many deliveries and returns of one partner, each up to what it came to, under one number.

They post nothing: what is owed stands since the deliveries. Sales and purchase declare theirs with the partner and the
bills that are invoiced; returns count negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from pydantic import Field
from sqlalchemy import Index, select
from sqlalchemy.orm import Mapped, declared_attr

from api.kit.bills import drafts, source_links
from api.kit.bills.amount_proration import prorate_amounts
from api.kit.bills.orders import fulfilment_status
from api.kit.context import Context
from api.kit.declaration.document import Bill, BillLine, Document, Rows, SourceLink, Values
from api.kit.declaration.fields import (
    DerivedField,
    date_field,
    derived_field,
    enum_field,
    goods_field,
    image_field,
    money_field,
    price_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import VOIDED
from api.kit.declaration.posting import Postings
from api.kit.declaration.view import BillReferenceRow
from api.kit.errors import Refusal
from api.kit.http.date_filters import this_month_filter
from api.kit.http.schemas import Keys
from api.kit.storage.records import batch_result
from api.kit.storage.validation import Problems

SPECIAL, ORDINARY, DIGITAL_SPECIAL, DIGITAL_ORDINARY = 1, 2, 3, 4
KINDS = {
    SPECIAL: "增值税专用发票",
    ORDINARY: "增值税普通发票",
    DIGITAL_SPECIAL: "数电专票",
    DIGITAL_ORDINARY: "数电普票",
}
MOST_BILLS = 200
TOTALS = (
    ("total_amount", "amount"),
    ("tax_amount", "tax_amount"),
    ("no_tax_amount", "no_tax_amount"),
)


class InvoiceLine(BillLine):
    """Part of a delivered or returned line; quantity and price follow from the amount that is invoiced of it."""

    __abstract__ = True

    goods_id: Mapped[int] = goods_field(required=True, form=False, search=True, sort=-80)
    quantity: Mapped[Decimal] = quantity_field(
        "数量", form=False, total=True, decides=True, width=90, sort=10
    )
    price: Mapped[Decimal] = price_field("单价", form=False, decides=True, width=110, sort=11)
    amount: Mapped[Decimal] = money_field("开票金额", required=True, total=True, width=120, sort=14)
    tax_rate: Mapped[Decimal] = rate_field("税率%", form=False, default=13, width=80, sort=15)
    tax_amount: Mapped[Decimal] = money_field("税额", form=False, total=True, width=100, sort=16)
    no_tax_amount: Mapped[Decimal] = money_field("未税金额", form=False, total=True, width=110, sort=17)
    remark: Mapped[str | None] = text_field("备注", free=True, max_length=200, width=140, sort=70)


class Invoice(Bill):
    """An invoice with the number that the tax office knows: its issuer, named by the column `issued_by`, uses it once.

    Paper numbers start anew with every issuer, so that two of them may well have the same one. Blanks and small letters
    make no other number: it is kept without them.
    """

    __abstract__ = True
    issued_by: ClassVar[str]

    invoice_kind: Mapped[int] = enum_field(
        "发票类型", KINDS, default=DIGITAL_SPECIAL, search=True, width=120, sort=-60
    )
    invoice_no: Mapped[str] = text_field(
        "发票号码", required=True, search=True, max_length=30, copied=False, width=180, sort=-59
    )
    invoice_date: Mapped[date] = date_field(
        "开票日期", required=True, search=True, happened=True, width=110, sort=-58
    )
    papers: Mapped[str | None] = image_field("发票影像", scene="image", sort=-50)
    total_amount: Mapped[Decimal] = money_field("价税合计", form=False, total=True, width=130, sort=-65)
    tax_amount: Mapped[Decimal] = money_field("税额", form=False, total=True, width=110, sort=62)
    no_tax_amount: Mapped[Decimal] = money_field("未税金额", form=False, total=True, width=120, sort=63)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        once = Index(
            f"uq_{cls.__tablename__}_invoice_no",
            cls.issued_by,
            "invoice_no",
            unique=True,
            postgresql_where="status <> 3",
        )
        return (*super().__table_args__, once)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        header["invoice_no"] = "".join(header["invoice_no"].split()).upper()
        _forbid_used_number(ctx, cls, header, problems)
        rows = children["lines"]
        prorate_amounts(ctx.conn, cls, rows)
        header |= {total: sum((row[name] for row in rows), Decimal(0)) for total, name in TOTALS}

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()


def _forbid_used_number(ctx: Context, cls: type[Invoice], header: Values, problems: Problems) -> None:
    """Add a problem if the issuer has used the number already; names the bill to whoever reaches its company."""
    table = cls.table()
    used = select(table.c.bill_no, table.c.company_id).where(
        table.c[cls.issued_by] == header[cls.issued_by],
        table.c.invoice_no == header["invoice_no"],
        table.c.status != VOIDED,
        table.c.bill_id != header.get("bill_id", 0),
    )
    other = ctx.conn.execute(used).first()
    if other is not None:
        bill = other.bill_no if ctx.principal.covers_company(other.company_id) else "（其他公司的）"
        issuer = cls.field(cls.issued_by).label
        problems.add(
            f"同一{issuer}的发票号码{header['invoice_no']}已录入{cls.declaration.label}{bill}，请核对"
        )


def source_number_column(*sources: SourceLink) -> DerivedField:
    """Declare the column with the number of the bill that a line invoices part of."""
    parts = (
        f"(select h.bill_no from {link.lines.name()} s join {link.bill} h using (bill_id)"
        f" where s.line_id = {{table}}.{link.column})"
        for link in sources
    )
    return derived_field(
        "source_no", "来源单号", "text", f"coalesce({', '.join(parts)})", width=190, bill=True
    )


def invoiced_amount_field() -> Mapped[Decimal]:
    """Declare the counter of a delivered or returned line: how much of its amount was invoiced."""
    return money_field("已开票金额", form=False, copied=False, list=False, sort=33)


INVOICE_STATUS = fulfilment_status(
    "invoice_status", "开票状态", "invoiced_amount", ("未开票", "全部开票", "部分开票"), "amount"
)
"""Derived status of a delivery or return: not, partly or fully invoiced."""


class UninvoicedBill(BillReferenceRow):
    """A delivery or return with what is still to be invoiced of it; chosen ones are invoiced together."""

    __abstract__ = True

    invoice: ClassVar[type[Invoice]]
    partner: ClassVar[str]

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-70)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190, sort=-69)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-68)
    employee_id: Mapped[int | None] = reference_field(
        "employee", "经手人", within=("company_id",), search=True, width=90, sort=-50
    )
    amount: Mapped[Decimal] = money_field("单据金额", total=True, width=120, sort=-40)
    invoiced_amount: Mapped[Decimal] = money_field("已开票金额", total=True, width=120, sort=-39)
    open_amount: Mapped[Decimal] = money_field("未开票金额", total=True, width=120, sort=-38)
    invoice_kind: Mapped[int | None] = enum_field(
        "发票类型", KINDS, default=DIGITAL_SPECIAL, list=False, export=False
    )
    invoice_no: Mapped[str | None] = text_field("发票号码", max_length=30, list=False, export=False)
    invoice_date: Mapped[date | None] = date_field("开票日期", list=False, export=False)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("business_date")


def uninvoiced_bills_sql(name: str, partner: str, sources: Sequence[tuple[str, SourceLink]]) -> str:
    """Return the SQL of a list of bills to be invoiced; the row's key says which (prefix, link) it comes
    from."""
    parts = (
        f"select h.bill_id * {len(sources)} + {place} as {name}_id, '{prefix}' as bill_type, h.bill_id, h.bill_no,"
        f" h.business_date, h.company_id, h.{partner}, h.employee_id, {link.sign} * sum(l.amount) as amount,"
        f" {link.sign} * sum(l.{link.counter}) as invoiced_amount,"
        f" {link.sign} * sum(l.amount - l.{link.counter}) as open_amount"
        f" from {link.bill} h join {link.lines.name()} l using (bill_id)"
        f" where h.status in (2, 5) and l.{link.counter} < l.amount group by h.bill_id"
        for place, (prefix, link) in enumerate(sources)
    )
    return (
        "select l.*, null::integer as invoice_kind, null::text as invoice_no, null::date as invoice_date, {route}"
        f" from ({' union all '.join(parts)}) l"
    )


class Invoicing(Keys):
    """Bills to be invoiced together, and what the invoice says."""

    invoice_kind: int = Field(description="发票类型")
    invoice_no: str = Field(min_length=1, max_length=30, description="发票号码")
    invoice_date: date = Field(description="开票日期")
    confirmed: bool = Field(False, description="已看到疑问（363），仍开票")


def invoice_bills(ctx: Context, view: type[UninvoicedBill], request: Invoicing) -> dict[str, Any]:
    """Make one unaudited invoice of the rest of the chosen deliveries and returns of one partner."""
    cls, keys = view.invoice, list(dict.fromkeys(request.ids))
    assert cls.bill is not None
    if len(keys) > MOST_BILLS:
        raise Refusal(f"一次最多开 {MOST_BILLS} 张单据的发票，请分次选择")
    ctx.require_right(cls.right("add"))
    sources = cls.bill.links
    drawn = [
        source_links.draft_from_source(ctx, cls, sources[key % len(sources)], key // len(sources))
        for key in keys
    ]
    shared = ("company_id", view.partner)
    if len({tuple(one[name] for name in shared) for one in drawn}) > 1:
        raise Refusal(f"一张发票只开给一个{cls.field(view.partner).label}，请重新选择")
    lines = [line for one in drawn for line in one["lines"]]
    header = {name: drawn[0][name] for name in shared}
    invoice_values = request.model_dump(exclude={"ids", "confirmed"})
    ctx.confirmed = request.confirmed
    drafts.add_draft(
        ctx, cls, {**header, **invoice_values, "business_date": request.invoice_date, "lines": lines}
    )
    return batch_result(keys, keys, [], "开票")
