"""Views (查询): lists that are read from SQL instead of a table of their own, declared and served like any resource.

A view's class has columns with fields, a key, and `source()`: the SQL that stands for its table in every query. It has
no table in the database, and nothing of it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar, Literal

from sqlalchemy import (
    CTE,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Select,
    column,
    false,
    select,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql.visitors import replacement_traverse

from api.kit.declaration import registry
from api.kit.declaration.fields import COST, text_field
from api.kit.declaration.resource import Drill, Resource
from api.kit.errors import Forbidden
from api.kit.scope import Principal, describe_scope
from api.kit.storage.bill_visibility import bill_number_sql, bill_visible_sql

Values = Mapping[str, Any]
"""Query parameters of a list by name; empty for a single record."""
Sql = tuple[str, dict[str, Any]]
"""A query and the values of its `:names`."""
Whose = Literal["columns", "bill", "place"]
"""How rows of bills are scoped: by columns of the rows; by the bill itself (`is_opened`); or by the warehouse of the
rows, with bill numbers shown only to who may open the bill."""
_OWNERS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "department": ("department_id", "maker_id"),
    "own": ("maker_id",),
}
"""The columns that tell whose a bill is, by what a principal is limited to."""


@dataclass(frozen=True, slots=True)
class Paging:
    """The way a view's page is found, counted and totalled before its rows are computed.

    `parts` are columns of the rows, and of the source that a `summary` aggregates, that a row's
    computation depends on: the page is found first by its order, then only its parts are computed and
    labelled. `tie_breakers` are columns that order equal rows of the default order. `keys_sql` selects
    from `{rows}` only the key, `parts` and sort columns of the list, where that is less work than the
    `summary`; `totals_sql` selects what sums to the totals of the list, where that is less work than its
    rows, which are then counted by `keys_sql`.
    """

    parts: tuple[str, ...] = ()
    tie_breakers: tuple[str, ...] = ()
    keys_sql: str | None = None
    totals_sql: str | None = None


class View(Resource):
    """Base of declared queries; give `READ_ONLY` as the declaration's actions."""

    __abstract__ = True

    metadata = MetaData()
    row_xid = None  # type: ignore[assignment]
    extract: ClassVar[bool] = False

    paging: ClassVar[Paging] = Paging()
    exportable_as_report: ClassVar[bool] = False
    """Whether it is exported in every form of reports, and subscribed to."""
    whose: ClassVar[Whose] = "columns"
    has_no_warehouse: ClassVar[bool] = False
    """Whether the bills that it names are of no warehouse."""

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        """Hook: return SQL of the rows, with a column for each of the class's.

        Scope and filters are put around it.
        """
        raise NotImplementedError

    @classmethod
    def summary(cls, params: Values) -> str | None:
        """Hook: return SQL that aggregates the source's rows, `{rows}` after scope and filters.

        None where those are the list's rows. The source then has the columns that the filters and the
        summary name.
        """
        return None

    @classmethod
    def grouped_columns(cls) -> Mapping[int, tuple[str, ...]]:
        """Hook: return the columns that each choice of the filter `grouping` fills.

        Without it they are empty.
        """
        return {}

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        """Hook: return the filters that its page opens with."""
        return {}

    @classmethod
    def is_visible_to(cls, principal: Principal) -> bool:
        """Hook: return whether a principal may see any row at all."""
        return True

    @classmethod
    def names_single_bills(cls) -> bool:
        """Return whether its rows are about single bills."""
        return any(
            item.bill
            or item.name == "bill_no"
            or (item.ref and registry.get_resource(item.ref.resource).bill)
            for item in cls.fields()
        )

    @classmethod
    def is_closed_to(cls, principal: Principal) -> bool:
        """Return whether its rows are about bills, some hidden from the principal, and don't tell which."""
        if cls.whose != "columns" or not principal.is_narrowed or not cls.names_single_bills():
            return False
        wanted = {*_OWNERS[principal.own]}
        if principal.warehouses is not None and not cls.has_no_warehouse:
            wanted.add("warehouse_id")
        return not wanted <= set(cls.table().columns.keys())

    @classmethod
    def read_connection(cls, conn: Connection) -> AbstractContextManager[Connection]:
        """Hook: open the connection that its rows are read on, given the core's.

        There each query is planned for its own values, since a generic plan for any dates and partner may
        take a thousand times as long.
        """
        conn.exec_driver_sql("set local plan_cache_mode = force_custom_plan")
        return nullcontext(conn)

    @classmethod
    def refreshed_at(cls, conn: Connection) -> datetime | None:
        """Hook: return when the rows were computed; None where they are the present ones."""
        return None

    @classmethod
    def notices(cls, conn: Connection, principal: Principal) -> list[str]:
        """Hook: return notices to readers of its figures, given the core's connection.

        None while all is well.
        """
        return []

    @classmethod
    def shows_costs(cls, principal: Principal) -> bool:
        """Return whether the principal sees a cost in its columns, or a figure that follows from one."""
        return any(
            item.permission == COST and principal.can_see(cls.name(), item.name, COST)
            for item in cls.fields()
        )


