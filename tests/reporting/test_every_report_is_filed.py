"""Every page of the modules of reports can be taken away as Excel, as a pivot, and on paper."""

from __future__ import annotations

import pytest

from api.exporting.export_request import list_dimensions
from api.exporting.list_export import find_list
from api.exporting.report_access import title_of
from api.kit.declaration import menu
from api.kit.declaration.menu import route_code
from api.shell.workspace.screen_registry import RegisteredScreen, list_screens
from reports.catalogue import find_report

MODULES = ("report", "groupManagement")
EXCEPTIONS = {
    "/report/ReportHome": "what leads to the reports",
    "/report/explore": "one's own charts, in Superset",
    "/report/board": "one's own boards, published: their files are Superset's",
    "/report/businesstarget": "what is to be reached: a list that is typed in",
    "/report/businesstargetAdd": "its form",
    "/report/businesstargetSee": "its form",
    "/report/ReportStatistic": "who opened which report: of the system's use, none of the business",
}
PAGES = [
    screen
    for screen in list_screens()
    if screen.module in MODULES and screen.state == "built" and screen.route not in EXCEPTIONS
]
CODES = {entry.code for entry in menu.list_reports()}


def test_exceptions_are_pages() -> None:
    assert {*EXCEPTIONS} <= {screen.route for screen in list_screens()}
    assert {route_code(route) for route in EXCEPTIONS}.isdisjoint(CODES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: route_code(page.route))
def test_a_page_is_exported_in_every_form(page: RegisteredScreen) -> None:
    code = route_code(page.route)
    report, cls = find_report(code), find_list(code)
    assert code in CODES and (report or cls), f"{page.route} has no export"
    if report:
        assert all(list_dimensions(tab.plain) and tab.plain.pivot.rows for tab in report.tabs)
    if cls:
        assert "export" in cls.declaration.actions and any(item.total for item in cls.fields())
        assert title_of(code, "all") == page.name


def test_every_report_is_exported() -> None:
    """Those of other modules too: each is framed, or a list that is filed."""
    assert [code for code in CODES if not (find_report(code) or find_list(code))] == []
