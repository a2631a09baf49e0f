"""Table search (表内搜索): typed text is searched in all text columns that the table shows; totals follow.

The frame asks for rows whose first column begins with the typed text, and for their totals likewise. The
stored chart says which columns are shown, not the request. Conditions that its form lists are not typed
into the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from reports.semantics.datasets import Dataset

TYPED = "ILIKE"
SEARCHED = "searched"
"""Key in a query's extras: the searched columns and the typed conditions, which are part of the cache key."""
Condition = Mapping[str, Any]


def install_table_search(
    dataset_of: Callable[[Any], Dataset | None], columns_of: Callable[[Any], Collection[str]]
) -> None:
    """Search all text columns that a table shows for what is typed.

    `columns_of` gives the stored chart's, by its form.
    """
    from superset.common.query_context_processor import QueryContextProcessor

    answered: Callable[..., Any] = QueryContextProcessor.get_df_payload

    def payload(self: Any, query_obj: Any, *args: Any, **options: Any) -> Any:
        if query_obj and SEARCHED in (query_obj.extras or {}):
            # Only the chart says where is looked, never who asks.
            query_obj.extras = {name: value for name, value in query_obj.extras.items() if name != SEARCHED}
        form = self._query_context.form_data or {}
        if query_obj and (typed := _find_typed_conditions(query_obj.filter or [], form)):
            own = dataset_of(self._qc_datasource)
            shown = columns_of(form) if own else ()
            if own and (names := list_searchable_columns(own, shown)):
                query_obj.extras = {**(query_obj.extras or {}), SEARCHED: [names, typed]}
        return answered(self, query_obj, *args, **options)

    QueryContextProcessor.get_df_payload = payload


def list_searchable_columns(dataset: Dataset, shown: Collection[str]) -> list[str]:
    """Return the text columns of a table."""
    return [column.name for column in dataset.columns if column.name in shown and column.kind == "text"]


def split_search(parts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the query parts without the typed conditions, and the condition that replaces them.

    None without any.
    """
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
    return rest, _build_search_condition(names, (word for text in texts for word in text.split()))


def _build_search_condition(names: Iterable[str], terms: Iterable[str]) -> Any:
    """Return the condition that each term stands in one of the columns."""
    columns = [sa.func.lower(sa.cast(sa.column(name), sa.Text)) for name in names]
    return sa.and_(
        sa.true(),
        *(sa.or_(*(column.contains(word.lower(), autoescape=True) for column in columns)) for word in terms),
    )


def _find_typed_conditions(conditions: Iterable[Condition], form: Mapping[str, Any]) -> list[Condition]:
    """Return the search conditions that are none of the form's own."""
    sought = [condition for condition in conditions if str(condition.get("op", "")).upper() == TYPED]
    own = _list_form_conditions(form) if sought else []
    return [condition for condition in sought if (condition.get("col"), condition.get("val")) not in own]


def _list_form_conditions(form: Mapping[str, Any]) -> Sequence[tuple[Any, Any]]:
    """Return the columns and values of a form's conditions: the chart's, and those of the board around it."""
    of_chart = form.get("adhoc_filters") or []
    of_board = (form.get("extra_form_data") or {}).get("filters") or []
    return [
        *((one.get("subject"), one.get("comparator")) for one in of_chart),
        *((one.get("col"), one.get("val")) for one in of_board),
    ]
