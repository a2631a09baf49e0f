"""Month close (月末结账): proves a company's month, locks its bills and closes it in the ledgers; and reopens it.

Orders stay as they are: they carry over into the next month, and close or open on their own day.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import insert, select, text, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import (
    COST,
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    money_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import Refusal
from api.kit.http import consequences
from api.kit.http.consequences import Fact
from api.kit.scope import describe_scope
from api.kit.storage import business_log
from api.kit.storage.database import TIME_ZONE, today
from api.ledger import close_checks, close_period, open_period
from api.master.organization.companies import Company
from api.money import year_close

CLOSED, OPENED = 1, 0
STATES = {CLOSED: "已结账", OPENED: "已反结账"}


class MonthClose(Resource):
    """月末结账: one row per close, kept when the month is reopened."""

    __tablename__ = "month_close"
    declaration = Declaration(
        "月末结账",
        "v2/system/MonthClose",
        "period",
        routes={"list": "/system/monthly"},
        menu=Menu("系统管理", "账务管理", 10),
        actions=("list", "closePeriod", "openPeriod", "export"),
        order_by=("month_close_id", "desc"),
    )

    month_close_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, index=True)
    period: Mapped[str] = text_field("会计期间", required=True, search=True, max_length=7, width=100)
    status: Mapped[int] = enum_field("状态", STATES, default=CLOSED, search=True, width=90)
    bill_count: Mapped[int] = integer_field("锁定单据", width=100)
    stock_quantity: Mapped[Decimal] = quantity_field("期末库存数量")
    stock_amount: Mapped[Decimal] = money_field("期末库存金额", permission=COST, width=140)
    receivable: Mapped[Decimal] = money_field("期末应收", width=130)
    payable: Mapped[Decimal] = money_field("期末应付", width=130)
    closed_by: Mapped[int] = reference_field(
        "user_account", "结账人", target="user_id", required=True, label_field="closed_by_name", width=90
    )
    closed_at: Mapped[datetime] = datetime_field("结账时间", required=True)
    opened_by: Mapped[int | None] = reference_field(
        "user_account", "反结账人", target="user_id", label_field="opened_by_name", width=90
    )
    opened_at: Mapped[datetime | None] = datetime_field("反结账时间")
    open_reason: Mapped[str | None] = text_field("反结账原因", max_length=200, width=200)


_FIGURES = text("""
select
    (select coalesce(sum(quantity), 0) from stock_ledger where company_id = :company_id and business_date <= :last)
        as stock_quantity,
    (select coalesce(sum(amount), 0) from stock_ledger where company_id = :company_id and business_date <= :last)
        as stock_amount,
    (select coalesce(sum(amount), 0) from settlement_ledger
        where company_id = :company_id and business_date <= :last and party_type = 'customer') as receivable,
    (select coalesce(sum(amount), 0) from settlement_ledger
        where company_id = :company_id and business_date <= :last and party_type = 'supplier') as payable
""")
_NEXT_CLOSED = text("""
select min(period) from accounting_period where company_id = :company_id and period > :period and status = 1
""")
_CLOSED = text(
    "select 1 from accounting_period where company_id = :company_id and period = :period and status = 1"
)


def parse_period(period: str) -> tuple[date, date]:
    """Return first and last day of a month `YYYY-MM`. Raises Refusal for other texts."""
    if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", period, re.ASCII):
        raise Refusal("会计期间应为年月，如 2026-03")
    first = date.fromisoformat(f"{period}-01")
    return first, first.replace(day=calendar.monthrange(first.year, first.month)[1])


def run_close_checks(ctx: Context, company_id: int, period: str) -> list[dict[str, Any]]:
    """Return every check of the close with its findings; rows have the route of their record, if any."""
    first, last = parse_period(period)
    return [
        {
            "name": found.question.name,
            "label": found.question.label,
            "advice": found.question.advice,
            "blocking": found.question.blocking,
            "count": found.count,
            "rows": [_add_route(row) for row in found.rows],
        }
        for found in close_checks.run_close_checks(ctx.conn, company_id, first, last)
    ]


def _add_route(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a check with the route of its record."""
    route = None
    if row.get("resource"):
        routes = registry.get_resource(row["resource"]).declaration.routes
        page = routes.get("see") or routes.get("edit")
        route = f"{page}?id={row['record_id']}" if page else None
    return {"serial": row["serial"], "msg": row["msg"], "route": route}


