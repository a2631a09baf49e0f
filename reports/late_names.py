"""先定行、后取名：先按行的键分组、排序、分页并计数，再只为那一页取名称、链接和其余数字。

Of three hundred thousand rows twenty are seen, and names, links and further figures of all cost ten times what finding
those does. Rows of earlier periods, which stand beside those of the chosen one to be compared with, are not looked at
where they are nothing to what is asked. The keys of the page stand as values in the second query: conditions on values
reach the tables, those on a query's rows don't reach through a union or a group. Who finds a page has counted the rows:
their number is kept for the query that asks for it next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from api.kit.pinyin_order import in_pinyin
from reports.catalogue.datasets import BESIDE_ORDER, FIRST_DAY, LAST_DAY, Dataset
from reports.catalogue.telling import EVERY, OWN, Periods, Telling, looked_at, periods_of, telling
from reports.name_order import is_text
from reports.query_parts import column_name

PLACE = "row_of_page"
NUMBER = "number_of_rows"
MOST_NAMED = 1000
EXTREMES = {FIRST_DAY: "min", LAST_DAY: "max"}
"""Where a row that adds up days begins and ends."""
Read = Callable[[Any], Sequence[Sequence[Any]]]
Counts = MutableMapping[str, int]
"""How many rows there are of a query for all of them, by its text."""


@dataclass(frozen=True)
class Table:
    """Columns and figures of a dataset that are asked for row by row, in an order of some of them, page by page; of
    some charts under a condition on what a row adds up.

    An analyst's may have `steps` of time for days, so that its rows are not those that the columns tell apart, and
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
        """Whether it asks for columns and figures of the dataset, and for nothing else."""
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
    def is_found_first(self) -> bool:
        """Whether finding its rows is less work than answering them whole, or the only way to know of which days each
        is."""
        if self.steps or self.counts:
            return False
        is_page = len(self.metrics) > 1 and self.limit is not None and self.limit <= MOST_NAMED
        leads_to_days = any(
            made_of is not None and EXTREMES.keys() & made_of.columns
            for made_of in (self.dataset.column(name).made_of for name in self.columns)
        )
        return is_page or leads_to_days or len(self.keys) < len(self.columns)

    def telling(self, found: Any) -> Any:
        """The query without the rows that have nothing to say."""
        return found._replace(sqla_query=self._told(found.sqla_query, self._figures))

    def counted(self, found: Any, counts: Counts) -> Any:
        """The query for the number of rows, made of Superset's for the rows."""
        rows = (
            self._told(found.sqla_query.limit(None).offset(None).order_by(None), self._figures)
            if self.steps or self.counts
            else self._all(found.sqla_query, {})
        )
        known = counts.get(_text(rows))
        number: Any = sa.literal_column("count(*)" if known is None else str(known)).label("rowcount")
        count = sa.select(number)
        if known is None:
            count = count.select_from(rows.subquery("rows"))
        return found._replace(sqla_query=count, labels_expected=["rowcount"])

    def named(self, found: Any, read: Read, counts: Counts) -> Any:
        """The query for the rows, of which `read` finds the keys: what they are called and their figures."""
        windows = tuple(name for name in self.metrics if self.dataset.metric(name).expression.has_window)
        page = read(self._page(found.sqla_query, windows))
        if page:
            counts[_text(self._all(found.sqla_query, {}))] = page[0][-1]
        if not 0 < len(page) <= MOST_NAMED:
            return self.telling(found)
        rest = [name for name in (*self.columns, *self.metrics) if name not in windows]
        shown = (self._figure(name).label(f"shown_{name}") for name in rest)
        rows = _of(self._grouped(found.sqla_query, *shown), self._looked_at(self._figures))
        conditions = (
            _among(_column(key), {row[number] for row in page}) for number, key in enumerate(self.keys)
        )
        rows = rows.where(*conditions).limit(None).offset(None).subquery("rows")
        places = sa.values(*map(sa.column, (*self.keys, *windows, PLACE)), name="places")
        places = places.data([tuple(map(_literal, (*row[:-1], place))) for place, row in enumerate(page)])
        same = sa.and_(*(rows.c[key].is_not_distinct_from(places.c[key]) for key in self.keys))
        told = [
            (places.c[name] if name in windows else rows.c[f"shown_{name}"]).label(label)
            for label, name in zip(found.labels_expected, (*self.columns, *self.metrics), strict=True)
        ]
        named = sa.select(*told).select_from(rows.join(places, same)).order_by(places.c[PLACE])
        return found._replace(sqla_query=named)

    def _page(self, query: Any, windows: tuple[str, ...]) -> Any:
        """The keys of the rows in their order, the figures that look at other rows, and the rows' number."""
        labels = {name: f"sorting_{place}" for place, (name, _) in enumerate(self.order)}
        labels |= {name: name for name in windows}
        # Not counted by a window, which would hold every row with all that is asked of it.
        rows = self._all(query, labels).cte("all_rows")
        number = sa.select(sa.func.count()).select_from(rows).scalar_subquery()
        page = sa.select(*(rows.c[name] for name in (*self.keys, *windows)), number.label(NUMBER))
        sorting = ((self._sorted(name, rows.c[labels[name]]), rising) for name, rising in self.order)
        order = [sa.asc(figure) if rising else sa.desc(figure) for figure, rising in sorting]
        # Rows that are equal in that stand in an order too: each is on one page.
        keys = (rows.c[key] for key in self.keys)
        return page.order_by(*order, *keys).limit(self.limit).offset(self.offset)

    def _sorted(self, name: str, column: Any) -> Any:
        return in_pinyin(column) if is_text(self.dataset, name) else column

    def _all(self, query: Any, labels: Mapping[str, str]) -> Any:
        """The query for the keys of all rows that tell something, and of these figures by their labels."""
        figures = (self._figure(name).label(label) for name, label in labels.items())
        return self._told(self._grouped(query, *figures).limit(None).offset(None), labels)

    def _told(self, query: Any, names: Iterable[str]) -> Any:
        """The query of these figures for those rows that tell something."""
        periods = self._telling.needed | self._looked_at(names)
        told = self._telling.among(periods)
        # In brackets: a chart may have a condition of its own.
        return _of(query.having(sa.literal_column(f"({told})")) if told else query, periods)

    def _looked_at(self, names: Iterable[str]) -> Periods:
        """The periods that tell of these figures, and of the condition."""
        figures = [self.dataset.metric(name).expression for name in names if name in self._figures]
        condition = (
            _periods_of_condition(self.dataset, self.condition) if self.condition else frozenset[int]()
        )
        return condition.union(*(looked_at(self.dataset, figure) for figure in figures))

    def _grouped(self, query: Any, *figures: Any) -> Any:
        """A query for the rows with their keys and these figures instead of names, in no order."""
        keys = [_column(key) for key in self.keys]
        selected = [key.label(name) for key, name in zip(keys, self.keys, strict=True)]
        return query.with_only_columns(*selected, *figures).group_by(None).group_by(*keys).order_by(None)

    @property
    def _figures(self) -> set[str]:
        """The metrics that are asked for, be it for the order."""
        return {*self.metrics, *(name for name, _ in self.order if name not in self.columns)}

    @cached_property
    def _telling(self) -> Telling:
        if not (self.counts and self.dataset.periods):
            return telling(self.dataset, self.metrics)
        told = telling(self.dataset, self.metrics) if self.metrics else Telling(OWN, (), OWN)
        return replace(told, periods=told.periods | OWN, needed=told.needed | OWN)

    def _figure(self, name: str) -> Any:
        """A metric's or a column's value for a row of the table."""
        if name in self.metrics or not self.dataset.has_column(name):
            return sa.literal_column(self.dataset.metric(name).sql)
        if name in self.keys:
            return _column(name)
        made = self.dataset.link_made_of(name, self._part)
        return sa.literal_column(made) if made else sa.func.any_value(_column(name))

    def _part(self, name: str) -> str:
        if name in self.keys:
            return f'"{name}"'
        return (
            f'{EXTREMES[name]}("{self.dataset.time_column}")' if name in EXTREMES else f'any_value("{name}")'
        )


