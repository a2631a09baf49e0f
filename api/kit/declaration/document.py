"""Documents (单据): the base of bills, their lines and declarations.

A bill declares its columns, its lines and its `postings()`; saving, numbering, transitions and logs are
the kit's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Identity,
    Index,
    Row,
    SmallInteger,
    Table,
    and_,
    exists,
    func,
    literal_column,
    not_,
    true,
)
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, MappedColumn, declared_attr, mapped_column

from api.kit.declaration import registry
from api.kit.declaration.fields import (
    date_field,
    datetime_field,
    derived_field,
    enum_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.flow import BASIC, CLOSED, STATUSES, UNAUDITED, UNCOUNTED
from api.kit.declaration.posting import BillRef, Postings
from api.kit.declaration.resource import READ, WRITE, Declaration, Declared, Menu, Resource, SearchField
from api.kit.scope import Principal, scope_condition

if TYPE_CHECKING:
    from api.kit.context import Context
    from api.kit.storage.validation import Problems

MAX_LINES = 5000

Values = dict[str, Any]
"""A draft's header: values by column."""
Rows = dict[str, list[dict[str, Any]]]
"""A draft's blocks: rows of values by block name."""
Parts = Sequence[tuple[Decimal, Values]]
"""Quantities that a line comes apart into, and what else is known of each."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call that proposes rows of a block for the header fields `by`; they are edited like any other.

    One that is sent the fields `of` of the existing rows proposes what they lack, and is posted.
    """

    label: str
    api: str
    by: tuple[str, ...]
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A child table of a bill or record: name in payloads, label, class, and calls that offer rows.

    The rows of a `pick_from_sources` block are chosen among the open lines of all the bills that the
    bill's links name. Only the first `shown` rows are answered with their bill; its detail report has the
    others, page by page.
    """

    name: str
    label: str
    cls: type[ChildRow]
    required: bool = True
    source: str | None = None
    source_by: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    pick_from_sources: bool = False
    shown: int | None = None


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A line's source: `column` refers to a line of `lines`, whose `counter` says how much was executed.

    Both headers share the columns in `within`, both lines their goods; where the names differ it is (own,
    source's). A new bill can be made from the source's rest; with `required` it can't be made otherwise,
    each line from one source. It is not `offered` where the source itself turns into such bills.
    `price_already_approved`: the source's prices passed the company's price control. The executed amount
    is the lines' `measure`; with a `sign` of -1 the executing line has it negative. Bills with a value in
    the column `excluded_if_set` are not executed. `rest` is a field of the source's lines with what is
    left, where the counter alone doesn't say. `gives_back`: closing the bill returns to its source what
    was not executed of it. `reopens`: the bill undoes what its first link's source executed of this one,
    which is open again for that. `returns`: the goods are the very pieces that the source moved, on their
    way back.
    """

    column: str
    bill: str
    lines: type[BillLine]
    counter: str
    within: tuple[str | tuple[str, str], ...]
    required: bool = False
    offered: bool = True
    price_already_approved: bool = True
    measure: str = "quantity"
    sign: int = 1
    excluded_if_set: str | None = None
    rest: str | None = None
    gives_back: bool = False
    shares: bool = True
    capped: bool = False
    pool: str = ""
    superseded_by: str | None = None
    reopens: bool = False
    returns: bool = False

    @property
    def money_pool(self) -> str:
        """The rest of the source's money from which the lines are served."""
        return self.pool or self.counter

    def remaining(self, row: Row[Any]) -> Decimal:
        """Return how much is left of a source's line."""
        left: Decimal = getattr(row, self.rest or self.measure)
        return left if self.rest else left - getattr(row, self.counter)

    def shared_columns(self) -> list[tuple[str, str]]:
        """Return the columns that must agree: (own, source's)."""
        return [(name, name) if isinstance(name, str) else name for name in self.within]


@dataclass(frozen=True, slots=True)
class DetailPlacement:
    """The place of a bill type's detail report.

    Its rows open the bill at `see`, by default the bill's own page. The newest line comes first unless
    they go `upward`.
    """

    label: str
    route: str
    menu: Menu
    see: str | None = None
    upward: bool = False


@dataclass(frozen=True, slots=True)
class BillType:
    """The declaration of a bill type, beside its columns.

    One that `moves` writes the stock ledger or the life cycle of tyre numbers. `in_force`: a price or a
    policy that holds while it is audited and not closed, in words. `undoes`: what un-auditing takes back
    beside its own postings, in words.
    """

    prefix: str
    blocks: tuple[Block, ...] = ()
    links: tuple[SourceLink, ...] = ()
    transitions: tuple[str, ...] = BASIC
    detail: DetailPlacement | None = None
    moves: bool = False
    settles: bool = False
    in_force: str = ""
    undoes: str = ""

    @property
    def return_link(self) -> SourceLink | None:
        """The link by which goods go back that its source moved."""
        return next((link for link in self.links if link.returns), None)


