"""Dataset SQL (导出取数): SQL out of the catalogue's datasets and metrics, within the role's scope and the
filters.

Totals are the same metrics over all rows: a ratio's total is the ratio of the sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection

from api.exporting.export_request import ExportRequest, Values
from api.exporting.query import RowQuery, quote_identifier
from api.kit.storage.database import today
from api.kit.storage.pinyin_order import pinyin_key_sql
from api.reporting.superset_gateway.default_filters import read_newest_value
from reports.semantics.dashboards import Chart, Filter
from reports.semantics.datasets import MONEY, Column, Dataset, Metric, bind_chosen_range
from reports.semantics.day_ranges import NO_RANGE, DayRange, parse_day_range, parse_past_range
from reports.semantics.row_visibility import EVERY, find_row_visibility


def resolve_filter_values(request: ExportRequest, source: Connection) -> dict[str, Values]:
    """Return the value of every filter: as requested, else the report's default."""
    return {item.key: _resolve_value(request, item, source) for item in request.board.filters}


def _resolve_value(request: ExportRequest, item: Filter, source: Connection) -> Values:
    given = request.filters.get(item.key) or item.default
    if given or not item.latest:
        return tuple(given)
    last = read_newest_value(source, request.board.dataset(item.dataset), item.column, request.role_id)
    return () if last is None else (last,)


def chosen_days(request: ExportRequest, chart: Chart, values: Mapping[str, Values]) -> DayRange:
    """Return the range of days that a chart is requested for."""
    ranges = (
        str(values[item.key][0])
        for item in request.board.filters_of(chart)
        if item.ranged and values[item.key]
    )
    return parse_past_range(next(ranges, NO_RANGE), today())


def build_row_query(dataset: Dataset, role_id: int, chosen: Iterable[tuple[Filter, Values]]) -> RowQuery:
    """Build the query of a dataset's rows that a role sees and that have the chosen values."""
    values: list[Any] = [role_id]
    conditions, ends = ["role_id = $1"], set[tuple[date, date]]()
    for item, picked in chosen:
        if picked and item.ranged:
            days = _parse_days(picked)
            conditions += _range_conditions(item.column, days, values)
            ends.add(days.ends)
        elif picked:
            conditions.append(_value_condition(item.column, picked, values))
            firsts = dataset.first_days(item.column, picked)
            if firsts:
                conditions.append(_value_condition(*firsts, values))
                ends |= {(day, day) for day in firsts[1]}
    sql = bind_chosen_range(dataset.sql, ends)
    return RowQuery(f"(select * from ({sql}) as d where {' and '.join(conditions)}) as b", tuple(values))


def _parse_days(picked: Values) -> DayRange:
    """Return the days that a range means today."""
    found = parse_day_range(str(picked[0]), today())
    assert found is not None, f"no range {picked[0]}"
    return found


def _range_conditions(name: str, days: DayRange, values: list[Any]) -> Iterator[str]:
    """Yield the conditions that a column lies in a range of days, and bind their values."""
    for sign, day in ((">=", days.since), ("<", days.until)):
        if day:
            values.append(day)
            yield f"{quote_identifier(name)} {sign} ${len(values)}"


def _value_condition(name: str, picked: Sequence[Any], values: list[Any]) -> str:
    column, some = quote_identifier(name), [value for value in picked if value is not None]
    parts = []
    if some:
        numbers = range(len(values) + 1, len(values) + len(some) + 1)
        values += some
        parts.append(f"{column} in ({', '.join(f'${number}' for number in numbers)})")
    if len(some) < len(picked):
        parts.append(f"{column} is null")
    return f"({' or '.join(parts)})"


def chart_rows(request: ExportRequest, chart: Chart, values: Mapping[str, Values]) -> RowQuery:
    """Return the query of the rows that a chart is computed from."""
    if request.listed:
        return request.listed.rows
    board = request.board
    chosen = [(item, values[item.key]) for item in board.filters_of(chart)]
    return build_row_query(board.dataset(chart.dataset), request.role_id, chosen)


def table_columns(dataset: Dataset, chart: Chart) -> list[Column]:
    """Return the columns of a table on paper, without links."""
    return [column for name in chart.by if (column := dataset.column(name)).kind != "link"]


def table_metrics(dataset: Dataset, chart: Chart) -> list[Metric]:
    return [dataset.metric(name) for name in chart.metrics]


def rounded_sql(metric: Metric) -> str:
    """Return the SQL of a metric as exported: amounts, and means of them, rounded to whole cents."""
    return f"round({metric.sql}, 2)" if metric.format == MONEY else metric.sql


def order_sql(column: Column, sql: str) -> str:
    """Return the SQL that a column is ordered by: texts by their pinyin."""
    return pinyin_key_sql(sql) if column.kind == "text" else sql


def table_statement(dataset: Dataset, chart: Chart, limit: int = 0) -> str:
    """Build the SQL of a table's rows in the order of the screen, equal ones in the order of their columns."""
    columns = table_columns(dataset, chart)
    shown = [quote_identifier(column.name) for column in columns]
    metrics = map(rounded_sql, table_metrics(dataset, chart))
    keys = ", ".join(quote_identifier(name) for name in chart.by)
    order = [f"{order_sql(column, quote_identifier(column.name))} nulls last" for column in columns]
    if chart.order:
        direction = "desc" if chart.order.startswith("-") else "asc"
        order.insert(0, f"{dataset.metric(chart.order.lstrip('-')).sql} {direction} nulls last")
    return (
        f"select {', '.join([*shown, *metrics])} from {{rows}} group by {keys}{_having_sql(dataset, chart)}"
        f" order by {', '.join(order)}" + (f" limit {limit}" if limit else "")
    )


def totals_statement(metrics: Sequence[Metric]) -> str:
    return f"select {', '.join(map(rounded_sql, metrics))} from {{rows}}"


def count_statement(dataset: Dataset, chart: Chart) -> str:
    keys = ", ".join(quote_identifier(name) for name in chart.by)
    return f"select count(*) from (select 1 from {{rows}} group by {keys}{_having_sql(dataset, chart)})"


def _having_sql(dataset: Dataset, chart: Chart) -> str:
    condition = find_row_visibility(dataset, chart.metrics).condition_sql(EVERY)
    return f" having {condition}" if condition else ""
