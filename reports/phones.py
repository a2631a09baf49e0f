"""手机和窄窗口里的报表：访客的看板按窄屏重排，图表一行一个；并排的柱子不标数字，标了会叠在一起。"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from reports.catalogue.boards import HEAD
from reports.changed_answers import CHARTS, change_answers

if TYPE_CHECKING:
    from flask import Flask

BOARD = r"/api/v1/dashboard/[\w-]+"
PHONE = re.compile(r"\bMobi")
NARROW_HEADER = "x-narrow"
"""What a frame says that is as narrow as a phone, on whatever device (`pages/head_custom_extra.html`)."""
WHOLE = 12
UPRIGHT = "vertical"
LEAST_HEIGHT, FIGURES_HEIGHT = 38, 54
"""Headings take more lines there; figures stand below each other."""


def stack_on_phones(app: Flask) -> None:
    """Lay a guest's board and its charts out for a narrow screen when a phone or a narrow frame asks for them."""
    from flask import request

    def narrow() -> bool:
        return bool(NARROW_HEADER in request.headers or PHONE.search(request.user_agent.string))

    def board(found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "position_json": json.dumps(stacked(json.loads(found["position_json"])))}

    told_by = ("User-Agent", NARROW_HEADER)
    change_answers(app, BOARD, board, narrow, told_by)
    change_answers(app, CHARTS, lambda charts: [unlabelled(chart) for chart in charts], narrow, told_by)


def stacked(position: dict[str, Any]) -> dict[str, Any]:
    """The catalogue's layout with every chart in a row of its own."""
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


def unlabelled(chart: dict[str, Any]) -> dict[str, Any]:
    """A chart as the frame is told of it; upright bars stand closer there than their figures are wide."""
    form = chart["form_data"]
    return (
        {**chart, "form_data": {**form, "show_value": False}} if form.get("orientation") == UPRIGHT else chart
    )
