"""看板的副本：发布时照原样复制一份，连同看板上的图表，以后谁也不改它。

Superset copies the charts that the layout names, and loses those that were put on a board without one; of a copy's
filters it keeps the numbers that the charts had before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol
from uuid import UUID

import orjson

from api.kit.errors import Refusal
from api.reporting.board_checks import drawn_of, needed_by

Layout = dict[str, Any]
ROOT, GRID = "ROOT_ID", "GRID_ID"
WIDTH, HEIGHT = 12, 50
PAGE = 100
"""So many datasets are told at once."""
SCOPED = ("excluded", "chartsInScope")
"""Where filters keep the numbers of charts."""


class Talk(Protocol):
    """Superset as the board's author talks to it: the results that it answers."""

    def get(self, path: str) -> Any: ...

    def send(self, method: str, path: str, body: Any) -> Any: ...


@dataclass(frozen=True)
class Copy:
    """A copy of a board: the board's title, the copy in Superset, and what its charts and filters are made of."""

    title: str
    uuid: UUID
    charts: list[dict[str, Any]]


def charts_of(superset: Talk, board: int) -> list[dict[str, Any]]:
    """What a board's charts are drawn of, and its filters ask for. Raises Refusal."""
    told = _read(superset.get(f"/api/v1/dashboard/{board}")["json_metadata"])
    names = _dataset_names(superset)
    charts = superset.get(f"/api/v1/dashboard/{board}/charts")
    return [*(drawn_of(one, names) for one in charts), *needed_by(told, names)]


def _dataset_names(superset: Talk) -> dict[int, str]:
    """The datasets that the author sees, by number: filters may ask others than charts are drawn of."""
    names: dict[int, str] = {}
    for page in count():
        found = superset.get(f"/api/v1/dataset/?q=(page_size:{PAGE},page:{page})")
        names |= {one["id"]: one["table_name"] for one in found}
        if len(found) < PAGE:
            break
    return names


def drop_copy(superset: Talk, copy: UUID) -> None:
    """Delete a copy and its charts. Raises Refusal."""
    number = superset.get(f"/api/v1/dashboard/{copy}")["id"]
    for one in superset.get(f"/api/v1/dashboard/{number}/charts"):
        superset.send("DELETE", f"/api/v1/chart/{one['id']}", None)
    superset.send("DELETE", f"/api/v1/dashboard/{number}", None)


def copy_board(superset: Talk, source: int) -> Copy:
    """Copy a board. Raises Refusal."""
    board = superset.get(f"/api/v1/dashboard/{source}")
    charts = superset.get(f"/api/v1/dashboard/{source}/charts")
    if not charts:
        raise Refusal("看板上还没有图表，请先在自助分析中加上图表并保存")
    title: str = board["dashboard_title"]
    metadata = _read(board["json_metadata"])
    layout = whole_layout(
        title, _read(board["position_json"]), {one["id"]: one["slice_name"] for one in charts}
    )
    body = {
        "dashboard_title": f"{title}（已发布）",
        "css": board.get("css") or "",
        "json_metadata": orjson.dumps({**metadata, "positions": layout}).decode(),
        "duplicate_slices": True,
    }
    copy: int = superset.send("POST", f"/api/v1/dashboard/{source}/copy/", body)["id"]
    made = superset.get(f"/api/v1/dashboard/{copy}")
    now, before = _placed(_read(made["position_json"])), _placed(layout)
    numbers = {number: now[place] for place, number in before.items() if place in now}
    told = orjson.dumps(renumbered(_read(made["json_metadata"]), numbers)).decode()
    # A draft is found by its owner alone.
    superset.send("PUT", f"/api/v1/dashboard/{copy}", {"published": True, "json_metadata": told})
    return Copy(title, UUID(made["uuid"]), charts_of(superset, copy))


def whole_layout(title: str, layout: Layout, charts: Mapping[int, str]) -> Layout:
    """A board's layout with every chart of it: those that have no place yet stand below, as the page draws them."""
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
        if number in _placed(layout).values():
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


def renumbered(told: Any, numbers: Mapping[int, int]) -> Any:
    """What a board says of its filters, of the charts by their new numbers."""
    if isinstance(told, list):
        return [renumbered(one, numbers) for one in told]
    if not isinstance(told, dict):
        return told
    return {
        name: [numbers.get(one, one) for one in value]
        if name in SCOPED and isinstance(value, list)
        else _of_charts(value, numbers)
        if name == "chart_configuration" and isinstance(value, dict)
        else renumbered(value, numbers)
        for name, value in told.items()
    }


def _of_charts(told: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """What is said chart by chart, under its number."""
    return {
        str(numbers[int(number)]): {**renumbered(one, numbers), "id": numbers[int(number)]}
        for number, one in told.items()
        if number.isdigit() and int(number) in numbers
    }


def _placed(layout: Layout) -> dict[str, int]:
    """The numbers of the charts that a layout has, by their places."""
    return {
        place: item["meta"]["chartId"]
        for place, item in layout.items()
        if isinstance(item, dict) and (item.get("meta") or {}).get("chartId")
    }


def _read(text: str | None) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(text or "{}")
    return found
