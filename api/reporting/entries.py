"""框架报表在菜单里的位置和权限，与报表目录一一对应。"""

from __future__ import annotations

from api.kit import menus
from api.kit.resource import Menu
from reports.catalogue import REPORTS
from reports.catalogue.boards import REPORT_CENTRE

BEHIND = 500
"""In a module of screens, reports stand below them."""

VIEW_AND_EXPORT = (("view", "查看"), ("export", "导出"))

for number, report in enumerate(REPORTS, start=1):
    sort = number if report.module == REPORT_CENTRE else BEHIND + number
    place = Menu(report.module, report.group, sort)
    menus.add(
        menus.Entry(
            report.label,
            report.route,
            report.right,
            place,
            VIEW_AND_EXPORT,
            question=report.question,
            words=report.words,
        )
    )
