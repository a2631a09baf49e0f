"""报表目录的词汇：数据集、指标、图表、筛选、布局、报表。纯数据，只用标准库。

Everything a report is, is declared with these; `reports.assets` turns the declarations into Superset's assets.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal

NAMESPACE = uuid.UUID("6f1d2f5e-2f52-5c0e-9d0b-6a5c6b1f6a41")
GUEST_AUDIENCE = "erp-report-frames"
GUEST_ROLE = "ReportGuest"
EXPLORER_AUDIENCE = "erp-report-explorers"
EXPLORER_ROLE = "Explorer"
EXPLORER_HEADER = "X-Explorer-Token"
REPORT_CENTRE = "报表中心"

PLAIN: Final = "plain"
COST: Final = "cost"
Variant = Literal["plain", "cost"]
Worse = Literal["", "fall", "rise"]
HEAD = "主要数字"
"""How the titles of the figures at the head of a report begin."""

# Number formats (d3): every figure of a kind reads alike in all reports. The minus of RATIO is d3's default sign, it
# only tells a ratio from money.
MONEY = ",.2f"
WHOLE_MONEY = ",.0f"
QUANTITY = ",.0f"
RATIO = "-,.2f"
PERCENT = ",.1%"
CHANGE = "+,.1%"
POINTS = "+,.1f"
DAYS = ",.1f"


PART = re.compile(r"\bm\.(\w+)")
"""A column of the mart in an expression."""
COUNT = re.compile(r"(cast\()?count\(")
WINDOW = " over ("
"""What figures that look at other rows have in them: they are computed where all rows are."""
PAGE = re.compile(r"(?:href=\"|')(/\w+/[\w/]+)")
"""A page of the shell in a link's expression."""
# Invisible letters that put labels into an order of their own: the first two where letters are compared by their
# numbers, as the database and an axis do, and hair spaces where they are compared as in a dictionary, which passes over
# the first two, as a browser orders the series of a chart.
CLOSING, FURTHER, HAIR = 8203, 8204, 8202
MOST_SERIES = 8
SERIES = "_series"
"""How the keys of datasets end whose charts show all periods."""
SUFFIXES = ("_before", "_year")
"""How measures end that tell of the period before and of last year."""
UNSEEN = "".join(map(chr, (CLOSING, FURTHER, HAIR)))


def placed(number: int, label: str) -> str:
    """A label of an axis in the order of its number, as `parts.in_order` writes it."""
    return chr(FURTHER) * number + chr(CLOSING) + chr(HAIR) * (MOST_SERIES - number) + label


def unplaced(label: str) -> str:
    """The label as it reads, without the letters that place it."""
    return label.lstrip(UNSEEN)


def asset_uuid(kind: str, *names: str) -> str:
    """The fixed id of an asset: the same on every machine and at every boot."""
    return str(uuid.uuid5(NAMESPACE, ":".join((kind, *names))))


@dataclass(frozen=True)
class Column:
    """A column of a dataset. `sql` is its expression over the mart (alias m), its own name by default.

    `keys` are the mart's columns that it stands for, as a number stands for an id: rows that it tells apart are
    those that they tell apart. It `follows` from others, as a brand follows from the goods. `starts` is the column
    of the first day of the month or week that it names, and stands for.
    """

    name: str
    label: str
    kind: Literal["text", "number", "date", "datetime", "link"] = "text"
    sql: str = ""
    keys: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    starts: str = ""

    @property
    def stands_for(self) -> tuple[str, ...]:
        return self.keys or ((self.starts,) if self.starts else ())

    @property
    def tells_apart(self) -> tuple[str, ...]:
        """The columns of the dataset that tell its rows apart."""
        return self.stands_for or (self.name,)

    def is_told_by(self, names: Set[str]) -> bool:
        """Whether rows that these columns tell apart need not be told apart by this one."""
        followed = self.follows or self.stands_for
        return bool(followed) and names >= {*followed}


