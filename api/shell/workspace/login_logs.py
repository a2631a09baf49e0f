"""Login log (登录日志): list of all attempts to log in, with client address and the end of the session."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped

from api.identity.sessions import ENDINGS, EXPIRED
from api.kit.declaration.fields import datetime_field, enum_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.http.date_filters import last_days_filter
from api.kit.scope import Principal

ONLINE, GONE = 10, 11
STATES = {ONLINE: "在线", GONE: "已结束", **ENDINGS}

_ROWS = f"""
select a.attempt_id, a.at, a.user_name, u.realname, u.company_id,
    case when a.succeeded then 1 else 2 end as result, a.reason,
    case when a.imitator_id is null then 1 else 2 end as kind, i.realname as imitator_name, a.client, a.agent,
    case
        when not a.succeeded or a.session_id is null then null
        when a.ended_at is not null then a.ended_how
        when s.session_id is null then {GONE}
        when s.expires_at <= now() then {EXPIRED}
        else {ONLINE}
    end as state,
    coalesce(a.ended_at, case when s.expires_at <= now() then s.expires_at end) as ended_at
from login_attempt a
left join user_account u on u.user_id = a.user_id
left join user_account i on i.user_id = a.imitator_id
left join user_session s on s.session_id = a.session_id
"""


class LoginLog(View):
    """登录日志: tries with names that nobody has show to those who see every company."""

    __tablename__ = "login_log"
    declaration = Declaration(
        "登录日志",
        "v2/system/LoginLog",
        "user_name",
        routes={"list": "/system/loginlog"},
        menu=Menu("系统管理", "日志管理", 20),
        actions=READ_ONLY,
        order_by=("attempt_id", "desc"),
    )

    attempt_id: Mapped[int] = key_field()
    at: Mapped[datetime] = datetime_field("时间", search=True)
    user_name: Mapped[str] = text_field("登录名", search=True)
    realname: Mapped[str | None] = text_field("姓名", search=True, width=100)
    company_id: Mapped[int | None] = reference_field("company", "公司", search=True, width=160)
    result: Mapped[int] = enum_field("结果", {1: "成功", 2: "失败"}, default=1, search=True, width=80)
    reason: Mapped[str | None] = text_field("失败原因", width=110)
    kind: Mapped[int] = enum_field("方式", {1: "登录", 2: "模拟登录"}, default=1, search=True, width=90)
    imitator_name: Mapped[str | None] = text_field("模拟人", search=True, width=100)
    client: Mapped[str] = text_field("客户端地址", search=True, width=130)
    agent: Mapped[str | None] = text_field("浏览器", width=260)
    state: Mapped[int | None] = enum_field("会话", STATES, default=ONLINE, search=True, width=110)
    ended_at: Mapped[datetime | None] = datetime_field("结束时间")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _ROWS, {}

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return last_days_filter("at")
