"""交叉表的顺序：文字按拼音，与列表相同。

The page orders the rows and columns of a cross table itself, by code point. So its texts are answered with letters in
front that nobody sees and that stand in the order of pinyin; what the page then asks for by them is read without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reports.semantics.datasets import CLOSING, FURTHER, Dataset, strip_order_prefix
from reports.semantics.query_validation import CROSS_TABLE
from reports.semantics.text_order import by_pinyin, is_text

LETTERS = (chr(CLOSING), chr(FURTHER))
"""Unseen, the first before the second."""
Rows = list[dict[str, Any]]


def has_order_letters(dataset: Dataset, name: str) -> bool:
    """Return whether a column's values begin with unseen letters of its own (`report_builders.ordered_label_sql`)."""
    return f"chr({FURTHER})" in dataset.column(name).sql


def order_cross_rows(rows: Rows, form: Mapping[str, Any], dataset: Dataset) -> Rows:
    """Return the rows of a cross table with texts that the page orders by pinyin."""
    if form.get("viz_type") != CROSS_TABLE or not rows:
        return rows
    sides = (*(form.get("groupbyRows") or []), *(form.get("groupbyColumns") or []))
    written = {
        name: _prefix_letters(by_pinyin({row[name] for row in rows if isinstance(row[name], str)}))
        for name in sides
        if isinstance(name, str) and name in rows[0] and _is_ordered(dataset, name)
    }
    return [
        {**row, **{name: texts.get(row[name], row[name]) for name, texts in written.items()}} for row in rows
    ]


def _is_ordered(dataset: Dataset, name: str) -> bool:
    return is_text(dataset, name) and not has_order_letters(dataset, name)


def _prefix_letters(texts: Sequence[str]) -> dict[str, str]:
    """Return texts with their places in front, as numbers of two letters."""
    width = len(f"{max(len(texts) - 1, 0):b}")
    return {
        text: "".join(LETTERS[int(digit)] for digit in f"{place:0{width}b}") + text
        for place, text in enumerate(texts)
    }


def strip_order_letters(conditions: Iterable[dict[str, Any]], dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Yield conditions on texts as the snapshot has them: what is chosen in a cross table has letters in front."""
    for condition in conditions:
        name, value = condition.get("col"), condition.get("val")
        if isinstance(name, str) and _is_ordered(dataset, name):
            yield {
                **condition,
                "val": [*map(_strip_letters, value)]
                if isinstance(value, list | tuple)
                else _strip_letters(value),
            }
        else:
            yield condition


def _strip_letters(value: Any) -> Any:
    return strip_order_prefix(value) if isinstance(value, str) else value