@dataclass(slots=True)
class Document:
    """A stored bill as its postings read it: header row and the rows of each block, lines first."""

    header: Row[Any]
    children: dict[str, Sequence[Row[Any]]]

    @property
    def lines(self) -> Sequence[Row[Any]]:
        return self.children.get("lines", ())


REJECTED = derived_field("rejected", "被驳回", "bool", "({table}.reject_reason is not null)", search=True)


def bill_status_field(closed: str = STATUSES[CLOSED]) -> MappedColumn[int]:
    """Declare the status of a bill, with the label of its closed ones."""
    return enum_field(
        "状态",
        {**STATUSES, CLOSED: closed},
        default=UNAUDITED,
        uncounted=UNCOUNTED,
        form=False,
        search=True,
        width=90,
        sort=-85,
    )


class Bill(Resource):
    """A bill's header (单据)."""

    __abstract__ = True

    bill_id: Mapped[int] = key_field()
    bill_no: Mapped[str] = text_field(
        "单据号", unique=True, required=True, form=False, search=True, pieces=True, width=190, sort=-95
    )
    business_date: Mapped[date] = date_field(
        "业务日期", required=True, search=True, happened=True, width=110, sort=-90
    )
    status: Mapped[int] = bill_status_field()
    company_id: Mapped[int] = reference_field(
        "company", "公司", required=True, search=True, width=160, sort=-80
    )
    department_id: Mapped[int | None] = reference_field(
        "department", "部门", within=("company_id",), search=True, sort=50
    )
    employee_id: Mapped[int | None] = reference_field(
        "employee", "经手人", within=("company_id",), search=True, width=90, sort=51
    )
    remark: Mapped[str | None] = textarea_field("备注", max_length=200, sort=70)
    maker_id: Mapped[int] = reference_field(
        "user_account", "制单人", target="user_id", required=True, form=False, search=True, width=90, sort=80
    )
    made_at: Mapped[datetime] = datetime_field(
        "制单时间", form=False, column={"server_default": func.now(), "nullable": False}, sort=81
    )
    auditor_id: Mapped[int | None] = reference_field(
        "user_account", "审核人", target="user_id", form=False, width=90, sort=82
    )
    audited_at: Mapped[datetime | None] = datetime_field("审核时间", form=False, sort=83)
    reject_reason: Mapped[str | None] = text_field(
        "驳回原因", free=True, max_length=200, form=False, list=False, sort=84
    )
    revision: Mapped[int] = mapped_column(
        BigInteger, default=1, server_default="1", nullable=False, sort_order=90
    )
    locked_from: Mapped[int | None] = mapped_column(SmallInteger, sort_order=91)
    """The status that a month close locked the bill in; opening the month brings it back."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if (
            "declaration" in cls.__dict__
            and "warehouse_id" not in cls.table().c
            and _only_repeats_sources(cls)
        ):
            cls.table().info["of_sources"] = partial(_source_scope_condition, cls)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        name = cls.__tablename__
        return (
            CheckConstraint("status between 1 and 5", name="status"),
            CheckConstraint("(status = 5) = (locked_from is not null)", name="locked_from"),
            Index(f"ix_{name}_company_bill", "company_id", "bill_id"),
            Index(f"ix_{name}_company_date", "company_id", "business_date", "bill_id"),
            Index(f"ix_{name}_date", "business_date", "bill_id"),
            Index(f"ix_{name}_pieces", sql("text_pieces(bill_no)"), postgresql_using="gin"),
            Index(f"ix_{name}_pending", "company_id", postgresql_where="status = 1"),
        )

    @classmethod
    def column(cls, name: str) -> ColumnElement[Any] | None:
        return REJECTED.expression(cls.table()) if name == REJECTED.field.name else super().column(name)

    @classmethod
    def search_fields(cls) -> dict[str, SearchField]:
        """Return the search fields of the header and its lines, and the rejected flag.

        Fields of lines find the bills that have such a line.
        """
        found = super().search_fields() | {REJECTED.field.name: SearchField(cls, REJECTED.field)}
        for block in cls.bill.blocks if cls.bill else ():
            found |= {name: one for name, one in block.cls.search_fields().items() if name not in found}
        return found

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        """Hook: return the postings of auditing this bill; pure."""
        raise NotImplementedError

    @classmethod
    def require_postings(cls, doc: Document) -> Postings:
        """Return what auditing posts. Raises ValueError where it settles and the bill type doesn't say so."""
        postings = cls.postings(doc)
        if (postings.settlements or postings.write_offs) and not (cls.bill and cls.bill.settles):
            raise ValueError(f"{cls.__name__} settles: declare it at its BillType")
        return postings

    @classmethod
    def closing_postings(cls, doc: Document) -> Postings:
        """Hook: return the postings of closing this bill; opening posts their negation.

        Orders override it.
        """
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        """Hook: refuse a transition that other bills or rules forbid."""

    @classmethod
    def before_posting(cls, ctx: Context, doc: Document) -> None:
        """Hook: make other bills that are posted before this one, after its sources were counted.

        Not called in bulk.
        """

    @classmethod
    def audit_values(cls) -> dict[str, ColumnElement[Any]]:
        """Hook: return header columns that an audit computes anew, as expressions over the table.

        Not called in bulk.
        """
        return {}

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        """Hook: make or take back other bills and what else depends on this one. Not called in bulk.

        Called once it was posted, reversed, closed or opened, and when others are made from it.
        """

    @classmethod
    def sync_dependents(cls, ctx: Context, key: int, status: int | None) -> None:
        """Hook: synchronize what depends on a bill's existence, lines and status, beside the ledgers.

        Not called in bulk. Called once it was saved or moved to `status`, and with None before it is
        deleted.
        """

    @classmethod
    def split_source_lines(
        cls, ctx: Context, link: SourceLink, rows: Sequence[Row[Any]]
    ) -> Mapping[int, Parts]:
        """Hook: split what is left of a source's lines into parts, by line id, if their bill doesn't say."""
        return {}

    @classmethod
    def reference(cls, header: Row[Any]) -> BillRef:
        assert cls.bill is not None
        return BillRef(
            cls.bill.prefix, header.bill_id, header.bill_no, header.company_id, header.business_date
        )


