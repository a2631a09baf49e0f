"""Documents (单据): what every bill shares — header and lines, their pricing, and how a draft is saved.

A bill declares its columns, its lines and its `postings()`; saving, numbering, transitions and logs are the kit's.
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

from api.kit import registry
from api.kit.fields import (
    day,
    derived,
    enum,
    integer,
    key,
    moment,
    ref,
    text,
    textarea,
)
from api.kit.flow import BASIC, CLOSED, STATUSES, UNAUDITED, UNCOUNTED
from api.kit.posting import BillRef, Postings
from api.kit.resource import READ, WRITE, Declaration, Declared, Menu, Resource, Searched
from api.kit.scope import Principal, within

if TYPE_CHECKING:
    from api.kit.context import Context
    from api.kit.validation import Problems

MAX_LINES = 5000

Values = dict[str, Any]
"""A draft's header: values by column."""
Rows = dict[str, list[dict[str, Any]]]
"""A draft's blocks: rows of values by block name."""
Parts = Sequence[tuple[Decimal, Values]]
"""Quantities that a line comes apart into, and what else is known of each."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call that proposes rows of a block for the header fields `by`; they are written on like any other.

    One that is told the fields `of` of the rows that are there proposes what they lack, and is posted.
    """

    label: str
    api: str
    by: tuple[str, ...]
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A child table of a bill or record: its name in payloads, its label, its class, where its rows may be picked from,
    and what proposes some.

    The rows of a `drawn` block are chosen among the open lines of all the bills that the bill's links name. Only the
    first `shown` rows are answered with their bill: there may be many more, which its detail report tells page by page.
    """

    name: str
    label: str
    cls: type[Part]
    required: bool = True
    source: str | None = None
    source_by: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    drawn: bool = False
    shown: int | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A line's source: `column` names a line of `lines`, whose `counter` says how much of it was executed.

    Both headers share the columns in `within`, both lines their goods; where the names differ it is (own, source's).
    A new bill can be drawn from the source's rest; with `required` it cannot be made otherwise, each line from one
    source. It is not `offered` where the source itself turns into such bills. `agreed`: the source's prices were held
    to the company's setting. What is executed is the lines' `measure`; with a `sign` of -1 the executing line has it
    negative. Bills that have a value in the column `unless` are not executed. `rest` is a field of
    the source's lines that says what is left, where the counter alone doesn't. `gives_back`: closing the bill gives its
    source back what was not executed of it. `reopens`: the bill undoes what its first link's source executed of
    this one, which is open again for that. `returns`: what is executed are the very goods that the source moved, on
    their way back.
    """

    column: str
    bill: str
    lines: type[Child]
    counter: str
    within: tuple[str | tuple[str, str], ...]
    required: bool = False
    offered: bool = True
    agreed: bool = True
    measure: str = "quantity"
    sign: int = 1
    unless: str | None = None
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
        """The rest of the source's money out of which the lines are served."""
        return self.pool or self.counter

    def left(self, row: Row[Any]) -> Decimal:
        """What is left of a source's line."""
        left: Decimal = getattr(row, self.rest or self.measure)
        return left if self.rest else left - getattr(row, self.counter)

    def shared(self) -> list[tuple[str, str]]:
        """Columns that must agree: (own, source's)."""
        return [(name, name) if isinstance(name, str) else name for name in self.within]


@dataclass(frozen=True, slots=True)
class DetailPlace:
    """Where the detail report of a bill type stands; its rows open the bill at `see`, usually the bill's own page.

    The newest line comes first unless they go `upward`.
    """

    label: str
    route: str
    menu: Menu
    see: str | None = None
    upward: bool = False


@dataclass(frozen=True, slots=True)
class BillType:
    """What tells one bill type from another, beside its columns. One that `moves` writes the stock ledger or the lives
    of tyre numbers; one that `settles` opens or settles what partners owe or are owed, and reports lead to it.
    `in_force`: what holds while it is audited and not closed, a price or a policy, in words. `undoes`: what taking back
    its audit takes back beside its own postings, in words.
    """

    prefix: str
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    transitions: tuple[str, ...] = BASIC
    detail: DetailPlace | None = None
    moves: bool = False
    settles: bool = False
    in_force: str = ""
    undoes: str = ""

    @property
    def returning(self) -> Link | None:
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


