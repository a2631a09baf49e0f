"""List reports in every form (原生报表导出): a list as a board of one table, its charts and its pivot.

The rows are the list's own query, in its order. What the list totals adds up, and its ratios are of the
sums; other figures are of one row alone. A list that isn't read from the snapshot is asked of the core,
and its rows are copied before anything else reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb
import duckdb_engine
from pydantic import ValidationError

from api.exporting.export_request import (
    ExportRequest,
    ExportRequestBody,
    ListExport,
    resolve_pivot,
    unknown_filter_error,
)
from api.exporting.list_copy import COPY
from api.exporting.query import RowQuery, quote_identifier
from api.exporting.text_format import PRICE
from api.kit.context import Context
from api.kit.declaration import menu, registry
from api.kit.declaration.fields import Field
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.view import View
from api.kit.errors import NotFound, Refusal
from api.kit.scope import ALL_RIGHTS, Principal
from api.kit.storage.list_charts import find_chart_options
from api.kit.storage.listing import ListQuery, query_model, select_placed_rows
from api.kit.storage.projection import column_names, masked_names
from api.reporting.lists.list_report import ListReport
from api.shell.files.export_job import list_export_columns
from api.shell.files.export_summary import describe_filters
from reports.semantics.dashboards import Board, BoardRow, Chart, Pivot
from reports.semantics.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import (
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
from warehouse.engine import literal_sql

TAB = "all"
PLACE = "place"
FORMATS = {"integer": QUANTITY, "quantity": ",.3~f", "money": MONEY, "price": PRICE, "rate": MONEY}
"""As lists write them on the screen."""
NOT_FILTERS = frozenset({"page", "per_page", "totals", "timeStamp", "sign"})
"""Of a list's query: what says nothing of its rows."""
LARGEST, HALF = 15, 6
DIALECT = duckdb_engine.Dialect(paramstyle="numeric_dollar")
VALUE = re.compile(r"\$\d+")
_EVERYONE = Principal(0, "", "", 0, 0, rights=frozenset({ALL_RIGHTS}), sees_cost=True)


def find_list(code: str) -> type[View] | None:
    """Return the list that is a report of this code, if any."""
    cls = registry.find_by_segment(code) if menu.find_report(code) else None
    return cls if cls and issubclass(cls, View) and cls.exportable_as_report else None


def validate_list_request(ctx: Context, cls: type[View], body: ExportRequestBody) -> ExportRequest:
    """Validate a request against a list. Raises NotFound, Forbidden and Refusal, with a Chinese message."""
    if body.tab != TAB:
        raise NotFound("报表页签")
    me, query = ctx.principal, parse_list_query(cls, body.filters)
    shown = _visible_columns(cls, query, me)
    board = _build_board(cls, shown, _rank_axes(cls, query, shown))
    words = (f"{label}＝{value}" for label, value in describe_filters(ctx.conn, cls, query, me))
    return ExportRequest(
        body.code,
        cls.declaration.label,
        board,
        me,
        body.form,
        {},
        resolve_pivot(board, body) if body.form == "pivot" else board.pivot,
        _build_list_export(cls, query, me, board.datasets[0], "；".join(words)),
    )


def parse_list_query(cls: type[View], given: Mapping[str, list[str | None]]) -> ListQuery:
    """Build the list's query; an omitted filter takes the list's default."""
    model = query_model(cls)
    if unknown := given.keys() - (model.model_fields.keys() - NOT_FILTERS):
        raise unknown_filter_error(unknown)
    values = {name: ",".join(filter(None, chosen)) for name, chosen in given.items()}
    try:
        return model.model_validate({**cls.default_filters(), **values})
    except ValidationError as error:
        raise Refusal("筛选条件不正确，请在报表上重新选择筛选后再导出") from error


def _visible_columns(cls: type[View], query: ListQuery, principal: Principal) -> list[Field]:
    """Return the columns of the file that the principal sees, without those of groupings not in use."""
    hidden, absent = masked_names(cls, cls.name(), principal), _unused_groupings(cls, query)
    return [item for item in list_export_columns(cls, principal) if item.name not in hidden | absent]


def _unused_groupings(cls: type[View], query: ListQuery) -> set[str]:
    grouped = cls.grouped_columns()
    kept = {name for number in _grouping_numbers(cls, query) for name in grouped[number]}
    others = {name for names in grouped.values() for name in names} - kept
    return {name for other in others for name in column_names(cls.field(other))}


def _grouping_numbers(cls: type[View], query: ListQuery) -> list[int]:
    """Return the numbers of the groupings in use."""
    parts = str(getattr(query, "grouping", "")).split(",")
    usual = cls.default_filters().get("grouping", "").split(",")
    numbers = cls.grouped_columns()
    return [number for number in numbers if str(number) in parts] or [
        number for number in numbers if str(number) in usual
    ]


