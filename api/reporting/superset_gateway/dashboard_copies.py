"""Copies of dashboards (看板的副本): publishing copies a dashboard with its charts, and nobody changes the
copy.

Superset copies the charts that the layout names, and loses those that were put on a dashboard without one;
a copy's filters keep the ids of the original charts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol
from uuid import UUID

import orjson

from api.kit.errors import Refusal
from api.reporting.superset_gateway.dashboard_validation import read_chart_sources, read_filter_sources

Layout = dict[str, Any]
ROOT, GRID = "ROOT_ID", "GRID_ID"
WIDTH, HEIGHT = 12, 50
PAGE_SIZE = 100
"""So many datasets are told at once."""
CHART_LISTS = ("excluded", "chartsInScope")
"""Where filters keep the numbers of charts."""


class SupersetApi(Protocol):
    """Protocol of Superset's REST API on behalf of the dashboard's author; methods return the results of
    answers."""

    def get(self, path: str) -> Any: ...

    def send(self, method: str, path: str, body: Any) -> Any: ...


@dataclass(frozen=True)
class DashboardCopy:
    """A copied dashboard: the original's title, the copy's id in Superset, and the sources of its charts and
    filters."""

    title: str
    uuid: UUID
    charts: list[dict[str, Any]]


def list_chart_sources(superset: SupersetApi, board: int) -> list[dict[str, Any]]:
    """List the sources of a dashboard's charts and filters. Raises Refusal."""
    metadata = _parse_json(superset.get(f"/api/v1/dashboard/{board}")["json_metadata"])
    names = _list_dataset_names(superset)
    charts = superset.get(f"/api/v1/dashboard/{board}/charts")
    return [*(read_chart_sources(one, names) for one in charts), *read_filter_sources(metadata, names)]


def _list_dataset_names(superset: SupersetApi) -> dict[int, str]:
    """Return the datasets that the author sees, by id: filters may read others than charts do."""
    names: dict[int, str] = {}
    for page in count():
        found = superset.get(f"/api/v1/dataset/?q=(page_size:{PAGE_SIZE},page:{page})")
        names |= {one["id"]: one["table_name"] for one in found}
        if len(found) < PAGE_SIZE:
            break
    return names


def delete_copy(superset: SupersetApi, copy: UUID) -> None:
    """Delete a copy and its charts. Raises Refusal."""
    number = superset.get(f"/api/v1/dashboard/{copy}")["id"]
    for one in superset.get(f"/api/v1/dashboard/{number}/charts"):
        superset.send("DELETE", f"/api/v1/chart/{one['id']}", None)
    superset.send("DELETE", f"/api/v1/dashboard/{number}", None)


def copy_dashboard(superset: SupersetApi, source: int) -> DashboardCopy:
    """Copy a dashboard with its charts and publish the copy in Superset. Raises Refusal."""
    board = superset.get(f"/api/v1/dashboard/{source}")
    charts = superset.get(f"/api/v1/dashboard/{source}/charts")
    if not charts:
        raise Refusal("看板上还没有图表，请先在自助分析中加上图表并保存")
    title: str = board["dashboard_title"]
    metadata = _parse_json(board["json_metadata"])
    layout = complete_layout(
        title, _parse_json(board["position_json"]), {one["id"]: one["slice_name"] for one in charts}
    )
    body = {
        "dashboard_title": f"{title}（已发布）",
        "css": board.get("css") or "",
        "json_metadata": orjson.dumps({**metadata, "positions": layout}).decode(),
        "duplicate_slices": True,
    }
    copy: int = superset.send("POST", f"/api/v1/dashboard/{source}/copy/", body)["id"]
    made = superset.get(f"/api/v1/dashboard/{copy}")
    now, before = _index_charts(_parse_json(made["position_json"])), _index_charts(layout)
    numbers = {number: now[place] for place, number in before.items() if place in now}
    renumbered = orjson.dumps(renumber_charts(_parse_json(made["json_metadata"]), numbers)).decode()
    # A draft is found by its owner alone.
    superset.send("PUT", f"/api/v1/dashboard/{copy}", {"published": True, "json_metadata": renumbered})
    return DashboardCopy(title, UUID(made["uuid"]), list_chart_sources(superset, copy))


def complete_layout(title: str, layout: Layout, charts: Mapping[int, str]) -> Layout:
    """Return a dashboard's layout with every chart of it: charts without a place are added below, as
    Superset's page does."""
    placed = {
        "DASHBOARD_VERSION_KEY": "v2",
        ROOT: {"type": "ROOT", "id": ROOT, "children": [GRID]},
        GRID: {"type": "GRID", "id": GRID, "children": [], "parents": [ROOT]},
        "HEADER_ID": {"type": "HEADER", "id": "HEADER_ID", "meta": {"text": title}},
        **layout,
    }
    below = placed[placed[ROOT]["children"][0]]
    if below["type"] == "TABS":
        below = placed[below["children"][0]]
    parents = [*below.get("parents", []), below["id"]]
    rows = []
    for number, name in sorted(charts.items()):
        if number in _index_charts(layout).values():
            continue
        row, chart = f"ROW-published-{number}", f"CHART-published-{number}"
        meta = {"chartId": number, "sliceName": name, "width": WIDTH, "height": HEIGHT}
        placed[chart] = {
            "type": "CHART",
            "id": chart,
            "children": [],
            "meta": meta,
            "parents": [*parents, row],
        }
        style = {"background": "BACKGROUND_TRANSPARENT"}
        placed[row] = {"type": "ROW", "id": row, "children": [chart], "meta": style, "parents": parents}
        rows.append(row)
    placed[below["id"]] = {**below, "children": [*below["children"], *rows]}
    return placed


def renumber_charts(metadata: Any, numbers: Mapping[int, int]) -> Any:
    """Replace the ids of charts in a dashboard's metadata."""
    if isinstance(metadata, list):
        return [renumber_charts(one, numbers) for one in metadata]
    if not isinstance(metadata, dict):
        return metadata
    return {
        name: [numbers.get(one, one) for one in value]
        if name in CHART_LISTS and isinstance(value, list)
        else _renumber_keys(value, numbers)
        if name == "chart_configuration" and isinstance(value, dict)
        else renumber_charts(value, numbers)
        for name, value in metadata.items()
    }


def _renumber_keys(configuration: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """Replace the ids of charts where they are keys."""
    return {
        str(numbers[int(number)]): {**renumber_charts(one, numbers), "id": numbers[int(number)]}
        for number, one in configuration.items()
        if number.isdigit() and int(number) in numbers
    }


def _index_charts(layout: Layout) -> dict[str, int]:
    """Return the ids of a layout's charts by the keys of their places."""
    return {
        place: item["meta"]["chartId"]
        for place, item in layout.items()
        if isinstance(item, dict) and (item.get("meta") or {}).get("chartId")
    }


def _parse_json(text: str | None) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(text or "{}")
    return found
