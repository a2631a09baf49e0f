"""Watched figures (预警内容): a figure of a report under kept filters, validated by the same rules when an alert
is saved and each time it is checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

from sqlalchemy import Connection

from api.exporting import report_access
from api.exporting.dataset_sql import resolve_filter_values
from api.exporting.export_request import ExportRequest, ExportRequestBody
from api.exporting.report_header import describe_filters
from api.exporting.report_source import open_source
from api.figures.report_figures import ReportFigure, find_figure, read_value
from api.kit.context import Context
from api.kit.errors import Forbidden, Refusal
from api.subscribing.subscription_content import ReportSelection, build_export_request
from reports.catalogue import find_report
from reports.superset.drilldown_links import LONGEST, TOO_MANY


@dataclass(frozen=True)
class WatchedFigure:
    """A figure as its alert requests it."""

    selection: ReportSelection
    body: ExportRequestBody
    request: ExportRequest
    figure: ReportFigure

    @contextmanager
    def open_source(self, ctx: Context) -> Iterator[Connection]:
        """Open the connection that the figure is read from."""
        with open_source(ctx, self.request) as (source, _):
            yield source

    def read_value(self, source: Connection) -> float | None:
        return read_value(self.request, self.figure, source)

    def describe_filters(self, source: Connection) -> str:
        """Describe the filters that apply to the figure."""
        applied = self.request.board.filters_of(self.figure.chart)
        return describe_filters(self.request, applied, resolve_filter_values(self.request, source))

    def build_url(self) -> str:
        """Build the link to the report under these filters."""
        return build_report_url(self.selection, self.body)

    def lack(self) -> str:
        """What is said beside an address that lacks some of the filters."""
        return "" if is_whole(self.selection, self.body) else f"；{TOO_MANY}"


def resolve_watched(ctx: Context, selection: ReportSelection, key: str) -> WatchedFigure:
    """Resolve a figure's key for the user of `ctx`. Raises Forbidden, or Refusal with the reason."""
    try:
        report_access.require_view(ctx, selection.code)
    except Forbidden:
        raise Forbidden("您没有查看此报表的权限") from None
    body = build_export_request(ctx, selection)
    request = report_access.parse_view_request(ctx, body)
    figure = find_figure(request.board, key)
    if figure is None:
        raise Refusal("报表上没有这个数字，或您没有看它的权限，请另选一个")
    return WatchedFigure(selection, body, request, figure)


def build_report_url(selection: ReportSelection, body: ExportRequestBody) -> str:
    """Build the route of a report under a selection's filters: by scheme name for a frame, by value for a
    list."""
    route = report_access.require_menu_entry(selection.code).route
    query = ""
    for name, value in _page_params(selection, body).items():
        longer = "&".join(filter(None, (query, urlencode({name: value}))))
        if len(longer) <= LONGEST:
            query = longer
    return f"{route}?{query}" if query else route


def is_whole(wish: ReportSelection, body: ExportRequestBody) -> bool:
    """Whether the address of a wish carries all of its filters."""
    return len(urlencode(_page_params(wish, body))) <= LONGEST


def _page_params(wish: ReportSelection, body: ExportRequestBody) -> dict[str, str]:
    if find_report(wish.code):
        return {"report_tab": wish.tab, **({"scheme": wish.scheme} if wish.scheme else {})}
    return {name: ",".join(filter(None, values)) for name, values in body.filters.items()}
