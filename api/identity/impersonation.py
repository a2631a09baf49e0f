"""Impersonation (模拟登录): a session as another user, never above the impersonator's own rights.

On each call the session has the rights that both have at that moment
(`sessions.authenticate_token`). It ends after an hour, with the impersonator's own session, or when
he loses the right; logs name both.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped

from api.identity import login, rights, sessions
from api.identity.login_response import LoggedIn, build_login_response
from api.identity.tables import LAST_LOGIN, UserAccount
from api.kit.context import Context
from api.kit.declaration.fields import datetime_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import Sql, Values, View
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Payload
from api.kit.scope import Principal
from api.kit.storage import business_log

api = build_router()


class ImitateLogin(View):
    """模拟登录: the users whom one may act as, if their roles hold no more than one's own."""

    __tablename__ = "imitate_login"
    declaration = Declaration(
        "模拟登录",
        "v2/system/ImitateLogin",
        "realname",
        routes={"list": "/system/imitateLogin"},
        menu=Menu("系统管理", "权限管理", 30),
        actions=("list", "imitate"),
        order_by=("user_id", "asc"),
    )

    user_id: Mapped[int] = key_field()
    user_name: Mapped[str] = text_field("登录名", search=True)
    realname: Mapped[str] = text_field("姓名", search=True)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, width=180)
    department_name: Mapped[str | None] = text_field("部门")
    role_id: Mapped[int] = reference_field("role", "角色", search=True)
    last_login_at: Mapped[datetime | None] = datetime_field("最近登录")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _USERS, {"me": principal.user_id}


_USERS = f"""
select u.user_id, u.user_name, u.realname, u.company_id, d.department_name, u.role_id,
    {LAST_LOGIN.format(table="u")} as last_login_at
from user_account u
left join employee e on e.employee_id = u.employee_id
left join department d on d.department_id = e.department_id
where u.enabled and u.user_id <> :me
"""


class Whom(Payload):
    user_id: Key


@declare_action(api, ImitateLogin, "imitate", LoggedIn, answered_once=True)
def impersonate_user(ctx: Context, payload: Whom) -> Any:
    """模拟登录: a session of an hour as the user."""
    me = ctx.principal
    if me.imitator_id:
        raise Forbidden("已在模拟登录中，请先结束模拟")
    if me.own != "all":
        raise Forbidden("只能查看本人或本部门单据的角色不能模拟登录")
    if payload.user_id == me.user_id:
        raise Refusal("不能模拟自己")
    user = login.read_user(ctx.conn, payload.user_id)
    if user is None or not user.enabled or not me.covers_company(user.company_id):
        raise NotFound("用户")
    rights.require_can_assign_role(ctx, user.role_id)
    opened = sessions.open_impersonation(ctx.conn, user.user_id, me)
    login.record_attempt(
        ctx.conn,
        user.user_name,
        ctx.client,
        ctx.agent,
        user_id=user.user_id,
        reason=None,
        imitator_id=me.user_id,
        session_id=opened.session_id,
    )
    business_log.log_action(
        ctx.conn, me, UserAccount.name(), user.user_id, "imitate", company_id=user.company_id
    )
    return build_login_response(ctx.conn, user, opened, imitator=me.realname)


@call(api, "POST", "v2/user/Login/endImitate", right=ANY_USER, returns=None, write=True)
def end_impersonation(ctx: Context) -> Any:
    """结束模拟: the user's session ends; the imitator goes on with his own."""
    if not ctx.principal.imitator_id:
        raise Refusal("当前不是模拟登录")
    sessions.close_session(ctx.conn, ctx.principal.session_id, sessions.IMPERSONATION_ENDED)
    return None
