"""报表导出接口：把一张框架报表按所示筛选导出为后台任务，以及透视可选的维度和指标。"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from api.exporting.asked import SUFFIXES, Asked, ReportExport, dimensions, measures, understand
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.errors import NotFound
from api.reporting.calls import permitted
from api.reporting.snapshot import published
from api.shell import export_tasks
from reports.catalogue import Report

api = router()
REPORT_JOB = "export_report"


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


def exportable(ctx: Context, code: str) -> Report:
    """The report, when the session may see and export it. Raises NotFound, Forbidden."""
    report = permitted(ctx, code)
    ctx.require(report.export_right)
    return report


def enqueue(ctx: Context, asked: Asked, body: ReportExport) -> dict[str, Any]:
    """Have a checked request written to a file by the job worker."""
    resource, query = f"report_{asked.report.code}", body.model_dump()
    return export_tasks.queue(ctx, REPORT_JOB, resource, asked.file_label, query, SUFFIXES[asked.form])


@call(api, "POST", "v2/report/Frame/export", right=ANY_USER, returns=ReportTask, write=True)
def export(ctx: Context, body: ReportExport) -> Any:
    """导出报表: the whole of a tab under the filters that its frame shows, as a task."""
    asked = understand(exportable(ctx, body.code), ctx.principal, body)
    with published():
        pass
    return enqueue(ctx, asked, body)


@call(api, "GET", "v2/report/Frame/getPivotChoices", right=ANY_USER, returns=PivotChoices)
def get_pivot_choices(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
) -> Any:
    """透视选项: of a report's tab, for roles that may export it."""
    report = exportable(ctx, code)
    found = report.tab(tab)
    if found is None:
        raise NotFound("报表页签")
    board = found.board(found.variant(ctx.principal.sees_cost))
    pivot = board.pivot
    return {
        "dimensions": [{"name": item.name, "label": item.label} for item in dimensions(board)],
        "measures": [{"name": item.name, "label": item.label} for item in measures(board)],
        "rows": pivot.rows,
        "columns": pivot.columns,
        "metrics": pivot.metrics,
    }
