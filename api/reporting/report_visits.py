"""Use of reports (报表访问记录、报表使用统计): who entered which report and when, and what that adds up to by report.

Visits are entered by the page that shows a report, and never changed; they are kept after the account is gone.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query
from sqlalchemy import BigInteger, DateTime, Identity, Index, Text, func, insert
from sqlalchemy.orm import Mapped, mapped_column

from api.kit import menus
from api.kit.asked import asked_day, lately
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.database import Base
from api.kit.errors import NotFound
from api.kit.fields import day, integer, key, moment, ref, text
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values, View

api = router()
VISITS = "/system/reportvisit"


class ReportVisit(Base):
    """Somebody entered a report, in his role and for his company."""

    __tablename__ = "report_visit"
    __table_args__ = (
        Index("ix_report_visit_at", "at"),
        Index("ix_report_visit_user", "user_id", "code", "at"),
    )

    visit_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(Text)
    role_id: Mapped[int] = mapped_column(BigInteger)
    company_id: Mapped[int] = mapped_column(BigInteger)
    imitator_id: Mapped[int | None] = mapped_column(BigInteger)
    code: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


@call(api, "GET", "v2/open/ReportStatistic/add", right=ANY_USER, returns=None)
def add_report_statistic(ctx: Context, code: Annotated[str, Query(max_length=100)]) -> Any:
    """报表访问记录: the user entered a report that he may see."""
    me = ctx.principal
    report = next((entry for entry in menus.visited() if entry.code == code), None)
    if report is None or not me.may(report.right):
        raise NotFound("报表")
    visit = {"user_id": me.user_id, "user_name": me.user_name, "role_id": me.role_id}
    where = {"company_id": me.company_id, "imitator_id": me.imitator_id or None, "code": code}
    ctx.conn.execute(insert(ReportVisit).values(**visit, **where))
    return None


_VISITS = """
select v.visit_id, v.at, v.company_id, v.user_id, v.user_name, v.role_id, v.code, n.route,
    coalesce(n.report_name, v.code) as report_name, i.realname as imitator_name
from report_visit v
left join unnest(cast(:codes as text[]), cast(:labels as text[]), cast(:routes as text[]))
    as n (code, report_name, route) on n.code = v.code
left join user_account i on i.user_id = v.imitator_id
where (cast(:only as text) is null or v.code = :only) and (cast(:me as bigint) is null or v.user_id = :me)
"""


def _visits(principal: Principal, asked: Values) -> Sql:
    """Visits by the reports' present names, with an address where the principal may open them; a code is asked for
    whole. Who sees his own documents only sees his own visits."""
    reports = menus.visited()
    return _VISITS, {
        "codes": [report.code for report in reports],
        "labels": [report.label for report in reports],
        "routes": [report.route if principal.may(report.right) else None for report in reports],
        "only": asked.get("code") or None,
        "me": None if principal.own == "all" else principal.user_id,
    }


class ReportVisitRow(View):
    """报表访问记录"""

    __tablename__ = "report_visit"
    declaration = Declaration(
        "报表访问记录",
        "v2/report/ReportVisit",
        "report_name",
        routes={"list": VISITS},
        menu=Menu("系统管理", "日志管理", 50),
        actions=READ_ONLY,
        order_by=("visit_id", "desc"),
        drill=Drill("报表", route_field="route"),
    )

    visit_id: Mapped[int] = key()
    at: Mapped[datetime] = moment("时间", search=True)
    report_name: Mapped[str] = text("报表", search=True, width=180)
    code: Mapped[str] = text("报表编码", search=True, optional=True, width=190)
    user_id: Mapped[int] = ref(
        "user_account", "打开人", target="user_id", search=True, label_field="user_realname", width=110
    )
    user_name: Mapped[str] = text("登录名", search=True, width=110)
    role_id: Mapped[int] = ref("role", "角色", search=True, width=130)
    company_id: Mapped[int] = ref("company", "公司", search=True, width=180)
    imitator_name: Mapped[str | None] = text("模拟人", search=True, width=100)
    route: Mapped[str | None] = text("报表地址", list=False, export=False, hidden=True)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _visits(principal, asked)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return lately("at")


# Where all of a report's visits are of one company, or one user, the entries behind its row are told so.
_SUMMARY = """
with by_user as (
    select code, report_name, user_id, count(*) as visits, min(company_id) as first_company,
        max(company_id) as last_company, min(at) as first_at, max(at) as last_at
    from {rows}
    group by code, report_name, user_id
), ranked as (
    select *, row_number() over (partition by code order by visits desc, last_at desc, user_id) as place
    from by_user
), reports as (
    select code, report_name, cast(sum(visits) as integer) as visits, cast(count(*) as integer) as users,
        max(last_at) as at, max(last_at) as last_at, max(user_id) filter (where place = 1) as top_user_id,
        cast(max(visits) filter (where place = 1) as integer) as top_visits,
        case when count(*) = 1 then min(user_id) end as user_id,
        case when min(first_company) = max(last_company) then min(first_company) end as company_id
    from ranked
    group by code, report_name
)
select r.*, hashtextextended(code, 0) & 9007199254740991 as report_statistic_id, d.first_day, d.last_day
from reports r
cross join (select min(first_day) as first_day, min(last_day) as last_day from {rows}) d
"""


class ReportStatistic(View):
    """报表使用统计: how often and by how many each report was opened, and by whom most."""

    __tablename__ = "report_statistic"
    declaration = Declaration(
        "报表使用统计",
        "v2/report/ReportStatistic",
        "report_name",
        routes={"list": "/report/ReportStatistic"},
        menu=Menu("报表中心", "报表总览", 20),
        actions=READ_ONLY,
        order_by=("visits", "desc"),
        drill=Drill(
            "报表访问记录",
            VISITS,
            (
                ("code", "code"),
                ("company_id", "company_id"),
                ("user_id", "user_id"),
                ("at_start", "first_day"),
                ("at_end", "last_day"),
            ),
        ),
    )

    report_statistic_id: Mapped[int] = key()
    report_name: Mapped[str] = text("报表", search=True, width=170)
    code: Mapped[str] = text("报表编码", optional=True, width=180)
    visits: Mapped[int] = integer("打开次数", total=True, width=100)
    users: Mapped[int] = integer("使用人数", width=100)
    last_at: Mapped[datetime] = moment("最近打开", width=160)
    top_user_id: Mapped[int] = ref(
        "user_account", "打开最多的人", target="user_id", label_field="top_user_realname", width=120
    )
    top_visits: Mapped[int] = integer("其打开次数", width=110)
    at: Mapped[datetime] = moment("打开时间", search=True, list=False, export=False)
    company_id: Mapped[int | None] = ref("company", "公司", search=True, list=False, export=False)
    user_id: Mapped[int | None] = ref(
        "user_account",
        "打开人",
        target="user_id",
        search=True,
        list=False,
        export=False,
        label_field="user_realname",
    )
    first_day: Mapped[date | None] = day("起始日期", list=False, export=False)
    last_day: Mapped[date | None] = day("截止日期", list=False, export=False)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        visits, values = _visits(principal, asked)
        days = "cast(:first as date) as first_day, cast(:last as date) as last_day"
        first, last = asked_day(asked, "at_start", "打开时间"), asked_day(asked, "at_end", "打开时间")
        return f"select v.*, {days} from ({visits}) v", {**values, "first": first, "last": last}

    @classmethod
    def summary(cls, asked: Values) -> str:
        return _SUMMARY

    @classmethod
    def usual(cls) -> dict[str, str]:
        return lately("at")
