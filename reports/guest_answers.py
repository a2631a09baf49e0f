"""访客应答：看板的数据集信息里不带取数语句；导出的文件以图表为名，是一张表，不带链接列；合计行里没有数的格留空；太大的交叉表不做；
筛选状态和未保存的图表各读者各存各的。"""

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

from reports import explorers
from reports.answering import asked_of_snapshot, catalogue_datasets
from reports.assets import boards
from reports.changed_answers import change_answers
from reports.chart_params import MOST_ROWS
from reports.cross_order import in_cross_order
from reports.drawn import called_series, in_order, put_together, without_gaps, without_signs_of_nothing
from reports.files import csv_text, workbook
from reports.ranges import BUSINESS_ZONE, NO_RANGE, RANGE_OPERATOR, DayRange, business_day, days_come
from reports.reader_states import BoundedStore
from reports.ways_down import led_down

MOST_CELLS = 1_000_000
MOST_FILED = 100_000
TOO_LONG = f"超过 {MOST_FILED:,} 行：请加上筛选，或用报表页上的导出"
DATASETS = r"/api/v1/dashboard/\d+/datasets"


def hide_queries(app: Flask) -> None:
    """Blank the SQL of the datasets that a guest's frame loads."""
    untold = dict.fromkeys(explorers.UNTOLD)

    def told(datasets: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: untold.get(name, value) for name, value in one.items()} for one in datasets]

    change_answers(app, DATASETS, told)


def answer_with_files() -> None:
    """Answer files as people open them: named as the chart, a table's rows alone, text that Excel reads as Chinese.

    For the totals and the count beside a table's rows Superset would send an archive. A report's table is filed whole,
    or it is said that it is too long.
    """
    from superset.charts.data.api import ChartDataRestApi
    from superset.common.chart_data import ChartDataResultFormat
    from superset.common.query_context_factory import QueryContextFactory

    sent: Callable[..., Any] = ChartDataRestApi._send_chart_response
    made: Callable[..., Any] = QueryContextFactory.create

    def create(self: Any, **asked: Any) -> Any:
        context = made(self, **asked)
        if context.result_format in ChartDataResultFormat.table_like() and explorers.present() is None:
            for query in context.queries:
                if query.row_limit == MOST_ROWS:
                    query.row_limit = MOST_FILED + 1
        return context

    def send(self: Any, result: dict[str, Any], *args: Any, **options: Any) -> Any:
        context = result["query_context"]
        form = context.form_data or {}
        if context.result_format not in ChartDataResultFormat.table_like():
            return sent(self, result, *args, **options)
        if form.get("viz_type") == "table":
            result = {**result, "queries": result["queries"][:1]}
        if any((query.get("rowcount") or 0) > MOST_FILED for query in result["queries"]):
            return self.response_400(message=TOO_LONG)
        answer = sent(self, result, *args, **options)
        if answer.mimetype == "text/csv" and not answer.is_streamed:
            answer.set_data(codecs.BOM_UTF8 + answer.get_data().removeprefix(codecs.BOM_UTF8))
        title = _title(form.get("slice_id"))
        if title and answer.status_code == 200:
            name = f"{title} {datetime.now(BUSINESS_ZONE):%Y-%m-%d %H%M}.{context.result_format.value}"
            answer.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        return answer

    ChartDataRestApi._send_chart_response = send
    QueryContextFactory.create = create


def _title(number: Any) -> str | None:
    """A stored chart's: Superset's own look-up hides charts from guests."""
    from superset import db
    from superset.models.slice import Slice

    chart = db.session.get(Slice, number) if isinstance(number, int) else None
    return chart.slice_name if chart else None


def answer_as_shown() -> None:
    """Answer what is drawn or filed of the rows.

    A file has no link columns: their markup is for the frame. A table's links say what its figures are of; its totals
    have no figure without a value, for which it would write N/A, and nothing for none; a change that rounds to none has
    no minus. The texts of a cross table come by their pinyin. Series are called by the labels of their figures. Of
    several figures the chart's first comes first, and the small slices of a donut are one. An analyst's chart has the
    rows that it asked for: what he lets be worked out of them, as a running sum, isn't known of the steps between them.
    """
    from superset.common.chart_data import ChartDataResultFormat
    from superset.common.query_context_processor import QueryContextProcessor

    written: Callable[..., Any] = QueryContextProcessor.get_data
    answered: Callable[..., Any] = QueryContextProcessor.get_df_payload

    def payload(self: Any, *args: Any, **options: Any) -> Any:
        told = answered(self, *args, **options)
        own = catalogue_datasets().get(getattr(self._qc_datasource, "table_name", ""))
        parts = told["label_map"]
        if own and (called := called_series(parts, self._query_context.form_data or {}, own)):
            told["df"] = told["df"].rename(columns=called)
            told["label_map"] = {called.get(name, name): of for name, of in parts.items()}
        return told

    def data(self: Any, df: Any, coltypes: list[Any]) -> Any:
        if self._query_context.result_format in ChartDataResultFormat.table_like():
            links = link_columns().get(getattr(self._qc_datasource, "table_name", ""), frozenset())
            kept = [place for place, name in enumerate(df.columns) if name not in links]
            labels = self._qc_datasource.data.get("verbose_map") or {}
            shown = df.iloc[:, kept].rename(columns=labels)
            is_csv = self._query_context.result_format == ChartDataResultFormat.CSV
            return csv_text(shown) if is_csv else workbook(shown)
        rows = written(self, df, coltypes)
        form = self._query_context.form_data or {}
        own = catalogue_datasets().get(getattr(self._qc_datasource, "table_name", ""))
        if form.get("viz_type") != "table":
            if own and explorers.present() is None:
                chosen = _chosen_days(self._query_context.queries, own.time_column)
                rows = without_gaps(rows, form, own, chosen)
            if own:
                rows = in_cross_order(rows, form, own)
            return put_together(in_order(rows, form), form)
        rows = without_signs_of_nothing(rows, form)
        if own:
            conditions = self._query_context.queries[0].filter or []
            rows = led_down(rows, own, conditions, asked_of_snapshot)
        if set(form.get("groupby") or []) & set(df.columns):
            return rows
        return [{name: value for name, value in row.items() if value is not None} for row in rows]

    QueryContextProcessor.get_df_payload = payload
    QueryContextProcessor.get_data = data


