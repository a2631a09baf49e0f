"""Fields (字段): what a declaration says of a column, beside its SQL type.

A field is declared once, on the mapped class; table, request and answer schemas, list filters, screen description,
exports and masking are all read from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    DateTime,
    ForeignKey,
    Identity,
    Integer,
    Numeric,
    Table,
    Text,
    literal_column,
)
from sqlalchemy.orm import MappedColumn, mapped_column

from api.kit import registry
from api.kit.initials import INITIALS_LENGTH
from api.kit.ratios import Ratio
from api.kit.rules import PERCENT, Bounds

Kind = Literal[
    "text",
    "textarea",
    "integer",
    "quantity",
    "money",
    "price",
    "rate",
    "date",
    "datetime",
    "bool",
    "enum",
    "ref",
    "password",
    "image",
]
Span = Literal["day", "until", "month"]
Fixed = Literal["", "always", "named", "held"]
NUMBERS = frozenset({"integer", "quantity", "money", "price", "rate"})
COST = "cost"
"""Permission of fields that show what goods cost."""

SQL_TYPES: dict[str, Any] = {
    "text": Text,
    "textarea": Text,
    "password": Text,
    "integer": Integer,
    "quantity": Numeric(14, 3),
    "money": Numeric(16, 2),
    "price": Numeric(18, 6),
    "rate": Numeric(7, 4),
    "date": Date,
    "datetime": DateTime(timezone=True),
    "bool": Boolean,
    "enum": Integer,
    "ref": BigInteger,
    "image": Text,
}


NO_RECORD = -1
"""Stands for no record (spec/2-routes.md 3); 0 would choose nothing."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A field that points at a resource; `within` names columns that both rows must share (a bill's warehouse is
    one of the bill's company), `shows` the target's columns that are read along; `only` is an enum of the target and
    the values of it that fit (a three-guarantee bill takes a three-guarantee warehouse). `none` stands for no record at
    all (a brand of -1), in what a list is asked for and in rows that add up those without one. What is `at_once` chosen
    from is read whole and searched in the browser. `disabled` records are offered where debts outlive trade alone,
    those `beyond` the user's warehouses where goods go to them."""

    resource: str
    within: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    only: tuple[str, tuple[int, ...]] | None = None
    none: int | None = None
    at_once: bool = False
    disabled: bool = False
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One declared column: Chinese label, type, and where it shows.

    `pieces` says that an index over `text_pieces(column)` finds texts by what they contain; `scene` names the rules
    under which the files of an image field are uploaded; `bill` that a text is another bill's number, which leads to
    it, or several with 、 between them; `free` that people write into it as they like, other bills' numbers too;
    `bills` that a choice is of all bills, by prefix. A column that is `optional`
    shows where it is chosen or used. Whether one stands with the figures that are keyed in is what `decides` says; of
    itself, a number that is keyed in does. The `span` of a date is what it stands for: a day; a day `until` which a
    list counts, which is asked for alone, as `<name>_end`; or the `month` of which it is the first day. `since` names
    the day that it may not be before. What is `initials_of` another column is made from it, unless it was filled in. A
    `total` is a sum over the list; a `ratio` has one where it tells what rows are together. What gives posted figures
    their meaning is `fixed`: `always`, once bills have `named` the record or others share the column with it, or
    while it is `held`, as goods are in stock. A value that follows from others until somebody types one is
    `typed_in`: the flag that keeps whether it was. A day that has `happened` is asked about where it is still to
    come. What says a `place` is shown on a map, and found there. What the books say beside a reference is `told_by`
    another field, which is read in its place where it has anything. A figure that forms begin with nought is asked for
    by a sheet `asked_unless` that flag of its row says that there is none. Rows of an `uncounted` choice add to no
    total of a list, nor to its charts; `every` stands for all choices in what a list is asked for, as 0 does where it
    is none of them.
    """

    name: str
    label: str
    kind: Kind
    required: bool = False
    readonly: bool = False
    list: bool = True
    search: bool = False
    form: bool = True
    total: bool = False
    ratio: Ratio | None = None
    export: bool = True
    width: int = 120
    max_length: int | None = None
    default: Any = None
    options: tuple[tuple[int | str, str], ...] = ()
    uncounted: tuple[int, ...] = ()
    every: int | None = None
    ref: Ref | None = None
    label_field: str | None = None
    rule: str | None = None
    bounds: Bounds | None = None
    permission: str | None = None
    extract: bool = True
    copied: bool = True
    hidden: bool = False
    pieces: bool = False
    scene: str | None = None
    bill: bool = False
    free: bool = False
    bills: bool = False
    optional: bool = False
    decides: bool | None = None
    span: Span = "day"
    since: str | None = None
    initials_of: str | None = None
    fixed: Fixed = ""
    typed_in: str | None = None
    happened: bool = False
    place: bool = False
    told_by: str | None = None
    asked_unless: str | None = None

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS

    @property
    def writable(self) -> bool:
        return self.form and not self.readonly

    @property
    def read_as(self) -> tuple[str, ...]:
        """The names under which a row says it in words; the first that has anything does."""
        own = self.label_field if self.ref and self.label_field else self.name
        return (self.told_by, own) if self.told_by else (own,)

    def read(self, row: Mapping[str, Any]) -> Any:
        """What a row that `project` reads says of it, of a reference its label."""
        return next((row[name] for name in self.read_as if row.get(name) is not None), None)


def declared(
    kind: Kind, label: str, *, column: dict[str, Any] | None = None, **marks: Any
) -> MappedColumn[Any]:
    """A mapped column carrying its field; NOT NULL when required."""
    spec = Field(name="", label=label, kind=kind, **marks)
    options = dict(column or {})
    options.setdefault("nullable", not spec.required)
    arguments: list[Any] = [SQL_TYPES[kind]]
    if spec.ref:
        arguments.append(
            ForeignKey(f"{spec.ref.resource}.{options.pop('target', None) or spec.ref.resource + '_id'}")
        )
    return mapped_column(*arguments, info={"field": spec}, **options)


def text(
    label: str, *, max_length: int = 100, unique: bool = False, sort: int = 0, **marks: Any
) -> MappedColumn[str]:
    column = {"unique": unique or None, "sort_order": sort}
    return declared("text", label, column=column, max_length=max_length, **marks)


def name_initials(name: str) -> MappedColumn[str]:
    """What a record is found by besides its name, and follows it."""
    marks = {"search": True, "list": False, "form": False, "extract": False}
    return text("拼音首字母", max_length=INITIALS_LENGTH, initials_of=name, **marks)


def textarea(label: str, *, max_length: int = 500, sort: int = 0, **marks: Any) -> MappedColumn[str]:
    marks.setdefault("width", 200)
    marks.setdefault("free", True)
    return declared("textarea", label, column={"sort_order": sort}, max_length=max_length, **marks)


def number(kind: Kind, label: str, *, default: Any = 0, sort: int = 0, **marks: Any) -> MappedColumn[Decimal]:
    """A number column; `default` is also the database's, None makes it nullable unless it is required."""
    column: dict[str, Any] = {"sort_order": sort, "nullable": default is None and not marks.get("required")}
    if default is not None:
        column["server_default"] = str(default)
        column["default"] = default
    return declared(kind, label, column=column, default=None if default is None else str(default), **marks)