REJECTED = derived("rejected", "被驳回", "bool", "({table}.reject_reason is not null)", search=True)


def bill_status(closed: str = STATUSES[CLOSED]) -> MappedColumn[int]:
    """The status of a bill, with what a type calls its closed ones."""
    return enum(
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

    bill_id: Mapped[int] = key()
    bill_no: Mapped[str] = text(
        "单据号", unique=True, required=True, form=False, search=True, pieces=True, width=190, sort=-95
    )
    business_date: Mapped[date] = day(
        "业务日期", required=True, search=True, happened=True, width=110, sort=-90
    )
    status: Mapped[int] = bill_status()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True, width=160, sort=-80)
    department_id: Mapped[int | None] = ref(
        "department", "部门", within=("company_id",), search=True, sort=50
    )
    employee_id: Mapped[int | None] = ref(
        "employee", "经手人", within=("company_id",), search=True, width=90, sort=51
    )
    remark: Mapped[str | None] = textarea("备注", max_length=200, sort=70)
    maker_id: Mapped[int] = ref(
        "user_account", "制单人", target="user_id", required=True, form=False, search=True, width=90, sort=80
    )
    made_at: Mapped[datetime] = moment(
        "制单时间", form=False, column={"server_default": func.now(), "nullable": False}, sort=81
    )
    auditor_id: Mapped[int | None] = ref(
        "user_account", "审核人", target="user_id", form=False, width=90, sort=82
    )
    audited_at: Mapped[datetime | None] = moment("审核时间", form=False, sort=83)
    reject_reason: Mapped[str | None] = text(
        "驳回原因", free=True, max_length=200, form=False, list=False, sort=84
    )
    revision: Mapped[int] = mapped_column(
        BigInteger, default=1, server_default="1", nullable=False, sort_order=90
    )
    locked_from: Mapped[int | None] = mapped_column(SmallInteger, sort_order=91)
    """The status that a month close locked the bill in; opening the month brings it back."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "declaration" in cls.__dict__ and "warehouse_id" not in cls.table().c and _repeats_sums(cls):
            cls.table().info["of_sources"] = partial(_lies_in, cls)

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
    def searched(cls) -> dict[str, Searched]:
        """Search fields of its lines find the bills that have such a line; and what was sent back is found."""
        found = super().searched() | {REJECTED.field.name: Searched(cls, REJECTED.field)}
        for block in cls.bill.blocks if cls.bill else ():
            found |= {name: one for name, one in block.cls.searched().items() if name not in found}
        return found

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        """What auditing this bill posts; pure."""
        raise NotImplementedError

    @classmethod
    def require_postings(cls, doc: Document) -> Postings:
        """Return what auditing posts. Raises ValueError where it settles and the bill type doesn't say so."""
        postings = cls.postings(doc)
        if (postings.settlements or postings.write_offs) and not (cls.bill and cls.bill.settles):
            raise ValueError(f"{cls.__name__} settles: declare it at its BillType")
        return postings

    @classmethod
    def closing(cls, doc: Document) -> Postings:
        """What closing this bill posts; opening posts its negation. Orders override it."""
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        """Refuse a transition that other bills or rules forbid; override."""

    @classmethod
    def precede(cls, ctx: Context, doc: Document) -> None:
        """Make other bills that are posted before this one, once its sources were counted; override.

        Not called in bulk.
        """

    @classmethod
    def audit_values(cls) -> dict[str, ColumnElement[Any]]:
        """What an audit computes anew in the header, as expressions over its table; override. Not asked in bulk."""
        return {}

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        """Make or take back other bills and what else hangs on this one; override.

        Called once it was posted, reversed, closed or opened, and when others are drawn from it.

        Not called in bulk.
        """

    @classmethod
    def arrange(cls, ctx: Context, key: int, status: int | None) -> None:
        """Bring along what depends on a bill being there, its lines and status, beside the ledgers; override.

        Called once it was saved or moved to `status`, and with None before it is deleted. Not called in bulk.
        """

    @classmethod
    def parts(cls, ctx: Context, link: Link, rows: Sequence[Row[Any]]) -> Mapping[int, Parts]:
        """How what is left of a source's lines comes apart, by their ids, where their bill doesn't tell; override."""
        return {}

    @classmethod
    def reference(cls, header: Row[Any]) -> BillRef:
        assert cls.bill is not None
        return BillRef(
            cls.bill.prefix, header.bill_id, header.bill_no, header.company_id, header.business_date
        )


