"""口径：报表上每个数字怎么算、取自哪些表的哪些列、源于哪些单据、截至何时。

What is told is put together of docs/definitions.md, of the catalogue, and of the dbt docs (数据字典): nothing is
written twice. A figure that the reader isn't shown is not told of.
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

from api.exporting.asked import Asked, ReportExport
from api.exporting.lists import find_list, tables_of
from api.exporting.reports import shown, title_of
from api.figures.definitions import Chapter, chapters_of, said_of
from api.figures.formulas import formula
from api.figures.namesakes import namesakes
from api.kit import menus, registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.settings import settings
from api.reporting import freshness
from api.reporting.published import Published
from api.reporting.snapshot import published, stamp
from reports.catalogue.beside import BY_PROGRESS, MOVED
from reports.catalogue.boards import Chart
from reports.catalogue.datasets import BESIDE_ORDER, POINTS, SUFFIXES, Dataset, Metric
from reports.catalogue.metrics import total
from reports.catalogue.period_offsets import ELAPSED, PERIOD_LABELS
from reports.exposures import MART
from warehouse import dictionary
from warehouse.dictionary import Dictionary
from warehouse.files import Files

api = router()
SHORT = re.compile(r"[^，。；：（=＝]+")
EARLIER = dict(zip(SUFFIXES, PERIOD_LABELS, strict=True))
LINES = re.compile(r"_line$")
INTERNAL = frozenset({BESIDE_ORDER, ELAPSED})


class SourceColumn(BaseModel):
    """A column of a published table, and what is in it."""

    name: str
    label: str


class FigureSource(BaseModel):
    """A published table that a figure is computed from; `bills` are what it comes from in the core."""

    table_name: str
    label: str
    columns: list[SourceColumn]
    bills: list[str]


class Namesake(BaseModel):
    """A figure of the same name in another report; `reason` says why it is not the same, where it isn't."""

    title: str
    reason: str | None


class ExplainedFigure(BaseModel):
    """A figure of a chart or table: `note` is what it counts, `formula` how, `said` where the definitions name it."""

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
    """What a report's tab shows and how it is made; `as_of` is the business day that the figures are of."""

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
    asked = shown(ctx, ReportExport(code=code, tab=tab, form="detail", filters=filters))
    known = dictionary.read(Files(settings().warehouse_dir).dictionary)
    figures = list(explained(asked, known))
    told = chapters_of(code, [figure["label"] for figure in figures])
    entry, (refreshed_at, as_of) = menus.report(code), _moment()
    return {
        "title": title_of(code, tab),
        "question": entry.question if entry else "",
        "refreshed_at": refreshed_at,
        "as_of": as_of,
        "notices": freshness.notices(ctx.conn, ctx.principal, costs=ctx.principal.sees_cost),
        "figures": [
            {
                **figure,
                "said": said_of(figure["label"], told),
                "same_named": list(namesakes(ctx.principal, code, tab, figure["label"])),
            }
            for figure in figures
        ],
        "chapters": [{"title": one.title, "blocks": one.blocks} for one in _without_common(told)],
    }


def _without_common(told: list[Chapter]) -> list[Chapter]:
    """What holds of all figures comes last."""
    common, *own = told
    return [*own, common]


def _moment() -> tuple[datetime | None, date | None]:
    try:
        with published() as source:
            return stamp(source), source.execute(text("select max(as_of) from refreshed_at")).scalar()
    except Refusal:
        return None, None


@dataclass(frozen=True)
class Words:
    """What the columns of some published tables are called."""

    tables: tuple[str, ...]
    known: Dictionary

    @cached_property
    def labels(self) -> dict[tuple[str, str], str]:
        return {
            (entry["table_name"], entry["column_name"]): entry["column_label"]
            for entry in self.known["entries"]
            if entry["table_name"] in self.tables
        }

    def columns(self, table: str, names: Iterable[str]) -> list[dict[str, str]]:
        """Those of a table that it has, with what is in them."""
        return [
            {"name": name, "label": self.labels[table, name]}
            for name in names
            if (table, name) in self.labels
        ]

    def short(self, name: str) -> str | None:
        """What a column is called, without what its description says besides."""
        for table in self.tables:
            for column in self.columns(table, [name]):
                match = SHORT.match(column["label"])
                return match[0].strip() if match else None
        return None


