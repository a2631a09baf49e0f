"""看板上的图：只看发布的看板、不能自助分析的人，只能问看板上的图所画的列和数，或看板筛选里的值。"""

from __future__ import annotations

import json
from collections.abc import Set
from typing import Any
from uuid import UUID

from reports.catalogue.datasets import Dataset
from reports.chart_parts import Parts, parts_of
from reports.query_parts import asks_only

REFUSED = "只能查看发布给您的看板上的图表"
RANGE = ("MIN", "MAX")
"""What a filter of numbers asks of its column."""


def placed_refusal(boards: Set[UUID], context: Any, dataset: Dataset) -> str | None:
    """Why a request is neither for a chart on these boards nor for the values of one of their filters."""
    parts = _asked_parts(boards, context)
    if parts is None:
        return REFUSED
    filterable = {column.name for column in dataset.columns}
    if all(asks_only(query, parts.columns, filterable, parts.has) for query in context.queries):
        return None
    return REFUSED


def _asked_parts(boards: Set[UUID], context: Any) -> Parts | None:
    """What the chart or filter that a request names is drawn of; None where it is on none of the boards."""
    form, source = context.form_data or {}, context.datasource
    if form.get("type") == "NATIVE_FILTER":
        return _filter_parts(boards, form, source)
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
    return parts_of(json.loads(chart.params or "{}"))


def _filter_parts(boards: Set[UUID], form: dict[str, Any], source: Any) -> Parts | None:
    from superset import db
    from superset.models.dashboard import Dashboard

    number = form.get("dashboardId")
    board = db.session.get(Dashboard, number) if isinstance(number, int) else None
    told = json.loads(board.json_metadata or "{}") if board and board.uuid in boards else {}
    for item in told.get("native_filter_configuration", []):
        if item.get("id") != form.get("native_filter_id"):
            continue
        columns = frozenset(
            target["column"]["name"]
            for target in item.get("targets", [])
            if target.get("datasetId") == source.id and "column" in target
        )
        sorted_by = (item.get("controlValues") or {}).get("sortMetric") or item.get("sortMetric")
        return Parts(
            columns=columns,
            figures=frozenset([sorted_by] if isinstance(sorted_by, str) else []),
            sums=frozenset((kind, name) for name in columns for kind in RANGE),
        )
    return None
