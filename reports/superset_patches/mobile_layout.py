"""Mobile layout (窄屏布局).

Guests' boards with one chart a row, and no values at upright bars, which would overlap.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from reports.semantics.dashboards import HEAD
from reports.superset_patches.rewrite_responses import CHARTS, rewrite_responses

if TYPE_CHECKING:
    from flask import Flask

BOARD = r"/api/v1/dashboard/[\w-]+"
PHONE = re.compile(r"\bMobi")
NARROW_HEADER = "x-narrow"
"""Header of a frame as narrow as a phone, on whatever device (`pages/head_custom_extra.html`)."""
WHOLE = 12
UPRIGHT = "vertical"
LEAST_HEIGHT, FIGURES_HEIGHT = 38, 54
"""Headings take more lines there; figures stand below each other."""


def install_mobile_layout(app: Flask) -> None:
    """Lay a guest's board and its charts out for narrow screens when a phone or narrow frame asks."""
    from flask import request

    def is_narrow() -> bool:
        return bool(NARROW_HEADER in request.headers or PHONE.search(request.user_agent.string))

    def rewrite_board(found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "position_json": json.dumps(stack_layout(json.loads(found["position_json"])))}

    told_by = ("User-Agent", NARROW_HEADER)
    rewrite_responses(app, BOARD, rewrite_board, is_narrow, told_by)
    rewrite_responses(
        app, CHARTS, lambda charts: [hide_bar_values(chart) for chart in charts], is_narrow, told_by
    )


def stack_layout(position: dict[str, Any]) -> dict[str, Any]:
    """Return the catalogue's layout with every chart in a row of its own."""
    rows = [position[key] for key in position["GRID_ID"]["children"]]
    charts = [position[key] for row in rows for key in row["children"]]
    laid = {key: part for key, part in position.items() if part not in rows}
    laid["GRID_ID"] = {**position["GRID_ID"], "children": [f"ROW-{number}" for number in range(len(charts))]}
    for number, chart in enumerate(charts):
        key = f"ROW-{number}"
        laid[key] = {**rows[0], "id": key, "children": [chart["id"]]}
        least = FIGURES_HEIGHT if chart["meta"]["sliceName"].startswith(HEAD) else LEAST_HEIGHT
        laid[chart["id"]] = {
            **chart,
            "parents": [*rows[0]["parents"], key],
            "meta": {**chart["meta"], "width": WHOLE, "height": max(chart["meta"]["height"], least)},
        }
    return laid


def hide_bar_values(chart: dict[str, Any]) -> dict[str, Any]:
    """Return the chart's answer without values at upright bars, which would overlap."""
    form = chart["form_data"]
    return (
        {**chart, "form_data": {**form, "show_value": False}} if form.get("orientation") == UPRIGHT else chart
    )