def quantity(label: str, **marks: Any) -> MappedColumn[Decimal]:
    return number("quantity", label, **marks)


def money(label: str, **marks: Any) -> MappedColumn[Decimal]:
    return number("money", label, **marks)


def price(label: str, **marks: Any) -> MappedColumn[Decimal]:
    return number("price", label, **marks)


def rate(label: str, **marks: Any) -> MappedColumn[Decimal]:
    marks.setdefault("bounds", PERCENT)
    return number("rate", label, **marks)


def integer(label: str, **marks: Any) -> MappedColumn[int]:
    return number("integer", label, **marks)  # type: ignore[return-value]


def day(label: str, *, sort: int = 0, **marks: Any) -> MappedColumn[Any]:
    return declared("date", label, column={"sort_order": sort}, **marks)


def moment(
    label: str, *, sort: int = 0, column: dict[str, Any] | None = None, **marks: Any
) -> MappedColumn[Any]:
    marks.setdefault("width", 170)
    return declared("datetime", label, column={"sort_order": sort, **(column or {})}, **marks)


def flag(label: str, *, default: bool = False, sort: int = 0, **marks: Any) -> MappedColumn[bool]:
    column = {
        "sort_order": sort,
        "nullable": False,
        "default": default,
        "server_default": "true" if default else "false",
    }
    return declared("bool", label, column=column, default=default, **marks)


