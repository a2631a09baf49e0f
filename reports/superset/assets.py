"""Compiler of the catalogue into Superset's import bundle (资产).

Fixed uuid5, checked references, stable content.

Compiling is pure: catalogue in, file name → text out. `reports.superset.installer` writes the bundle into Superset.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from reports.catalogue import REPORTS
from reports.semantics.dashboards import (
    COST,
    PLAIN,
    Board,
    Chart,
    Filter,
    Pivot,
    Report,
    Tab,
    asset_uuid,
    filter_id,
)
from reports.semantics.datasets import Dataset
from reports.superset.additivity import describe_required_choice
from reports.superset.chart_params import VIZ_TYPES, chart_params, label_colors, stored_queries
from reports.superset.column_widths import short_headings
from reports.superset.snapshot import SNAPSHOT_URI
from reports.superset.theme import COLOR_SCHEME, DASHBOARD_CSS, OTHERS, nowrap_css, unwrapped_css

VERSION = "1.0.0"
DATABASE_NAME = "报表快照"
DATABASE_UUID = asset_uuid("database", "snapshot")
SQL_TYPES = {
    "text": "VARCHAR",
    "link": "VARCHAR",
    "number": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMP",
}
GRID_WIDTH = 12


class CatalogueError(ValueError):
    """The catalogue names something that doesn't exist, or breaks a rule of the house."""


@dataclass(frozen=True)
class DashboardVariant:
    """A dashboard (看板): one tab of one report in one variant."""

    report: Report
    tab: Tab
    variant: str
    board: Board

    @property
    def names(self) -> tuple[str, str, str]:
        return self.report.code, self.tab.key, self.variant

    @property
    def title(self) -> str:
        parts = [self.report.label]
        if len(self.report.tabs) > 1:
            parts.append(self.tab.label)
        if self.variant == COST:
            parts.append("含成本")
        return " · ".join(parts)

    @property
    def dashboard_uuid(self) -> str:
        return asset_uuid("dashboard", *self.names)

    @property
    def embedded_uuid(self) -> str:
        return asset_uuid("embedded", *self.names)

    def chart_uuid(self, key: str) -> str:
        return asset_uuid("chart", *self.names, key)


def list_dashboards() -> Iterator[DashboardVariant]:
    """Yield every dashboard of the catalogue."""
    for report in REPORTS:
        for tab in report.tabs:
            yield DashboardVariant(report, tab, PLAIN, tab.plain)
            if tab.cost is not None:
                yield DashboardVariant(report, tab, COST, tab.cost)


def dataset_uuid(dataset: Dataset) -> str:
    return asset_uuid("dataset", dataset.key)


def compile_assets() -> dict[str, str]:
    """Return the import bundle, file name → text. Raises CatalogueError for an invalid catalogue."""
    bundle = {
        "metadata.yaml": _dump_yaml(
            {"version": VERSION, "type": "assets", "timestamp": "2020-01-01T00:00:00+00:00"}
        )
    }
    bundle["databases/snapshot.yaml"] = _dump_yaml(_build_database())
    keys: dict[str, str] = {}
    for placed in list_dashboards():
        validate_dashboard(placed)
        for dataset in placed.board.datasets:
            if keys.setdefault(dataset.name, dataset.key) != dataset.key:
                raise CatalogueError(f"数据集 {dataset.key} 和 {keys[dataset.name]} 同名：{dataset.name}")
            bundle[f"datasets/snapshot/{dataset.key}.yaml"] = _dump_yaml(_build_dataset(dataset))
        stem = "_".join(placed.names)
        for chart in placed.board.charts:
            bundle[f"charts/{stem}_{chart.key}.yaml"] = _dump_yaml(_build_chart(placed, chart))
        bundle[f"dashboards/{stem}.yaml"] = _dump_yaml(_build_dashboard(placed))
    return bundle


def bundle_hash(bundle: dict[str, str]) -> str:
    """Return one hash over the bundle: equal hashes mean that nothing has to be imported."""
    digest = hashlib.sha256()
    for name in sorted(bundle):
        digest.update(name.encode() + b"\0" + bundle[name].encode() + b"\0")
    return digest.hexdigest()


