"""Export request (导出要求): a report's tab, its form, filters and pivot, validated against the board's
declaration.

Nothing that a reader sends becomes SQL: names are looked up in the catalogue, values are bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Select

from api.exporting.query import RowQuery
from api.kit.declaration.view import View
from api.kit.errors import NotFound, Refusal
from api.kit.scope import Principal
from api.kit.storage.database import today
from reports.catalogue import Report
from reports.semantics.dashboards import Board, Filter, Pivot
from reports.semantics.datasets import Column, Dataset, Metric
from reports.semantics.day_ranges import parse_day_range

Form = Literal["detail", "pivot", "pdf"]
FORM_NAMES: dict[Form, str] = {"detail": "明细", "pivot": "透视", "pdf": ""}
"""What a file of a form is called beside the report; on paper it is the report itself."""
SUFFIXES: dict[Form, str] = {"detail": ".xlsx", "pivot": ".xlsx", "pdf": ".pdf"}
Name = Annotated[str, Field(min_length=1, max_length=60)]
Value = Annotated[str, Field(max_length=500)] | None
Values = tuple[str | None, ...]


class ExportRequestBody(BaseModel):
    """Body of an export: report, tab, form. Omitted filters and pivot fields take the report's defaults."""

    model_config = ConfigDict(extra="forbid")

    code: Annotated[str, Field(max_length=100)]
    tab: Annotated[str, Field(max_length=50)]
    form: Form
    filters: Annotated[dict[Name, Annotated[list[Value], Field(max_length=1000)]], Field(max_length=40)] = {}
    rows: Annotated[list[Name], Field(max_length=4)] = []
    columns: Annotated[list[Name], Field(max_length=2)] = []
    metrics: Annotated[list[Name], Field(max_length=6)] = []


@dataclass(frozen=True)
class ListExport:
    """Rows of a list report under its own filters, with these in words.

    Where the list isn't read from the snapshot, `present` selects its rows in the core's database.
    """

    cls: type[View]
    rows: RowQuery
    filters: str
    present: Select[Any] | None = None


@dataclass(frozen=True)
class ExportRequest:
    """A validated export request; `filters` are the values by filter key, `reader` is the principal who gets
    the file.

    A list is a board without filters of its own over the rows in `listed`.
    """

    code: str
    title: str
    board: Board
    reader: Principal
    form: Form
    filters: Mapping[str, Values]
    pivot: Pivot
    listed: ListExport | None = None

    @property
    def role_id(self) -> int:
        """The role whose rows are read."""
        return self.reader.role_id

    @property
    def file_label(self) -> str:
        return "_".join(filter(None, [*self.title.split(" · "), FORM_NAMES[self.form]]))


def validate_request(report: Report, principal: Principal, body: ExportRequestBody) -> ExportRequest:
    """Validate the names of a request against the catalogue. Raises NotFound and Refusal, with a Chinese
    message."""
    tab = report.tab(body.tab)
    if tab is None:
        raise NotFound("报表页签")
    board = tab.board(tab.variant(principal.sees_cost))
    filters = _validate_filters(board, body.filters)
    return ExportRequest(
        report.code, report.title(tab), board, principal, body.form, filters, resolve_pivot(board, body)
    )


def _validate_filters(board: Board, given: Mapping[str, list[str | None]]) -> dict[str, Values]:
    known = {item.key: item for item in board.filters}
    if unknown := given.keys() - known.keys():
        raise unknown_filter_error(unknown)
    for key, values in given.items():
        if len(values) > 1 and not known[key].multiple:
            raise Refusal(f"“{known[key].label}”只能选一个值，请重新选择后再导出")
        if known[key].ranged and any(parse_day_range(words or "", today()) is None for words in values):
            raise Refusal(f"“{known[key].label}”所选的范围不能导出，请改选最近、本期、上期，或自定义起止日期")
    return {key: tuple(dict.fromkeys(values)) for key, values in given.items() if values}


def unknown_filter_error(names: Iterable[str]) -> Refusal:
    """Build the refusal of filters that a report doesn't have."""
    names_text = "、".join(f"“{name}”" for name in sorted(names))
    return Refusal(f"此报表没有筛选项{names_text}，请在报表上重新选择筛选后再导出")


def resolve_pivot(board: Board, body: ExportRequestBody) -> Pivot:
    """Return the requested pivot of a board, else its default one. Raises Refusal for what the board does not
    offer."""
    usual = board.pivot
    rows, columns = tuple(body.rows), tuple(body.columns)
    if not (rows or columns):
        rows, columns = usual.rows, usual.columns
    metrics = tuple(dict.fromkeys(body.metrics)) or usual.metrics
    if not rows:
        raise Refusal("请至少选择一个行维度")
    if len({*rows, *columns}) < len(rows) + len(columns):
        raise Refusal("同一个维度不能在行和列上重复选择")
    strange = {*rows, *columns} - {item.name for item in list_dimensions(board)}
    if unknown := strange | set(metrics) - {item.name for item in list_measures(board)}:
        names = "、".join(f"“{name}”" for name in sorted(unknown))
        raise Refusal(f"此报表的透视没有维度或指标{names}，请重新选择")
    return replace(usual, rows=rows, columns=columns, metrics=metrics)


def list_dimensions(board: Board) -> list[Column]:
    """Return the columns that a pivot may group by: of two columns with one label the one in its own order."""
    dataset = board.dataset(board.pivot.dataset)
    shown = (item for item in dataset.columns if item.kind in ("text", "date"))
    return list({item.label: item for item in shown}.values())


def list_measures(board: Board) -> list[Metric]:
    """Return the metrics that a pivot may show: those that the board shows of its dataset, unless it declares
    which."""
    dataset = board.dataset(board.pivot.dataset)
    shown = set(board.pivot.offered) or {
        name
        for chart in board.charts
        if chart.dataset == dataset.key
        for name in (*chart.metrics, *chart.second)
    }
    return [item for item in dataset.metrics if item.name in shown]


def applicable_filters(board: Board, dataset: Dataset, excluded: Iterable[str]) -> list[Filter]:
    """Return the filters that apply to a pivot: a single-period filter doesn't apply to a pivot by periods."""
    return [item for item in board.filters if dataset.has_column(item.column) and item.column not in excluded]


def pivoted_single_filters(board: Board, pivot: Pivot) -> set[str]:
    """Return the columns of a pivot that the report otherwise shows one value of at a time."""
    single = {item.column for item in board.filters if item.is_single}
    return single & {*pivot.rows, *pivot.columns}