def asked_table(dataset: Dataset | None, parts: dict[str, Any]) -> Table | None:
    """The table that a query asks for, if it asks for what the dataset has, and counts of it, and for nothing else."""
    if dataset is None or parts.get("series_limit") or parts.get("timeseries_limit"):
        return None
    columns = parts.get("columns") or parts.get("groupby") or []
    metrics = [name for name in parts.get("metrics") or [] if isinstance(name, str)]
    order = [(name, rising) for name, rising in parts.get("orderby") or [] if isinstance(name, str)]
    limit, offset = parts.get("row_limit") or None, parts.get("row_offset") or None
    condition = (parts.get("extras") or {}).get("having") or ""
    table = Table(
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


def _of(query: Any, periods: Periods) -> Any:
    """The query over rows of these periods alone."""
    return query if periods == EVERY else query.where(_column(BESIDE_ORDER).in_(sorted(periods)))


def _text(query: Any) -> str:
    return str(query.compile(compile_kwargs={"literal_binds": True}))


def _column(name: str) -> Any:
    return sa.literal_column(f'"{name}"')


def _among(column: Any, values: set[Any]) -> Any:
    """Whether a column has one of these values; having none is one too."""
    some = column.in_([_literal(value) for value in values if value is not None])
    return sa.or_(some, column.is_(None)) if None in values else some


def _literal(value: Any) -> Any:
    """A value that the snapshot answered, as it stands in a query."""
    if isinstance(value, date):
        return sa.literal_column(f"date '{value.isoformat()}'")
    return sa.null() if value is None else sa.literal(value)
