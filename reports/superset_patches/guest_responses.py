"""Guest responses (访客应答).

Patches that hide SQL, name and shape files, postprocess rows, limit cross tables and separate the readers'
filter states.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable
from datetime import datetime
from functools import cache
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from flask import Flask, json

from reports.semantics.day_ranges import (
    BUSINESS_ZONE,
    NO_RANGE,
    RANGE_OPERATOR,
    DayRange,
    business_day,
    parse_past_range,
)
from reports.superset import explore_access
from reports.superset.assets import list_dashboards
from reports.superset.chart_params import MOST_ROWS
from reports.superset.drilldown_links import add_drilldown_filters
from reports.superset.export_files import build_csv, build_workbook
from reports.superset.reader_states import BoundedStore
from reports.superset_patches.chart_postprocessing import (
    fill_time_gaps,
    group_small_slices,
    label_series,
    order_series,
    strip_negative_zero,
)
from reports.superset_patches.cross_order import order_cross_rows
from reports.superset_patches.query_fast_path import catalogue_datasets, query_snapshot
from reports.superset_patches.rewrite_responses import rewrite_responses

MOST_CELLS = 1_000_000
MOST_EXPORTED = 100_000
TOO_LONG = f"超过 {MOST_EXPORTED:,} 行：请加上筛选，或用报表页上的导出"
DATASETS = r"/api/v1/dashboard/\d+/datasets"


def install_sql_hiding(app: Flask) -> None:
    """Blank the SQL of the datasets that a guest's frame loads."""
    untold = dict.fromkeys(explore_access.SQL_FIELDS)

    def blank_sql(datasets: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: untold.get(name, value) for name, value in one.items()} for one in datasets]

    rewrite_responses(app, DATASETS, blank_sql)


def install_file_responses() -> None:
    """Answer files as people open them.

    Named as the chart, a table's rows alone, text that Excel reads as Chinese.

    For the totals and the count beside a table's rows Superset would send an archive. A report's table is
    exported whole, or refused as too long.
    """
    from superset.charts.data.api import ChartDataRestApi
    from superset.common.chart_data import ChartDataResultFormat
    from superset.common.query_context_factory import QueryContextFactory

    sent: Callable[..., Any] = ChartDataRestApi._send_chart_response
    made: Callable[..., Any] = QueryContextFactory.create

    def create(self: Any, **asked: Any) -> Any:
        context = made(self, **asked)
        if (
            context.result_format in ChartDataResultFormat.table_like()
            and explore_access.get_current_explorer() is None
        ):
            for query in context.queries:
                if query.row_limit == MOST_ROWS:
                    query.row_limit = MOST_EXPORTED + 1
        return context

    def send(self: Any, result: dict[str, Any], *args: Any, **options: Any) -> Any:
        context = result["query_context"]
        form = context.form_data or {}
        if context.result_format not in ChartDataResultFormat.table_like():
            return sent(self, result, *args, **options)
        if form.get("viz_type") == "table":
            result = {**result, "queries": result["queries"][:1]}
        if any((query.get("rowcount") or 0) > MOST_EXPORTED for query in result["queries"]):
            return self.response_400(message=TOO_LONG)
        answer = sent(self, result, *args, **options)
        if answer.mimetype == "text/csv" and not answer.is_streamed:
            answer.set_data(codecs.BOM_UTF8 + answer.get_data().removeprefix(codecs.BOM_UTF8))
        title = _read_chart_title(form.get("slice_id"))
        if title and answer.status_code == 200:
            name = f"{title} {datetime.now(BUSINESS_ZONE):%Y-%m-%d %H%M}.{context.result_format.value}"
            answer.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        return answer

    ChartDataRestApi._send_chart_response = send
    QueryContextFactory.create = create


def _read_chart_title(number: Any) -> str | None:
    """Return the title of a stored chart: Superset's own look-up hides charts from guests."""
    from superset import db
    from superset.models.slice import Slice

    chart = db.session.get(Slice, number) if isinstance(number, int) else None
    return chart.slice_name if chart else None


def install_chart_postprocessing() -> None:
    """Postprocess the rows of an answer as they are drawn or exported.

    A file has no link columns: their markup is for the frame. A table's links carry the filters of its
    rows; totals omit empty figures, for which N/A would be written; a change that rounds to zero has no
    minus. Series are called by the labels of their metrics, in the chart's order, and the small slices of
    a donut are one. An analyst's chart keeps the rows that it asked for: derived ones, as a running sum,
    are unknown at the steps between them.
    """
    from superset.common.chart_data import ChartDataResultFormat
    from superset.common.query_context_processor import QueryContextProcessor

    written: Callable[..., Any] = QueryContextProcessor.get_data
    answered: Callable[..., Any] = QueryContextProcessor.get_df_payload

    def payload(self: Any, *args: Any, **options: Any) -> Any:
        result = answered(self, *args, **options)
        own = catalogue_datasets().get(getattr(self._qc_datasource, "table_name", ""))
        parts = result["label_map"]
        if own and (called := label_series(parts, self._query_context.form_data or {}, own)):
            result["df"] = result["df"].rename(columns=called)
            result["label_map"] = {called.get(name, name): of for name, of in parts.items()}
        return result

    def data(self: Any, df: Any, coltypes: list[Any]) -> Any:
        if self._query_context.result_format in ChartDataResultFormat.table_like():
            links = link_columns().get(getattr(self._qc_datasource, "table_name", ""), frozenset())
            kept = [place for place, name in enumerate(df.columns) if name not in links]
            labels = self._qc_datasource.data.get("verbose_map") or {}
            shown = df.iloc[:, kept].rename(columns=labels)
            is_csv = self._query_context.result_format == ChartDataResultFormat.CSV
            return build_csv(shown) if is_csv else build_workbook(shown)
        rows = written(self, df, coltypes)
        form = self._query_context.form_data or {}
        own = catalogue_datasets().get(getattr(self._qc_datasource, "table_name", ""))
        if form.get("viz_type") != "table":
            if own and explore_access.get_current_explorer() is None:
                chosen = _parse_chosen_days(self._query_context.queries, own.time_column)
                rows = fill_time_gaps(rows, form, own, chosen)
            if own:
                rows = order_cross_rows(rows, form, own)
            return group_small_slices(order_series(rows, form), form)
        rows = strip_negative_zero(rows, form)
        if own:
            conditions = self._query_context.queries[0].filter or []
            rows = add_drilldown_filters(rows, own, conditions, query_snapshot)
        if set(form.get("groupby") or []) & set(df.columns):
            return rows
        return [{name: value for name, value in row.items() if value is not None} for row in rows]

    QueryContextProcessor.get_df_payload = payload
    QueryContextProcessor.get_data = data


