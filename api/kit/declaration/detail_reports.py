"""Detail reports (明细表): a bill type's lines with the columns of their headers, as a list of their own.

A bill declares `detail`; the report is a read-only resource over a view, so that filters, totals, export,
masks and scope are those of every list. A row opens its bill. What a role may not see of the bill is
hidden here as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from sqlalchemy import Column, ColumnElement, Connection, MetaData, Table, select
from sqlalchemy.dialects import postgresql

from api.kit.declaration import registry
from api.kit.declaration.document import Bill, ChildRow, DetailPlacement
from api.kit.declaration.fields import SQL_TYPES, Field
from api.kit.declaration.resource import Declaration, Resource

VIEWS = MetaData()
EXCLUDED_COLUMNS = frozenset(
    {"remark", "reject_reason", "total_quantity", "total_amount", "tax_amount", "no_tax_amount"}
)
"""Columns of a header that its lines have themselves, or that would add up wrongly by line."""
LEADING_COLUMNS = (
    *("bill_no", "business_date", "customer_id", "supplier_id", "goods_id", "quantity", "amount", "price"),
    *("item_no", "increase_amount", "settled_amount", "balance_amount"),
)
"""Columns that come before the others."""
_detail_screens: dict[str, str] = {}


class DetailReport(Resource):
    """The lines of one bill type."""

    __abstract__ = True

    of: ClassVar[type[Bill]]
    view: ClassVar[Table]

    @classmethod
    def name(cls) -> str:
        return cls.view.name

    @classmethod
    def table(cls) -> Table:
        return cls.view


def declare_detail_reports() -> None:
    """Register the detail report of every bill that declares one; called once, when all are declared."""
    for cls in list(registry.list_resources()):
        if issubclass(cls, Bill) and cls.bill and cls.bill.detail:
            _declare_report(cls, cls.bill.blocks[0].cls, cls.bill.detail)


def _declare_report(cls: type[Bill], lines: type[ChildRow], place: DetailPlacement) -> None:
    name = f"{cls.name()}_detail"
    listed = [item for item in lines.fields() if item.list or item.total]
    telling = {item.told_by for item in listed}
    own = [item for item in lines.fields() if item in listed or item.name in telling]
    excluded = EXCLUDED_COLUMNS | {item.name for item in own}
    header = [item for item in _stored_fields(cls) if item.list and item.name not in excluded]
    fields = (
        *(replace(item, form=False, total=False, pieces=False) for item in header),
        *(
            replace(item, form=False, search=not item.hidden and (bool(item.ref) or item.kind == "text"))
            for item in own
        ),
    )
    view = Table(
        name,
        VIEWS,
        Column("line_id", lines.key().type, primary_key=True),
        Column("bill_id", cls.key().type),
        *(Column(item.name, SQL_TYPES[item.kind], info={"field": item}) for item in fields),
        info=cls.table().info | {"select": partial(_detail_sql, cls, lines, fields)},
    )
    declaration = Declaration(
        place.label,
        f"{cls.declaration.api}Detail",
        "bill_no",
        routes={"list": place.route},
        menu=place.menu,
        actions=("list", "export"),
        order_by=("line_id", "asc" if place.upward else "desc"),
        see=place.see or cls.declaration.routes.get("see"),
        see_key="bill_id",
    )
    leading = tuple(
        first for first in LEADING_COLUMNS if any(item.name == first and item.list for item in fields)
    )
    members = {
        "__abstract__": True,
        "__tablename__": name,
        "of": cls,
        "view": view,
        "pinned_columns": leading,
    }
    type(
        f"{cls.__name__}Detail",
        (DetailReport,),
        {**members, "__module__": __name__, "declaration": declaration},
    )
    _detail_screens.update({cls.name(): name, lines.name(): name})


def _stored_fields(cls: type[Any]) -> list[Field]:
    return [item for item in cls.fields() if item.name in cls.table().c]


def _select_column(cls: type[Bill], lines: type[ChildRow], item: Field) -> ColumnElement[Any]:
    """Select a field from the lines or the header; the line's where both have it."""
    computed = {entry.field.name: entry for entry in lines.derived}
    if item.name in computed:
        return computed[item.name].expression(lines.table()).label(item.name)
    owner = lines.table() if item.name in lines.table().c else cls.table()
    return owner.c[item.name]


def _detail_sql(cls: type[Bill], lines: type[ChildRow], fields: Iterable[Field]) -> str:
    head, line = cls.table(), lines.table()
    columns = (_select_column(cls, lines, item) for item in fields)
    statement = select(line.c.line_id, line.c.bill_id, *columns).join_from(
        line, head, line.c.bill_id == head.c.bill_id
    )
    return str(statement.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]


def extend_denied_fields(denied: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Add to hidden fields (screen, field) those of the detail reports that follow from them."""
    pairs = frozenset(denied)
    return pairs | {(_detail_screens[screen], name) for screen, name in pairs if screen in _detail_screens}


def drop_views(conn: Connection) -> None:
    """Drop the views, so that the tables below them can change."""
    for view in VIEWS.tables.values():
        conn.exec_driver_sql(f"drop view if exists {view.name}")


def install_views(conn: Connection) -> None:
    """Create the views."""
    for view in VIEWS.tables.values():
        conn.exec_driver_sql(f"create or replace view {view.name} as {view.info['select']()}")
