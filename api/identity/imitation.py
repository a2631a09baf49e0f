"""Simulated login (模拟登录): somebody works as a user to see what he sees, never above his own rights.

On each call the session holds what both hold at that moment (`sessions.authenticate`). It ends after an hour, with the
imitator's own session, or when he may no longer; logs name both.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped

from api.identity import login, rights, sessions
from api.identity.answers import LoggedIn, logged_in
from api.identity.tables import LAST_LOGIN, UserAccount
from api.kit import business_log
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.endpoints import action
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.fields import key, moment, ref
from api.kit.fields import text as words
from api.kit.resource import Declaration, Menu
from api.kit.schemas import Key, Payload
from api.kit.scope import Principal
from api.kit.view import Sql, Values, View

api = router()


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

    user_id: Mapped[int] = key()
    user_name: Mapped[str] = words("登录名", search=True)
    realname: Mapped[str] = words("姓名", search=True)
    company_id: Mapped[int] = ref("company", "公司", search=True, width=180)
    department_name: Mapped[str | None] = words("部门")
    role_id: Mapped[int] = ref("role", "角色", search=True)
    last_login_at: Mapped[datetime | None] = moment("最近登录")

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
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


@action(api, ImitateLogin, "imitate", LoggedIn, told_once=True)
def imitate(ctx: Context, payload: Whom) -> Any:
    """模拟登录: a session of an hour as the user."""
    me = ctx.principal
    if me.imitator_id:
        raise Forbidden("已在模拟登录中，请先结束模拟")
    if me.own != "all":
        raise Forbidden("只能查看本人或本部门单据的角色不能模拟登录")
    if payload.user_id == me.user_id:
        raise Refusal("不能模拟自己")
    user = login.person(ctx.conn, payload.user_id)
    if user is None or not user.enabled or not me.reaches(user.company_id):
        raise NotFound("用户")
    rights.may_hand_out(ctx, user.role_id)
    opened = sessions.open_imitation(ctx.conn, user.user_id, me)
    login.record(
        ctx.conn,
        user.user_name,
        ctx.client,
        ctx.agent,
        user_id=user.user_id,
        reason=None,
        imitator_id=me.user_id,
        session_id=opened.session_id,
    )
    business_log.write(ctx.conn, me, UserAccount.name(), user.user_id, "imitate", company_id=user.company_id)
    return logged_in(ctx.conn, user, opened, imitator=me.realname)


@call(api, "POST", "v2/user/Login/endImitate", right=ANY_USER, returns=None, write=True)
def end_imitate(ctx: Context) -> Any:
    """结束模拟: the user's session ends; the imitator goes on with his own."""
    if not ctx.principal.imitator_id:
        raise Refusal("当前不是模拟登录")
    sessions.close_session(ctx.conn, ctx.principal.session_id, sessions.IMITATED)
    return None
