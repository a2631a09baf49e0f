"""表内搜索：读者在表格里输入的字，在这张表显示的各列名称里找；合计从找到的行的底数算出。

The frame asks for rows whose first column begins with what is typed, and for their totals likewise. Which columns the
table shows the chart says that is stored, not who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import sqlalchemy as sa

from reports.catalogue.datasets import Dataset

TYPED = "ILIKE"
SEARCHED = "searched"
"""Beside the parts of a query: the columns in which what is typed is looked for; its kept answer is of these."""


def search_shown_columns(
    dataset_of: Callable[[Any], Dataset | None], columns_of: Callable[[Any], Collection[str]]
) -> None:
    """Look for what is typed in all names that a table shows: of the stored chart, by `columns_of` its form."""
    from superset.common.query_context_processor import QueryContextProcessor

    answered: Callable[..., Any] = QueryContextProcessor.get_df_payload

    def payload(self: Any, query_obj: Any, *args: Any, **options: Any) -> Any:
        if query_obj and SEARCHED in (query_obj.extras or {}):
            # Only the chart says where is looked, never who asks.
            query_obj.extras = {name: value for name, value in query_obj.extras.items() if name != SEARCHED}
        if query_obj and any(_is_typed(condition) for condition in query_obj.filter or []):
            own = dataset_of(self._qc_datasource)
            shown = columns_of(self._query_context.form_data or {}) if own else ()
            if own and (names := searchable(own, shown)):
                query_obj.extras = {**(query_obj.extras or {}), SEARCHED: names}
        return answered(self, query_obj, *args, **options)

    QueryContextProcessor.get_df_payload = payload


def searchable(dataset: Dataset, shown: Collection[str]) -> list[str]:
    """The columns of a table that have names in them."""
    return [column.name for column in dataset.columns if column.name in shown and column.kind == "text"]


def without_typed(parts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The parts of a query without what is typed, and the condition that this makes of its rows; None without any."""
    extras = parts.get("extras") or {}
    names = extras.get(SEARCHED)
    if not names:
        return parts, None
    asked = parts.get("filter") or []
    texts = [str(condition["val"]).removesuffix("%") for condition in asked if _is_typed(condition)]
    rest = {
        **parts,
        "extras": {name: value for name, value in extras.items() if name != SEARCHED},
        "filter": [condition for condition in asked if not _is_typed(condition)],
    }
    return rest, _holding(names, (word for text in texts for word in text.split()))


def _holding(names: Iterable[str], words: Iterable[str]) -> Any:
    """That each word stands in one of the columns."""
    columns = [sa.func.lower(sa.cast(sa.column(name), sa.Text)) for name in names]
    return sa.and_(
        sa.true(),
        *(sa.or_(*(column.contains(word.lower(), autoescape=True) for column in columns)) for word in words),
    )


def _is_typed(condition: Any) -> bool:
    return str(condition.get("op", "")).upper() == TYPED