def validate_dashboard(placed: DashboardVariant) -> None:
    """Check that all names of a dashboard exist and the house rules hold.

    The importer itself stops silently.
    """
    board, where = placed.board, "/".join(placed.names)
    keys = [chart.key for chart in board.charts]
    laid = [key for row in board.rows for key, _ in row.charts]
    if len(set(keys)) != len(keys) or sorted(keys) != sorted(laid):
        raise CatalogueError(f"{where}：图表与布局不一致 {sorted(set(keys) ^ set(laid))}")
    for row in board.rows:
        if sum(width for _, width in row.charts) != GRID_WIDTH:
            raise CatalogueError(f"{where}：一行的宽度之和不是 {GRID_WIDTH}：{row.charts}")
    datasets = {dataset.key: dataset for dataset in board.datasets}
    for dataset in board.datasets:
        if dataset.cost and placed.variant != COST:
            raise CatalogueError(f"{where}：不含成本的报表用了成本数据集 {dataset.key}")
    for chart in board.charts:
        _validate_chart(where, chart, datasets)
    for item in board.filters:
        asked = datasets.get(item.dataset)
        if asked is None or item.column not in {column.name for column in asked.columns}:
            raise CatalogueError(f"{where}：筛选 {item.key} 的数据集或列不存在")
        if item.ranged and not (asked.ranged and item.column == asked.time_column):
            raise CatalogueError(f"{where}：筛选 {item.key} 的数据集不按日期范围取数")
        unknown = set(item.excludes) - set(keys)
        if unknown:
            raise CatalogueError(f"{where}：筛选 {item.key} 排除了不存在的图表 {sorted(unknown)}")
    _validate_pivot(where, board.pivot, datasets)
    asked_for = {chart.dataset for chart in board.charts} | {item.dataset for item in board.filters}
    if idle := datasets.keys() - asked_for - {board.pivot.dataset}:
        raise CatalogueError(f"{where}：没有图表、筛选或透视用到数据集 {sorted(idle)}")


def _validate_pivot(where: str, pivot: Pivot, datasets: dict[str, Dataset]) -> None:
    dataset = datasets.get(pivot.dataset)
    if dataset is None:
        raise CatalogueError(f"{where}：透视的数据集 {pivot.dataset} 不存在")
    unknown = {*pivot.rows, *pivot.columns} - {column.name for column in dataset.columns}
    unknown |= set(pivot.metrics) - {metric.name for metric in dataset.metrics}
    if unknown or not pivot.rows or not pivot.metrics:
        raise CatalogueError(f"{where}：透视没有行或指标，或用了不存在的列或指标 {sorted(unknown)}")


def _validate_chart(where: str, chart: Chart, datasets: dict[str, Dataset]) -> None:
    dataset = datasets.get(chart.dataset)
    if dataset is None:
        raise CatalogueError(f"{where}：图表 {chart.key} 的数据集 {chart.dataset} 不存在")
    columns = {column.name for column in dataset.columns}
    metrics = {metric.name for metric in dataset.metrics}
    unknown = ({*chart.by} | ({chart.x} if chart.x else set())) - columns
    unknown |= {*chart.metrics, *chart.second, *chart.bars} - metrics
    unknown |= {*chart.export_only} - {*chart.by, *chart.metrics}
    sortable = metrics if chart.kind == "table" else columns | metrics
    if chart.order and chart.order.lstrip("-") not in sortable:
        unknown.add(chart.order)
    if unknown:
        raise CatalogueError(f"{where}：图表 {chart.key} 用了不存在的列或指标 {sorted(unknown)}")
    # Steps that are left out must be the last ones: by what a chart shows, or by what its parts sum to.
    ranked = chart.order.lstrip("-") in (metrics if chart.stacked else chart.metrics)
    if chart.kind == "bar" and chart.limit and not ranked:
        raise CatalogueError(f"{where}：图表 {chart.key} 只取前 {chart.limit} 项，须按自己的指标排序")


def _dump_yaml(content: dict[str, Any]) -> str:
    return str(yaml.dump(content, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=True, width=10_000))


