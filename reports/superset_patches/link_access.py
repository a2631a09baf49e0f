"""Inaccessible links (打不开的页面): hides link columns whose pages the reader may not open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reports.superset_patches.rewrite_responses import CHARTS, rewrite_responses

if TYPE_CHECKING:
    from flask import Flask

CLOSED_HEADER = "x-closed"
"""Header of a frame with the pages that its reader may not open (`pages/head_custom_extra.html`)."""


def install_link_hiding(app: Flask) -> None:
    """Hide link columns of a guest's tables whose pages he may not open, as his frame says."""
    from flask import request

    def list_closed_pages() -> set[str]:
        return {*request.headers.get(CLOSED_HEADER, "").split()}

    def rewrite_charts(charts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [hide_closed_links(chart, list_closed_pages()) for chart in charts]

    rewrite_responses(app, CHARTS, rewrite_charts, lambda: bool(list_closed_pages()), (CLOSED_HEADER,))


def hide_closed_links(chart: dict[str, Any], closed: set[str]) -> dict[str, Any]:
    """Return the chart's answer without the columns whose links all lead to closed pages."""
    form = chart["form_data"]
    config = form.get("column_config") or {}
    shut = [name for name, pages in (form.get("link_pages") or {}).items() if closed.issuperset(pages)]
    hidden = {name: {**config.get(name, {}), "visible": False} for name in shut}
    return {**chart, "form_data": {**form, "column_config": {**config, **hidden}}} if hidden else chart