def close_month(ctx: Context, company_id: int, period: str) -> dict[str, Any]:
    """Close a month, all or nothing. Raises Refusal with the list of failed checks."""
    require_whole_company(ctx, company_id)
    _, last = parse_period(period)
    close_period(ctx.conn, company_id, period)
    _require_closable(ctx, company_id, period)
    found = run_close_checks(ctx, company_id, period)
    blocking = [item for item in found if item["blocking"] and item["count"]]
    if blocking:
        names = "、".join(f"{item['label']}（{item['count']}）" for item in blocking)
        raise Refusal(f"以下检查未通过，不能结账：{names}", data={"questions": found})
    values = {
        "company_id": company_id,
        "period": period,
        "status": CLOSED,
        "bill_count": sum(_lock_bills(ctx, cls, company_id, period) for cls in _list_lockable_bills()),
        "closed_by": ctx.principal.user_id,
        "closed_at": datetime.now(TIME_ZONE),
        **ctx.conn.execute(_FIGURES, {"company_id": company_id, "last": last}).one()._mapping,
    }
    made = ctx.conn.execute(insert(MonthClose).values(values).returning(MonthClose.month_close_id))
    _write_log(ctx, made.scalar_one(), "closePeriod", company_id, period)
    return {"period": period, "bill_count": values["bill_count"]}


def reopen_month(ctx: Context, company_id: int, period: str, reason: str) -> dict[str, Any]:
    """Reopen a closed month; refused while a later one is closed."""
    require_whole_company(ctx, company_id)
    parse_period(period)
    if not reason.strip():
        raise Refusal("请填写反结账原因")
    open_period(ctx.conn, company_id, period)
    # Asked under the period's lock: an approval of the year holds it too.
    close_id = _require_last_closed(ctx, company_id, period)
    count = sum(_unlock_bills(ctx, cls, company_id, period) for cls in _list_lockable_bills())
    ctx.conn.execute(
        update(MonthClose)
        .where(MonthClose.month_close_id == close_id)
        .values(
            status=OPENED,
            opened_by=ctx.principal.user_id,
            opened_at=datetime.now(TIME_ZONE),
            open_reason=reason.strip(),
        )
    )
    _write_log(ctx, close_id, "openPeriod", company_id, period, reason.strip())
    return {"period": period, "bill_count": count}


def describe_consequence(ctx: Context, action: str, company_id: int, period: str) -> dict[str, Any]:
    """Describe the effect of closing or reopening a month. Raises Refusal if that can't be done."""
    require_whole_company(ctx, company_id)
    ctx.require_right(MonthClose.right(action))
    _, last = parse_period(period)
    closing_it = action == "closePeriod"
    if closing_it:
        _require_closable(ctx, company_id, period)
    else:
        _require_last_closed(ctx, company_id, period)
    consequence = consequences.CONSEQUENCES[action]
    facts = [
        Fact(label="公司", value=_company_name(ctx, company_id)),
        Fact(label="会计期间", value=period),
        Fact(
            label="锁定单据" if closing_it else "解锁单据",
            value=f"{_count_bills(ctx, company_id, period, closing_it=closing_it)} 张",
        ),
    ]
    found = run_close_checks(ctx, company_id, period) if closing_it else []
    if closing_it:
        facts += _describe_figures(ctx, company_id, last)
    return {
        "effect": consequence.effect,
        "undo": consequence.undo,
        "facts": [fact.model_dump() for fact in facts],
        "warnings": [
            f"{item['label']}（{item['count']}）：{item['advice']}" for item in found if item["count"]
        ],
    }


def _company_name(ctx: Context, company_id: int) -> str:
    name = select(Company.table().c.company_name).where(Company.key() == company_id)
    return ctx.conn.execute(name).scalar() or ""