def _build_database() -> dict[str, Any]:
    return {
        "database_name": DATABASE_NAME,
        "sqlalchemy_uri": SNAPSHOT_URI,
        "uuid": DATABASE_UUID,
        "version": VERSION,
        "cache_timeout": None,
        "expose_in_sqllab": True,
        "allow_run_async": False,
        "allow_ctas": False,
        "allow_cvas": False,
        "allow_dml": False,
        "allow_csv_upload": False,
        "extra": {"allows_virtual_table_explore": False},
        "is_managed_externally": True,
    }


def _build_dataset(dataset: Dataset) -> dict[str, Any]:
    columns = [
        ("role_id", "角色", "number"),
        *((item.name, item.label, item.kind) for item in dataset.columns),
    ]
    return {
        "table_name": dataset.name,
        "description": "。".join(filter(None, (dataset.label, describe_required_choice(dataset)))),
        "sql": dataset.sql,
        # None, as it would stand before the name; all are of one, which Superset is told of each snapshot.
        "schema": None,
        "uuid": dataset_uuid(dataset),
        "database_uuid": DATABASE_UUID,
        "version": VERSION,
        "main_dttm_col": dataset.time_column or None,
        "filter_select_enabled": True,
        "is_managed_externally": True,
        "columns": [
            {
                "column_name": name,
                "verbose_name": label,
                "type": "BIGINT" if name == "role_id" else SQL_TYPES[kind],
                "is_dttm": kind in ("date", "datetime"),
                "groupby": name != "role_id",
                "filterable": name != "role_id",
                "is_active": True,
            }
            for name, label, kind in columns
        ],
        "metrics": [
            {
                "metric_name": metric.name,
                "verbose_name": metric.label,
                "expression": metric.sql,
                "d3format": metric.format,
                "description": metric.note,
            }
            for metric in dataset.metrics
        ],
    }


def _build_chart(placed: DashboardVariant, chart: Chart) -> dict[str, Any]:
    chart = chart.on_screen
    params = {**chart_params(chart, placed.board.dataset(chart.dataset)), **_build_narrowing(placed, chart)}
    context = {
        "datasource": {"id": 0, "type": "table"},
        "force": False,
        "queries": stored_queries(chart, placed.board.dataset(chart.dataset)),
        "form_data": params,
        "result_format": "json",
        "result_type": "full",
    }
    return {
        "slice_name": chart.title,
        "viz_type": VIZ_TYPES[chart.kind],
        "params": params,
        "query_context": json.dumps(context, ensure_ascii=False, sort_keys=True),
        "uuid": placed.chart_uuid(chart.key),
        "dataset_uuid": dataset_uuid(placed.board.dataset(chart.dataset)),
        "version": VERSION,
        "is_managed_externally": True,
    }


AXIS_KEY_COLUMNS = {
    "goods_label": "goods_num",
    "bucket_axis": "bucket",
    "overdue_axis": "overdue",
    "threshold_axis": "threshold",
    "day_label": "day",
}
"""Key columns of the labels on an axis; labels of goods begin with their number."""


def _build_narrowing(placed: DashboardVariant, chart: Chart) -> dict[str, Any]:
    """Return the filter that a click on a step or a slice of a chart sets (`pages/narrowing.html`)."""
    drawn = chart.x or next(iter(chart.by), "")
    columns = (drawn, AXIS_KEY_COLUMNS.get(drawn))
    found = next((item for item in placed.board.filters if item.column in columns), None)
    if chart.kind in ("table", "figures") or found is None:
        return {}
    return {
        "narrows": {
            "filter": filter_id(*placed.names, found.key),
            "column": found.column,
            "first_word": drawn == "goods_label",
            "needed": found.latest or bool(found.default),
            "whole": [OTHERS],
        }
    }


def _css(board: Board) -> str:
    shown = dict.fromkeys(
        name
        for chart in board.tables
        for name in chart.on_screen.by
        if board.dataset(chart.dataset).column(name).is_unwrapped
    )
    return DASHBOARD_CSS + unwrapped_css(shown) + nowrap_css(short_headings(board))


