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

from api.kit import registry
from api.kit.errors import Forbidden
from api.kit.fields import COST
from api.kit.fields import text as words
from api.kit.named_bills import opened_no, opens
from api.kit.resource import Drill, Resource
from api.kit.scope import Principal, describe_scope

Values = Mapping[str, Any]
"""What a list was asked: query parameters by name; empty for a single record."""
Sql = tuple[str, dict[str, Any]]
"""A query and the values of its `:names`."""
Whose = Literal["columns", "bill", "place"]
"""What says whose the bills are that rows name: columns of the rows; the bill itself, by `is_opened`; or the warehouse,
whose the rows are, while a bill is named only to who may open it."""
_OWNERS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "department": ("department_id", "maker_id"),
    "own": ("maker_id",),
}
"""The columns that tell whose a bill is, by what a principal is limited to."""


@dataclass(frozen=True, slots=True)
class Paging:
    """How a view's page is found, counted and added up before its rows are worked out.

    `parts` are columns of the rows, and of the source's that a `summary` takes, that tell what a row needs to be worked
    out. With them a page is found first, by what orders it; then its parts alone are worked out, and given names.
    `then` are columns that order what is alike in the one that the list opens by. `keys` is SQL that takes of `{rows}`
    no more of the list's rows than their key, `parts` and what orders them, where that is less work than the `summary`;
    `added` what adds up to the totals of the list, where that is less work than its rows: it is counted by `keys` then.
    """

    parts: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    keys: str | None = None
    added: str | None = None


class View(Resource):
    """Base of declared queries; give `READ_ONLY` as the declaration's actions."""

    __abstract__ = True

    metadata = MetaData()
    row_xid = None  # type: ignore[assignment]
    extract: ClassVar[bool] = False

    paging: ClassVar[Paging] = Paging()
    filed: ClassVar[bool] = False
    """Whether it is exported in every form of reports, and subscribed to."""
    whose: ClassVar[Whose] = "columns"
    placeless: ClassVar[bool] = False
    """Whether the bills that it names are of no warehouse."""

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        """The rows, with a column for each of the class's; scope and filters are put around it."""
        raise NotImplementedError

    @classmethod
    def summary(cls, asked: Values) -> str | None:
        """SQL that makes the list's rows of the source's, which stand as `{rows}` after scope and filters; None where
        the source's rows are the list's. The source then has the columns that the filters and the summary name."""
        return None

    @classmethod
    def grouped(cls) -> Mapping[int, tuple[str, ...]]:
        """The columns that each choice of the filter `grouping` fills; without it they are empty."""
        return {}

    @classmethod
    def usual(cls) -> dict[str, str]:
        """The filters that its page opens with."""
        return {}

    @classmethod
    def open_to(cls, principal: Principal) -> bool:
        """Whether a principal may see any row at all."""
        return True

    @classmethod
    def names_bills(cls) -> bool:
        """Whether its rows tell of single bills."""
        return any(
            item.bill or item.name == "bill_no" or (item.ref and registry.get(item.ref.resource).bill)
            for item in cls.fields()
        )

    @classmethod
    def is_closed_to(cls, principal: Principal) -> bool:
        """Whether it names bills, some of them not the principal's to see, and doesn't tell which."""
        if cls.whose != "columns" or not principal.is_narrowed or not cls.names_bills():
            return False
        wanted = {*_OWNERS[principal.own]}
        if principal.warehouses is not None and not cls.placeless:
            wanted.add("warehouse_id")
        return not wanted <= set(cls.table().columns.keys())

    @classmethod
    def reading(cls, conn: Connection) -> AbstractContextManager[Connection]:
        """The connection that its rows are read on, given the core's; there each query is planned for what it asks,
        since a plan for any days and partner may take a thousand times as long."""
        conn.exec_driver_sql("set local plan_cache_mode = force_custom_plan")
        return nullcontext(conn)

    @classmethod
    def refreshed_at(cls, conn: Connection) -> datetime | None:
        """When the rows were computed; None where they are the present ones."""
        return None

    @classmethod
    def notices(cls, conn: Connection, principal: Principal) -> list[str]:
        """What its readers should know of its figures, given the core's connection; nothing while all is well."""
        return []

    @classmethod
    def shows_costs(cls, principal: Principal) -> bool:
        """Whether any of its columns tells the principal a cost, or what follows from one."""
        return any(
            item.permission == COST and principal.sees(cls.name(), item.name, COST) for item in cls.fields()
        )


