"""Use of reports (报表访问记录、报表使用统计): visits of reports by user, and their statistics by report.

Visits are entered by the page that shows a report, and never changed; they are kept after the account is
gone.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query
from sqlalchemy import BigInteger, DateTime, Identity, Index, Text, func, insert
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration import menu
from api.kit.declaration.fields import (
    date_field,
    datetime_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import NotFound
from api.kit.http.date_filters import last_days_filter, parse_date
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.scope import Principal
from api.kit.storage.database import Base

api = build_router()
VISITS_ROUTE = "/system/reportvisit"


class ReportVisit(Base):
    """A visit of a report by a user, with role and company."""

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
    report = next((entry for entry in menu.list_visited() if entry.code == code), None)
    if report is None or not me.has_right(report.right):
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


def _build_visits_sql(principal: Principal, params: Values) -> Sql:
    """Return SQL of visits with the reports' present names, and addresses where the principal may open them;
    a code filters by its whole text. Users limited to their own documents see their own visits only."""
    reports = menu.list_visited()
    return _VISITS, {
        "codes": [report.code for report in reports],
        "labels": [report.label for report in reports],
        "routes": [report.route if principal.has_right(report.right) else None for report in reports],
        "only": params.get("code") or None,
        "me": None if principal.own == "all" else principal.user_id,
    }


class ReportVisitRow(View):
    """Visits of reports (报表访问记录)."""

    __tablename__ = "report_visit"
    declaration = Declaration(
        "报表访问记录",
        "v2/report/ReportVisit",
        "report_name",
        routes={"list": VISITS_ROUTE},
        menu=Menu("系统管理", "日志管理", 50),
        actions=READ_ONLY,
        order_by=("visit_id", "desc"),
        drill=Drill("报表", route_field="route"),
    )

    visit_id: Mapped[int] = key_field()
    at: Mapped[datetime] = datetime_field("时间", search=True)
    report_name: Mapped[str] = text_field("报表", search=True, width=180)
    code: Mapped[str] = text_field("报表编码", search=True, optional=True, width=190)
    user_id: Mapped[int] = reference_field(
        "user_account", "打开人", target="user_id", search=True, label_field="user_realname", width=110
    )
    user_name: Mapped[str] = text_field("登录名", search=True, width=110)
    role_id: Mapped[int] = reference_field("role", "角色", search=True, width=130)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, width=180)
    imitator_name: Mapped[str | None] = text_field("模拟人", search=True, width=100)
    route: Mapped[str | None] = text_field("报表地址", list=False, export=False, hidden=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _build_visits_sql(principal, params)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return last_days_filter("at")


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
    """Use of each report (报表使用统计): number of visits and users, and the most frequent user."""

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
            VISITS_ROUTE,
            (
                ("code", "code"),
                ("company_id", "company_id"),
                ("user_id", "user_id"),
                ("at_start", "first_day"),
                ("at_end", "last_day"),
            ),
        ),
    )

    report_statistic_id: Mapped[int] = key_field()
    report_name: Mapped[str] = text_field("报表", search=True, width=170)
    code: Mapped[str] = text_field("报表编码", optional=True, width=180)
    visits: Mapped[int] = integer_field("打开次数", total=True, width=100)
    users: Mapped[int] = integer_field("使用人数", width=100)
    last_at: Mapped[datetime] = datetime_field("最近打开", width=160)
    top_user_id: Mapped[int] = reference_field(
        "user_account", "打开最多的人", target="user_id", label_field="top_user_realname", width=120
    )
    top_visits: Mapped[int] = integer_field("其打开次数", width=110)
    at: Mapped[datetime] = datetime_field("打开时间", search=True, list=False, export=False)
    company_id: Mapped[int | None] = reference_field("company", "公司", search=True, list=False, export=False)
    user_id: Mapped[int | None] = reference_field(
        "user_account",
        "打开人",
        target="user_id",
        search=True,
        list=False,
        export=False,
        label_field="user_realname",
    )
    first_day: Mapped[date | None] = date_field("起始日期", list=False, export=False)
    last_day: Mapped[date | None] = date_field("截止日期", list=False, export=False)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        visits, values = _build_visits_sql(principal, params)
        days = "cast(:first as date) as first_day, cast(:last as date) as last_day"
        first, last = parse_date(params, "at_start", "打开时间"), parse_date(params, "at_end", "打开时间")
        return f"select v.*, {days} from ({visits}) v", {**values, "first": first, "last": last}

    @classmethod
    def summary(cls, params: Values) -> str:
        return _SUMMARY

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return last_days_filter("at")