class Part(Declared):
    """A row below a record, whose key it holds in its column `owner`; it is written with the record."""

    __abstract__ = True

    owner: ClassVar[str]

    line_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True, sort_order=-100)
    line_no: Mapped[int] = integer("序号", form=False, width=60, sort=-90)

    @classmethod
    def settle(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        """Bring a draft's rows into the form they are kept in, before they are priced; override."""


class Child(Part):
    """A row below a bill's header; its search fields find bills, each by an index of its own."""

    __abstract__ = True
    owner = "bill_id"

    bill_table: ClassVar[str]
    moves: ClassVar[Literal["in", "out", "through"] | None] = None
    """What its audit does to stock: brings it, takes it, or takes it and lands it elsewhere; the checks prove it."""
    takes_available: ClassVar[bool] = False
    """Whether its audit takes goods out of what the bill's warehouse has available."""
    counts_places: ClassVar[bool] = False
    """Whether it tells what lies at a location under a batch, so that goods are proposed by where they lie."""
    lands_when: ClassVar[str] = "true"
    """Of which bills, `h`, the goods that go through land somewhere."""
    goes_through: ClassVar[str] = "l.quantity"
    """How much of a line, `l`, goes through."""
    numbers_move: ClassVar[bool] = True
    """Whether the audit moves the tyre numbers that a line names, and not that of a bill which it makes."""

    @classmethod
    def tell_pieces(cls, ctx: Context, link: Link, lines: Sequence[dict[str, Any]]) -> None:
        """Say in lines drawn from a source which of its pieces are theirs, where that is known; override."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__table__" in cls.__dict__:
            table = cls.table()
            for name in cls.searched():
                Index(f"ix_{table.name}_{name}_bill", table.c[name], table.c.bill_id)

    @declared_attr
    @classmethod
    def bill_id(cls) -> Mapped[int]:
        return mapped_column(
            ForeignKey(f"{cls.bill_table}.bill_id", ondelete="cascade"), index=True, sort_order=-95
        )


def _repeats_sums(cls: type[Bill]) -> bool:
    """Whether a bill repeats what lines of other bills come to, and nothing else."""
    if cls.bill is None or not cls.bill.links:
        return False
    return all(link.required for link in cls.bill.links) and "amount" in cls.bill.blocks[0].cls.table().c


def _lies_in(cls: type[Bill], table: Table, principal: Principal) -> ColumnElement[bool]:
    """Whether all bills that a bill, named by a row's `bill_id`, is drawn from are of one's warehouses."""
    assert cls.bill
    lines, everyones = cls.bill.blocks[0].cls.table(), replace(principal, own="all")
    own = literal_column(f"{table.name}.bill_id", lines.c.bill_id.type)
    foreign = []
    for link in cls.bill.links:
        drawn, bills = link.lines.table(), registry.get(link.bill).table()
        foreign.append(
            exists().where(
                lines.c.bill_id == own,
                drawn.c.line_id == lines.c[link.column],
                bills.c.bill_id == drawn.c.bill_id,
                within(bills, everyones).is_not(true()),
            )
        )
    # One by one: of what is joined by `or` Postgres makes no anti-joins.
    return and_(*(not_(one) for one in foreign))


def declare(
    label: str,
    api: str,
    *,
    title: str = "bill_no",
    transitions: tuple[str, ...] = BASIC,
    beyond: tuple[str, ...] = (),
    **marks: Any,
) -> Declaration:
    """The declaration of a bill: reading, writing, export, and its transitions as actions; `beyond` are others."""
    return Declaration(
        label,
        api,
        title,
        actions=(*READ, *WRITE, *transitions, *beyond, "export"),
        order_by=("bill_id", "desc"),
        **marks,
    )
