"""访客应答：看板的数据集信息里不带取数语句，报表读者不需要知道表结构；导出的文件里不带链接列。"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from flask import Flask, Response, json, request

from reports.catalogue import REPORTS

DATASETS = re.compile(r"/api/v1/dashboard/\d+/datasets")
HIDDEN = ("sql", "select_star")


def hide_queries(app: Flask) -> None:
    """Blank the SQL of the datasets that a guest's frame loads."""

    def answer(response: Response) -> Response:
        from superset import security_manager

        if not DATASETS.fullmatch(request.path) or response.status_code != 200:
            return response
        if not security_manager.is_guest_user():
            return response
        content = json.loads(response.get_data())
        for dataset in content["result"]:
            dataset.update({name: None for name in HIDDEN if name in dataset})
        response.set_data(json.dumps(content, ensure_ascii=False))
        return response

    app.after_request(answer)


def export_without_links() -> None:
    """Leave link columns out of CSV and Excel files: their markup is for the frame, a file has nothing to open."""
    from superset.common.chart_data import ChartDataResultFormat
    from superset.common.query_context_processor import QueryContextProcessor

    written: Callable[..., Any] = QueryContextProcessor.get_data

    def data(self: Any, df: Any, coltypes: list[Any]) -> Any:
        links = link_columns().get(getattr(self._qc_datasource, "table_name", ""), frozenset())
        if not links or self._query_context.result_format not in ChartDataResultFormat.table_like():
            return written(self, df, coltypes)
        kept = [place for place, name in enumerate(df.columns) if name not in links]
        return written(self, df.iloc[:, kept], [coltypes[place] for place in kept])

    QueryContextProcessor.get_data = data


@cache
def link_columns() -> dict[str, frozenset[str]]:
    """The columns of each dataset that carry a link."""
    datasets = {
        dataset.key: dataset
        for report in REPORTS
        for tab in report.tabs
        for board in (tab.plain, tab.cost)
        if board is not None
        for dataset in board.datasets
    }
    links = {
        key: frozenset(column.name for column in dataset.columns if column.kind == "link")
        for key, dataset in datasets.items()
    }
    return {key: names for key, names in links.items() if names}
