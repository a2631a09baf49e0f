"""往下看：表格里的链接带上页面的筛选和这一行的键，打开的明细就是这一行的数。

A link's expression names what each row of the mart is of. By what a table's rows are told apart, and how the board is
filtered when it is asked, only the question knows: what of it the page understands is added to the answer's links.
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
from reports.catalogue.boards import Filter
from reports.catalogue.datasets import Dataset
from reports.catalogue.ways import NOBODY, PAGES, WAYS, Way, way_of

Rows = list[dict[str, Any]]
Chosen = Mapping[str, frozenset[Any]]
"""The values of columns among which those of a figure's rows are."""
Known = Callable[[Way], Sequence[Mapping[str, Any]]]
"""What the snapshot has of a way's chosen names."""
Read = Callable[[str], Iterable[Mapping[str, Any]]]
HREF = re.compile(r'href="([^"?]+)\?([^"]*)"')
AND = "&amp;"
LABEL = "__label"
LONGEST = 6000
"""What an address carries, of the 8 KB that servers before ours take of a line."""
TOO_MANY = "所选的值太多，没有都带到那一页，请在那里再筛选"


def led_down(rows: Rows, dataset: Dataset, conditions: Iterable[Mapping[str, Any]], read: Read) -> Rows:
    """Rows whose links say of what their figures are; `read` asks the snapshot."""
    links = [name for name in (rows[0] if rows else ()) if _is_link(dataset, name)]
    if not links:
        return rows
    only = {name: frozenset([value]) for name, value in dataset.only}
    page = {**only, **_chosen(conditions)}
    told = [{**page, **_told(row, dataset)} for row in rows]

    @cache
    def known(way: Way) -> Sequence[Mapping[str, Any]]:
        return _found(way, told, read)

    return [
        {**row, **{name: _led(row[name], chosen, known) for name in links if row[name]}}
        for row, chosen in zip(rows, told, strict=True)
    ]


def _is_link(dataset: Dataset, name: str) -> bool:
    return dataset.has_column(name) and dataset.column(name).kind == "link"


def _chosen(conditions: Iterable[Mapping[str, Any]]) -> Chosen:
    """What a board's filters choose, of several on one column what all of them do."""
    chosen: dict[str, frozenset[Any]] = {}
    for condition in conditions:
        name, value = condition.get("col"), condition.get("val")
        if condition.get("op") not in ("IN", "==") or not isinstance(name, str):
            continue
        values = frozenset(value if isinstance(value, list | tuple) else [value])
        chosen[name] = chosen.get(name, values) & values
    return chosen


def _told(row: Mapping[str, Any], dataset: Dataset) -> Chosen:
    """What the names in a row say that it is of."""
    return {name: frozenset([row[name]]) for name in row if dataset.has_column(name) and way_of(name)}


def _of(way: Way, chosen: Chosen) -> Chosen:
    return {name: chosen[name] for name in way.columns if name in chosen}


def _found(way: Way, asked: Sequence[Chosen], read: Read) -> Sequence[Mapping[str, Any]]:
    """The rows of a way with any of the names that are asked for."""
    names = {name: frozenset(chain.from_iterable(one.get(name, ()) for one in asked)) for name in way.columns}
    conditions = [
        f"{name} in ({', '.join(sorted(map(_literal, values)))})" for name, values in names.items() if values
    ]
    if not conditions:
        return ()
    shown = ", ".join(filter(None, (way.asked, way.parent, *way.columns)))
    return [*read(f"select {shown} from {way.rows} as w where {' or '.join(conditions)}")]


def _literal(value: Any) -> str:
    return "'{}'".format(str(value).replace("'", "''"))


def _led(link: str, chosen: Chosen, known: Known) -> str:
    """A link with what its page understands of what is chosen, unless it says so itself."""

    def more(found: re.Match[str]) -> str:
        page, query = found[1], found[2]
        said = {part.partition("=")[0] for part in query.split(AND)}
        added = [
            AND.join(f"{name}={value}" for name, value in one) for one in _asked(page, said, chosen, known)
        ]
        carried = [query]
        for one in added:
            if len(AND.join((*carried, one))) <= LONGEST:
                carried.append(one)
        told = f' title="{TOO_MANY}"' if len(carried) <= len(added) else ""
        return f'href="{page}?{AND.join(carried)}"{told}'

    return HREF.sub(more, link)


def _asked(page: str, said: Set[str], chosen: Chosen, known: Known) -> Iterable[tuple[tuple[str, str], ...]]:
    """What a page is asked for besides, by its own names: lists by keys, reports by the values of their filters."""
    for item in _FRAMED.get(page, ()):
        values = chosen.get(item.column)
        if values and item.asked_by not in said:
            yield ((item.asked_by, _together(sorted(values, key=str))),)
    for way in WAYS:
        asked = _of(way, chosen)
        if asked and way.asked in PAGES.get(page, ()) and way.asked not in said:
            keys = _keys(way, asked, known(way))
            yield (way.asked, ",".join(keys)), (f"{way.asked}{LABEL}", _together(keys.values()))


_FRAMED: Mapping[str, tuple[Filter, ...]] = {
    report.route: tuple(item for item in report.first_tab.plain.filters if item.asked_by)
    for report in REPORTS
}


def _keys(way: Way, asked: Chosen, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The keys of what has all that is asked for, without what lies below another of them, and their names."""
    found = {row[way.asked]: row for row in rows if all(row[name] in asked[name] for name in asked)}
    above = [key for key, row in sorted(found.items()) if not way.parent or row[way.parent] not in found]
    keys = {str(key): way.name_of(found[key]) for key in above}
    unknown = {value for name, values in asked.items() for value in values - {row[name] for row in rows}}
    return keys | ({NOBODY: str(min(unknown, key=str, default=""))} if unknown or not keys else {})


def _together(values: Iterable[Any]) -> str:
    """One value as it is, several as a list, fit for an address."""
    texts = [*map(str, values)]
    return quote(texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False), safe="")
