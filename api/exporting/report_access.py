"""Access to exportable reports (可导出的报表): embedded ones and lists alike, by their codes."""

from __future__ import annotations

from api.exporting.export_request import ExportRequest, ExportRequestBody, validate_request
from api.exporting.list_export import find_list, validate_list_request
from api.kit.context import Context
from api.kit.declaration import menu
from api.kit.errors import NotFound
from api.reporting.superset_gateway.frame_calls import require_report
from reports.catalogue import find_report


def require_menu_entry(code: str) -> menu.MenuEntry:
    """Return the menu entry of a report. Raises NotFound."""
    entry = menu.find_report(code)
    if entry is None or (find_report(code) is None and find_list(code) is None):
        raise NotFound("报表")
    return entry


def require_view(ctx: Context, code: str) -> menu.MenuEntry:
    """Require that the session may see a report, and return its menu entry. Raises NotFound, Forbidden."""
    entry = require_menu_entry(code)
    if find_report(code):
        require_report(ctx, code)
    ctx.require_right(entry.right)
    return entry


def require_export(ctx: Context, code: str) -> None:
    """Require that the session may see and export a report. Raises NotFound, Forbidden."""
    entry = require_view(ctx, code)
    ctx.require_right(entry.rights["export"])


def parse_export_request(ctx: Context, body: ExportRequestBody) -> ExportRequest:
    """Check the export right and validate the request of a file. Raises Refusal, with a Chinese message."""
    require_export(ctx, body.code)
    return parse_view_request(ctx, body)


def parse_view_request(ctx: Context, body: ExportRequestBody) -> ExportRequest:
    """Check the view right and validate the request of a report. Raises Refusal, with a Chinese message."""
    require_view(ctx, body.code)
    if report := find_report(body.code):
        return validate_request(report, ctx.principal, body)
    cls = find_list(body.code)
    assert cls is not None
    return validate_list_request(ctx, cls, body)


def title_of(code: str, tab: str) -> str:
    """Return the report's name for its files, or its code once it is gone."""
    report, entry = find_report(code), menu.find_report(code)
    found = report and report.tab(tab)
    if report and found:
        return report.title(found)
    return entry.label if entry else code
