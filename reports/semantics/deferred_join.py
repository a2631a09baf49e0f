"""Deferred join (先定行、后取名).

Group, sort, page and count by the rows' keys, then fetch names, links and further figures for that page
alone.

Of three hundred thousand rows twenty are seen, and names, links and further figures of all cost ten times
the search for those. Rows of prior periods are not read where the query doesn't need them. The keys of the
page stand as values in the second query: conditions on values reach the tables, those on a query's rows
don't reach through a union or a group. The search for a page counts the rows: their number is cached for
the query that asks for it next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from api.kit.storage.pinyin_order import pinyin_sort_key
from reports.semantics.datasets import FIRST_DAY, LAST_DAY, PERIOD_OFFSET, Dataset
from reports.semantics.query_validation import column_name
from reports.semantics.row_visibility import (
    EVERY,
    OWN,
    Periods,
    RowVisibility,
    find_read_periods,
    find_row_visibility,
    periods_of,
)
from reports.semantics.text_order import is_text

PLACE = "row_of_page"
NUMBER = "number_of_rows"
MOST_NAMED = 1000
EXTREMES = {FIRST_DAY: "min", LAST_DAY: "max"}
"""Aggregates of the first and the last day of a row that adds up days."""
Read = Callable[[Any], Sequence[Sequence[Any]]]
Counts = MutableMapping[str, int]
"""Numbers of rows of queries, by their text."""


@dataclass(frozen=True)
class PagedTableQuery:
    """A paged table query.

    Columns and metrics of a dataset, their order, limit and offset, and a HAVING condition.

    An analyst's may have `steps` of time for days, so that its rows are not identified by the columns, and
    `counts` of his own, which are of the rows of the period itself.
    """

    dataset: Dataset
    columns: tuple[str, ...]
    metrics: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]
    limit: int | None
    offset: int | None
    condition: str = ""
    steps: bool = False
    counts: bool = False

    @property
    def is_own(self) -> bool:
        """Return whether it asks for columns and metrics of the dataset, and for nothing else."""
        figures = [metric.name for metric in self.dataset.metrics]
        return (
            bool(self.columns and (self.metrics or self.counts))
            and all(name in figures for name in self.metrics)
            and all(self.dataset.has_column(name) for name in self.columns)
            and all(name in figures or name in self.columns for name, _ in self.order)
        )

    @property
    def keys(self) -> tuple[str, ...]:
        return self.dataset.row_keys(self.columns)

    @property
    def is_deferred(self) -> bool:
        """Return whether a deferred join is cheaper, or the only way to know a row's days."""
        if self.steps or self.counts:
            return False
        is_page = len(self.metrics) > 1 and self.limit is not None and self.limit <= MOST_NAMED
        leads_to_days = any(
            made_of is not None and EXTREMES.keys() & made_of.columns
            for made_of in (self.dataset.column(name).made_of for name in self.columns)
        )
        return is_page or leads_to_days or len(self.keys) < len(self.columns)

    def with_visible_rows(self, found: Any) -> Any:
        """Return the query without invisible rows."""
        return found._replace(sqla_query=self._restrict_to_visible(found.sqla_query, self._used_metrics))

    def with_row_count(self, found: Any, counts: Counts) -> Any:
        """Return the query for the number of rows, made from Superset's for the rows."""
        rows = (
            self._restrict_to_visible(
                found.sqla_query.limit(None).offset(None).order_by(None), self._used_metrics
            )
            if self.steps or self.counts
            else self._build_key_query(found.sqla_query, {})
        )
        known = counts.get(_render_sql(rows))
        number: Any = sa.literal_column("count(*)" if known is None else str(known)).label("rowcount")
        count = sa.select(number)
        if known is None:
            count = count.select_from(rows.subquery("rows"))
        return found._replace(sqla_query=count, labels_expected=["rowcount"])

    def with_deferred_columns(self, found: Any, read: Read, counts: Counts) -> Any:
        """Return the query for names and figures of the rows whose keys `read` finds."""
        windows = tuple(name for name in self.metrics if self.dataset.metric(name).expression.has_window)
        page = read(self._build_page_query(found.sqla_query, windows))
        if page:
            counts[_render_sql(self._build_key_query(found.sqla_query, {}))] = page[0][-1]
        if not 0 < len(page) <= MOST_NAMED:
            return self.with_visible_rows(found)
        rest = [name for name in (*self.columns, *self.metrics) if name not in windows]
        shown = (self._build_value(name).label(f"shown_{name}") for name in rest)
        rows = _restrict_to_periods(
            self._group_by_keys(found.sqla_query, *shown), self._find_read_periods(self._used_metrics)
        )
        conditions = (
            _build_membership(_build_column(key), {row[number] for row in page})
            for number, key in enumerate(self.keys)
        )
        rows = rows.where(*conditions).limit(None).offset(None).subquery("rows")
        places = sa.values(*map(sa.column, (*self.keys, *windows, PLACE)), name="places")
        places = places.data(
            [tuple(map(_build_literal, (*row[:-1], place))) for place, row in enumerate(page)]
        )
        same = sa.and_(*(rows.c[key].is_not_distinct_from(places.c[key]) for key in self.keys))
        selected = [
            (places.c[name] if name in windows else rows.c[f"shown_{name}"]).label(label)
            for label, name in zip(found.labels_expected, (*self.columns, *self.metrics), strict=True)
        ]
        named = sa.select(*selected).select_from(rows.join(places, same)).order_by(places.c[PLACE])
        return found._replace(sqla_query=named)

    def _build_page_query(self, query: Any, windows: tuple[str, ...]) -> Any:
        """Return the query for the keys of a page in order, its window metrics and the row count."""
        labels = {name: f"sorting_{place}" for place, (name, _) in enumerate(self.order)}
        labels |= {name: name for name in windows}
        # Not counted by a window, which would hold every row with all that is asked of it.
        rows = self._build_key_query(query, labels).cte("all_rows")
        number = sa.select(sa.func.count()).select_from(rows).scalar_subquery()
        page = sa.select(*(rows.c[name] for name in (*self.keys, *windows)), number.label(NUMBER))
        sorting = ((self._build_sort_key(name, rows.c[labels[name]]), rising) for name, rising in self.order)
        order = [sa.asc(figure) if rising else sa.desc(figure) for figure, rising in sorting]
        # Rows that are equal in that stand in an order too: each is on one page.
        keys = (rows.c[key] for key in self.keys)
        return page.order_by(*order, *keys).limit(self.limit).offset(self.offset)

    def _build_sort_key(self, name: str, column: Any) -> Any:
        return pinyin_sort_key(column) if is_text(self.dataset, name) else column

    def _build_key_query(self, query: Any, labels: Mapping[str, str]) -> Any:
        """Return the query for the keys of all visible rows, and for these metrics by their labels."""
        figures = (self._build_value(name).label(label) for name, label in labels.items())
        return self._restrict_to_visible(
            self._group_by_keys(query, *figures).limit(None).offset(None), labels
        )

    def _restrict_to_visible(self, query: Any, names: Iterable[str]) -> Any:
        """Return the query restricted to the rows that are visible for these metrics."""
        periods = self._row_visibility.needed | self._find_read_periods(names)
        condition = self._row_visibility.condition_sql(periods)
        # In brackets: a chart may have a condition of its own.
        return _restrict_to_periods(
            query.having(sa.literal_column(f"({condition})")) if condition else query, periods
        )

    def _find_read_periods(self, names: Iterable[str]) -> Periods:
        """Return the periods that these metrics and the condition read."""
        figures = [self.dataset.metric(name).expression for name in names if name in self._used_metrics]
        condition = (
            _periods_of_condition(self.dataset, self.condition) if self.condition else frozenset[int]()
        )
        return condition.union(*(find_read_periods(self.dataset, figure) for figure in figures))

    def _group_by_keys(self, query: Any, *figures: Any) -> Any:
        """Return the query grouped by the keys, with these values instead of names, in no order."""
        keys = [_build_column(key) for key in self.keys]
        selected = [key.label(name) for key, name in zip(keys, self.keys, strict=True)]
        return query.with_only_columns(*selected, *figures).group_by(None).group_by(*keys).order_by(None)

    @property
    def _used_metrics(self) -> set[str]:
        """The metrics that are asked for, be it for the order."""
        return {*self.metrics, *(name for name, _ in self.order if name not in self.columns)}

    @cached_property
    def _row_visibility(self) -> RowVisibility:
        if not (self.counts and self.dataset.periods):
            return find_row_visibility(self.dataset, self.metrics)
        visibility = (
            find_row_visibility(self.dataset, self.metrics) if self.metrics else RowVisibility(OWN, (), OWN)
        )
        return replace(visibility, periods=visibility.periods | OWN, needed=visibility.needed | OWN)

    def _build_value(self, name: str) -> Any:
        """Return a metric's or a column's value for a row of the table."""
        if name in self.metrics or not self.dataset.has_column(name):
            return sa.literal_column(self.dataset.metric(name).sql)
        if name in self.keys:
            return _build_column(name)
        made = self.dataset.build_link_sql(name, self._build_link_part)
        return sa.literal_column(made) if made else sa.func.any_value(_build_column(name))

    def _build_link_part(self, name: str) -> str:
        if name in self.keys:
            return f'"{name}"'
        return (
            f'{EXTREMES[name]}("{self.dataset.time_column}")' if name in EXTREMES else f'any_value("{name}")'
        )