@dataclass(frozen=True)
class Metric:
    """A figure computed from base rows. A ratio divides sums and is empty when its base is not positive.

    `worse` is the direction of a change that is marked as bad: less sold, more overdue; stock may do either. `note`
    says what is counted; `heading` is a shorter label for columns whose neighbours say the rest.
    """

    name: str
    label: str
    sql: str
    format: str = QUANTITY
    worse: Worse = ""
    note: str = ""
    heading: str = ""


@dataclass(frozen=True)
class Beside:
    """A dataset's rows of a period together with those of the period before and of last year.

    `source` is their query in parentheses, told apart by the columns `beside_order` and `beside`, one of `words`;
    `measures` are what is known of all three.
    """

    source: str
    words: tuple[str, str, str]
    measures: tuple[str, ...]


@dataclass(frozen=True)
class Dataset:
    """A virtual dataset: a mart joined with the role's scope, exposing role_id for the guest's row rule.

    `grain` says by which scope table it is joined; `source` is the mart's name or a query in parentheses. `measures`
    are what the metrics add up: selected, but unknown to Superset, so that nobody can ask for them row by row. So are
    the `keys` that its columns stand for. `buckets` are the values of an aging column in their order, from harmless to
    grave or, `gravest_first`, the other way round. `flows` are the measures that add up over periods too; the others
    tell a moment, a mean of days, or days that several rows share. Own charts may be drawn of `explorable` ones.
    `beside` are its rows for the figures of a board, whose earlier periods stand below them.
    """

    key: str
    label: str
    source: str
    grain: Literal["company", "warehouse"]
    columns: tuple[Column, ...]
    measures: tuple[str, ...]
    metrics: tuple[Metric, ...]
    cost: bool = False
    time_column: str = ""
    buckets: tuple[str, ...] = ()
    gravest_first: bool = False
    flows: tuple[str, ...] = ()
    explorable: bool = True
    beside: Beside | None = None

    @property
    def name(self) -> str:
        """By which an analyst finds it; those that he doesn't draw from go by their keys."""
        if not self.explorable:
            return self.key
        return f"{self.label}（含成本）" if self.cost else self.label

    @property
    def scope(self) -> str:
        prefix = "role_cost" if self.cost else "role"
        return f"{prefix}_scope" if self.cost and self.grain == "company" else f"{prefix}_{self.grain}_scope"

    @property
    def keys(self) -> tuple[str, ...]:
        """What its columns stand for and nobody is shown."""
        shown = {*(column.name for column in self.columns), *self.measures}
        keys = dict.fromkeys(key for column in self.columns for key in column.keys)
        return tuple(key for key in keys if key not in shown)

    @property
    def sql(self) -> str:
        selected = [f"    {column.sql or 'm.' + column.name} as {column.name}" for column in self.columns]
        columns = ",\n".join(
            [*selected, *(f'    m."{name}" as "{name}"' for name in (*self.measures, *self.keys))]
        )
        keys = ("company_id",) if self.grain == "company" else ("company_id", "warehouse_id")
        joined = " and ".join(f"s.{key} = m.{key}" for key in keys)
        return (
            f"select\n    s.role_id as role_id,\n{columns}\nfrom {self.source} as m\n"
            f"inner join {self.scope} as s on {joined}"
        )

    def row_keys(self, names: Iterable[str]) -> tuple[str, ...]:
        """What tells the rows of a table of these columns apart, without what follows from the rest of it."""
        columns = [self.column(name) for name in names]
        told = {key for column in columns for key in column.tells_apart}
        return tuple(
            dict.fromkeys(
                key
                for column in columns
                for key in column.tells_apart
                if not (self.has_column(key) and self.column(key).is_told_by(told))
            )
        )

    def first_days(self, name: str, labels: Iterable[object]) -> tuple[str, tuple[date, ...]] | None:
        """A condition that follows from one on a label of periods: the column of their first days, and these.

        Rows lie together by dates and are found by them; a label is made of each row's date to be looked at.
        """
        column = self.column(name) if self.has_column(name) else None
        days = [_first_day(label) for label in labels]
        if column is None or not column.starts or not all(days):
            return None
        return column.starts, tuple(day for day in days if day)

    def link_made_of(self, name: str, part: Callable[[str], str]) -> str:
        """A link's expression of the values that its row stands for, each as `part` has it; empty for other columns.

        A row of a table adds up many of the mart's: to make the link of each costs more than to add them up.
        """
        column = self.column(name)
        names = set(PART.findall(column.sql))
        plain = {*(each.name for each in self.columns if not each.sql), *self.measures, *self.keys}
        if column.kind != "link" or not names <= plain:
            return ""
        return PART.sub(lambda found: part(found[1]), column.sql)

    def has_column(self, name: str) -> bool:
        return any(column.name == name for column in self.columns)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def adds_up(self, metric: Metric) -> bool:
        """Whether a metric over the rows of several periods is a figure of them together."""
        return self.used(metric) <= set(self.flows)

    @property
    def compares(self) -> bool:
        """Whether its rows stand in the period after theirs too, and a year later."""
        return any(name.endswith(SUFFIXES) for name in self.measures)

    def tells(self, names: Iterable[str]) -> str:
        """The condition of a row to tell something by these metrics, empty where every row does.

        A row of an earlier period alone stands in the chosen one for what it is compared with: where that isn't asked
        for, it has nothing to say. Counts have no need of rows to be one.
        """
        figures = (self.metric(name).sql for name in names) if self.compares else ()
        told = [sql for sql in figures if WINDOW not in sql and not COUNT.match(sql)]
        return " or ".join(f"({sql}) is not null" for sql in told)

    def known_beside(self, metric: Metric) -> bool:
        """Whether the metric can be told of the period before and of last year too."""
        return self.beside is not None and self.used(metric) <= set(self.beside.measures)

    def used(self, metric: Metric) -> set[str]:
        """The measures that a metric is made of."""
        return {name for name in self.measures if re.search(rf"\b{name}\b", metric.sql)}

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)


