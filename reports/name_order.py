"""按名称排序：文字一律按拼音，与列表、导出相同（`api.kit.pinyin_order`）。"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import duckdb
from sqlalchemy.sql.operators import desc_op

from api.kit.pinyin_order import MACRO, in_pinyin, key_of
from reports.catalogue.datasets import Dataset


def is_text(dataset: Dataset, name: str) -> bool:
    """Whether a column of a dataset is made of words."""
    return dataset.has_column(name) and dataset.column(name).kind == "text"


@cache
def _sorter() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def by_pinyin(texts: Iterable[str]) -> list[str]:
    """Texts in their order."""
    sql = f"select t from unnest($1::varchar[]) as named(t) order by {key_of('t')}, t"
    with _sorter().cursor() as cursor:
        cursor.execute(MACRO)
        return [text for (text,) in cursor.execute(sql, [[*texts]]).fetchall()]


def in_name_order(found: Any, dataset: Dataset) -> Any:
    """Superset's query with its rows by the pinyin of the texts that they are ordered by."""
    query = found.sqla_query
    clauses = query._order_by_clauses
    if not clauses:
        return found
    return found._replace(
        sqla_query=query.order_by(None).order_by(*(_spelled(one, dataset) for one in clauses))
    )


def _spelled(clause: Any, dataset: Dataset) -> Any:
    """An ordered column or figure as it is, an ordered text by its pinyin; `clause` is either with its direction."""
    plain = clause
    while getattr(plain, "modifier", None) is None and hasattr(plain, "element") and not _is_named(plain):
        # SQLAlchemy puts what refers to a label into another expression.
        plain = plain.element
    ordered = getattr(plain, "element", plain) if getattr(plain, "modifier", None) else plain
    while hasattr(ordered, "element") and not _is_named(ordered):
        ordered = ordered.element
    if not is_text(dataset, str(getattr(ordered, "name", ""))):
        return clause
    key = in_pinyin(getattr(ordered, "element", ordered))
    return key.desc() if getattr(plain, "modifier", None) is desc_op else key.asc()


def _is_named(expression: Any) -> bool:
    return isinstance(getattr(expression, "name", None), str)
