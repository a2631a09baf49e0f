"""Building blocks of boards (看板): charts, filters, layout, reports. Plain data, standard library only.

Everything a report is, is declared with these; `reports.superset.assets` turns the declarations into Superset's
assets.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Final, Literal

from reports.semantics.datasets import Dataset

NAMESPACE = uuid.UUID("6f1d2f5e-2f52-5c0e-9d0b-6a5c6b1f6a41")
REPORT_CENTRE = "报表中心"
PLAIN: Final = "plain"
COST: Final = "cost"
Variant = Literal["plain", "cost"]
HEAD = "主要数字"
"""Beginning of the titles of KPI headers."""


@dataclass(frozen=True)
class Filter:
    """A filter of the report. `latest` opens on the last value; `excludes` names charts that it leaves alone.

    `hint` explains it beside its name; `parameter` is the name under which an address may carry its values (drill from
    another report), where it isn't its key; `searched` filters of many values ask the server while the user types. A
    `ranged` one chooses days, from one to another, in the words of `reports.semantics.day_ranges`.
    """

    key: str
    label: str
    dataset: str
    column: str
    multiple: bool = True
    latest: bool = False
    default: tuple[str, ...] = ()
    parent: str = ""
    excludes: tuple[str, ...] = ()
    parameter: str = ""
    searched: bool = False
    ranged: bool = False
    hint: str = ""

    @property
    def is_single(self) -> bool:
        """Return whether the report shows one value of the column at a time."""
        return not (self.multiple or self.ranged)

    @property
    def address_name(self) -> str:
        """Parameter name of its values in an address.

        Empty for filters that open on the newest value, or on days.
        """
        return "" if self.latest or self.ranged else self.parameter or self.key


ChartKind = Literal["figures", "line", "area", "bar", "mixed", "donut", "treemap", "table"]


@dataclass(frozen=True)
class Chart:
    """A chart of a report over one dataset.

    `by` are its dimensions (for a table its columns), `x` the axis; `second` are the metrics on the right
    axis of a mixed chart; `order` is the metric or column that sorts it, prefixed by `-` for descending;
    `bars` are a table's metrics with a bar in the cell, and `paged` tables have too many rows to be
    searched; `valued` bars show their figures; `dense` axes have too many steps for bars; a table whose
    rows contain each other is not `totalled`. Columns and metrics `export_only` are in a table's file, on
    the screen there is no room for them.
    """

    key: str
    title: str
    kind: ChartKind
    dataset: str
    metrics: tuple[str, ...]
    by: tuple[str, ...] = ()
    x: str = ""
    second: tuple[str, ...] = ()
    order: str = ""
    limit: int = 0
    stacked: bool = False
    horizontal: bool = False
    bars: tuple[str, ...] = ()
    paged: bool = False
    valued: bool = False
    dense: bool = False
    totalled: bool = True
    export_only: tuple[str, ...] = ()
    is_signed: bool = False
    """Lying bars that may be negative reach to the left too, where their values need room beside the names."""

    @property
    def is_served(self) -> bool:
        """Return whether the server sorts, pages and searches a table: it can sum the rows of other pages."""
        return self.paged or self.totalled

    @property
    def on_screen(self) -> Chart:
        """The chart as it is drawn."""
        by, metrics = (
            tuple(name for name in names if name not in self.export_only) for names in (self.by, self.metrics)
        )
        return replace(self, by=by, metrics=metrics, export_only=())


@dataclass(frozen=True)
class BoardRow:
    """A row of the report's grid: chart keys with widths (of 12) and a height in grid units of 8 pixels."""

    charts: tuple[tuple[str, int], ...]
    height: int


@dataclass(frozen=True)
class Pivot:
    """A cross table of a dataset: what stands down the side, what across, and the metrics in its cells.

    `offered` are the metrics that may be chosen, where they are not those that the board shows.
    """

    dataset: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    metrics: tuple[str, ...]
    offered: tuple[str, ...] = ()


