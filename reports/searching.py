"""表内搜索：读者在表格里输入的字，在这张表显示的各列名称里找；合计从找到的行的底数算出。

The frame asks for rows whose first column begins with what is typed, and for their totals likewise. Which columns the
table shows the chart says that is stored, not who asks. Conditions that its form lists are not typed into the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from reports.catalogue.datasets import Dataset

TYPED = "ILIKE"
SEARCHED = "searched"
"""Beside the parts of a query: the columns in which what is typed is looked for, and the conditions that say what is;
its kept answer is of these."""
Condition = Mapping[str, Any]


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
        form = self._query_context.form_data or {}
        if query_obj and (typed := _typed(query_obj.filter or [], form)):
            own = dataset_of(self._qc_datasource)
            shown = columns_of(form) if own else ()
            if own and (names := searchable(own, shown)):
                query_obj.extras = {**(query_obj.extras or {}), SEARCHED: [names, typed]}
        return answered(self, query_obj, *args, **options)

    QueryContextProcessor.get_df_payload = payload


def searchable(dataset: Dataset, shown: Collection[str]) -> list[str]:
    """The columns of a table that have names in them."""
    return [column.name for column in dataset.columns if column.name in shown and column.kind == "text"]


def without_typed(parts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The parts of a query without what is typed, and the condition that this makes of its rows; None without any."""
    extras = parts.get("extras") or {}
    if SEARCHED not in extras:
        return parts, None
    names, typed = extras[SEARCHED]
    texts = [str(condition["val"]).removesuffix("%") for condition in typed]
    rest = {
        **parts,
        "extras": {name: value for name, value in extras.items() if name != SEARCHED},
        "filter": [condition for condition in parts.get("filter") or [] if condition not in typed],
    }
    return rest, _holding(names, (word for text in texts for word in text.split()))


def _holding(names: Iterable[str], words: Iterable[str]) -> Any:
    """That each word stands in one of the columns."""
    columns = [sa.func.lower(sa.cast(sa.column(name), sa.Text)) for name in names]
    return sa.and_(
        sa.true(),
        *(sa.or_(*(column.contains(word.lower(), autoescape=True) for column in columns)) for word in words),
    )


def _typed(asked: Iterable[Condition], form: Mapping[str, Any]) -> list[Condition]:
    """The conditions that are none of the form's own."""
    sought = [condition for condition in asked if str(condition.get("op", "")).upper() == TYPED]
    own = _listed(form) if sought else []
    return [condition for condition in sought if (condition.get("col"), condition.get("val")) not in own]


def _listed(form: Mapping[str, Any]) -> Sequence[tuple[Any, Any]]:
    """The columns and the values of a form's conditions: the chart's, and those of the board around it."""
    of_chart = form.get("adhoc_filters") or []
    of_board = (form.get("extra_form_data") or {}).get("filters") or []
    return [
        *((one.get("subject"), one.get("comparator")) for one in of_chart),
        *((one.get("col"), one.get("val")) for one in of_board),
    ]
