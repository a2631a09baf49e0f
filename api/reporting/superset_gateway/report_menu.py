"""Menu entries and rights of embedded reports (框架报表的菜单), one for each report of the catalogue."""

from __future__ import annotations

from api.kit.declaration import menu
from api.kit.declaration.resource import Menu
from reports.catalogue import REPORTS
from reports.semantics.dashboards import REPORT_CENTRE

SORT_BELOW_SCREENS = 500
"""In a module of screens, reports stand below them."""

VIEW_AND_EXPORT = (("view", "查看"), ("export", "导出"))

for number, report in enumerate(REPORTS, start=1):
    sort = number if report.module == REPORT_CENTRE else SORT_BELOW_SCREENS + number
    place = Menu(report.module, report.group, sort)
    menu.add_entry(
        menu.MenuEntry(
            report.label,
            report.route,
            report.right,
            place,
            VIEW_AND_EXPORT,
            question=report.question,
            words=report.words,
        )
    )