@dataclass(frozen=True)
class Board:
    """An embedded dashboard (看板): a tab of a report in one variant.

    `pivot` is its cross table in exports unless a reader chooses otherwise.
    """

    charts: tuple[Chart, ...]
    rows: tuple[BoardRow, ...]
    filters: tuple[Filter, ...]
    datasets: tuple[Dataset, ...]
    pivot: Pivot

    @property
    def tables(self) -> tuple[Chart, ...]:
        return tuple(chart for chart in self.charts if chart.kind == "table")

    @property
    def kpi_charts(self) -> tuple[Chart, ...]:
        return tuple(chart for chart in self.charts if chart.kind == "figures")

    @property
    def exported_charts(self) -> tuple[Chart, ...]:
        """Charts in an exported file, the first table first."""
        return (*self.tables, *self.kpi_charts)

    @property
    def pages(self) -> tuple[str, ...]:
        """The pages of the shell that its links open."""
        return tuple(
            sorted({page for data in self.datasets for column in data.columns for page in column.pages})
        )

    def dataset(self, key: str) -> Dataset:
        return next(dataset for dataset in self.datasets if dataset.key == key)

    def chart(self, key: str) -> Chart:
        return next(chart for chart in self.charts if chart.key == key)

    def filter(self, key: str) -> Filter:
        return next(item for item in self.filters if item.key == key)

    def filters_of(self, chart: Chart) -> tuple[Filter, ...]:
        """Return the filters that apply to a chart.

        Those whose column its dataset has and that don't exclude it.
        """
        dataset = self.dataset(chart.dataset)
        return tuple(
            item
            for item in self.filters
            if dataset.has_column(item.column)
            and chart.key not in item.excludes
            and (dataset.ranged or not item.ranged)
        )


@dataclass(frozen=True)
class Tab:
    """A tab of a report: its plain board and, where the report shows cost, the board for roles that see it."""

    key: str
    label: str
    plain: Board
    cost: Board | None = None

    def variant(self, sees_cost: bool) -> Variant:
        """Return the variant for a role that sees cost or not."""
        return COST if sees_cost and self.cost is not None else PLAIN

    def board(self, variant: Variant) -> Board:
        return self.cost if variant == COST and self.cost is not None else self.plain


@dataclass(frozen=True)
class Report:
    """A framed report: its code is the end of its route, its right is `report_<code>:view`.

    `path` is the route's first segment; `module` and `group` are its place in the menu; `words` are what people say
    who look for it, where neither its name nor its question has them.
    """

    code: str
    label: str
    question: str
    group: str
    tabs: tuple[Tab, ...]
    default_tab: str = ""
    path: str = "report"
    module: str = REPORT_CENTRE
    words: str = ""

    @property
    def route(self) -> str:
        return f"/{self.path}/{self.code}"

    @property
    def right(self) -> str:
        return f"report_{self.code}:view"

    @property
    def export_right(self) -> str:
        return f"report_{self.code}:export"

    def tab(self, key: str) -> Tab | None:
        return next((tab for tab in self.tabs if tab.key == key), None)

    def title(self, tab: Tab) -> str:
        """Return the title of a tab by itself."""
        return self.label if len(self.tabs) == 1 else f"{self.label} · {tab.label}"

    @property
    def first_tab(self) -> Tab:
        return self.tab(self.default_tab) or self.tabs[0]


def asset_uuid(kind: str, *names: str) -> str:
    """Return the fixed id of an asset: the same on every machine and at every boot."""
    return str(uuid.uuid5(NAMESPACE, ":".join((kind, *names))))


def embed_id(code: str, tab: Tab, sees_cost: bool) -> str:
    """Return the embedding uuid of a tab for a role that sees cost or not."""
    return asset_uuid("embedded", code, tab.key, tab.variant(sees_cost))


def filter_id(code: str, tab_key: str, variant: str, key: str) -> str:
    """Return Superset's id of a native filter; addresses use it to open a report on a given value."""
    return f"NATIVE_FILTER-{asset_uuid('filter', code, tab_key, variant, key)[:13]}"
