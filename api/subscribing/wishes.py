"""What is subscribed (订阅内容): checked by the same rules when it is saved, resumed, run, and sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError
from sqlalchemy import select

from api.exporting import reports
from api.exporting.asked import Asked, ReportExport
from api.exporting.lists import find_list
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.errors import Forbidden, Refusal
from api.shell.preferences import UserPreference
from api.subscribing.mail import mailer
from api.subscribing.tables import MAIL


@dataclass(frozen=True, slots=True)
class Wish:
    """A report's tab under a kept filter set, the way it is sent, and the form of its file."""

    code: str
    tab: str
    scheme: str | None
    way: str
    form: str = "detail"

    @classmethod
    def of(cls, source: Any) -> Self:
        """What a subscription's row says, or a request for one."""
        return cls(source.code, source.tab, source.scheme, source.way, getattr(source, "form", "detail"))

    @property
    def title(self) -> str:
        """The report's name as its files bear it, or its code once it is gone."""
        return reports.title_of(self.code, self.tab)


def screen_of(code: str, tab: str) -> str:
    """Under which name a tab's filters are kept among the user's query schemes; a list's under its own."""
    cls = find_list(code)
    return cls.name() if cls else f"report_{code}/{tab}"


def entitled(ctx: Context, code: str) -> None:
    """Whether the user may see and export the report now. Raises NotFound, Forbidden."""
    try:
        reports.require_export(ctx, code)
    except Forbidden:
        raise Forbidden("您没有查看或导出此报表的权限") from None


def understood(ctx: Context, wish: Wish) -> tuple[ReportExport, Asked]:
    """What to export for the user of `ctx`. Raises a Refusal that says why he can't have it."""
    entitled(ctx, wish.code)
    body = asked_by(ctx, wish)
    return body, reports.understood(ctx, body)


def address(ctx: Context) -> str:
    """Where the user's letters go; only administrators enter it, so that no file leaves to wherever one likes."""
    if mailer() is None:
        raise Refusal("系统没有设置发信邮箱，请改用站内消息，或联系管理员设置")
    column = UserAccount.table().c
    found: str | None = ctx.conn.execute(
        select(column.email).where(column.user_id == ctx.principal.user_id)
    ).scalar()
    if not found:
        raise Refusal("您的账号没有邮箱，请联系管理员在用户中填写，或改用站内消息")
    return found


def asked_by(ctx: Context, wish: Wish) -> ReportExport:
    """What a wish asks of its report for the user of `ctx`. Raises a Refusal for lack of its filters or an address."""
    if wish.way == MAIL:
        address(ctx)
    body = {"code": wish.code, "tab": wish.tab, "form": wish.form}
    if wish.scheme is None:
        return ReportExport.model_validate(body)
    kept = UserPreference.__table__.c
    mine = kept.user_id == ctx.principal.user_id, kept.kind == "scheme"
    named = kept.screen == screen_of(wish.code, wish.tab), kept.name == wish.scheme
    found = ctx.conn.execute(select(kept.value).where(*mine, *named)).first()
    if found is None:
        raise Refusal(f"常用筛选“{wish.scheme}”已删除，请另选一个")
    try:
        return ReportExport.model_validate({**body, "filters": _filters(wish.code, found.value)})
    except ValidationError:
        raise Refusal(f"常用筛选“{wish.scheme}”的内容不正确，请在报表上重新保存") from None


def _filters(code: str, kept: Any) -> Any:
    """The filters of a kept set. A list's query is kept with its days; those that it opens with move on instead."""
    filters, cls = kept.get("filters") if isinstance(kept, dict) else None, find_list(code)
    if cls is None or not isinstance(filters, dict):
        return filters
    moving = {
        f"{item.name}{end}" for item in cls.fields() if item.kind == "date" for end in ("_start", "_end")
    }
    moving &= cls.usual().keys()
    asked = {
        "keyword": kept.get("keyword"),
        "order_key": kept.get("orderKey"),
        "order_by": kept.get("orderBy"),
    }
    own = {name: value for name, value in filters.items() if not name.endswith("__label")}
    # What the list opens with and the kept query leaves out was taken away.
    given = {
        **dict.fromkeys(cls.usual(), ""),
        **own,
        **{name: value for name, value in asked.items() if value},
    }
    return {name: [value] for name, value in given.items() if name not in moving}