def enabled() -> MappedColumn[bool]:
    """Whether a record may still be chosen."""
    return flag("启用", default=True, search=True)


def enum(
    label: str, options: dict[int, str], *, default: int, sort: int = 0, **marks: Any
) -> MappedColumn[int]:
    column = {"sort_order": sort, "nullable": False, "default": default, "server_default": str(default)}
    return declared("enum", label, column=column, options=tuple(options.items()), default=default, **marks)


def bill_type(**marks: Any) -> MappedColumn[str]:
    """The prefix of the bill that wrote a row of stock, read and chosen by the bill's name."""
    spec = Field("", "单据类型", "enum", bills=True, **{"width": 110, **marks})
    return mapped_column(Text, info={"field": spec})


def image(label: str, *, scene: str, sort: int = 0, **marks: Any) -> MappedColumn[str | None]:
    """Uploaded pictures and papers: their random names, joined by commas."""
    marks = {"export": False, "extract": False, "copied": False, **marks}
    return declared("image", label, column={"sort_order": sort}, scene=scene, **marks)


def ref(
    resource: str,
    label: str,
    *,
    target: str | None = None,
    within: tuple[str, ...] = (),
    shows: tuple[str, ...] = (),
    only: tuple[str, tuple[int, ...]] | None = None,
    none: int | None = None,
    at_once: bool = False,
    disabled: bool = False,
    beyond: bool = False,
    index: bool = False,
    sort: int = 0,
    column: dict[str, Any] | None = None,
    **marks: Any,
) -> MappedColumn[int]:
    """A reference to a resource's key (`<resource>_id` unless `target` says otherwise)."""
    column = {"sort_order": sort, "index": index or None, **(column or {})}
    if target:
        column["target"] = target
    marks.setdefault("width", 150)
    to = Ref(resource, within, shows, only, none, at_once, disabled, beyond)
    return declared("ref", label, column=column, ref=to, **marks)


def source_line(table: str, label: str) -> MappedColumn[int | None]:
    """A line of another bill that this line executes; set when a bill is drawn from it, not shown."""
    spec = Field("", label, "integer", list=False, hidden=True, copied=False)
    return mapped_column(
        BigInteger, ForeignKey(f"{table}.line_id"), index=True, info={"field": spec}, sort_order=90
    )


def goods(**marks: Any) -> MappedColumn[Any]:
    """A reference to goods, with what tells them apart read along."""
    marks.setdefault("shows", ("goods_num", "specification_type", "pattern", "unit_id"))
    return ref("goods", "商品", width=240, **marks)


def key() -> MappedColumn[int]:
    """The surrogate key: a bigint identity, never shown."""
    return mapped_column(BigInteger, Identity(), primary_key=True, sort_order=-100)


@dataclass(frozen=True, slots=True)
class Derived:
    """A field that is read, never stored: SQL over the table it stands on, whose name is written `{table}`."""

    field: Field
    sql: str

    def expression(self, table: Table, **asked: int) -> ColumnElement[Any]:
        """The field as a column of a select from `table`; `asked` are further names in the SQL."""
        return literal_column(self.sql.format(table=table.name, **asked), SQL_TYPES[self.field.kind])


def derived(name: str, label: str, kind: Kind, sql: str, **marks: Any) -> Derived:
    """A read-only field computed in SQL, say what a line's goods cost."""
    return Derived(Field(name=name, label=label, kind=kind, readonly=True, form=False, **marks), sql)


def _bills() -> tuple[tuple[str, str], ...]:
    return tuple(
        (prefix, cls.declaration.label)
        for prefix, cls in registry.prefixes().items()
        if cls.bill and cls.bill.moves
    )


def fields_of(columns: list[Column[Any]]) -> tuple[Field, ...]:
    """The declared fields of a table's columns, in order, with their names and default label fields.

    Asked when all bills are declared, which some choose from.
    """
    found = []
    for column in columns:
        spec: Field | None = column.info.get("field")
        if spec is None:
            continue
        label_field = spec.label_field
        if spec.ref and not label_field:
            label_field = column.key.removesuffix("_id") + "_name"
        options = _bills() if spec.bills else spec.options
        found.append(replace(spec, name=column.key, label_field=label_field, options=options))
    return tuple(found)
