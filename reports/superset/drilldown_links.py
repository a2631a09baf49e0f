"""Drilldown links (下钻链接).

A table's links carry the filters and the keys of the row, so that they open its lines.

A link's expression has the keys of the mart's row. The grouping of a table and the board's filters are
known by the query only: what of them the page understands is added to the answer's links.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import chain
from typing import Any
from urllib.parse import quote

from reports.catalogue import REPORTS
from reports.semantics.dashboards import Filter
from reports.semantics.datasets import Dataset
from reports.semantics.drilldown_filters import (
    DRILLDOWN_FILTERS,
    NOBODY,
    PAGES,
    DrilldownFilter,
    find_drilldown_filter,
)

Rows = list[dict[str, Any]]
Chosen = Mapping[str, frozenset[Any]]
"""The values of columns among which those of a figure's rows are."""
Known = Callable[[DrilldownFilter], Sequence[Mapping[str, Any]]]
"""Look-up of a filter's chosen records in the snapshot."""
Read = Callable[[str], Iterable[Mapping[str, Any]]]
HREF = re.compile(r'href="([^"?]+)\?([^"]*)"')
AND = "&amp;"
LABEL = "__label"
LONGEST = 6000
"""Length of an address, of the 8 KB that servers before ours take of a line."""
TOO_MANY = "所选的值太多，没有都带到那一页，请在那里再筛选"


def add_drilldown_filters(
    rows: Rows, dataset: Dataset, conditions: Iterable[Mapping[str, Any]], read: Read
) -> Rows:
    """Return the rows with links that carry the filters of their figures; `read` queries the snapshot."""
    links = [name for name in (rows[0] if rows else ()) if _is_link(dataset, name)]
    if not links:
        return rows
    only = {name: frozenset([value]) for name, value in dataset.only}
    page = {**only, **_collect_chosen(conditions)}
    contexts = [{**page, **_collect_row_values(row, dataset)} for row in rows]

    @cache
    def find_known(way: DrilldownFilter) -> Sequence[Mapping[str, Any]]:
        return _read_known_rows(way, contexts, read)

    return [
        {**row, **{name: _extend_link(row[name], chosen, find_known) for name in links if row[name]}}
        for row, chosen in zip(rows, contexts, strict=True)
    ]


def _is_link(dataset: Dataset, name: str) -> bool:
    return dataset.has_column(name) and dataset.column(name).kind == "link"


def _collect_chosen(conditions: Iterable[Mapping[str, Any]]) -> Chosen:
    """Return the values that a board's filters choose: of several filters on one column, those of all."""
    chosen: dict[str, frozenset[Any]] = {}
    for condition in conditions:
        name, value = condition.get("col"), condition.get("val")
        if condition.get("op") not in ("IN", "==") or not isinstance(name, str):
            continue
        values = frozenset(value if isinstance(value, list | tuple) else [value])
        chosen[name] = chosen.get(name, values) & values
    return chosen


def _collect_row_values(row: Mapping[str, Any], dataset: Dataset) -> Chosen:
    """Return the values that the names in a row choose."""
    return {
        name: frozenset([row[name]])
        for name in row
        if dataset.has_column(name) and find_drilldown_filter(name)
    }


def _pick_columns(way: DrilldownFilter, chosen: Chosen) -> Chosen:
    return {name: chosen[name] for name in way.columns if name in chosen}


def _read_known_rows(
    way: DrilldownFilter, chosen_rows: Sequence[Chosen], read: Read
) -> Sequence[Mapping[str, Any]]:
    """Return the records of a filter with any of the chosen names."""
    names = {
        name: frozenset(chain.from_iterable(one.get(name, ()) for one in chosen_rows)) for name in way.columns
    }
    conditions = [
        f"{name} in ({', '.join(sorted(map(_quote_literal, values)))})"
        for name, values in names.items()
        if values
    ]
    if not conditions:
        return ()
    shown = ", ".join(filter(None, (way.parameter, way.parent, *way.columns)))
    return [*read(f"select {shown} from {way.rows} as w where {' or '.join(conditions)}")]


def _quote_literal(value: Any) -> str:
    return "'{}'".format(str(value).replace("'", "''"))


def _extend_link(link: str, chosen: Chosen, known: Known) -> str:
    """Return a link with the parameters that its page understands, unless it has them itself."""

    def add_filters(found: re.Match[str]) -> str:
        page, query = found[1], found[2]
        named = {part.partition("=")[0] for part in query.split(AND)}
        added = [
            AND.join(f"{name}={value}" for name, value in one)
            for one in _list_parameters(page, named, chosen, known)
        ]
        carried = [query]
        for one in added:
            if len(AND.join((*carried, one))) <= LONGEST:
                carried.append(one)
        title = f' title="{TOO_MANY}"' if len(carried) <= len(added) else ""
        return f'href="{page}?{AND.join(carried)}"{title}'

    return HREF.sub(add_filters, link)


def _list_parameters(
    page: str, given: Set[str], chosen: Chosen, known: Known
) -> Iterable[tuple[tuple[str, str], ...]]:
    """Yield the further parameters of a page, by its own names.

    Lists by keys, reports by the values of their filters.
    """
    for item in _FRAMED.get(page, ()):
        values = chosen.get(item.column)
        if values and item.address_name not in given:
            yield ((item.address_name, _encode_values(sorted(values, key=str))),)
    for way in DRILLDOWN_FILTERS:
        columns = _pick_columns(way, chosen)
        if columns and way.parameter in PAGES.get(page, ()) and way.parameter not in given:
            keys = _find_keys(way, columns, known(way))
            yield (way.parameter, ",".join(keys)), (f"{way.parameter}{LABEL}", _encode_values(keys.values()))


_FRAMED: Mapping[str, tuple[Filter, ...]] = {
    report.route: tuple(item for item in report.first_tab.plain.filters if item.address_name)
    for report in REPORTS
}


def _find_keys(way: DrilldownFilter, chosen: Chosen, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the keys and names of the chosen records, without those below another of them."""
    found = {row[way.parameter]: row for row in rows if all(row[name] in chosen[name] for name in chosen)}
    above = [key for key, row in sorted(found.items()) if not way.parent or row[way.parent] not in found]
    keys = {str(key): way.name_of(found[key]) for key in above}
    unknown = {value for name, values in chosen.items() for value in values - {row[name] for row in rows}}
    return keys | ({NOBODY: str(min(unknown, key=str, default=""))} if unknown or not keys else {})


def _encode_values(values: Iterable[Any]) -> str:
    """Return the values for an address: one as it is, several as a list."""
    texts = [*map(str, values)]
    return quote(texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False), safe="")
