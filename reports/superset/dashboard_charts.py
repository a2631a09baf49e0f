"""Charts of published boards (看板上的图).

Readers who may not explore ask only for the fields of such charts, or for the values of the boards'
filters.
"""

from __future__ import annotations

import json
from collections.abc import Set
from typing import Any
from uuid import UUID

from reports.semantics.datasets import Dataset
from reports.semantics.query_validation import is_limited_to
from reports.superset.chart_fields import ChartFields, read_chart_fields

REFUSED = "只能查看发布给您的看板上的图表"
RANGE = ("MIN", "MAX")
"""Aggregates that a filter of numbers reads of its column."""


def find_chart_refusal(boards: Set[UUID], context: Any, dataset: Dataset) -> str | None:
    """Return the refusal of a request for anything but these boards' charts and filter values, or None."""
    parts = _find_chart_fields(boards, context)
    if parts is None:
        return REFUSED
    filterable = {column.name for column in dataset.columns}
    if all(is_limited_to(query, parts.columns, filterable, parts.has) for query in context.queries):
        return None
    return REFUSED


def _find_chart_fields(boards: Set[UUID], context: Any) -> ChartFields | None:
    """Return the fields of the chart or filter that a request names.

    None where it is on none of the boards.
    """
    form, source = context.form_data or {}, context.datasource
    if form.get("type") == "NATIVE_FILTER":
        return _find_filter_fields(boards, form, source)
    from superset import db
    from superset.models.slice import Slice

    number = form.get("slice_id")
    chart = db.session.get(Slice, number) if isinstance(number, int) and number > 0 else None
    if (
        chart is None
        or form.get("parent_slice_id") is not None
        or chart.datasource_id != source.id
        or not boards & {board.uuid for board in chart.dashboards}
    ):
        return None
    return read_chart_fields(json.loads(chart.params or "{}"))


def _find_filter_fields(boards: Set[UUID], form: dict[str, Any], source: Any) -> ChartFields | None:
    from superset import db
    from superset.models.dashboard import Dashboard

    number = form.get("dashboardId")
    board = db.session.get(Dashboard, number) if isinstance(number, int) else None
    metadata = json.loads(board.json_metadata or "{}") if board and board.uuid in boards else {}
    for item in metadata.get("native_filter_configuration", []):
        if item.get("id") != form.get("native_filter_id"):
            continue
        columns = frozenset(
            target["column"]["name"]
            for target in item.get("targets", [])
            if target.get("datasetId") == source.id and "column" in target
        )
        sorted_by = (item.get("controlValues") or {}).get("sortMetric") or item.get("sortMetric")
        return ChartFields(
            columns=columns,
            figures=frozenset([sorted_by] if isinstance(sorted_by, str) else []),
            sums=frozenset((kind, name) for name in columns for kind in RANGE),
        )
    return None