def _first_day(label: object) -> date | None:
    """The first day of `2026-01` or `2026-W03`."""
    try:
        return date.fromisoformat(f"{label}-1" if "W" in str(label) else f"{label}-01")
    except ValueError:
        return None


@dataclass(frozen=True)
class Filter:
    """A filter of the report. `latest` opens on the last value; `excludes` names charts that it leaves alone.

    `hint` explains it beside its name; `parameter` is the name under which an address may carry a value (drill from
    another report); `searched` filters of many values ask the server while the user types.
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
    hint: str = ""


ChartKind = Literal["figures", "line", "area", "bar", "mixed", "donut", "treemap", "table"]


@dataclass(frozen=True)
class Chart:
    """A chart of a report over one dataset.

    `by` are its dimensions (for a table its columns), `x` the axis; `second` are the metrics on the right axis of a
    mixed chart; `order` is the metric or column that sorts it, prefixed by `-` for descending; `bars` are a table's
    metrics drawn with a bar in the cell, and `paged` tables of many rows are sorted and paged by the server; `valued`
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
        links = (column.sql for data in self.datasets for column in data.columns if column.kind == "link")
        return tuple(sorted({page for sql in links for page in PAGE.findall(sql)}))

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
            if dataset.has_column(item.column) and chart.key not in item.excludes
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

    `path` is the route's first segment; `module` and `group` are its place in the menu.
    """

    code: str
    label: str
    question: str
    group: str
    tabs: tuple[Tab, ...]
    default_tab: str = ""
    path: str = "report"
    module: str = REPORT_CENTRE

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


def embed_id(code: str, tab: Tab, sees_cost: bool) -> str:
    """The embedding uuid of a tab for a role that sees cost or not."""
    return asset_uuid("embedded", code, tab.key, tab.variant(sees_cost))


def filter_id(code: str, tab_key: str, variant: str, key: str) -> str:
    """Superset's id of a native filter; addresses name it to open a report on a given value."""
    return f"NATIVE_FILTER-{asset_uuid('filter', code, tab_key, variant, key)[:13]}"
