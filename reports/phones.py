"""手机上的报表：访客的看板按窄屏重排，数字两个一行，其余图表一行一个。"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask, Response

BOARD = re.compile(r"/api/v1/dashboard/[\w-]+")
PHONE = re.compile(r"\bMobi")
WHOLE = 12
FIGURES_HEIGHT = 20
"""Rows that are no higher hold single figures."""
TABLE_HEIGHT = 38
"""A table is at least so high: its headings take more lines there."""


def stack_on_phones(app: Flask) -> None:
    """Lay a guest's board out for a narrow screen when a phone asks for it."""
    from flask import json, request

    def answer(response: Response) -> Response:
        from superset import security_manager

        if not BOARD.fullmatch(request.path) or response.status_code != 200:
            return response
        response.vary.add("User-Agent")
        if not PHONE.search(request.user_agent.string) or not security_manager.is_guest_user():
            return response
        content = json.loads(response.get_data())
        board = content["result"]
        board["position_json"] = json.dumps(stacked(json.loads(board["position_json"])))
        response.set_data(json.dumps(content, ensure_ascii=False))
        return response

    app.after_request(answer)


def stacked(position: dict[str, Any]) -> dict[str, Any]:
    """The catalogue's layout with two figures to a row and every other chart in a row of its own."""
    rows = [position[key] for key in position["GRID_ID"]["children"]]
    lines = [line for row in rows for line in _lines([position[key] for key in row["children"]])]
    laid = {key: part for key, part in position.items() if part not in rows}
    laid["GRID_ID"] = {**position["GRID_ID"], "children": [f"ROW-{number}" for number in range(len(lines))]}
    for number, charts in enumerate(lines):
        key = f"ROW-{number}"
        laid[key] = {**rows[0], "id": key, "children": [chart["id"] for chart in charts]}
        for chart in charts:
            meta = chart["meta"]
            height = meta["height"] if _is_figure(chart) else max(meta["height"], TABLE_HEIGHT)
            laid[chart["id"]] = {
                **chart,
                "parents": [*rows[0]["parents"], key],
                "meta": {**meta, "width": WHOLE // len(charts), "height": height},
            }
    return laid


def _lines(charts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    many = 2 if _is_figure(charts[0]) else 1
    return [charts[start : start + many] for start in range(0, len(charts), many)]


def _is_figure(chart: dict[str, Any]) -> bool:
    return bool(chart["meta"]["height"] <= FIGURES_HEIGHT)
