"""Year-end close (年结): requested, then approved or rejected; once approved, its months stay closed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, UniqueConstraint, func, select, text, update
from sqlalchemy.orm import Mapped

from api.kit.bills.bill_consequences import Consequence
from api.kit.context import Context
from api.kit.declaration.fields import (
    datetime_field,
    derived_field,
    enum_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import READ, WRITE, Declaration, Menu, Resource
from api.kit.errors import InvalidInput, NotFound, Refusal, TransitionConflict
from api.kit.http import consequences
from api.kit.http.consequences import Fact
from api.kit.scope import scope_condition
from api.kit.storage import business_log
from api.kit.storage.database import TIME_ZONE
from api.ledger import lock_year

ASKED, APPROVED, REJECTED = 1, 2, 3
STATES = {ASKED: "待审核", APPROVED: "已年结", REJECTED: "已驳回"}

_MONTHS = """(select count(*) from accounting_period p
    where p.company_id = {table}.company_id and p.status = 1 and left(p.period, 4) = {table}.year)"""


class YearClose(Resource):
    """会计年度结账: one row per company and year."""

    __tablename__ = "year_close"
    __table_args__ = (UniqueConstraint("company_id", "year"),)
    declaration = Declaration(
        "会计年度",
        "v2/system/CloseBusinessAccount",
        "year",
        routes={"list": "/system/accountant"},
        menu=Menu("系统管理", "账务管理", 20),
        actions=(*READ, *WRITE, "auditorPass", "auditorNoPass", "export"),
        also_called={"edit": "update", "getInfo": "info"},
    )
    derived = (derived_field("closed_months", "已结账月份", "integer", _MONTHS, width=100),)

    year_close_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    year: Mapped[str] = text_field("年度", required=True, search=True, max_length=4, width=90)
    status: Mapped[int] = enum_field("状态", STATES, default=ASKED, form=False, search=True, width=90)
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)
    maker_id: Mapped[int | None] = reference_field(
        "user_account", "申请人", target="user_id", form=False, width=90
    )
    made_at: Mapped[datetime | None] = datetime_field(
        "申请时间", form=False, column={"server_default": func.now()}
    )
    auditor_id: Mapped[int | None] = reference_field(
        "user_account", "审核人", target="user_id", form=False, width=90
    )
    audited_at: Mapped[datetime | None] = datetime_field("审核时间", form=False)
    reject_reason: Mapped[str | None] = text_field("驳回原因", max_length=200, form=False, width=200)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if not (row["year"].isdecimal() and "2000" <= row["year"] <= "2100"):
            raise InvalidInput("年度应为四位年份，如 2026")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if before is not None and before.status == APPROVED:
            raise Refusal("该年度已年结，不能修改或删除")
        if before is not None:
            row["status"] = ASKED
        row["maker_id"] = ctx.principal.user_id


consequences.declare_consequence(
    YearClose,
    "auditorPass",
    Consequence("该年度的十二个月永久结账，不能再反结账", "不能恢复"),
)
_LOCKED = text("""
select y.year, c.company_name,
    (select count(*) from accounting_period p
        where p.company_id = y.company_id and p.status = 1 and left(p.period, 4) = y.year) as months,
    (select coalesce(sum(m.bill_count), 0) from month_close m
        where m.company_id = y.company_id and m.status = 1 and left(m.period, 4) = y.year) as bills
from year_close y join company c using (company_id)
where y.year_close_id = any(:keys) order by y.year, pinyin_key(c.company_name)
""")


@consequences.register_facts(YearClose, "auditorPass")
def _describe_consequence(ctx: Context, rows: Sequence[Row[Any]]) -> tuple[list[Fact], list[str]]:
    """Count the months and bills that a year closes for good."""
    found = ctx.conn.execute(_LOCKED, {"keys": [row.year_close_id for row in rows]}).all()
    facts = [
        Fact(label="永久结账月份", value=f"{sum(row.months for row in found)} 个"),
        Fact(label="永久锁定单据", value=f"{sum(row.bills for row in found)} 张"),
    ]
    short = [
        f"{row.company_name} {row.year} 年还有 {12 - row.months} 个月未结账，不能年结"
        for row in found
        if row.months < 12
    ]
    return facts, short


def approve_year(ctx: Context, key: int) -> None:
    """Approve a year whose twelve months are closed."""
    found = _lock_request(ctx, key)
    closed = lock_year(ctx.conn, found.company_id, found.year)
    if closed < 12:
        raise Refusal(f"{found.year} 年还有 {12 - closed} 个月未结账，不能年结")
    _record_decision(ctx, found, APPROVED, "auditorPass", None)


def reject_year(ctx: Context, key: int, reason: str) -> None:
    """Reject a request with a reason."""
    if not reason.strip():
        raise Refusal("请填写驳回原因")
    _record_decision(ctx, _lock_request(ctx, key), REJECTED, "auditorNoPass", reason.strip())


def is_year_closed(ctx: Context, company_id: int, year: str) -> bool:
    """Return whether a company's year is closed for good."""
    mine = (YearClose.company_id == company_id, YearClose.year == year, YearClose.status == APPROVED)
    return ctx.conn.execute(select(YearClose.year_close_id).where(*mine)).first() is not None


def _lock_request(ctx: Context, key: int) -> Row[Any]:
    table = YearClose.table()
    found = ctx.conn.execute(
        select(table)
        .where(table.c.year_close_id == key, scope_condition(table, ctx.principal))
        .with_for_update()
    ).first()
    if found is None:
        raise NotFound(YearClose.declaration.label)
    if found.status != ASKED:
        raise TransitionConflict()
    return found


def _record_decision(ctx: Context, found: Row[Any], status: int, action: str, reason: str | None) -> None:
    ctx.conn.execute(
        update(YearClose)
        .where(YearClose.year_close_id == found.year_close_id)
        .values(
            status=status,
            auditor_id=ctx.principal.user_id,
            audited_at=datetime.now(TIME_ZONE),
            reject_reason=reason,
        )
    )
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        YearClose.name(),
        found.year_close_id,
        action,
        company_id=found.company_id,
        reason=reason,
    )