class BillRow(View):
    """A row about one bill, which it leads to if one may see it; a declaration's `BILL` drill takes it there.

    Rows whose bill one may not open are left out. Those of a `place` are left out for their maker or department alone.
    """

    __abstract__ = True
    whose: ClassVar[Whose] = "bill"

    route: Mapped[str | None] = words("单据地址", list=False, export=False, hidden=True)
    is_opened: Mapped[bool] = mapped_column(Boolean)

    rows: ClassVar[str]
    """The query, with the row that has `bill_type` and `bill_id` as `l` and `{route}` in the place of that column."""
    numbers: ClassVar[Mapping[str, str]] = {}
    """Numbers of bills that are named only to who may open them, and the rows that have them with their type and key;
    each stands in the query as `{number}`."""

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        routes = bill_routes(principal)
        route, opened = _ROUTE, opens(principal)
        if cls.whose == "place":
            route = f"case when {opened} then {route} end"
            opened = opens(replace(principal, companies=None, warehouses=None))
        numbers = {name: opened_no(principal, row) for name, row in cls.numbers.items()}
        sql = cls.rows.format(route=f"{route} as route, {opened} as is_opened", **numbers)
        return sql, {"prefixes": list(routes), "routes": list(routes.values())}


def bill_routes(principal: Principal) -> dict[str, str]:
    """Where the bills stand that a principal may see, by prefix."""
    bills = registry.prefixes()
    return {
        prefix: route
        for prefix, route in registry.see_routes().items()
        if principal.may(bills[prefix].right("list"))
    }


_ROUTE = (
    "(cast(:routes as text[]))[array_position(cast(:prefixes as text[]), l.bill_type)] || '?id=' || l.bill_id"
)
BILL = Drill("单据", route_field="route")
READ_ONLY = ("list", "export")


def reading(cls: type[Resource], conn: Connection) -> AbstractContextManager[Connection]:
    """The connection that rows of a class are read on, given the core's."""
    return cls.reading(conn) if issubclass(cls, View) else nullcontext(conn)


def sourced(
    cls: type[Resource],
    statement: Select[Any],
    principal: Principal,
    asked: Values | None = None,
    where: Iterable[ColumnElement[bool]] = (),
    instead: str | None = None,
) -> Select[Any]:
    """A statement over a class's rows that fit `where`, with the SQL of a view put where it names the view's table;
    `instead` is less than its `summary`, and goes for it where given."""
    if not issubclass(cls, View):
        return statement.where(*where)
    if cls.is_closed_to(principal):
        scope = describe_scope(principal)
        raise Forbidden(f"“{cls.declaration.label}”列出的单据不限于您的数据范围（{scope}），您不能查看")
    if not cls.open_to(principal):
        where = (*where, false())
    if principal.is_narrowed and "is_opened" in cls.table().columns:
        where = (*where, cls.table().c.is_opened)
    sql, values = cls.source(principal, asked or {})
    summary = instead or cls.summary(asked or {})
    if summary is None:
        return statement.where(*where).add_cte(_rows(cls, sql, values, cls.name()))
    base = _rows(cls, sql, values, f"{cls.name()}_base")
    kept = select(text("*")).select_from(base).where(*(_moved(cls, item, base) for item in where))
    rows = kept.cte(f"{cls.name()}_rows")
    if instead:
        # It reads few columns of the rows, and may do so more than once.
        rows = rows.prefix_with("not materialized")
    return statement.add_cte(rows, _rows(cls, summary.format(rows=rows.name), {}, cls.name()))


def _rows(cls: type[View], sql: str, values: dict[str, Any], name: str) -> CTE:
    columns = [column(item.name, item.type) for item in cls.table().columns]
    return text(sql).bindparams(**values).columns(*columns).cte(name).prefix_with("not materialized")


def _moved(cls: type[View], condition: ColumnElement[bool], rows: CTE) -> ColumnElement[bool]:
    """A condition over a view's columns as one over `rows`."""

    def replace(element: Any, **_: Any) -> Any:
        own = isinstance(element, Column) and element.table is cls.table()
        return rows.c[element.name] if own else None

    moved: ColumnElement[bool] = replacement_traverse(condition, {}, replace)
    return moved
