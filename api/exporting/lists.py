"""Lists in every form (原生报表导出): a list as a board of one table, its charts and its pivot.

The rows are the list's own query, in its order. What the list totals adds up, and its ratios are of the sums; other
figures are of one row alone.
A list that isn't read from the snapshot is asked of the core, and its rows are copied before anything else reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb
import duckdb_engine
from pydantic import ValidationError

from api.exporting.asked import Asked, Listed, ReportExport, no_filter, pivot_of
from api.exporting.copying import COPY
from api.exporting.query import Rows, quoted
from api.exporting.wording import PRICE
from api.kit import menus, registry
from api.kit.charting import chartable
from api.kit.context import Context
from api.kit.errors import NotFound, Refusal
from api.kit.fields import Field
from api.kit.listing import ListQuery, placed_rows, query_model
from api.kit.projection import columns_of, masks
from api.kit.ratios import Ratio
from api.kit.scope import ALL_RIGHTS, Principal
from api.kit.view import View
from api.reporting.published import Published
from api.shell.export_about import filters_told
from api.shell.export_job import columns
from reports.catalogue.boards import Board, Chart, Pivot, Row
from reports.catalogue.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.catalogue.expressions import (
    Aggregate,
    Bracketed,
    CaseWhen,
    ColumnRef,
    Constant,
    CountRows,
    Expression,
    FunctionCall,
    RawSql,
    Sum,
    compare,
    is_positive,
    min_of,
    quoted_sum,
)
from warehouse.engine import literal

TAB = "all"
PLACE = "place"
FORMATS = {"integer": QUANTITY, "quantity": ",.3~f", "money": MONEY, "price": PRICE, "rate": MONEY}
"""As lists write them on the screen."""
KEPT_OUT = frozenset({"page", "per_page", "totals", "timeStamp", "sign"})
"""Of a list's query: what says nothing of its rows."""
LARGEST, HALF = 15, 6
DIALECT = duckdb_engine.Dialect(paramstyle="numeric_dollar")
VALUE = re.compile(r"\$\d+")
_EVERYONE = Principal(0, "", "", 0, 0, rights=frozenset({ALL_RIGHTS}), sees_cost=True)


def find_list(code: str) -> type[View] | None:
    """The list that is a report of this code."""
    cls = registry.by_segment(code) if menus.report(code) else None
    return cls if cls and issubclass(cls, View) and cls.filed else None


def understand_list(ctx: Context, cls: type[View], body: ReportExport) -> Asked:
    """The request as far as the list knows it. Raises NotFound, Forbidden and Refusal, with what is wrong in words."""
    if body.tab != TAB:
        raise NotFound("报表页签")
    me, query = ctx.principal, list_query(cls, body.filters)
    shown = _shown(cls, query, me)
    board = _board(cls, shown, _axes(cls, query, shown))
    words = (f"{label}＝{value}" for label, value in filters_told(ctx.conn, cls, query, me))
    return Asked(
        body.code,
        cls.declaration.label,
        board,
        me,
        body.form,
        {},
        pivot_of(board, body) if body.form == "pivot" else board.pivot,
        _listed(cls, query, me, board.datasets[0], "；".join(words)),
    )


def list_query(cls: type[View], given: Mapping[str, list[str | None]]) -> ListQuery:
    """The list's query: a filter that is not given stands as the list opens."""
    model = query_model(cls)
    if unknown := given.keys() - (model.model_fields.keys() - KEPT_OUT):
        raise no_filter(unknown)
    values = {name: ",".join(filter(None, chosen)) for name, chosen in given.items()}
    try:
        return model.model_validate({**cls.usual(), **values})
    except ValidationError as error:
        raise Refusal("筛选条件不正确，请在报表上重新选择筛选后再导出") from error


def _shown(cls: type[View], query: ListQuery, principal: Principal) -> list[Field]:
    """The columns of its file that the principal sees, without those that the list isn't summed up by."""
    hidden, absent = masks(cls, cls.name(), principal), _absent(cls, query)
    return [item for item in columns(cls, principal) if item.name not in hidden | absent]


def _absent(cls: type[View], query: ListQuery) -> set[str]:
    grouped = cls.grouped()
    kept = {name for number in _numbers(cls, query) for name in grouped[number]}
    others = {name for names in grouped.values() for name in names} - kept
    return {name for other in others for name in columns_of(cls.field(other))}


def _numbers(cls: type[View], query: ListQuery) -> list[int]:
    """What a list that is summed up is summed up by."""
    told = str(getattr(query, "grouping", "")).split(",")
    usual = cls.usual().get("grouping", "").split(",")
    numbers = cls.grouped()
    return [number for number in numbers if str(number) in told] or [
        number for number in numbers if str(number) in usual
    ]


def _axes(cls: type[View], query: ListQuery, shown: Iterable[Field]) -> list[Field]:
    """What its charts and pivot stand on, the most telling first: what it is summed up by, or the days."""
    grouped = cls.grouped()
    first = [grouped[number][-1] for number in _numbers(cls, query)]
    axes = chartable(cls, shown).axes
    return sorted(axes, key=lambda axis: first.index(axis.name) if axis.name in first else len(first))