class ChildRow(Declared):
    """A row below a record, whose key it holds in its column `owner`; it is written with the record."""

    __abstract__ = True

    owner: ClassVar[str]

    line_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True, sort_order=-100)
    line_no: Mapped[int] = integer_field("序号", form=False, width=60, sort=-90)

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        """Hook: normalize a draft's rows in place before pricing."""


class BillLine(ChildRow):
    """A bill line (明细行); its search fields find bills, each by an index of its own."""

    __abstract__ = True
    owner = "bill_id"

    bill_table: ClassVar[str]
    stock_direction: ClassVar[Literal["in", "out", "through"] | None] = None
    """Effect of its audit on stock: in, out, or through to another place; the checks prove it."""
    takes_available: ClassVar[bool] = False
    """Whether its audit takes goods out of what the bill's warehouse has available."""
    counts_places: ClassVar[bool] = False
    """Whether it counts stock by location and batch, so that goods are proposed by location."""
    landing_condition: ClassVar[str] = "true"
    """SQL condition of bills, `h`, whose through goods land somewhere."""
    landing_quantity_sql: ClassVar[str] = "l.quantity"
    """SQL of the quantity of a line, `l`, that goes through."""
    moves_tire_numbers: ClassVar[bool] = True
    """Whether the audit itself moves the tyre numbers of a line, not that of a bill which it makes."""

    @classmethod
    def assign_pieces(cls, ctx: Context, link: SourceLink, lines: Sequence[dict[str, Any]]) -> None:
        """Hook: name the pieces of lines made from a source, where they are known."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__table__" in cls.__dict__:
            table = cls.table()
            for name in cls.search_fields():
                Index(f"ix_{table.name}_{name}_bill", table.c[name], table.c.bill_id)

    @declared_attr
    @classmethod
    def bill_id(cls) -> Mapped[int]:
        return mapped_column(
            ForeignKey(f"{cls.bill_table}.bill_id", ondelete="cascade"), index=True, sort_order=-95
        )


def _only_repeats_sources(cls: type[Bill]) -> bool:
    """Return whether a bill only repeats sums of other bills' lines."""
    if cls.bill is None or not cls.bill.links:
        return False
    return all(link.required for link in cls.bill.links) and "amount" in cls.bill.blocks[0].cls.table().c


def _source_scope_condition(cls: type[Bill], table: Table, principal: Principal) -> ColumnElement[bool]:
    """Build the condition that all sources of a bill, by a row's `bill_id`, are of one's warehouses."""
    assert cls.bill
    lines, everyones = cls.bill.blocks[0].cls.table(), replace(principal, own="all")
    own = literal_column(f"{table.name}.bill_id", lines.c.bill_id.type)
    foreign = []
    for link in cls.bill.links:
        drawn, bills = link.lines.table(), registry.get_resource(link.bill).table()
        foreign.append(
            exists().where(
                lines.c.bill_id == own,
                drawn.c.line_id == lines.c[link.column],
                bills.c.bill_id == drawn.c.bill_id,
                scope_condition(bills, everyones).is_not(true()),
            )
        )
    # One by one: of what is joined by `or` Postgres makes no anti-joins.
    return and_(*(not_(one) for one in foreign))


def declare_bill(
    label: str,
    api: str,
    *,
    title: str = "bill_no",
    transitions: tuple[str, ...] = BASIC,
    beyond: tuple[str, ...] = (),
    **marks: Any,
) -> Declaration:
    """Build the declaration of a bill: reading, writing, export, transitions, and the actions `beyond`."""
    return Declaration(
        label,
        api,
        title,
        actions=(*READ, *WRITE, *transitions, *beyond, "export"),
        order_by=("bill_id", "desc"),
        **marks,
    )
