"""Explanations of figures (口径): formula, source columns and bills, and freshness of every figure of a report.

Combined from docs/definitions.md, the catalogue and the dbt docs (数据字典): nothing is written twice. Figures
hidden from the reader are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import text

from api.exporting.export_request import ExportRequest, ExportRequestBody
from api.exporting.list_export import find_list, tables_of
from api.exporting.report_access import parse_view_request, title_of
from api.figures.definitions import Chapter, find_chapters, find_mentions
from api.figures.formulas import describe_formula
from api.figures.namesakes import find_namesakes
from api.kit.context import Context
from api.kit.declaration import menu, registry
from api.kit.errors import Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.settings import read_settings
from api.reporting.lists.list_report import ListReport
from api.reporting.snapshot import data_freshness
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at
from reports.exposures import MART
from reports.semantics.dashboards import Chart
from reports.semantics.datasets import PERIOD_OFFSET, POINTS, SUFFIXES, Dataset, Metric
from reports.semantics.kpi_comparison import BY_PROGRESS, CHANGE_SUFFIX
from reports.semantics.metrics import total_of
from reports.semantics.period_offsets import ELAPSED, PERIOD_LABELS
from warehouse import dictionary
from warehouse.dictionary import Dictionary
from warehouse.files import Files

api = build_router()
SHORT = re.compile(r"[^，。；：（=＝]+")
LABEL_BY_SUFFIX = dict(zip(SUFFIXES, PERIOD_LABELS, strict=True))
LINES = re.compile(r"_line$")
INTERNAL = frozenset({PERIOD_OFFSET, ELAPSED})


class SourceColumn(BaseModel):
    """A column of a published table, and what is in it."""

    name: str
    label: str


class FigureSource(BaseModel):
    """A published table that a figure is computed from; `bills` are its sources in the core."""

    table_name: str
    label: str
    columns: list[SourceColumn]
    bills: list[str]


class Namesake(BaseModel):
    """A figure of the same name in another report; `reason` explains the difference, if there is one."""

    title: str
    reason: str | None


class ExplainedFigure(BaseModel):
    """A figure of a chart or table: `note` is its meaning, `formula` its computation, `said` its definitions."""

    chart: str
    name: str
    label: str
    note: str
    formula: str | None
    said: list[str]
    sources: list[FigureSource]
    same_named: list[Namesake]


class DefinitionChapter(BaseModel):
    title: str
    blocks: list[str]


class ExplainedReport(BaseModel):
    """Figures of a report's tab with their explanations; `as_of` is their business day."""

    title: str
    question: str
    refreshed_at: datetime | None
    as_of: date | None
    notices: list[str]
    figures: list[ExplainedFigure]
    chapters: list[DefinitionChapter]


@call(api, "GET", "v2/report/Figure/getExplanation", right=ANY_USER, returns=ExplainedReport)
def get_explanation(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
    grouping: Annotated[str, Query(max_length=100, description="列表的汇总方式")] = "",
) -> Any:
    """数字口径: of every figure of a report's tab or list that the session is shown."""
    filters: dict[str, list[str | None]] = {"grouping": [grouping]} if grouping else {}
    request = parse_view_request(ctx, ExportRequestBody(code=code, tab=tab, form="detail", filters=filters))
    known = dictionary.read_dictionary(Files(read_settings().warehouse_dir).dictionary)
    figures = list(explain_figures(request, known))
    chapters = find_chapters(code, [figure["label"] for figure in figures])
    entry, (refreshed_at, as_of) = menu.find_report(code), _read_freshness()
    return {
        "title": title_of(code, tab),
        "question": entry.question if entry else "",
        "refreshed_at": refreshed_at,
        "as_of": as_of,
        "notices": data_freshness.list_notices(ctx.conn, ctx.principal, costs=ctx.principal.sees_cost),
        "figures": [
            {
                **figure,
                "said": find_mentions(figure["label"], chapters),
                "same_named": list(find_namesakes(ctx.principal, code, tab, figure["label"])),
            }
            for figure in figures
        ],
        "chapters": [{"title": one.title, "blocks": one.blocks} for one in _move_common_last(chapters)],
    }


def _move_common_last(chapters: list[Chapter]) -> list[Chapter]:
    """Move the common chapter to the end."""
    common, *own = chapters
    return [*own, common]


def _read_freshness() -> tuple[datetime | None, date | None]:
    try:
        with open_snapshot() as source:
            return read_refreshed_at(source), source.execute(
                text("select max(as_of) from refreshed_at")
            ).scalar()
    except Refusal:
        return None, None


