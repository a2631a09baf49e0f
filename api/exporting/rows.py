"""Rows of exports (导出取数): SQL out of the catalogue's datasets and metrics, within the role's scope and the filters.

Totals are the same metrics over all rows: a ratio's total is the ratio of the sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values
from api.exporting.query import Rows, quoted
from api.kit.database import today
from api.kit.pinyin_order import key_of
from api.reporting.opening import newest
from reports.catalogue.boards import Chart, Filter
from reports.catalogue.datasets import MONEY, Column, Dataset, Metric, in_chosen
from reports.catalogue.telling import EVERY, telling
from reports.ranges import NO_RANGE, DayRange, days_come, days_of


def settled(asked: Asked, source: Connection) -> dict[str, Values]:
    """The value of every filter: as asked, else as the report opens."""
    return {item.key: _value(asked, item, source) for item in asked.board.filters}


def _value(asked: Asked, item: Filter, source: Connection) -> Values:
    given = asked.filters.get(item.key) or item.default
    if given or not item.latest:
        return tuple(given)
    last = newest(source, asked.board.dataset(item.dataset), item.column, asked.role_id)
    return () if last is None else (last,)


def chosen_days(asked: Asked, chart: Chart, values: Mapping[str, Values]) -> DayRange:
    """The days that a chart is asked for."""
    ranges = (
        str(values[item.key][0]) for item in asked.board.filters_of(chart) if item.ranged and values[item.key]
    )
    return days_come(next(ranges, NO_RANGE), today())


def rows_of(dataset: Dataset, role_id: int, chosen: Iterable[tuple[Filter, Values]]) -> Rows:
    """The rows of a dataset that a role sees and that have the chosen values."""
    values: list[Any] = [role_id]
    conditions, ends = ["role_id = $1"], set[tuple[date, date]]()
    for item, picked in chosen:
        if picked and item.ranged:
            days = _days(picked)
            conditions += _between(item.column, days, values)
            ends.add(days.ends)
        elif picked:
            conditions.append(_condition(item.column, picked, values))
            firsts = dataset.first_days(item.column, picked)
            if firsts:
                conditions.append(_condition(*firsts, values))
                ends |= {(day, day) for day in firsts[1]}
    sql = in_chosen(dataset.sql, ends)
    return Rows(f"(select * from ({sql}) as d where {' and '.join(conditions)}) as b", tuple(values))


def _days(picked: Values) -> DayRange:
    """The days that a range means today."""
    found = days_of(str(picked[0]), today())
    assert found is not None, f"no range {picked[0]}"
    return found


def _between(name: str, days: DayRange, values: list[Any]) -> Iterator[str]:
    """The conditions that rows lie in a range of days."""
    for sign, day in ((">=", days.since), ("<", days.until)):
        if day:
            values.append(day)
            yield f"{quoted(name)} {sign} ${len(values)}"


def _condition(name: str, picked: Sequence[Any], values: list[Any]) -> str:
    column, some = quoted(name), [value for value in picked if value is not None]
    parts = []
    if some:
        numbers = range(len(values) + 1, len(values) + len(some) + 1)
        values += some
        parts.append(f"{column} in ({', '.join(f'${number}' for number in numbers)})")
    if len(some) < len(picked):
        parts.append(f"{column} is null")
    return f"({' or '.join(parts)})"


def chart_rows(asked: Asked, chart: Chart, values: Mapping[str, Values]) -> Rows:
    """The rows that a chart is computed from."""
    if asked.listed:
        return asked.listed.rows
    board = asked.board
    chosen = [(item, values[item.key]) for item in board.filters_of(chart)]
    return rows_of(board.dataset(chart.dataset), asked.role_id, chosen)


def table_columns(dataset: Dataset, chart: Chart) -> list[Column]:
    """The columns of a table on paper: links lead nowhere there, but rows that they keep apart stay apart."""
    return [column for name in chart.by if (column := dataset.column(name)).kind != "link"]


def table_metrics(dataset: Dataset, chart: Chart) -> list[Metric]:
    return [dataset.metric(name) for name in chart.metrics]


def told(metric: Metric) -> str:
    """A figure as a file tells it: amounts are of whole cents, means as well."""
    return f"round({metric.sql}, 2)" if metric.format == MONEY else metric.sql


def ordered(column: Column, sql: str) -> str:
    """What a column of a dataset stands by: texts by their pinyin."""
    return key_of(sql) if column.kind == "text" else sql


def table_statement(dataset: Dataset, chart: Chart, limit: int = 0) -> str:
    """Every row of a table in its order on screen, equal ones in the order of their columns."""
    columns = table_columns(dataset, chart)
    shown = [quoted(column.name) for column in columns]
    metrics = map(told, table_metrics(dataset, chart))
    keys = ", ".join(quoted(name) for name in chart.by)
    order = [f"{ordered(column, quoted(column.name))} nulls last" for column in columns]
    if chart.order:
        direction = "desc" if chart.order.startswith("-") else "asc"
        order.insert(0, f"{dataset.metric(chart.order.lstrip('-')).sql} {direction} nulls last")
    return (
        f"select {', '.join([*shown, *metrics])} from {{rows}} group by {keys}{_telling(dataset, chart)}"
        f" order by {', '.join(order)}" + (f" limit {limit}" if limit else "")
    )


def totals_statement(metrics: Sequence[Metric]) -> str:
    return f"select {', '.join(map(told, metrics))} from {{rows}}"


def count_statement(dataset: Dataset, chart: Chart) -> str:
    keys = ", ".join(quoted(name) for name in chart.by)
    return f"select count(*) from (select 1 from {{rows}} group by {keys}{_telling(dataset, chart)})"


def _telling(dataset: Dataset, chart: Chart) -> str:
    condition = telling(dataset, chart.metrics).among(EVERY)
    return f" having {condition}" if condition else ""
