"""Home page of reports (报表首页): every report that the user may open, by the question it answers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped

from api.kit.declaration import menu
from api.kit.declaration.fields import datetime_field, integer_field, key_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.kit.storage.initials import initials

_REPORTS = """
select n.*, v.at as opened_at, v.visit_id as last_visit_id
from unnest(
    cast(:numbers as bigint[]), cast(:codes as text[]), cast(:labels as text[]), cast(:questions as text[]),
    cast(:groups as text[]), cast(:routes as text[]), cast(:initials as text[]),
    cast(:words as text[])
) as n (report_home_id, code, report_name, question, group_name, route, initials, words)
left join lateral (
    select v.at, v.visit_id from report_visit v where v.user_id = :me and v.code = n.code
    order by v.at desc, v.visit_id desc limit 1
) v on true
"""


class ReportHome(View):
    """A report of the home page (报表首页), with the time of the user's last visit."""

    __tablename__ = "report_home"
    declaration = Declaration(
        "报表首页",
        "v2/report/ReportHome",
        "report_name",
        routes={"list": "/report/ReportHome"},
        menu=Menu("报表中心", "报表总览", 10),
        actions=READ_ONLY,
        order_by=("report_home_id", "asc"),
    )

    report_home_id: Mapped[int] = key_field()
    report_name: Mapped[str] = text_field("报表", search=True, width=180)
    question: Mapped[str] = text_field("回答的问题", search=True, width=360)
    group_name: Mapped[str] = text_field("分组", search=True)
    route: Mapped[str] = text_field("地址", search=True, width=240)
    code: Mapped[str] = text_field("编码", search=True, width=190)
    initials: Mapped[str] = text_field("拼音首字母", search=True)
    words: Mapped[str] = text_field("别的说法", search=True)
    opened_at: Mapped[datetime | None] = datetime_field("我最近打开")
    last_visit_id: Mapped[int | None] = integer_field("我最近的访问")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        numbered = enumerate(menu.list_reports(), start=1)
        mine = [(number, report) for number, report in numbered if principal.has_right(report.right)]
        reports = [report for _, report in mine]
        return _REPORTS, {
            "numbers": [number for number, _ in mine],
            "codes": [report.code for report in reports],
            "labels": [report.label for report in reports],
            "questions": [report.question for report in reports],
            "groups": [report.place.group for report in reports],
            "routes": [report.route for report in reports],
            "initials": [initials(report.label) for report in reports],
            "words": [report.words for report in reports],
            "me": principal.user_id,
        }
