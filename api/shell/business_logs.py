"""Business log (业务日志): who changed what, field by field in the words of the screens; and its list for export.

The log has millions of rows, so that its page walks from one entry to the older ones instead of counting them.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import Boolean, text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit import registry
from api.kit.asked import lately
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.fields import key, moment, ref, textarea
from api.kit.fields import text as words
from api.kit.named_bills import opens_record
from api.kit.resource import Declaration, Menu
from api.kit.schemas import Key
from api.kit.scope import Principal
from api.kit.told import PLAIN, of
from api.kit.view import READ_ONLY, Sql, Values, View
from api.shell.log_changes import ACTIONS, Change, changes_of

api = router()

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

    log_id: Mapped[int] = key()
    at: Mapped[datetime] = moment("时间", search=True)
    company_id: Mapped[int | None] = ref("company", "公司", search=True, width=160)
    resource: Mapped[str] = words("资料编码", list=False, search=True)
    resource_name: Mapped[str] = words("单据/资料", search=True)
    bill_no: Mapped[str | None] = words("单据号", search=True, width=170)
    action: Mapped[str] = words("操作编码", list=False, search=True)
    action_name: Mapped[str] = words("操作", search=True, width=90)
    user_name: Mapped[str] = words("操作人", search=True, width=100)
    imitator_name: Mapped[str | None] = words("模拟人或令牌", search=True, width=120)
    reason: Mapped[str | None] = textarea("原因")
    is_opened: Mapped[bool] = mapped_column(Boolean)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        labels = resource_labels()
        return _ROWS.format(opened=opens_record(principal, "b")), {
            "names": list(labels),
            "labels": list(labels.values()),
            "actions": list(ACTIONS),
            "action_labels": list(ACTIONS.values()),
            "only": asked.get("resource") or None,
            "did": asked.get("action") or None,
            "me": None if principal.own == "all" else principal.user_id,
        }

    @classmethod
    def usual(cls) -> dict[str, str]:
        return lately("at")


class Entry(BaseModel):
    """One action; `route` is where its record is seen, `changes` what it did to the fields."""

    log_id: int
    at: Annotated[str, of("business_log.at")]
    company_name: Annotated[str | None, of("business_log.company_id")]
    resource: Annotated[str, of("business_log.resource")]
    resource_name: Annotated[str, of("business_log.resource_name")]
    record_id: int
    bill_no: Annotated[str | None, of("business_log.bill_no")]
    route: str | None
    action: Annotated[str, of("business_log.action")]
    action_name: Annotated[str, of("business_log.action_name")]
    user_name: Annotated[str, of("business_log.user_name")]
    imitator_name: Annotated[str | None, of("business_log.imitator_name")]
    reason: Annotated[str | None, of("business_log.reason")]
    changes: list[Change]


class EntryPage(BaseModel):
    """Entries, newest first; `next` is the `before` of the older ones, null at the end."""

    data: list[Entry]
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
    returns=EntryPage,
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
    asked: dict[str, tuple[str, Any]] = {
        "b.log_id < :before": ("before", before),
        "b.company_id = :company_id": ("company_id", company_id),
        "b.resource = :resource": ("resource", resource.strip()),
        "b.action = :action": ("action", action.strip()),
        "b.bill_no = :bill_no": ("bill_no", bill_no.strip()),
        "b.record_id = :record_id": ("record_id", record_id),
        "(b.user_name = :user_name or b.imitator_name = :user_name)": ("user_name", user_name.strip()),
        "b.at >= :at_start": ("at_start", at_start),
        "b.at < cast(:at_end as date) + 1": ("at_end", at_end),
        "b.company_id = any(:companies)": ("companies", _companies(ctx.principal)),
        "b.user_id = :me": ("me", None if ctx.principal.own == "all" else ctx.principal.user_id),
    }
    given = {condition: pair for condition, pair in asked.items() if pair[1] not in (0, "", None)}
    where = " and ".join((*given, opens_record(ctx.principal, "b")))
    values = dict(given.values())
    rows = ctx.conn.execute(
        text(
            "select b.*, c.company_name from business_log b left join company c on c.company_id = b.company_id"
            f" where {where} order by b.log_id desc limit :many"
        ),
        {**values, "many": per_page + 1},
    ).all()
    shown, more = rows[:per_page], len(rows) > per_page
    told = changes_of(ctx.conn, shown, ctx.principal)
    labels = resource_labels()
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
                "route": _route(ctx.principal, row.resource, row.record_id),
                "action": row.action,
                "action_name": ACTIONS.get(row.action, row.action),
                "user_name": row.user_name,
                "imitator_name": row.imitator_name,
                "reason": row.reason,
                "changes": [change.model_dump() for change in told[row.log_id]],
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
        "resources": [{"value": name, "label": label} for name, label in resource_labels().items()],
        "actions": [{"value": name, "label": label} for name, label in ACTIONS.items()],
    }


def resource_labels() -> dict[str, str]:
    """What each declared record is called."""
    return {cls.name(): cls.declaration.label for cls in registry.declared() if not issubclass(cls, View)}


def _companies(principal: Principal) -> list[int] | None:
    return None if principal.companies is None else sorted(principal.companies)


def _route(principal: Principal, resource: str, record_id: int) -> str | None:
    """Where a record is seen by whoever may."""
    cls = registry.find(resource)
    if cls is None or not principal.may(cls.right("list")):
        return None
    route = cls.declaration.routes.get("see")
    return f"{route}?id={record_id}" if route else None
