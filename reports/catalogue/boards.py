"""Boards (看板) 的词汇：图表、筛选、布局、报表。纯数据，只用标准库。

Everything a report is, is declared with these; `reports.assets` turns the declarations into Superset's assets.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Final, Literal

from reports.catalogue.datasets import Dataset

NAMESPACE = uuid.UUID("6f1d2f5e-2f52-5c0e-9d0b-6a5c6b1f6a41")
REPORT_CENTRE = "报表中心"
PLAIN: Final = "plain"
COST: Final = "cost"
Variant = Literal["plain", "cost"]
HEAD = "主要数字"
"""How the titles of the figures at the head of a report begin."""


@dataclass(frozen=True)
class Filter:
    """A filter of the report. `latest` opens on the last value; `excludes` names charts that it leaves alone.

    `hint` explains it beside its name; `parameter` is the name under which an address may carry its values (drill from
    another report), where it isn't its key; `searched` filters of many values ask the server while the user types. A
    `ranged` one chooses days, from one to another, in the words of `reports.ranges`.
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
    def single(self) -> bool:
        """Whether the report shows one value of the column at a time."""
        return not (self.multiple or self.ranged)

    @property
    def asked_by(self) -> str:
        """Under which name an address carries its values; under none what opens on the newest, or on days."""
        return "" if self.latest or self.ranged else self.parameter or self.key


ChartKind = Literal["figures", "line", "area", "bar", "mixed", "donut", "treemap", "table"]


@dataclass(frozen=True)
class Chart:
    """A chart of a report over one dataset.

    `by` are its dimensions (for a table its columns), `x` the axis; `second` are the metrics on the right axis of a
    mixed chart; `order` is the metric or column that sorts it, prefixed by `-` for descending; `bars` are a table's
    metrics drawn with a bar in the cell, and `paged` tables have too many rows to be searched; `valued`
    bars show their figures; `dense` axes have too many steps for bars; a table whose rows contain each other is not
    `totalled`. Columns and metrics `only_filed` are in a table's file, on the screen there is no room for them.
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
    only_filed: tuple[str, ...] = ()
    is_signed: bool = False
    """Lying bars that may be negative reach to the left too, where their values need room beside the names."""

    @property
    def is_served(self) -> bool:
        """Whether the server sorts, pages and searches a table: it knows what the rows that are left add up to."""
        return self.paged or self.totalled

    @property
    def on_screen(self) -> Chart:
        """The chart as it is drawn."""
        by, metrics = (
            tuple(name for name in names if name not in self.only_filed) for names in (self.by, self.metrics)
        )
        return replace(self, by=by, metrics=metrics, only_filed=())


@dataclass(frozen=True)
class Row:
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
    """One embedded dashboard: a tab of a report in one variant.

    `pivot` is how it is exported as a cross table unless a reader chooses otherwise.
    """

    charts: tuple[Chart, ...]
    rows: tuple[Row, ...]
    filters: tuple[Filter, ...]
    datasets: tuple[Dataset, ...]
    pivot: Pivot

    @property
    def tables(self) -> tuple[Chart, ...]:
        return tuple(chart for chart in self.charts if chart.kind == "table")

    @property
    def figures(self) -> tuple[Chart, ...]:
        return tuple(chart for chart in self.charts if chart.kind == "figures")

    @property
    def listed(self) -> tuple[Chart, ...]:
        """What a file has of the board, its first table first."""
        return (*self.tables, *self.figures)

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
        """The filters that a chart heeds: one whose column its dataset lacks leaves it alone."""
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
        """What a role is shown that sees cost or not."""
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
        """What a tab is called by itself."""
        return self.label if len(self.tabs) == 1 else f"{self.label} · {tab.label}"

    @property
    def first_tab(self) -> Tab:
        return self.tab(self.default_tab) or self.tabs[0]


def asset_uuid(kind: str, *names: str) -> str:
    """The fixed id of an asset: the same on every machine and at every boot."""
    return str(uuid.uuid5(NAMESPACE, ":".join((kind, *names))))


def embed_id(code: str, tab: Tab, sees_cost: bool) -> str:
    """The embedding uuid of a tab for a role that sees cost or not."""
    return asset_uuid("embedded", code, tab.key, tab.variant(sees_cost))


def filter_id(code: str, tab_key: str, variant: str, key: str) -> str:
    """Superset's id of a native filter; addresses name it to open a report on a given value."""
    return f"NATIVE_FILTER-{asset_uuid('filter', code, tab_key, variant, key)[:13]}"
