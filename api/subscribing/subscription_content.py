"""Subscription content (订阅内容): one validation for saving, resuming, running and sending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError
from sqlalchemy import select

from api.exporting import report_access
from api.exporting.export_request import ExportRequest, ExportRequestBody
from api.exporting.list_export import find_list
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.errors import Forbidden, Refusal
from api.shell.workspace.preferences import UserPreference
from api.subscribing.mail import build_mailer
from api.subscribing.tables import MAIL


@dataclass(frozen=True, slots=True)
class ReportSelection:
    """A report's tab with a filter set, a way of delivery and a file format."""

    code: str
    tab: str
    scheme: str | None
    way: str
    form: str = "detail"

    @classmethod
    def from_source(cls, source: Any) -> Self:
        """Build the selection of a subscription's row, or of a request for one."""
        return cls(source.code, source.tab, source.scheme, source.way, getattr(source, "form", "detail"))

    @property
    def title(self) -> str:
        """Return the report's title as its files have it, or its code once it is gone."""
        return report_access.title_of(self.code, self.tab)


def filter_scope_key(code: str, tab: str) -> str:
    """Return the key under which a tab's filters are kept; of a list its own name."""
    cls = find_list(code)
    return cls.name() if cls else f"report_{code}/{tab}"


def require_export_right(ctx: Context, code: str) -> None:
    """Raise NotFound or Forbidden unless the user may see and export the report."""
    try:
        report_access.require_export(ctx, code)
    except Forbidden:
        raise Forbidden("您没有查看或导出此报表的权限") from None


def resolve_export_request(
    ctx: Context, selection: ReportSelection
) -> tuple[ExportRequestBody, ExportRequest]:
    """Check rights, filter set and address, and return the export request.

    Raises: NotFound, Forbidden, Refusal.
    """
    require_export_right(ctx, selection.code)
    body = build_export_request(ctx, selection)
    return body, report_access.parse_export_request(ctx, body)


def require_email(ctx: Context) -> str:
    """Return the user's mail address, which only administrators enter.

    Raises: Refusal where there is none, or no mail server is set.
    """
    if build_mailer() is None:
        raise Refusal("系统没有设置发信邮箱，请改用站内消息，或联系管理员设置")
    column = UserAccount.table().c
    found: str | None = ctx.conn.execute(
        select(column.email).where(column.user_id == ctx.principal.user_id)
    ).scalar()
    if not found:
        raise Refusal("您的账号没有邮箱，请联系管理员在用户中填写，或改用站内消息")
    return found


def build_export_request(ctx: Context, selection: ReportSelection) -> ExportRequestBody:
    """Build the body of a selection's export for the user.

    Raises: Refusal where its filter set or his address is missing.
    """
    if selection.way == MAIL:
        require_email(ctx)
    body = {"code": selection.code, "tab": selection.tab, "form": selection.form}
    if selection.scheme is None:
        return ExportRequestBody.model_validate(body)
    kept = UserPreference.__table__.c
    mine = kept.user_id == ctx.principal.user_id, kept.kind == "scheme"
    named = kept.screen == filter_scope_key(selection.code, selection.tab), kept.name == selection.scheme
    found = ctx.conn.execute(select(kept.value).where(*mine, *named)).first()
    if found is None:
        raise Refusal(f"常用筛选“{selection.scheme}”已删除，请另选一个")
    try:
        return ExportRequestBody.model_validate(
            {**body, "filters": _parse_filters(selection.code, found.value)}
        )
    except ValidationError:
        raise Refusal(f"常用筛选“{selection.scheme}”的内容不正确，请在报表上重新保存") from None


def _parse_filters(code: str, kept: Any) -> Any:
    """Return the filters of a kept set.

    A list's kept query has fixed days; those that it opens with by default move on instead.
    """
    filters, cls = kept.get("filters") if isinstance(kept, dict) else None, find_list(code)
    if cls is None or not isinstance(filters, dict):
        return filters
    moving = {
        f"{item.name}{end}" for item in cls.fields() if item.kind == "date" for end in ("_start", "_end")
    }
    moving &= cls.default_filters().keys()
    chosen = {
        "keyword": kept.get("keyword"),
        "order_key": kept.get("orderKey"),
        "order_by": kept.get("orderBy"),
    }
    own = {name: value for name, value in filters.items() if not name.endswith("__label")}
    # What the list opens with and the kept query leaves out was taken away.
    given = {
        **dict.fromkeys(cls.default_filters(), ""),
        **own,
        **{name: value for name, value in chosen.items() if value},
    }
    return {name: [value] for name, value in given.items() if name not in moving}
