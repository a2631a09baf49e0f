"""Business log (业务日志): its page and export list, with every change field by field in the screens' words.

The log has millions of rows: its page walks from one entry to older ones instead of counting them.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Boolean, text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.field_sources import PLAIN, from_fields
from api.kit.declaration.fields import datetime_field, key_field, reference_field, text_field, textarea_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.http.date_filters import last_days_filter
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import record_visible_sql
from api.shell.workspace.log_changes import ACTIONS, Change, list_changes

api = build_router()

_ROWS = """
select b.log_id, b.at, b.company_id, b.resource, coalesce(n.label, b.resource) as resource_name, b.bill_no,
    b.action, coalesce(a.label, b.action) as action_name, b.user_name, b.imitator_name, b.reason,
    {opened} as is_opened
from business_log b
left join unnest(cast(:names as text[]), cast(:labels as text[])) as n (name, label) on n.name = b.resource
left join unnest(cast(:actions as text[]), cast(:action_labels as text[])) as a (name, label) on a.name = b.action
where (cast(:only as text) is null or b.resource = :only) and (cast(:did as text) is null or b.action = :did)
    and (cast(:me as bigint) is null or b.user_id = :me)
"""


class BusinessLogRow(View):
    """业务日志"""

    __tablename__ = "business_log"
    whose = "bill"
    declaration = Declaration(
        "业务日志",
        "v2/system/BusinessLog",
        "resource_name",
        routes={"list": "/system/businesslog"},
        menu=Menu("系统管理", "日志管理", 10),
        actions=READ_ONLY,
        order_by=("log_id", "desc"),
    )

    log_id: Mapped[int] = key_field()
    at: Mapped[datetime] = datetime_field("时间", search=True)
    company_id: Mapped[int | None] = reference_field("company", "公司", search=True, width=160)
    resource: Mapped[str] = text_field("资料编码", list=False, search=True)
    resource_name: Mapped[str] = text_field("单据/资料", search=True)
    bill_no: Mapped[str | None] = text_field("单据号", search=True, width=170)
    action: Mapped[str] = text_field("操作编码", list=False, search=True)
    action_name: Mapped[str] = text_field("操作", search=True, width=90)
    user_name: Mapped[str] = text_field("操作人", search=True, width=100)
    imitator_name: Mapped[str | None] = text_field("模拟人或令牌", search=True, width=120)
    reason: Mapped[str | None] = textarea_field("原因")
    is_opened: Mapped[bool] = mapped_column(Boolean)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        labels = list_resource_labels()
        return _ROWS.format(opened=record_visible_sql(principal, "b")), {
            "names": list(labels),
            "labels": list(labels.values()),
            "actions": list(ACTIONS),
            "action_labels": list(ACTIONS.values()),
            "only": params.get("resource") or None,
            "did": params.get("action") or None,
            "me": None if principal.own == "all" else principal.user_id,
        }

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return last_days_filter("at")


class BusinessLogEntry(BaseModel):
    """One action; `route` is where its record is seen, `changes` what it did to the fields."""

    log_id: int
    at: Annotated[str, from_fields("business_log.at")]
    company_name: Annotated[str | None, from_fields("business_log.company_id")]
    resource: Annotated[str, from_fields("business_log.resource")]
    resource_name: Annotated[str, from_fields("business_log.resource_name")]
    record_id: int
    bill_no: Annotated[str | None, from_fields("business_log.bill_no")]
    route: str | None
    action: Annotated[str, from_fields("business_log.action")]
    action_name: Annotated[str, from_fields("business_log.action_name")]
    user_name: Annotated[str, from_fields("business_log.user_name")]
    imitator_name: Annotated[str | None, from_fields("business_log.imitator_name")]
    reason: Annotated[str | None, from_fields("business_log.reason")]
    changes: list[Change]


class BusinessLogPage(BaseModel):
    """Entries, newest first; `next` is the `before` of the older ones, null at the end."""

    data: list[BusinessLogEntry]
    next: int | None


class Choice(BaseModel):
    value: Annotated[str, PLAIN]
    label: Annotated[str, PLAIN]


class Choices(BaseModel):
    resources: list[Choice]
    actions: list[Choice]


Text = Annotated[str, Query(max_length=100)]


@call(
    api,
    "GET",
    "v2/system/BusinessLog/getPage",
    right=BusinessLogRow.right("list"),
    returns=BusinessLogPage,
)
def get_page(
    ctx: Context,
    before: Key = 0,
    per_page: Annotated[int, Query(ge=1, le=200)] = 50,
    company_id: Key = 0,
    resource: Text = "",
    action: Text = "",
    bill_no: Text = "",
    user_name: Text = "",
    record_id: Key = 0,
    at_start: date | None = None,
    at_end: date | None = None,
) -> Any:
    """业务日志: entries below `before`, of records within the scope of the reader."""
    filters: dict[str, tuple[str, Any]] = {
        "b.log_id < :before": ("before", before),
        "b.company_id = :company_id": ("company_id", company_id),
        "b.resource = :resource": ("resource", resource.strip()),
        "b.action = :action": ("action", action.strip()),
        "b.bill_no = :bill_no": ("bill_no", bill_no.strip()),
        "b.record_id = :record_id": ("record_id", record_id),
        "(b.user_name = :user_name or b.imitator_name = :user_name)": ("user_name", user_name.strip()),
        "b.at >= :at_start": ("at_start", at_start),
        "b.at < cast(:at_end as date) + 1": ("at_end", at_end),
        "b.company_id = any(:companies)": ("companies", _company_filter(ctx.principal)),
        "b.user_id = :me": ("me", None if ctx.principal.own == "all" else ctx.principal.user_id),
    }
    given = {condition: pair for condition, pair in filters.items() if pair[1] not in (0, "", None)}
    where = " and ".join((*given, record_visible_sql(ctx.principal, "b")))
    values = dict(given.values())
    rows = ctx.conn.execute(
        text(
            "select b.*, c.company_name from business_log b left join company c on c.company_id = b.company_id"
            f" where {where} order by b.log_id desc limit :many"
        ),
        {**values, "many": per_page + 1},
    ).all()
    shown, more = rows[:per_page], len(rows) > per_page
    changes = list_changes(ctx.conn, shown, ctx.principal)
    labels = list_resource_labels()
    return {
        "data": [
            {
                "log_id": row.log_id,
                "at": row.at,
                "company_name": row.company_name,
                "resource": row.resource,
                "resource_name": labels.get(row.resource, row.resource),
                "record_id": row.record_id,
                "bill_no": row.bill_no,
                "route": _build_route(ctx.principal, row.resource, row.record_id),
                "action": row.action,
                "action_name": ACTIONS.get(row.action, row.action),
                "user_name": row.user_name,
                "imitator_name": row.imitator_name,
                "reason": row.reason,
                "changes": [change.model_dump() for change in changes[row.log_id]],
            }
            for row in shown
        ],
        "next": shown[-1].log_id if more else None,
    }


@call(
    api,
    "GET",
    "v2/system/BusinessLog/getChoices",
    right=BusinessLogRow.right("list"),
    returns=Choices,
)
def get_choices(ctx: Context) -> Any:
    """业务日志的筛选项"""
    return {
        "resources": [{"value": name, "label": label} for name, label in list_resource_labels().items()],
        "actions": [{"value": name, "label": label} for name, label in ACTIONS.items()],
    }


def list_resource_labels() -> dict[str, str]:
    """Return the label of each declared record type by its name."""
    return {
        cls.name(): cls.declaration.label for cls in registry.list_resources() if not issubclass(cls, View)
    }


def _company_filter(principal: Principal) -> list[int] | None:
    return None if principal.companies is None else sorted(principal.companies)


def _build_route(principal: Principal, resource: str, record_id: int) -> str | None:
    """Return the route of a record's detail page, None where the user may not see it."""
    cls = registry.find_resource(resource)
    if cls is None or not principal.has_right(cls.right("list")):
        return None
    route = cls.declaration.routes.get("see")
    return f"{route}?id={record_id}" if route else None