def _parse_chosen_days(queries: list[Any], column: str) -> DayRange:
    """Return the days that a chart was asked for."""
    ranges = (
        str(item["val"])
        for query in queries
        for item in query.filter or []
        if item.get("op") == RANGE_OPERATOR and item.get("col") == column
    )
    return parse_past_range(next(ranges, NO_RANGE), business_day())


def install_pivot_limit() -> None:
    """Refuse cross tables of more cells than anybody reads.

    Two columns of ten thousand values have their product of them, which takes a worker's memory.
    """
    from superset.charts import client_processing
    from superset.utils import pandas_postprocessing

    drawn: Callable[..., Any] = pandas_postprocessing.pivot
    filed: Callable[..., Any] = client_processing.pivot_df

    def pivot(df: Any, **options: Any) -> Any:
        sides = [list(options.get(name) or []) for name in ("index", "columns")]
        # Where empty columns stay, all values of a name stand beside all of the others'.
        kept = not options.get("drop_missing_columns", True)
        _require_cell_limit(
            df, [[name] for side in sides for name in side] if kept else sides, options.get("aggregates")
        )
        return drawn(df, **options)

    def pivot_df(df: Any, rows: Any, columns: Any, metrics: Any, *args: Any, **options: Any) -> Any:
        _require_cell_limit(df, [list(rows), list(columns)], metrics)
        return filed(df, rows, columns, metrics, *args, **options)

    pandas_postprocessing.pivot = pivot
    client_processing.pivot_df = pivot_df


def _require_cell_limit(df: Any, groups: list[list[str]], figures: Any) -> None:
    """Refuse a cross table whose groups of columns have too many combinations of values."""
    from superset.exceptions import InvalidPostProcessingError

    known = [[name for name in group if name in df.columns] for group in groups]
    cells = math.prod(
        (len(df[names].drop_duplicates()) for names in known if names), start=len(figures or "-")
    )
    if cells > MOST_CELLS:
        raise InvalidPostProcessingError(
            f"交叉表有 {cells:,} 格，最多 {MOST_CELLS:,} 格：请少选一些行和列，或加上筛选"
        )


def install_reader_states() -> None:
    """Store filter states and unsaved charts by reader: a guest's role and name, an explorer's account.

    Superset stores them by the login session, which neither has: all readers of a board would share one
    state for each number of a browser tab, and read each other's customers in it.
    """
    from superset.commands.dashboard.filter_state import create, delete, get, update
    from superset.commands.explore.form_data import create as draft
    from superset.commands.explore.form_data import delete as dropped
    from superset.commands.explore.form_data import update as redrawn
    from superset.temporary_cache.utils import cache_key

    def own_key(*parts: Any) -> str:
        return str(cache_key(*parts, *_reader_key()))

    for command in (create, delete, get, update, draft, dropped, redrawn):
        command.cache_key = own_key
    bounded = SimpleNamespace(
        filter_state_cache=_build_state_store("filter_state_cache"),
        explore_form_data_cache=_build_state_store("explore_form_data_cache"),
    )
    for command in (create, update, draft, redrawn):
        command.cache_manager = bounded


def _build_state_store(name: str) -> BoundedStore:
    """Return one of Superset's state stores, in which each reader has his share."""
    from superset.commands.temporary_cache.exceptions import TemporaryCacheAccessDeniedError
    from superset.extensions import cache_manager

    return BoundedStore(lambda: getattr(cache_manager, name), _reader_key, TemporaryCacheAccessDeniedError)


def _reader_key() -> tuple[str, ...]:
    from superset import security_manager

    explorer = explore_access.get_current_explorer()
    if explorer is not None:
        return (explorer.login,)
    guest = security_manager.get_current_guest_user_if_guest()
    return () if guest is None else (json.dumps([guest.rls, guest.username]),)


@cache
def link_columns() -> dict[str, frozenset[str]]:
    """Return the link columns of each dataset."""
    links = {
        dataset.name: frozenset(column.name for column in dataset.columns if column.kind == "link")
        for placed in list_dashboards()
        for dataset in placed.board.datasets
    }
    return {name: columns for name, columns in links.items() if columns}
