"""打不开的页面：链接全都通向读者不能打开的页面的列，他的表里没有。"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reports.changed_answers import CHARTS, change_answers

if TYPE_CHECKING:
    from flask import Flask

CLOSED_HEADER = "x-closed"
"""What a frame says that its reader may not open (`pages/head_custom_extra.html`)."""


def leave_out_closed(app: Flask) -> None:
    """Leave columns out of a guest's tables whose links all lead to pages that he may not open, as his frame says."""
    from flask import request

    def closed() -> set[str]:
        return {*request.headers.get(CLOSED_HEADER, "").split()}

    def shown(charts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [without_links(chart, closed()) for chart in charts]

    change_answers(app, CHARTS, shown, lambda: bool(closed()), (CLOSED_HEADER,))


def without_links(chart: dict[str, Any], closed: set[str]) -> dict[str, Any]:
    """A chart as the frame is told of it, without the columns of links to none but closed pages."""
    form = chart["form_data"]
    config = form.get("column_config") or {}
    shut = [name for name, pages in (form.get("link_pages") or {}).items() if closed.issuperset(pages)]
    hidden = {name: {**config.get(name, {}), "visible": False} for name in shut}
    return {**chart, "form_data": {**form, "column_config": {**config, **hidden}}} if hidden else chart