def _board(cls: type[View], shown: Sequence[Field], axes: Sequence[Field]) -> Board:
    name, label = cls.name(), cls.declaration.label
    texts = [item for item in shown if not item.is_number]
    figures = [item for item in shown if item.is_number]
    sums = tuple(item.name for item in figures if item.total)
    ratios = [item for item in figures if item.ratio]
    parts = {name for item in ratios if item.ratio for name in (item.ratio.part, item.ratio.whole)}
    dates = [item for item in axes if item.kind == "date"]
    dataset = Dataset(
        name,
        label,
        source="",
        grain="company",
        columns=(*map(_column, texts), *map(_month, dates), Column(PLACE, "", "link")),
        measures=tuple(dict.fromkeys([*(item.name for item in figures), *sorted(parts)])),
        metrics=(*map(_metric, figures), Metric(PLACE, "", min_of(ColumnRef(PLACE, quoted=True)))),
        flows=sums,
    )
    table = Chart(
        "rows",
        label,
        "table",
        name,
        tuple(item.name for item in figures),
        by=(*(_name(item) for item in texts), PLACE),
        order=PLACE,
        totalled=bool(sums),
        only_filed=tuple(_name(item) for item in shown if item.optional),
    )
    measure = _measure(cls, [item for item in figures if item.total])
    others = [item for item in axes if item.kind != "date"]
    drawn = [item for item in axes if item in others or item in dates[:1]]
    charts = [_chart(name, axis, measure) for axis in drawn] if measure else []
    pivot = Pivot(
        name,
        rows=tuple(_name(item) for item in others[:1]),
        columns=tuple(_month(item).name for item in dates[:1]),
        metrics=(measure.name,) if measure else (),
        offered=(*sums, *(item.name for item in ratios)),
    )
    row = Row(tuple((chart.key, HALF) for chart in charts), 30)
    return Board((*charts, table), (row,), (), (dataset,), pivot)


def _measure(cls: type[View], totalled: Sequence[Field]) -> Field | None:
    """The figure that tells most: by which the list is ordered, or the first money."""
    key, _ = cls.declaration.order_by or ("", "")
    ranked = sorted(totalled, key=lambda item: (item.name != key, item.kind != "money"))
    return ranked[0] if ranked else None


def _chart(dataset: str, axis: Field, measure: Field) -> Chart:
    """Days in their order, of anything else the largest."""
    x = _name(axis)
    if axis.kind == "date":
        return Chart(axis.name, f"{measure.label}（按{axis.label}）", "bar", dataset, (measure.name,), x=x)
    return Chart(
        axis.name,
        f"{measure.label}居前的{axis.label}",
        "bar",
        dataset,
        (measure.name,),
        x=x,
        order=measure.name,
        limit=LARGEST,
        horizontal=True,
    )


def _name(item: Field) -> str:
    """Under which a field stands in a row as it reads: a reference by its label."""
    return item.label_field if item.ref and item.label_field else item.name


def _column(item: Field) -> Column:
    value = f"m.{quoted(_name(item))}"
    if item.kind == "date":
        return Column(item.name, item.label, "date", value)
    if item.kind == "enum":
        options = " ".join(
            f"when {literal(key) if isinstance(key, str) else key} then {literal(label)}"
            for key, label in item.options
        )
        value = f"case {value} {options} else cast({value} as varchar) end"
    elif item.kind == "bool":
        value = f"case when {value} then '是' when not {value} then '否' end"
    return Column(_name(item), item.label, sql=value)


def _month(item: Field) -> Column:
    """The month of a day, which a pivot may stand on."""
    return Column(
        f"{item.name}_month", f"{item.label}（月）", sql=f"strftime(m.{quoted(item.name)}, '%Y-%m')"
    )


def _metric(item: Field) -> Metric:
    value = ColumnRef(item.name, quoted=True)
    if item.total:
        return Metric(item.name, item.label, Sum(value), FORMATS[item.kind])
    several = _ratio(item.ratio) if item.ratio else RawSql("null")
    one = CaseWhen(compare(CountRows(), "=", 1), Aggregate("any_value", value), several)
    return Metric(item.name, item.label, one, FORMATS[item.kind])


def _ratio(ratio: Ratio) -> Expression:
    """The ratio of several rows, as `Ratio.of` has it."""
    part, whole = quoted_sum(ratio.part), quoted_sum(ratio.whole)
    more = Bracketed(part - whole if ratio.growth else part)
    quotient = Constant(ratio.times) * more / whole
    return CaseWhen(is_positive(whole), FunctionCall("round", (quotient, Constant(ratio.places))))


def _listed(
    cls: type[View], query: ListQuery, principal: Principal, dataset: Dataset, filters: str
) -> Listed:
    """The list's query with the columns of a dataset around it."""
    found = placed_rows(cls, query, principal)
    if not issubclass(cls, Published):
        return Listed(cls, _around(dataset, COPY, ()), filters, found)
    compiled = found.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
    values = tuple(compiled.params[name] for name in compiled.positiontup or ())
    return Listed(cls, _around(dataset, f"({compiled})", values), filters)


def tables_of(cls: type[Published]) -> set[str]:
    """The published tables that a list reads, however it is summed up."""
    tables: set[str] = set()
    with duckdb.connect() as parser:
        for number in cls.grouped() or [0]:
            query = list_query(cls, {"grouping": [str(number)]} if number else {})
            options = {"render_postcompile": True}
            asked = placed_rows(cls, query, _EVERYONE).compile(dialect=DIALECT, compile_kwargs=options)
            tables |= parser.get_table_names(VALUE.sub("null", str(asked)))
    return tables


def _around(dataset: Dataset, rows: str, values: tuple[Any, ...]) -> Rows:
    shown = [f"{item.sql or f'm.{item.name}'} as {quoted(item.name)}" for item in dataset.columns]
    shown += [f"m.{quoted(name)}" for name in dataset.measures]
    return Rows(f"(select {', '.join(shown)} from {rows} as m) as b", values)