class BillReferenceRow(View):
    """A row about one bill, which it leads to if one may see it; a declaration's `BILL` drill takes it there.

    Rows whose bill one may not open are left out. Those of a `place` are left out for their maker or department alone.
    """

    __abstract__ = True
    whose: ClassVar[Whose] = "bill"

    route: Mapped[str | None] = text_field("单据地址", list=False, export=False, hidden=True)
    is_opened: Mapped[bool] = mapped_column(Boolean)

    rows: ClassVar[str]
    """The query, with the row that has `bill_type` and `bill_id` as `l` and `{route}` in the place of that column."""
    numbers: ClassVar[Mapping[str, str]] = {}
    """Numbers of bills that are named only to who may open them, and the rows that have them with their type and key;
    each stands in the query as `{number}`."""

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        routes = map_bill_routes(principal)
        route, opened = _ROUTE, bill_visible_sql(principal)
        if cls.whose == "place":
            route = f"case when {opened} then {route} end"
            opened = bill_visible_sql(replace(principal, companies=None, warehouses=None))
        numbers = {name: bill_number_sql(principal, row) for name, row in cls.numbers.items()}
        sql = cls.rows.format(route=f"{route} as route, {opened} as is_opened", **numbers)
        return sql, {"prefixes": list(routes), "routes": list(routes.values())}


def map_bill_routes(principal: Principal) -> dict[str, str]:
    """Return the routes of the bills that a principal may see, by prefix."""
    bills = registry.map_prefixes()
    return {
        prefix: route
        for prefix, route in registry.map_see_routes().items()
        if principal.has_right(bills[prefix].right("list"))
    }


_ROUTE = (
    "(cast(:routes as text[]))[array_position(cast(:prefixes as text[]), l.bill_type)] || '?id=' || l.bill_id"
)
BILL = Drill("单据", route_field="route")
READ_ONLY = ("list", "export")


def open_read_connection(cls: type[Resource], conn: Connection) -> AbstractContextManager[Connection]:
    """Return the connection that rows of a class are read on, given the core's."""
    return cls.read_connection(conn) if issubclass(cls, View) else nullcontext(conn)


def apply_source(
    cls: type[Resource],
    statement: Select[Any],
    principal: Principal,
    params: Values | None = None,
    where: Iterable[ColumnElement[bool]] = (),
    summary_sql: str | None = None,
) -> Select[Any]:
    """Build a statement over a class's rows that meet `where`, with a view's SQL as the CTE of its table.

    `summary_sql` replaces its `summary` where given.
    """
    if not issubclass(cls, View):
        return statement.where(*where)
    if cls.is_closed_to(principal):
        scope = describe_scope(principal)
        raise Forbidden(f"“{cls.declaration.label}”列出的单据不限于您的数据范围（{scope}），您不能查看")
    if not cls.is_visible_to(principal):
        where = (*where, false())
    if principal.is_narrowed and "is_opened" in cls.table().columns:
        where = (*where, cls.table().c.is_opened)
    sql, values = cls.source(principal, params or {})
    summary = summary_sql or cls.summary(params or {})
    if summary is None:
        return statement.where(*where).add_cte(_build_cte(cls, sql, values, cls.name()))
    base = _build_cte(cls, sql, values, f"{cls.name()}_base")
    kept = select(text("*")).select_from(base).where(*(_rebind_condition(cls, item, base) for item in where))
    rows = kept.cte(f"{cls.name()}_rows")
    if summary_sql:
        # It reads few columns of the rows, and may do so more than once.
        rows = rows.prefix_with("not materialized")
    return statement.add_cte(rows, _build_cte(cls, summary.format(rows=rows.name), {}, cls.name()))


def _build_cte(cls: type[View], sql: str, values: dict[str, Any], name: str) -> CTE:
    columns = [column(item.name, item.type) for item in cls.table().columns]
    return text(sql).bindparams(**values).columns(*columns).cte(name).prefix_with("not materialized")


def _rebind_condition(cls: type[View], condition: ColumnElement[bool], rows: CTE) -> ColumnElement[bool]:
    """Rebind a condition over a view's columns to `rows`."""

    def replace(element: Any, **_: Any) -> Any:
        own = isinstance(element, Column) and element.table is cls.table()
        return rows.c[element.name] if own else None

    moved: ColumnElement[bool] = replacement_traverse(condition, {}, replace)
    return moved