def parse_table_query(dataset: Dataset | None, parts: dict[str, Any]) -> PagedTableQuery | None:
    """Return the paged table that a query asks for.

    None if it asks for anything but the dataset's own, and counts.
    """
    if dataset is None or parts.get("series_limit") or parts.get("timeseries_limit"):
        return None
    columns = parts.get("columns") or parts.get("groupby") or []
    metrics = [name for name in parts.get("metrics") or [] if isinstance(name, str)]
    order = [(name, rising) for name, rising in parts.get("orderby") or [] if isinstance(name, str)]
    limit, offset = parts.get("row_limit") or None, parts.get("row_offset") or None
    condition = (parts.get("extras") or {}).get("having") or ""
    table = PagedTableQuery(
        dataset,
        tuple(str(column_name(name)) for name in columns),
        tuple(metrics),
        tuple(order),
        limit,
        offset,
        condition,
        steps=any(isinstance(name, dict) and name.get("timeGrain") for name in columns),
        counts=len(metrics) < len(parts.get("metrics") or []),
    )
    return table if table.is_own else None


def _periods_of_condition(dataset: Dataset, condition: str) -> Periods:
    """Return the periods that a condition reads: it comes from Superset, as text."""
    if "count(" in condition:
        return EVERY
    return periods_of(dataset, _names_in(condition))


def _names_in(text: str) -> Iterable[str]:
    """Return everything in a text that could be a name."""
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split()


def _restrict_to_periods(query: Any, periods: Periods) -> Any:
    """Return the query over rows of these periods alone."""
    return query if periods == EVERY else query.where(_build_column(PERIOD_OFFSET).in_(sorted(periods)))


def _render_sql(query: Any) -> str:
    return str(query.compile(compile_kwargs={"literal_binds": True}))


def _build_column(name: str) -> Any:
    return sa.literal_column(f'"{name}"')


def _build_membership(column: Any, values: set[Any]) -> Any:
    """Return the condition that a column has one of these values, of which None is one too."""
    some = column.in_([_build_literal(value) for value in values if value is not None])
    return sa.or_(some, column.is_(None)) if None in values else some


def _build_literal(value: Any) -> Any:
    """Return a value of the snapshot as it stands in a query."""
    if isinstance(value, date):
        return sa.literal_column(f"date '{value.isoformat()}'")
    return sa.null() if value is None else sa.literal(value)
