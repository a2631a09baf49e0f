"""Month close (月末结账): proves a company's month, locks its bills and closes it in the ledgers; and the way back.

Orders stay as they are: they are carried into the next month, and close or open on the day that it happens.
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

from api.kit import business_log, consequences, registry
from api.kit.consequences import Fact
from api.kit.context import Context
from api.kit.database import TIME_ZONE, today
from api.kit.document import Bill
from api.kit.errors import Refusal
from api.kit.fields import COST, enum, integer, key, moment, money, quantity, ref
from api.kit.fields import text as words
from api.kit.resource import Declaration, Menu, Resource
from api.kit.scope import describe_scope
from api.ledger import close_period, closing, open_period
from api.master.organisation import Company
from api.money import year_close

CLOSED, OPENED = 1, 0
STATES = {CLOSED: "已结账", OPENED: "已反结账"}


class MonthClose(Resource):
    """月末结账: one row a close, kept when the month is opened again."""

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

    month_close_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True, index=True)
    period: Mapped[str] = words("会计期间", required=True, search=True, max_length=7, width=100)
    status: Mapped[int] = enum("状态", STATES, default=CLOSED, search=True, width=90)
    bill_count: Mapped[int] = integer("锁定单据", width=100)
    stock_quantity: Mapped[Decimal] = quantity("期末库存数量")
    stock_amount: Mapped[Decimal] = money("期末库存金额", permission=COST, width=140)
    receivable: Mapped[Decimal] = money("期末应收", width=130)
    payable: Mapped[Decimal] = money("期末应付", width=130)
    closed_by: Mapped[int] = ref(
        "user_account", "结账人", target="user_id", required=True, label_field="closed_by_name", width=90
    )
    closed_at: Mapped[datetime] = moment("结账时间", required=True)
    opened_by: Mapped[int | None] = ref(
        "user_account", "反结账人", target="user_id", label_field="opened_by_name", width=90
    )
    opened_at: Mapped[datetime | None] = moment("反结账时间")
    open_reason: Mapped[str | None] = words("反结账原因", max_length=200, width=200)


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


def span(period: str) -> tuple[date, date]:
    """First and last day of a month `YYYY-MM`; refuses what is none."""
    if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", period, re.ASCII):
        raise Refusal("会计期间应为年月，如 2026-03")
    first = date.fromisoformat(f"{period}-01")
    return first, first.replace(day=calendar.monthrange(first.year, first.month)[1])


def obstacles(ctx: Context, company_id: int, period: str) -> list[dict[str, Any]]:
    """Every question of the close with what it found, rows with the route of their record where there is one."""
    first, last = span(period)
    return [
        {
            "name": found.question.name,
            "label": found.question.label,
            "advice": found.question.advice,
            "blocking": found.question.blocking,
            "count": found.count,
            "rows": [_led(row) for row in found.rows],
        }
        for found in closing.ask(ctx.conn, company_id, first, last)
    ]


def _led(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a question with the route that shows its record."""
    route = None
    if row.get("resource"):
        routes = registry.get(row["resource"]).declaration.routes
        page = routes.get("see") or routes.get("edit")
        route = f"{page}?id={row['record_id']}" if page else None
    return {"serial": row["serial"], "msg": row["msg"], "route": route}


def close(ctx: Context, company_id: int, period: str) -> dict[str, Any]:
    """Close a month, all or nothing; refuses with the list of what stands in the way."""
    in_scope(ctx, company_id)
    _, last = span(period)
    close_period(ctx.conn, company_id, period)
    _refuse_to_close(ctx, company_id, period)
    found = obstacles(ctx, company_id, period)
    blocking = [item for item in found if item["blocking"] and item["count"]]
    if blocking:
        names = "、".join(f"{item['label']}（{item['count']}）" for item in blocking)
        raise Refusal(f"以下检查未通过，不能结账：{names}", data={"questions": found})
    values = {
        "company_id": company_id,
        "period": period,
        "status": CLOSED,
        "bill_count": sum(_lock(ctx, cls, company_id, period) for cls in _lockable()),
        "closed_by": ctx.principal.user_id,
        "closed_at": datetime.now(TIME_ZONE),
        **ctx.conn.execute(_FIGURES, {"company_id": company_id, "last": last}).one()._mapping,
    }
    made = ctx.conn.execute(insert(MonthClose).values(values).returning(MonthClose.month_close_id))
    _log(ctx, made.scalar_one(), "closePeriod", company_id, period)
    return {"period": period, "bill_count": values["bill_count"]}


def reopen(ctx: Context, company_id: int, period: str, reason: str) -> dict[str, Any]:
    """Open a closed month again; refused while a later one is closed."""
    in_scope(ctx, company_id)
    span(period)
    if not reason.strip():
        raise Refusal("请填写反结账原因")
    open_period(ctx.conn, company_id, period)
    # Asked under the period's lock: an approval of the year holds it too.
    standing = _closed_last(ctx, company_id, period)
    count = sum(_unlock(ctx, cls, company_id, period) for cls in _lockable())
    ctx.conn.execute(
        update(MonthClose)
        .where(MonthClose.month_close_id == standing)
        .values(
            status=OPENED,
            opened_by=ctx.principal.user_id,
            opened_at=datetime.now(TIME_ZONE),
            open_reason=reason.strip(),
        )
    )
    _log(ctx, standing, "openPeriod", company_id, period, reason.strip())
    return {"period": period, "bill_count": count}


