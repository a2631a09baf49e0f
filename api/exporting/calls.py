"""报表导出接口：把一张报表按所示筛选导出为后台任务，以及透视可选的维度和指标。"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from api.exporting.asked import SUFFIXES, Asked, ReportExport, dimensions, measures
from api.exporting.opening import require_readable
from api.exporting.reports import understood
from api.kit import menus
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.shell import export_tasks

api = router()
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
    """What a report's pivot may consist of, and how it is built unless one chooses otherwise."""

    dimensions: list[PivotChoice]
    measures: list[PivotChoice]
    rows: list[str] = Field(description="默认行维度")
    columns: list[str] = Field(description="默认列维度")
    metrics: list[str] = Field(description="默认指标")


def enqueue(ctx: Context, asked: Asked, body: ReportExport) -> dict[str, Any]:
    """Have a checked request written to a file by the job worker."""
    resource, query = f"{REPORT}{asked.code}", body.model_dump()
    return export_tasks.queue(ctx, REPORT_JOB, resource, asked.file_label, query, SUFFIXES[asked.form])


def _needed(resource: str) -> tuple[str, ...]:
    entry = menus.report(resource.removeprefix(REPORT))
    if entry is None:
        raise LookupError(resource)
    return entry.right, entry.rights["export"]


export_tasks.NEEDED[REPORT_JOB] = _needed


@call(api, "POST", "v2/report/Frame/export", right=ANY_USER, returns=ReportTask, write=True)
def export(ctx: Context, body: ReportExport) -> Any:
    """导出报表: the whole of a tab, or of a list, under the filters that are shown, as a task."""
    asked = understood(ctx, body)
    require_readable(asked)
    return enqueue(ctx, asked, body)


@call(api, "GET", "v2/report/Frame/getPivotChoices", right=ANY_USER, returns=PivotChoices)
def get_pivot_choices(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
    grouping: Annotated[str, Query(max_length=100, description="列表的汇总方式")] = "",
) -> Any:
    """透视选项: of a report's tab or list, for roles that may export it."""
    filters: dict[str, list[str | None]] = {"grouping": [grouping]} if grouping else {}
    board = understood(ctx, ReportExport(code=code, tab=tab, form="detail", filters=filters)).board
    pivot = board.pivot
    return {
        "dimensions": [{"name": item.name, "label": item.label} for item in dimensions(board)],
        "measures": [{"name": item.name, "label": item.label} for item in measures(board)],
        "rows": pivot.rows,
        "columns": pivot.columns,
        "metrics": pivot.metrics,
    }