def _chosen_days(queries: list[Any], column: str) -> DayRange:
    """The days that a chart was asked for."""
    ranges = (
        str(item["val"])
        for query in queries
        for item in query.filter or []
        if item.get("op") == RANGE_OPERATOR and item.get("col") == column
    )
    return days_come(next(ranges, NO_RANGE), business_day())


def bound_pivots() -> None:
    """Refuse a cross table of more cells than anybody reads: two columns of ten thousand values have their product of
    them, which takes a worker's memory.
    """
    from superset.charts import client_processing
    from superset.utils import pandas_postprocessing

    drawn: Callable[..., Any] = pandas_postprocessing.pivot
    filed: Callable[..., Any] = client_processing.pivot_df

    def pivot(df: Any, **options: Any) -> Any:
        sides = [list(options.get(name) or []) for name in ("index", "columns")]
        # Where empty columns stay, all values of a name stand beside all of the others'.
        kept = not options.get("drop_missing_columns", True)
        _bound(df, [[name] for side in sides for name in side] if kept else sides, options.get("aggregates"))
        return drawn(df, **options)

    def pivot_df(df: Any, rows: Any, columns: Any, metrics: Any, *args: Any, **options: Any) -> Any:
        _bound(df, [list(rows), list(columns)], metrics)
        return filed(df, rows, columns, metrics, *args, **options)

    pandas_postprocessing.pivot = pivot
    client_processing.pivot_df = pivot_df


def _bound(df: Any, groups: list[list[str]], figures: Any) -> None:
    """Refuse a cross table whose groups of columns have too many values beside each other."""
    from superset.exceptions import InvalidPostProcessingError

    known = [[name for name in group if name in df.columns] for group in groups]
    cells = math.prod(
        (len(df[names].drop_duplicates()) for names in known if names), start=len(figures or "-")
    )
    if cells > MOST_CELLS:
        raise InvalidPostProcessingError(
            f"交叉表有 {cells:,} 格，最多 {MOST_CELLS:,} 格：请少选一些行和列，或加上筛选"
        )


def keep_filter_states_apart() -> None:
    """Keep a guest's filter states under his role and name, an explorer's and his unsaved charts under his account.

    Superset keeps them by the login session, which neither has: all readers of a board would share one state for each
    number of a browser tab, and read each other's customers in it.
    """
    from superset.commands.dashboard.filter_state import create, delete, get, update
    from superset.commands.explore.form_data import create as draft
    from superset.commands.explore.form_data import delete as dropped
    from superset.commands.explore.form_data import update as redrawn
    from superset.temporary_cache.utils import cache_key

    def own_key(*parts: Any) -> str:
        return str(cache_key(*parts, *_reader_mark()))

    for command in (create, delete, get, update, draft, dropped, redrawn):
        command.cache_key = own_key
    bounded = SimpleNamespace(
        filter_state_cache=_bounded("filter_state_cache"),
        explore_form_data_cache=_bounded("explore_form_data_cache"),
    )
    for command in (create, update, draft, redrawn):
        command.cache_manager = bounded


def _bounded(name: str) -> BoundedStore:
    """One of Superset's stores of states, in which each reader has his share."""
    from superset.commands.temporary_cache.exceptions import TemporaryCacheAccessDeniedError
    from superset.extensions import cache_manager

    return BoundedStore(lambda: getattr(cache_manager, name), _reader_mark, TemporaryCacheAccessDeniedError)


def _reader_mark() -> tuple[str, ...]:
    from superset import security_manager

    explorer = explorers.present()
    if explorer is not None:
        return (explorer.login,)
    guest = security_manager.get_current_guest_user_if_guest()
    return () if guest is None else (json.dumps([guest.rls, guest.username]),)


@cache
def link_columns() -> dict[str, frozenset[str]]:
    """The columns of each dataset that carry a link."""
    links = {
        dataset.name: frozenset(column.name for column in dataset.columns if column.kind == "link")
        for placed in boards()
        for dataset in placed.board.datasets
    }
    return {name: columns for name, columns in links.items() if columns}
