"""Order by pinyin (按拼音排序): texts in the same order as in lists and exports (`api.kit.storage.pinyin_order`)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import duckdb
from sqlalchemy.sql.operators import desc_op

from api.kit.storage.pinyin_order import MACRO, pinyin_key_sql, pinyin_sort_key
from reports.semantics.datasets import Dataset


def is_text(dataset: Dataset, name: str) -> bool:
    """Return whether a column of a dataset is text."""
    return dataset.has_column(name) and dataset.column(name).kind == "text"


@cache
def _sorter() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def by_pinyin(texts: Iterable[str]) -> list[str]:
    """Texts in their order."""
    sql = f"select t from unnest($1::varchar[]) as named(t) order by {pinyin_key_sql('t')}, t"
    with _sorter().cursor() as cursor:
        cursor.execute(MACRO)
        return [text for (text,) in cursor.execute(sql, [[*texts]]).fetchall()]


def sort_by_pinyin(found: Any, dataset: Dataset) -> Any:
    """Return Superset's query with text columns of its order by pinyin."""
    query = found.sqla_query
    clauses = query._order_by_clauses
    if not clauses:
        return found
    return found._replace(
        sqla_query=query.order_by(None).order_by(*(_build_pinyin_clause(one, dataset) for one in clauses))
    )


def _build_pinyin_clause(clause: Any, dataset: Dataset) -> Any:
    """Return an order clause: texts by their pinyin, other columns as they are."""
    plain = clause
    while getattr(plain, "modifier", None) is None and hasattr(plain, "element") and not _is_named(plain):
        # SQLAlchemy puts what refers to a label into another expression.
        plain = plain.element
    ordered = getattr(plain, "element", plain) if getattr(plain, "modifier", None) else plain
    while hasattr(ordered, "element") and not _is_named(ordered):
        ordered = ordered.element
    if not is_text(dataset, str(getattr(ordered, "name", ""))):
        return clause
    key = pinyin_sort_key(getattr(ordered, "element", ordered))
    return key.desc() if getattr(plain, "modifier", None) is desc_op else key.asc()


def _is_named(expression: Any) -> bool:
    return isinstance(getattr(expression, "name", None), str)
