"""Every page of the modules of reports can be taken away as Excel, as a pivot, and on paper."""

from __future__ import annotations

import pytest

from api.exporting.asked import dimensions
from api.exporting.lists import find_list
from api.exporting.reports import title_of
from api.kit import menus
from api.kit.menus import code_of
from api.shell.register import Screen, screens
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
    for screen in screens()
    if screen.module in MODULES and screen.state == "built" and screen.route not in EXCEPTIONS
]
CODES = {entry.code for entry in menus.reports()}


def test_exceptions_are_pages() -> None:
    assert {*EXCEPTIONS} <= {screen.route for screen in screens()}
    assert {code_of(route) for route in EXCEPTIONS}.isdisjoint(CODES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: code_of(page.route))
def test_a_page_is_exported_in_every_form(page: Screen) -> None:
    code = code_of(page.route)
    report, cls = find_report(code), find_list(code)
    assert code in CODES and (report or cls), f"{page.route} has no export"
    if report:
        assert all(dimensions(tab.plain) and tab.plain.pivot.rows for tab in report.tabs)
    if cls:
        assert "export" in cls.declaration.actions and any(item.total for item in cls.fields())
        assert title_of(code, "all") == page.name


def test_every_report_is_exported() -> None:
    """Those of other modules too: each is framed, or a list that is filed."""
    assert [code for code in CODES if not (find_report(code) or find_list(code))] == []
