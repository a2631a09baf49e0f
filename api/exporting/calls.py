"""Report export calls (报表导出接口): export a report under the shown filters as a background task, and the
choices of its pivot."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from api.exporting.export_request import (
    SUFFIXES,
    ExportRequest,
    ExportRequestBody,
    list_dimensions,
    list_measures,
)
from api.exporting.report_access import parse_export_request
from api.exporting.report_source import require_readable
from api.kit.context import Context
from api.kit.declaration import menu
from api.kit.http.routing import ANY_USER, build_router, call
from api.shell.files import export_tasks

api = build_router()
REPORT_JOB = "export_report"
REPORT = "report_"
"""Stands before a report's code as the resource of its tasks."""


class ReportTask(BaseModel):
    """A queued export; it shows among the export tasks."""

    export_id: int
    file_name: str


class PivotChoice(BaseModel):
    name: str
    label: str


class PivotChoices(BaseModel):
    """Choices of a report's pivot, and its default."""

    dimensions: list[PivotChoice]
    measures: list[PivotChoice]
    rows: list[str] = Field(description="默认行维度")
    columns: list[str] = Field(description="默认列维度")
    metrics: list[str] = Field(description="默认指标")


def enqueue_export(ctx: Context, request: ExportRequest, body: ExportRequestBody) -> dict[str, Any]:
    """Queue an export of a validated request for the job worker."""
    resource, query = f"{REPORT}{request.code}", body.model_dump()
    return export_tasks.enqueue_export(
        ctx, REPORT_JOB, resource, request.file_label, query, SUFFIXES[request.form]
    )


def _required_rights(resource: str) -> tuple[str, ...]:
    entry = menu.find_report(resource.removeprefix(REPORT))
    if entry is None:
        raise LookupError(resource)
    return entry.right, entry.rights["export"]


export_tasks.REQUIRED_RIGHTS[REPORT_JOB] = _required_rights


@call(api, "POST", "v2/report/Frame/export", right=ANY_USER, returns=ReportTask, write=True)
def export(ctx: Context, body: ExportRequestBody) -> Any:
    """导出报表: the whole of a tab, or of a list, under the filters that are shown, as a task."""
    request = parse_export_request(ctx, body)
    require_readable(request)
    return enqueue_export(ctx, request, body)


@call(api, "GET", "v2/report/Frame/getPivotChoices", right=ANY_USER, returns=PivotChoices)
def get_pivot_choices(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
    grouping: Annotated[str, Query(max_length=100, description="列表的汇总方式")] = "",
) -> Any:
    """透视选项: of a report's tab or list, for roles that may export it."""
    filters: dict[str, list[str | None]] = {"grouping": [grouping]} if grouping else {}
    board = parse_export_request(
        ctx, ExportRequestBody(code=code, tab=tab, form="detail", filters=filters)
    ).board
    pivot = board.pivot
    return {
        "dimensions": [{"name": item.name, "label": item.label} for item in list_dimensions(board)],
        "measures": [{"name": item.name, "label": item.label} for item in list_measures(board)],
        "rows": pivot.rows,
        "columns": pivot.columns,
        "metrics": pivot.metrics,
    }