@dataclass(frozen=True)
class ColumnLabels:
    """Labels of columns of some published tables."""

    tables: tuple[str, ...]
    known: Dictionary

    @cached_property
    def labels(self) -> dict[tuple[str, str], str]:
        return {
            (entry["table_name"], entry["column_name"]): entry["column_label"]
            for entry in self.known["entries"]
            if entry["table_name"] in self.tables
        }

    def describe_columns(self, table: str, names: Iterable[str]) -> list[dict[str, str]]:
        """Return those of the names that a table has, with their labels."""
        return [
            {"name": name, "label": self.labels[table, name]}
            for name in names
            if (table, name) in self.labels
        ]

    def get_short_label(self, name: str) -> str | None:
        """Return a column's label without the rest of its description."""
        for table in self.tables:
            for column in self.describe_columns(table, [name]):
                match = SHORT.match(column["label"])
                return match[0].strip() if match else None
        return None


def explain_figures(request: ExportRequest, known: Dictionary) -> Iterator[dict[str, Any]]:
    """Explain every figure of what is shown, once per chart."""
    tables = _list_tables(request)
    for chart in request.board.charts:
        dataset = request.board.dataset(chart.dataset)
        read = tuple(dict.fromkeys(MART.findall(dataset.source))) or tables
        words = ColumnLabels(read, known)
        for name in dict.fromkeys((*chart.metrics, *chart.second)):
            metric = dataset.metric(name)
            if PERIOD_OFFSET not in metric.name:
                yield _explain_figure(chart, dataset, metric, words)


def _list_tables(request: ExportRequest) -> tuple[str, ...]:
    """List the tables behind a list; none if it reads the ledgers themselves."""
    cls = find_list(request.code) if request.listed else None
    return tuple(sorted(tables_of(cls))) if cls and issubclass(cls, ListReport) else ()


def _explain_figure(chart: Chart, dataset: Dataset, metric: Metric, words: ColumnLabels) -> dict[str, Any]:
    renamed = dict(dataset.mart_columns)

    def resolve_column(name: str) -> tuple[str, str]:
        """Return the mart column of a name, and the label of its period."""
        end = next((end for end in SUFFIXES if name.endswith(end) and name[: -len(end)] in renamed), "")
        plain = name.removesuffix(end)
        return renamed.get(plain, plain), LABEL_BY_SUFFIX.get(end, "")

    def name_column(name: str) -> str:
        if name == ELAPSED:
            return "已过天数的比例"
        if dataset.has_column(name):
            return dataset.column(name).label
        column, period = resolve_column(name)
        return period + (words.get_short_label(column) or _find_measure_label(dataset, name) or column)

    used = list(
        dict.fromkeys(
            resolve_column(name)[0] for name in sorted(dataset.referenced_names(metric.expression.columns))
        )
    )
    return {
        "chart": chart.title,
        "name": metric.name,
        "label": metric.label,
        "note": metric.note,
        "formula": build_change_formula(dataset, metric) or describe_formula(metric.sql, name_column),
        "sources": list(_list_sources(words, [name for name in used if name not in INTERNAL])),
    }


def _find_measure_label(dataset: Dataset, measure: str) -> str | None:
    """Find the label of a measure: that of the metric that only sums it."""
    return next((one.label for one in dataset.metrics if one.expression == total_of(measure)), None)


def build_change_formula(dataset: Dataset, metric: Metric) -> str | None:
    """Build the formula of a KPI's change against an earlier period; None for other metrics."""
    if not metric.name.endswith(CHANGE_SUFFIX):
        return None
    label = dataset.metric(metric.name.removesuffix(CHANGE_SUFFIX)).label
    if metric.format == POINTS:
        return f"（所选期间的{label} － 那一期的{label}） × 100"
    then = (
        f"（那一期的{label} × 已过天数的比例）"
        if metric.heading.startswith(BY_PROGRESS)
        else f"那一期的{label}"
    )
    return f"所选期间的{label} ÷ {then} － 1"


def _list_sources(words: ColumnLabels, columns: list[str]) -> Iterator[dict[str, Any]]:
    """List the tables that have some of the columns; all tables read if none has."""
    found = {table: words.describe_columns(table, columns) for table in words.tables}
    for table in [table for table, is_named in found.items() if is_named] or words.tables:
        label = next((one["table_label"] for one in words.known["entries"] if one["table_name"] == table), "")
        origins = words.known.get("origins", {}).get(table, [])
        yield {
            "table_name": table,
            "label": label,
            "columns": found[table],
            "bills": list(dict.fromkeys(filter(None, map(_find_bill_label, origins)))),
        }


def _find_bill_label(table: str) -> str | None:
    """Return the label of a core table's rows; for lines that of their bill."""
    cls = registry.find_resource(table) or registry.find_resource(LINES.sub("", table))
    return cls.declaration.label if cls else None