def explained(asked: Asked, known: Dictionary) -> Iterator[dict[str, Any]]:
    """Every figure of what is shown, once a chart."""
    tables = _tables(asked)
    for chart in asked.board.charts:
        dataset = asked.board.dataset(chart.dataset)
        read = tuple(dict.fromkeys(MART.findall(dataset.source))) or tables
        words = Words(read, known)
        for name in dict.fromkeys((*chart.metrics, *chart.second)):
            metric = dataset.metric(name)
            if BESIDE_ORDER not in metric.name:
                yield _figure(chart, dataset, metric, words)


def _tables(asked: Asked) -> tuple[str, ...]:
    """The tables behind a list; none where it is read from the ledgers themselves."""
    cls = find_list(asked.code) if asked.listed else None
    return tuple(sorted(tables_of(cls))) if cls and issubclass(cls, Published) else ()


def _figure(chart: Chart, dataset: Dataset, metric: Metric, words: Words) -> dict[str, Any]:
    renamed = dict(dataset.mart_columns)

    def own(name: str) -> tuple[str, str]:
        """A name's column in the mart, and of which period it is."""
        end = next((end for end in SUFFIXES if name.endswith(end) and name[: -len(end)] in renamed), "")
        plain = name.removesuffix(end)
        return renamed.get(plain, plain), EARLIER.get(end, "")

    def named(name: str) -> str:
        if name == ELAPSED:
            return "已过天数的比例"
        if dataset.has_column(name):
            return dataset.column(name).label
        column, period = own(name)
        return period + (words.short(column) or _label_of(dataset, name) or column)

    used = list(dict.fromkeys(own(name)[0] for name in sorted(dataset.words(metric.expression.columns))))
    return {
        "chart": chart.title,
        "name": metric.name,
        "label": metric.label,
        "note": metric.note,
        "formula": moved_formula(dataset, metric) or formula(metric.sql, named),
        "sources": list(_sources(words, [name for name in used if name not in INTERNAL])),
    }


def _label_of(dataset: Dataset, measure: str) -> str | None:
    """What a measure is called by the figure that only adds it up."""
    return next((one.label for one in dataset.metrics if one.expression == total(measure)), None)


def moved_formula(dataset: Dataset, metric: Metric) -> str | None:
    """How far a figure at the head is from an earlier one: told the same of all."""
    if not metric.name.endswith(MOVED):
        return None
    label = dataset.metric(metric.name.removesuffix(MOVED)).label
    if metric.format == POINTS:
        return f"（所选期间的{label} － 那一期的{label}） × 100"
    then = (
        f"（那一期的{label} × 已过天数的比例）"
        if metric.heading.startswith(BY_PROGRESS)
        else f"那一期的{label}"
    )
    return f"所选期间的{label} ÷ {then} － 1"


def _sources(words: Words, columns: list[str]) -> Iterator[dict[str, Any]]:
    """The tables that have some of the columns; where none has, those that are read."""
    found = {table: words.columns(table, columns) for table in words.tables}
    for table in [table for table, told in found.items() if told] or words.tables:
        label = next((one["table_label"] for one in words.known["entries"] if one["table_name"] == table), "")
        origins = words.known.get("origins", {}).get(table, [])
        yield {
            "table_name": table,
            "label": label,
            "columns": found[table],
            "bills": list(dict.fromkeys(filter(None, map(_bill, origins)))),
        }


def _bill(table: str) -> str | None:
    """What the rows of a table of the core are called; of lines, their bill."""
    cls = registry.find(table) or registry.find(LINES.sub("", table))
    return cls.declaration.label if cls else None
