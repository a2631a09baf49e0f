"""Year-end close (年结): asked for, then approved or rejected by the right to; approved, its months stay closed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, UniqueConstraint, func, select, text, update
from sqlalchemy.orm import Mapped

from api.kit import business_log, consequences
from api.kit.bill_consequences import Consequence
from api.kit.consequences import Fact
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.errors import Invalid, NotFound, Refusal, Stale
from api.kit.fields import derived, enum, key, moment, ref, textarea
from api.kit.fields import text as words
from api.kit.resource import READ, WRITE, Declaration, Menu, Resource
from api.kit.scope import within
from api.ledger import hold_year

ASKED, APPROVED, REJECTED = 1, 2, 3
STATES = {ASKED: "待审核", APPROVED: "已年结", REJECTED: "已驳回"}

_MONTHS = """(select count(*) from accounting_period p
    where p.company_id = {table}.company_id and p.status = 1 and left(p.period, 4) = {table}.year)"""


class YearClose(Resource):
    """会计年度结账: one row a company and year."""

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
    derived = (derived("closed_months", "已结账月份", "integer", _MONTHS, width=100),)

    year_close_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    year: Mapped[str] = words("年度", required=True, search=True, max_length=4, width=90)
    status: Mapped[int] = enum("状态", STATES, default=ASKED, form=False, search=True, width=90)
    remark: Mapped[str | None] = textarea("备注", max_length=200)
    maker_id: Mapped[int | None] = ref("user_account", "申请人", target="user_id", form=False, width=90)
    made_at: Mapped[datetime | None] = moment("申请时间", form=False, column={"server_default": func.now()})
    auditor_id: Mapped[int | None] = ref("user_account", "审核人", target="user_id", form=False, width=90)
    audited_at: Mapped[datetime | None] = moment("审核时间", form=False)
    reject_reason: Mapped[str | None] = words("驳回原因", max_length=200, form=False, width=200)

    @classmethod
    def check(cls, row: dict[str, Any]) -> None:
        if not (row["year"].isdecimal() and "2000" <= row["year"] <= "2100"):
            raise Invalid("年度应为四位年份，如 2026")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if before is not None and before.status == APPROVED:
            raise Refusal("该年度已年结，不能修改或删除")
        if before is not None:
            row["status"] = ASKED
        row["maker_id"] = ctx.principal.user_id


consequences.declare(
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
where y.year_close_id = any(:keys) order by y.year, c.company_name
""")


@consequences.finds(YearClose, "auditorPass")
def _foresee(ctx: Context, rows: Sequence[Row[Any]]) -> tuple[list[Fact], list[str]]:
    """How many months and bills a year closes for good."""
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


def approve(ctx: Context, key: int) -> None:
    """Seal a year whose twelve months are closed."""
    found = _waiting(ctx, key)
    closed = hold_year(ctx.conn, found.company_id, found.year)
    if closed < 12:
        raise Refusal(f"{found.year} 年还有 {12 - closed} 个月未结账，不能年结")
    _settle(ctx, found, APPROVED, "auditorPass", None)


def reject(ctx: Context, key: int, reason: str) -> None:
    """Send a request back with a reason."""
    if not reason.strip():
        raise Refusal("请填写驳回原因")
    _settle(ctx, _waiting(ctx, key), REJECTED, "auditorNoPass", reason.strip())


def sealed(ctx: Context, company_id: int, year: str) -> bool:
    """Whether a company's year is closed for good."""
    mine = (YearClose.company_id == company_id, YearClose.year == year, YearClose.status == APPROVED)
    return ctx.conn.execute(select(YearClose.year_close_id).where(*mine)).first() is not None


def _waiting(ctx: Context, key: int) -> Row[Any]:
    table = YearClose.table()
    found = ctx.conn.execute(
        select(table).where(table.c.year_close_id == key, within(table, ctx.principal)).with_for_update()
    ).first()
    if found is None:
        raise NotFound(YearClose.declaration.label)
    if found.status != ASKED:
        raise Stale()
    return found


def _settle(ctx: Context, found: Row[Any], status: int, action: str, reason: str | None) -> None:
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
    business_log.write(
        ctx.conn,
        ctx.principal,
        YearClose.name(),
        found.year_close_id,
        action,
        company_id=found.company_id,
        reason=reason,
    )