def foresee(ctx: Context, action: str, company_id: int, period: str) -> dict[str, Any]:
    """What closing a month or opening it again would change; refuses a month of which it can't be done."""
    in_scope(ctx, company_id)
    ctx.require(MonthClose.right(action))
    _, last = span(period)
    closing_it = action == "closePeriod"
    if closing_it:
        _refuse_to_close(ctx, company_id, period)
    else:
        _closed_last(ctx, company_id, period)
    told = consequences.CONSEQUENCES[action]
    facts = [
        Fact(label="公司", value=_company_name(ctx, company_id)),
        Fact(label="会计期间", value=period),
        Fact(
            label="锁定单据" if closing_it else "解锁单据",
            value=f"{_count(ctx, company_id, period, closing_it=closing_it)} 张",
        ),
    ]
    found = obstacles(ctx, company_id, period) if closing_it else []
    if closing_it:
        facts += _figures_told(ctx, company_id, last)
    return {
        "effect": told.effect,
        "undo": told.undo,
        "facts": [fact.model_dump() for fact in facts],
        "warnings": [
            f"{item['label']}（{item['count']}）：{item['advice']}" for item in found if item["count"]
        ],
    }


def _company_name(ctx: Context, company_id: int) -> str:
    name = select(Company.table().c.company_name).where(Company.key() == company_id)
    return ctx.conn.execute(name).scalar() or ""


def _count(ctx: Context, company_id: int, period: str, *, closing_it: bool) -> int:
    """How many bills a close would lock, or its opening unlock; one statement."""
    first, last = span(period)
    status = "status in (2, 4)" if closing_it else "status = 5"
    counted = " union all ".join(
        f"select count(*) as bills from {cls.name()}"
        f" where company_id = :company_id and business_date between :first and :last and {status}"
        for cls in _lockable()
    )
    values = {"company_id": company_id, "first": first, "last": last}
    return int(ctx.conn.execute(text(f"select sum(bills) from ({counted}) c"), values).scalar_one())


def _figures_told(ctx: Context, company_id: int, last: date) -> Iterator[Fact]:
    figures = ctx.conn.execute(_FIGURES, {"company_id": company_id, "last": last}).one()._mapping
    for name, value in figures.items():
        item = MonthClose.field(name)
        if ctx.principal.sees(MonthClose.name(), name, item.permission):
            yield Fact(
                label=item.label, value=f"{value:,.2f}" if item.kind == "money" else f"{value.normalize():f}"
            )


def in_scope(ctx: Context, company_id: int) -> None:
    """Refuse a company that the principal's role does not reach, or of which he sees but some of the bills."""
    if not ctx.principal.reaches(company_id):
        raise Refusal("公司不存在或无权访问")
    if ctx.principal.is_narrowed:
        scope = describe_scope(ctx.principal)
        raise Refusal(f"这涉及公司的全部单据，您只能看{scope}，请由能看全部单据的人办理")


def _refuse_to_close(ctx: Context, company_id: int, period: str) -> None:
    """Refuse a month that isn't over or is closed already."""
    if span(period)[1] >= today():
        raise Refusal(f"会计期间 {period} 尚未结束，不能结账")
    if _standing(ctx, company_id, period) is not None:
        raise Refusal(f"会计期间 {period} 已经结账")


def _closed_last(ctx: Context, company_id: int, period: str) -> int:
    """The close that opening a month would undo; refuses a month that is open, or not the last that is closed."""
    if year_close.sealed(ctx, company_id, period[:4]):
        raise Refusal(f"{period[:4]} 年已年结，不能反结账")
    standing = _standing(ctx, company_id, period)
    if standing is None:
        raise Refusal(f"会计期间 {period} 未结账")
    later = ctx.conn.execute(_NEXT_CLOSED, {"company_id": company_id, "period": period}).scalar()
    if later:
        raise Refusal(f"会计期间 {later} 已结账，请先反结账 {later}")
    return standing


def _standing(ctx: Context, company_id: int, period: str) -> int | None:
    mine = (MonthClose.company_id == company_id, MonthClose.period == period, MonthClose.status == CLOSED)
    return ctx.conn.execute(select(MonthClose.month_close_id).where(*mine)).scalar()


def _lockable() -> Iterator[type[Bill]]:
    for cls in registry.declared():
        if issubclass(cls, Bill) and cls.bill and "close" not in cls.bill.transitions:
            yield cls


def _lock(ctx: Context, cls: type[Bill], company_id: int, period: str) -> int:
    return _update(ctx, cls, company_id, period, "status = 5, locked_from = status", "status in (2, 4)")


def _unlock(ctx: Context, cls: type[Bill], company_id: int, period: str) -> int:
    return _update(ctx, cls, company_id, period, "status = locked_from, locked_from = null", "status = 5")


def _update(ctx: Context, cls: type[Bill], company_id: int, period: str, change: str, where: str) -> int:
    first, last = span(period)
    statement = text(
        f"update {cls.name()} set {change}, revision = revision + 1"
        f" where company_id = :company_id and business_date between :first and :last and {where}"
    )
    return ctx.conn.execute(statement, {"company_id": company_id, "first": first, "last": last}).rowcount


def _log(
    ctx: Context, record: int, action: str, company_id: int, period: str, reason: str | None = None
) -> None:
    business_log.write(
        ctx.conn,
        ctx.principal,
        MonthClose.name(),
        record,
        action,
        company_id=company_id,
        after={"period": period},
        reason=reason,
    )