def _count_bills(ctx: Context, company_id: int, period: str, *, closing_it: bool) -> int:
    """Count the bills that a close would lock, or a reopening unlock, in one statement."""
    first, last = parse_period(period)
    status = "status in (2, 4)" if closing_it else "status = 5"
    counted = " union all ".join(
        f"select count(*) as bills from {cls.name()}"
        f" where company_id = :company_id and business_date between :first and :last and {status}"
        for cls in _list_lockable_bills()
    )
    values = {"company_id": company_id, "first": first, "last": last}
    return int(ctx.conn.execute(text(f"select sum(bills) from ({counted}) c"), values).scalar_one())


def _describe_figures(ctx: Context, company_id: int, last: date) -> Iterator[Fact]:
    figures = ctx.conn.execute(_FIGURES, {"company_id": company_id, "last": last}).one()._mapping
    for name, value in figures.items():
        item = MonthClose.field(name)
        if ctx.principal.can_see(MonthClose.name(), name, item.permission):
            yield Fact(
                label=item.label, value=f"{value:,.2f}" if item.kind == "money" else f"{value.normalize():f}"
            )


def require_whole_company(ctx: Context, company_id: int) -> None:
    """Raise Refusal unless the principal sees all bills of the company."""
    if not ctx.principal.covers_company(company_id):
        raise Refusal("公司不存在或无权访问")
    if ctx.principal.is_narrowed:
        scope = describe_scope(ctx.principal)
        raise Refusal(f"这涉及公司的全部单据，您只能看{scope}，请由能看全部单据的人办理")


def _require_closable(ctx: Context, company_id: int, period: str) -> None:
    """Raise Refusal if a month isn't over or is closed already."""
    if parse_period(period)[1] >= today():
        raise Refusal(f"会计期间 {period} 尚未结束，不能结账")
    if _read_close_id(ctx, company_id, period) is not None:
        raise Refusal(f"会计期间 {period} 已经结账")


def _require_last_closed(ctx: Context, company_id: int, period: str) -> int:
    """Return the close that reopening a month would undo.

    Raises Refusal if the month is open, or is not the last closed one.
    """
    if year_close.is_year_closed(ctx, company_id, period[:4]):
        raise Refusal(f"{period[:4]} 年已年结，不能反结账")
    close_id = _read_close_id(ctx, company_id, period)
    if close_id is None:
        raise Refusal(f"会计期间 {period} 未结账")
    later = ctx.conn.execute(_NEXT_CLOSED, {"company_id": company_id, "period": period}).scalar()
    if later:
        raise Refusal(f"会计期间 {later} 已结账，请先反结账 {later}")
    return close_id


def _read_close_id(ctx: Context, company_id: int, period: str) -> int | None:
    mine = (MonthClose.company_id == company_id, MonthClose.period == period, MonthClose.status == CLOSED)
    return ctx.conn.execute(select(MonthClose.month_close_id).where(*mine)).scalar()


def _list_lockable_bills() -> Iterator[type[Bill]]:
    for cls in registry.list_resources():
        if issubclass(cls, Bill) and cls.bill and "close" not in cls.bill.transitions:
            yield cls


def _lock_bills(ctx: Context, cls: type[Bill], company_id: int, period: str) -> int:
    return _update_bills(ctx, cls, company_id, period, "status = 5, locked_from = status", "status in (2, 4)")


def _unlock_bills(ctx: Context, cls: type[Bill], company_id: int, period: str) -> int:
    return _update_bills(
        ctx, cls, company_id, period, "status = locked_from, locked_from = null", "status = 5"
    )


def _update_bills(
    ctx: Context, cls: type[Bill], company_id: int, period: str, change: str, where: str
) -> int:
    first, last = parse_period(period)
    statement = text(
        f"update {cls.name()} set {change}, revision = revision + 1"
        f" where company_id = :company_id and business_date between :first and :last and {where}"
    )
    return ctx.conn.execute(statement, {"company_id": company_id, "first": first, "last": last}).rowcount


def _write_log(
    ctx: Context, record: int, action: str, company_id: int, period: str, reason: str | None = None
) -> None:
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        MonthClose.name(),
        record,
        action,
        company_id=company_id,
        after={"period": period},
        reason=reason,
    )
