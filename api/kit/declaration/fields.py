"""Fields (字段): the declaration of a column, beside its SQL type.

A field is declared once, on the mapped class; table, request and answer schemas, list filters, screen
description, exports and masking are all read from it.
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

from api.kit.declaration import registry
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.validation_rules import PERCENT, NumberBounds
from api.kit.storage.initials import INITIALS_LENGTH

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
    """A reference to a resource.

    `within`: columns that both rows must share (a bill's warehouse is one of the bill's company). `shows`:
    the target's columns that are read along. `only`: an enum of the target and its values that fit (a
    warranty bill takes a warranty warehouse). `none`: the key that stands for no record in queries and
    grouped rows (a brand of -1). `at_once`: all choices are read and searched in the browser. `disabled`:
    disabled records are offered, where debts outlive trade. `beyond`: records outside the user's
    warehouses are offered, where goods go to them.
    """

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

    `pieces`: an index over `text_pieces(column)` finds substrings. `scene`: the upload rules of an image
    field. `bill`: the text is another bill's number, or several with 、 between them, and links to it.
    `free`: free text, which may name bills. `bills`: a choice of all bill types, by prefix. `optional`:
    the column shows where it is chosen or used. `decides`: whether the column stands with the keyed-in
    numbers, by default those that are keyed in. `span` of a date: a day; a day `until` which a list
    counts, queried as `<name>_end` alone; or the `month` of which it is the first day. `since`: a date
    field that it may not precede. `initials_of`: the column whose pinyin initials it holds by default.
    `total`: a sum over the list. `ratio`: a ratio of summed columns. `fixed`: it gives posted figures
    their meaning and doesn't change: `always`, once bills have `named` the record or others share the
    column, or while it is `held`, as goods are in stock. `typed_in`: the flag that says whether a computed
    value was typed in. `happened`: a date that is confirmed where it lies in the future. `place`: an
    address, shown and picked on a map. `told_by`: the field of the ledgers that replaces it in bills where
    it has a value. `asked_unless`: sheets require it and not 0, unless that flag of the row is set.
    `uncounted`: choices whose rows add to no total or chart. `every`: the choice that means all in a
    query, as 0 does where it is no choice.
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
    bounds: NumberBounds | None = None
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
        """The columns of a row that hold its text; the first that has a value does."""
        own = self.label_field if self.ref and self.label_field else self.name
        return (self.told_by, own) if self.told_by else (own,)

    def read(self, row: Mapping[str, Any]) -> Any:
        """Return its text in a projected row, of a reference its label."""
        return next((row[name] for name in self.read_as if row.get(name) is not None), None)


def declared_column(
    kind: Kind, label: str, *, column: dict[str, Any] | None = None, **marks: Any
) -> MappedColumn[Any]:
    """Declare a mapped column with its field; NOT NULL when required."""
    spec = Field(name="", label=label, kind=kind, **marks)
    options = dict(column or {})
    options.setdefault("nullable", not spec.required)
    arguments: list[Any] = [SQL_TYPES[kind]]
    if spec.ref:
        arguments.append(
            ForeignKey(f"{spec.ref.resource}.{options.pop('target', None) or spec.ref.resource + '_id'}")
        )
    return mapped_column(*arguments, info={"field": spec}, **options)


def text_field(
    label: str, *, max_length: int = 100, unique: bool = False, sort: int = 0, **marks: Any
) -> MappedColumn[str]:
    column = {"unique": unique or None, "sort_order": sort}
    return declared_column("text", label, column=column, max_length=max_length, **marks)


def name_initials_field(name: str) -> MappedColumn[str]:
    """Declare the pinyin initials of a name column, by which records are found."""
    marks = {"search": True, "list": False, "form": False, "extract": False}
    return text_field("拼音首字母", max_length=INITIALS_LENGTH, initials_of=name, **marks)


def textarea_field(label: str, *, max_length: int = 500, sort: int = 0, **marks: Any) -> MappedColumn[str]:
    marks.setdefault("width", 200)
    marks.setdefault("free", True)
    return declared_column("textarea", label, column={"sort_order": sort}, max_length=max_length, **marks)


def number_field(
    kind: Kind, label: str, *, default: Any = 0, sort: int = 0, **marks: Any
) -> MappedColumn[Decimal]:
    """Declare a number; `default` is also the database's, None makes it nullable unless it is required."""
    column: dict[str, Any] = {"sort_order": sort, "nullable": default is None and not marks.get("required")}
    if default is not None:
        column["server_default"] = str(default)
        column["default"] = default
    return declared_column(
        kind, label, column=column, default=None if default is None else str(default), **marks
    )


def quantity_field(label: str, **marks: Any) -> MappedColumn[Decimal]:
    return number_field("quantity", label, **marks)


def money_field(label: str, **marks: Any) -> MappedColumn[Decimal]:
    return number_field("money", label, **marks)


def price_field(label: str, **marks: Any) -> MappedColumn[Decimal]:
    return number_field("price", label, **marks)