def _rank_axes(cls: type[View], query: ListQuery, shown: Iterable[Field]) -> list[Field]:
    """Return the axes of charts and pivot, the most telling first: the groupings in use, or the days."""
    grouped = cls.grouped_columns()
    first = [grouped[number][-1] for number in _grouping_numbers(cls, query)]
    axes = find_chart_options(cls, shown).axes
    return sorted(axes, key=lambda axis: first.index(axis.name) if axis.name in first else len(first))


def _build_board(cls: type[View], shown: Sequence[Field], axes: Sequence[Field]) -> Board:
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
        columns=(*map(_build_column, texts), *map(_build_month_column, dates), Column(PLACE, "", "link")),
        measures=tuple(dict.fromkeys([*(item.name for item in figures), *sorted(parts)])),
        metrics=(*map(_build_metric, figures), Metric(PLACE, "", min_of(ColumnRef(PLACE, quoted=True)))),
        additive_measures=sums,
    )
    table = Chart(
        "rows",
        label,
        "table",
        name,
        tuple(item.name for item in figures),
        by=(*(_column_name(item) for item in texts), PLACE),
        order=PLACE,
        totalled=bool(sums),
        export_only=tuple(_column_name(item) for item in shown if item.optional),
    )
    measure = _choose_measure(cls, [item for item in figures if item.total])
    others = [item for item in axes if item.kind != "date"]
    drawn = [item for item in axes if item in others or item in dates[:1]]
    charts = [_build_chart(name, axis, measure) for axis in drawn] if measure else []
    pivot = Pivot(
        name,
        rows=tuple(_column_name(item) for item in others[:1]),
        columns=tuple(_build_month_column(item).name for item in dates[:1]),
        metrics=(measure.name,) if measure else (),
        offered=(*sums, *(item.name for item in ratios)),
    )
    row = BoardRow(tuple((chart.key, HALF) for chart in charts), 30)
    return Board((*charts, table), (row,), (), (dataset,), pivot)


def _choose_measure(cls: type[View], totalled: Sequence[Field]) -> Field | None:
    """Return the most telling figure: the one that the list is ordered by, or the first money."""
    key, _ = cls.declaration.order_by or ("", "")
    ranked = sorted(totalled, key=lambda item: (item.name != key, item.kind != "money"))
    return ranked[0] if ranked else None


def _build_chart(dataset: str, axis: Field, measure: Field) -> Chart:
    """Build a bar chart: days in their order, other axes by largest value."""
    x = _column_name(axis)
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


def _column_name(item: Field) -> str:
    """Return the key of a field in a row: a reference's is its label."""
    return item.label_field if item.ref and item.label_field else item.name


def _build_column(item: Field) -> Column:
    value = f"m.{quote_identifier(_column_name(item))}"
    if item.kind == "date":
        return Column(item.name, item.label, "date", value)
    if item.kind == "enum":
        options = " ".join(
            f"when {literal_sql(key) if isinstance(key, str) else key} then {literal_sql(label)}"
            for key, label in item.options
        )
        value = f"case {value} {options} else cast({value} as varchar) end"
    elif item.kind == "bool":
        value = f"case when {value} then '是' when not {value} then '否' end"
    return Column(_column_name(item), item.label, sql=value)


def _build_month_column(item: Field) -> Column:
    """Build a column with the month of a day, which a pivot may group by."""
    return Column(
        f"{item.name}_month", f"{item.label}（月）", sql=f"strftime(m.{quote_identifier(item.name)}, '%Y-%m')"
    )


def _build_metric(item: Field) -> Metric:
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


def _build_list_export(
    cls: type[View], query: ListQuery, principal: Principal, dataset: Dataset, filters: str
) -> ListExport:
    """Wrap the list's query with the columns of a dataset."""
    found = select_placed_rows(cls, query, principal)
    if not issubclass(cls, ListReport):
        return ListExport(cls, _wrap_rows(dataset, COPY, ()), filters, found)
    compiled = found.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
    values = tuple(compiled.params[name] for name in compiled.positiontup or ())
    return ListExport(cls, _wrap_rows(dataset, f"({compiled})", values), filters)


def tables_of(cls: type[ListReport]) -> set[str]:
    """Return the published tables that a list reads under any of its groupings."""
    tables: set[str] = set()
    with duckdb.connect() as parser:
        for number in cls.grouped_columns() or [0]:
            query = parse_list_query(cls, {"grouping": [str(number)]} if number else {})
            options = {"render_postcompile": True}
            statement = select_placed_rows(cls, query, _EVERYONE).compile(
                dialect=DIALECT, compile_kwargs=options
            )
            tables |= parser.get_table_names(VALUE.sub("null", str(statement)))
    return tables


def _wrap_rows(dataset: Dataset, rows: str, values: tuple[Any, ...]) -> RowQuery:
    shown = [f"{item.sql or f'm.{item.name}'} as {quote_identifier(item.name)}" for item in dataset.columns]
    shown += [f"m.{quote_identifier(name)}" for name in dataset.measures]
    return RowQuery(f"(select {', '.join(shown)} from {rows} as m) as b", values)
