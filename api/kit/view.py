"""Views (查询): lists that are read from SQL instead of a table of their own, declared and served like any resource.

A view's class has columns with fields, a key, and `source()`: the SQL that stands for its table in every query. It has
no table in the database, and nothing of it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlalchemy import MetaData, Select, column, text

from api.kit.resource import Resource
from api.kit.scope import Principal

Values = Mapping[str, Any]
"""What a list was asked: query parameters by name; empty for a single record."""
Sql = tuple[str, dict[str, Any]]
"""A query and the values of its `:names`."""


class View(Resource):
    """Base of declared queries; give `READ_ONLY` as the declaration's actions."""

    __abstract__ = True

    metadata = MetaData()
    row_xid = None  # type: ignore[assignment]
    extract: ClassVar[bool] = False

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        """The rows, with a column for each of the class's; scope and filters are put around it."""
        raise NotImplementedError


READ_ONLY = ("list", "export")


def sourced(
    cls: type[Resource], statement: Select[Any], principal: Principal, asked: Values | None = None
) -> Select[Any]:
    """A statement over a class, with the SQL of a view put where it names the view's table."""
    if not issubclass(cls, View):
        return statement
    sql, values = cls.source(principal, asked or {})
    columns = [column(item.name, item.type) for item in cls.table().columns]
    rows = text(sql).bindparams(**values).columns(*columns).cte(cls.name())
    return statement.add_cte(rows.prefix_with("not materialized"))