def rate_field(label: str, **marks: Any) -> MappedColumn[Decimal]:
    marks.setdefault("bounds", PERCENT)
    return number_field("rate", label, **marks)


def integer_field(label: str, **marks: Any) -> MappedColumn[int]:
    return number_field("integer", label, **marks)  # type: ignore[return-value]


def date_field(label: str, *, sort: int = 0, **marks: Any) -> MappedColumn[Any]:
    return declared_column("date", label, column={"sort_order": sort}, **marks)


def datetime_field(
    label: str, *, sort: int = 0, column: dict[str, Any] | None = None, **marks: Any
) -> MappedColumn[Any]:
    marks.setdefault("width", 170)
    return declared_column("datetime", label, column={"sort_order": sort, **(column or {})}, **marks)


def flag_field(label: str, *, default: bool = False, sort: int = 0, **marks: Any) -> MappedColumn[bool]:
    column = {
        "sort_order": sort,
        "nullable": False,
        "default": default,
        "server_default": "true" if default else "false",
    }
    return declared_column("bool", label, column=column, default=default, **marks)


def enabled_field() -> MappedColumn[bool]:
    """Declare the flag whether a record may still be chosen."""
    return flag_field("启用", default=True, search=True)


def enum_field(
    label: str, options: dict[int, str], *, default: int, sort: int = 0, **marks: Any
) -> MappedColumn[int]:
    column = {"sort_order": sort, "nullable": False, "default": default, "server_default": str(default)}
    return declared_column(
        "enum", label, column=column, options=tuple(options.items()), default=default, **marks
    )


def bill_type_field(**marks: Any) -> MappedColumn[str]:
    """Declare the prefix of the bill that wrote a row of stock, shown and chosen by the bill's name."""
    spec = Field("", "单据类型", "enum", bills=True, **{"width": 110, **marks})
    return mapped_column(Text, info={"field": spec})


def image_field(label: str, *, scene: str, sort: int = 0, **marks: Any) -> MappedColumn[str | None]:
    """Declare uploaded pictures and papers: their random names, joined by commas."""
    marks = {"export": False, "extract": False, "copied": False, **marks}
    return declared_column("image", label, column={"sort_order": sort}, scene=scene, **marks)


def reference_field(
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
    """Declare a reference to a resource's key (`<resource>_id` unless `target` says otherwise)."""
    column = {"sort_order": sort, "index": index or None, **(column or {})}
    if target:
        column["target"] = target
    marks.setdefault("width", 150)
    to = Ref(resource, within, shows, only, none, at_once, disabled, beyond)
    return declared_column("ref", label, column=column, ref=to, **marks)


def source_line_field(table: str, label: str) -> MappedColumn[int | None]:
    """Declare the line of another bill that this line executes; set when made from it, not shown."""
    spec = Field("", label, "integer", list=False, hidden=True, copied=False)
    return mapped_column(
        BigInteger, ForeignKey(f"{table}.line_id"), index=True, info={"field": spec}, sort_order=90
    )


def goods_field(**marks: Any) -> MappedColumn[Any]:
    """Declare a reference to goods, with the columns that tell them apart read along."""
    marks.setdefault("shows", ("goods_num", "specification_type", "pattern", "unit_id"))
    return reference_field("goods", "商品", width=240, **marks)


def key_field() -> MappedColumn[int]:
    """Declare the surrogate key: a bigint identity, never shown."""
    return mapped_column(BigInteger, Identity(), primary_key=True, sort_order=-100)


@dataclass(frozen=True, slots=True)
class DerivedField:
    """A field that is read, never stored: SQL over its table, whose name is written `{table}`."""

    field: Field
    sql: str

    def expression(self, table: Table, **names: int) -> ColumnElement[Any]:
        """Return the field as a column of a select from `table`; `names` are further names in the SQL."""
        return literal_column(self.sql.format(table=table.name, **names), SQL_TYPES[self.field.kind])


def derived_field(name: str, label: str, kind: Kind, sql: str, **marks: Any) -> DerivedField:
    """Declare a read-only field computed in SQL, say what a line's goods cost."""
    return DerivedField(Field(name=name, label=label, kind=kind, readonly=True, form=False, **marks), sql)


def _list_bill_types() -> tuple[tuple[str, str], ...]:
    return tuple(
        (prefix, cls.declaration.label)
        for prefix, cls in registry.map_prefixes().items()
        if cls.bill and cls.bill.moves
    )


def collect_fields(columns: list[Column[Any]]) -> tuple[Field, ...]:
    """Return the declared fields of a table's columns, in order, with their names and default label fields.

    Called when all bill types are declared, of which some fields are a choice.
    """
    found = []
    for column in columns:
        spec: Field | None = column.info.get("field")
        if spec is None:
            continue
        label_field = spec.label_field
        if spec.ref and not label_field:
            label_field = column.key.removesuffix("_id") + "_name"
        options = _list_bill_types() if spec.bills else spec.options
        found.append(replace(spec, name=column.key, label_field=label_field, options=options))
    return tuple(found)