def _build_dashboard(placed: DashboardVariant) -> dict[str, Any]:
    numbers = {chart.key: number for number, chart in enumerate(placed.board.charts, start=1)}
    return {
        "dashboard_title": placed.title,
        "slug": "-".join(placed.names),
        "css": _css(placed.board),
        "uuid": placed.dashboard_uuid,
        "version": VERSION,
        "published": True,
        "is_managed_externally": True,
        "position": _build_position(placed, numbers),
        "metadata": {
            "color_scheme": COLOR_SCHEME,
            "label_colors": label_colors(placed.board),
            "shared_label_colors": [],
            "map_label_colors": {},
            "cross_filters_enabled": False,
            "filter_bar_orientation": "HORIZONTAL",
            "refresh_frequency": 0,
            "timed_refresh_immune_slices": [],
            "expanded_slices": {},
            "default_filters": "{}",
            "chart_configuration": {},
            "global_chart_configuration": {
                "scope": {"rootPath": ["ROOT_ID"], "excluded": []},
                "chartsInScope": [],
            },
            "native_filter_configuration": [
                _build_filter(placed, item, numbers) for item in placed.board.filters
            ],
        },
    }


def _build_position(placed: DashboardVariant, numbers: dict[str, int]) -> dict[str, Any]:
    position: dict[str, Any] = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"id": "ROOT_ID", "type": "ROOT", "children": ["GRID_ID"]},
        "HEADER_ID": {"id": "HEADER_ID", "type": "HEADER", "meta": {"text": placed.title}},
        "GRID_ID": {"id": "GRID_ID", "type": "GRID", "parents": ["ROOT_ID"], "children": []},
    }
    for number, row in enumerate(placed.board.rows, start=1):
        row_id = f"ROW-{number}"
        position["GRID_ID"]["children"].append(row_id)
        position[row_id] = {
            "id": row_id,
            "type": "ROW",
            "parents": ["ROOT_ID", "GRID_ID"],
            "children": [f"CHART-{key}" for key, _ in row.charts],
            "meta": {"background": "BACKGROUND_TRANSPARENT"},
        }
        for key, width in row.charts:
            chart = placed.board.chart(key)
            position[f"CHART-{key}"] = {
                "id": f"CHART-{key}",
                "type": "CHART",
                "parents": ["ROOT_ID", "GRID_ID", row_id],
                "children": [],
                "meta": {
                    "chartId": numbers[key],
                    "uuid": placed.chart_uuid(key),
                    "sliceName": chart.title,
                    "width": width,
                    "height": row.height,
                },
            }
    return position


def _build_filter(placed: DashboardVariant, item: Filter, numbers: dict[str, int]) -> dict[str, Any]:
    # A chart whose dataset lacks the column would be asked for it and refused.
    excluded = [
        numbers[chart.key] for chart in placed.board.charts if item not in placed.board.filters_of(chart)
    ]
    kind = _build_range_filter(item) if item.ranged else _build_choice_filter(placed, item)
    return {
        "id": filter_id(*placed.names, item.key),
        "name": item.label,
        "type": "NATIVE_FILTER",
        "cascadeParentIds": [filter_id(*placed.names, item.parent)] if item.parent else [],
        "scope": {"rootPath": ["ROOT_ID"], "excluded": excluded},
        "description": item.hint,
        **kind,
    }


def _build_range_filter(item: Filter) -> dict[str, Any]:
    """Build a filter of days.

    The charts that have a range of days among their conditions follow it, on any column.
    """
    [words] = item.default
    return {
        "filterType": "filter_time",
        "targets": [{}],
        "defaultDataMask": {"extraFormData": {"time_range": words}, "filterState": {"value": words}},
        "controlValues": {"enableEmptyFilter": True},
    }


def _build_choice_filter(placed: DashboardVariant, item: Filter) -> dict[str, Any]:
    masks: dict[str, Any] = {"extraFormData": {}, "filterState": {}}
    if item.default:
        clause = {"col": item.column, "op": "IN", "val": list(item.default)}
        label = "、".join(item.default)
        masks = {
            "extraFormData": {"filters": [clause]},
            "filterState": {"value": list(item.default), "label": label},
        }
    dataset = placed.board.dataset(item.dataset)
    return {
        "filterType": "filter_select",
        "targets": [{"datasetUuid": dataset_uuid(dataset), "column": {"name": item.column}}],
        "defaultDataMask": masks,
        "controlValues": {
            "multiSelect": item.multiple,
            "enableEmptyFilter": item.latest or bool(item.default),
            "defaultToFirstItem": item.latest,
            "inverseSelection": False,
            "searchAllOptions": item.searched,
            "sortAscending": not item.latest,
        },
    }
