"""Reports that are exported (可导出的报表): framed ones and lists alike, by their codes."""

from __future__ import annotations

from api.exporting.asked import Asked, ReportExport, understand
from api.exporting.lists import find_list, understand_list
from api.kit import menus
from api.kit.context import Context
from api.kit.errors import NotFound
from api.reporting.calls import permitted
from reports.catalogue import find_report


def require_known(code: str) -> menus.Entry:
    """The place of a report of this code. Raises NotFound."""
    entry = menus.report(code)
    if entry is None or (find_report(code) is None and find_list(code) is None):
        raise NotFound("报表")
    return entry


def require_view(ctx: Context, code: str) -> menus.Entry:
    """Whether the session may see a report. Raises NotFound, Forbidden."""
    entry = require_known(code)
    if find_report(code):
        permitted(ctx, code)
    ctx.require(entry.right)
    return entry


def require_export(ctx: Context, code: str) -> None:
    """Whether the session may see and export a report. Raises NotFound, Forbidden."""
    entry = require_view(ctx, code)
    ctx.require(entry.rights["export"])


def understood(ctx: Context, body: ReportExport) -> Asked:
    """A request for a file, checked for the session. Raises Refusal, with what is wrong in words."""
    require_export(ctx, body.code)
    return shown(ctx, body)


def shown(ctx: Context, body: ReportExport) -> Asked:
    """What the session sees of a report. Raises Refusal, with what is wrong in words."""
    require_view(ctx, body.code)
    if report := find_report(body.code):
        return understand(report, ctx.principal, body)
    cls = find_list(body.code)
    assert cls is not None
    return understand_list(ctx, cls, body)


def title_of(code: str, tab: str) -> str:
    """The report's name as its files bear it, or its code once it is gone."""
    report, entry = find_report(code), menus.report(code)
    found = report and report.tab(tab)
    if report and found:
        return report.title(found)
    return entry.label if entry else code
