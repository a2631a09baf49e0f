"""Funds home (资金首页): account balances, recent receipts and payments, and amounts due from and to partners.

Read from the ledgers themselves, within the user's companies. Transfers between accounts move balances,
but are no receipts and payments.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import BaseModel
from sqlalchemy import text as statement
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.fields import enum_field, key_field, money_field, reference_field
from api.kit.declaration.posting import PartyType
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.master.partners.partners import ACCOUNT_KINDS
from api.master.settlements.open_item_sql import IS_UNAPPLIED, open_amounts_sql
from api.money.accounts import EXPENSE, FLOW, INCOME, JOURNAL, RECEIVED
from api.purchase import supplier_items
from api.sales import credit_query

DAYS, SOON = 30, 7
FIGURES = ("owed", "unapplied", "overdue", "soon")
_OPEN_ITEM_LISTS: dict[PartyType, tuple[str, tuple[str, int, int]]] = {
    "customer": (credit_query.ITEMS, ("use", credit_query.RECEIVABLE, credit_query.ADVANCE)),
    "supplier": (supplier_items.ITEMS, ("kind", supplier_items.PAYABLE, supplier_items.ADVANCE)),
}
"""List of open items per kind of partner, and its filter that separates due from unapplied items."""
_WITHIN = "(cast(:companies as bigint[]) is null or l.company_id = any(cast(:companies as bigint[])))"

_ACCOUNTS = f"""
select f.*, f.company_id * 4294967296 + f.receivables_mode_id as money_home_id, m.account_kind, m.bank_id
from (
    select l.company_id, l.receivables_mode_id, sum(l.amount) as balance,
        coalesce(sum(l.amount) filter (where l.business_date = :today and {RECEIVED}), 0.00) as received_today,
        -coalesce(sum(l.amount) filter (where l.business_date = :today and not {RECEIVED}), 0.00) as paid_today,
        coalesce(sum(l.amount) filter (where l.business_date >= :month and {RECEIVED}), 0.00) as received_month,
        -coalesce(sum(l.amount) filter (where l.business_date >= :month and not {RECEIVED}), 0.00) as paid_month
    from money_ledger l
    where l.business_date <= :today
    group by l.company_id, l.receivables_mode_id
) f
join receivables_mode m using (receivables_mode_id)
"""
_FLOWS = statement(f"""
with moved as (
    select greatest(l.business_date, cast(:first as date) - 1) as on_day, sum(l.amount) as amount,
        coalesce(sum(l.amount) filter (where {FLOW} = {INCOME}), 0.00) as received,
        -coalesce(sum(l.amount) filter (where {FLOW} = {EXPENSE}), 0.00) as paid
    from money_ledger l
    where l.business_date <= :today and {_WITHIN}
    group by 1
)
select cast(d.on_day as date) as on_day, coalesce(m.received, 0.00) as received, coalesce(m.paid, 0.00) as paid,
    sum(coalesce(m.amount, 0.00)) over (order by d.on_day) as balance
from generate_series(cast(:first as date) - 1, cast(:today as date), interval '1 day') as d (on_day)
left join moved m on m.on_day = d.on_day
order by d.on_day
""")
_DUE = statement(f"""
select party_type, owed, -unapplied as unapplied, overdue, soon
from (
    select l.party_type, {open_amounts_sql()},
        coalesce(sum(l.open_amount) filter (
            where not {IS_UNAPPLIED} and l.due_date between :today and :soon
        ), 0.00) as soon
    from settlement_item l
    where l.open_amount <> 0 and {_WITHIN}
    group by l.party_type
) d
""")


class MoneyHome(View):
    """资金首页: each account with its balance."""

    __tablename__ = "money_home"
    declaration = Declaration(
        "资金首页",
        "v2/money/MoneyHome",
        "receivables_mode_id",
        routes={"list": "/MoneyManagement/MoneyHomePage"},
        menu=Menu("资金管理", "资金业务", 1),
        actions=READ_ONLY,
        order_by=("balance", "desc"),
        balance="balance",
        drill=Drill(
            "账户流水",
            JOURNAL,
            (("company_id", "company_id"), ("receivables_mode_id", "receivables_mode_id")),
        ),
    )

    money_home_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    receivables_mode_id: Mapped[int] = reference_field("receivables_mode", "账户", search=True, width=160)
    account_kind: Mapped[int] = enum_field("账户类别", ACCOUNT_KINDS, default=1, search=True)
    bank_id: Mapped[int | None] = reference_field("bank", "开户银行", search=True)
    balance: Mapped[Decimal] = money_field("余额", total=True, width=140)
    received_today: Mapped[Decimal] = money_field("今日收入", total=True, width=130)
    paid_today: Mapped[Decimal] = money_field("今日支出", total=True, width=130)
    received_month: Mapped[Decimal] = money_field("本月收入", total=True, width=130)
    paid_month: Mapped[Decimal] = money_field("本月支出", total=True, width=130)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        now = today()
        return _ACCOUNTS, {"today": now, "month": now.replace(day=1)}


Balance = Annotated[Decimal, from_fields("money_home.balance")]
Open = Annotated[Decimal, from_fields("credit_item.used_amount", "supplier_item.open_amount")]


class DayFlow(BaseModel):
    """A day's receipts and payments, and the balance at its end."""

    day: date
    received: Annotated[Decimal, from_fields("account_days.received")]
    paid: Annotated[Decimal, from_fields("account_days.paid")]
    balance: Balance


class Due(BaseModel):
    """Open amounts of customers, or of suppliers; `soon` falls due within seven days.

    `routes` are the lists that the figures are totals of, as far as the user may open them.
    """

    owed: Open
    unapplied: Open
    overdue: Open
    soon: Open
    routes: dict[str, str]


class FundsSummary(BaseModel):
    """Account balances, receipts and payments, and open amounts.

    `routes` are the lists that receipts and payments of today and of the month are totals of, as in `Due`.
    """

    balance: Balance
    days: list[DayFlow]
    month_received: Annotated[Decimal, from_fields("money_home.received_month")]
    month_paid: Annotated[Decimal, from_fields("money_home.paid_month")]
    receivable: Due
    payable: Due
    routes: dict[str, str]


def summarize_funds(ctx: Context, company_id: int | None) -> dict[str, Any]:
    """Return the figures of one company, or of all in the user's scope."""
    mine = ctx.principal.companies
    companies = mine if not company_id else frozenset({company_id}) & (mine or {company_id})
    now = today()
    first = min(now - timedelta(days=DAYS - 1), now.replace(day=1))
    given = {
        "companies": None if companies is None else sorted(companies),
        "today": now,
        "first": first,
        "soon": _get_soon_day(now),
    }
    _, *days = ctx.conn.execute(_FLOWS, given).all()
    due = {row.party_type: dict(row._mapping) for row in ctx.conn.execute(_DUE, given)}
    nothing = dict.fromkeys(FIGURES, Decimal("0.00"))
    month = [day for day in days if day.on_day >= now.replace(day=1)]
    return {
        "balance": days[-1].balance,
        "days": [
            {"day": day.on_day, "received": day.received, "paid": day.paid, "balance": day.balance}
            for day in days[-DAYS:]
        ],
        "month_received": sum((day.received for day in month), Decimal(0)),
        "month_paid": sum((day.paid for day in month), Decimal(0)),
        "receivable": due.get("customer", nothing)
        | {"routes": _build_due_routes(ctx.principal, "customer", now)},
        "payable": due.get("supplier", nothing)
        | {"routes": _build_due_routes(ctx.principal, "supplier", now)},
        "routes": _build_flow_routes(ctx.principal, now),
    }


def _get_soon_day(now: date) -> date:
    """Return the last day that counts as soon."""
    return now + timedelta(days=SOON)


def _build_due_routes(principal: Principal, party: PartyType, now: date) -> dict[str, str]:
    """Build the routes of the lists behind the open amounts of a kind of partner."""
    route, (kind, owed, unapplied) = _OPEN_ITEM_LISTS[party]
    due = {
        "owed": {},
        "overdue": {"due_date_end": now - timedelta(days=1)},
        "soon": {"due_date_start": now, "due_date_end": _get_soon_day(now)},
    }
    listed = {name: {kind: owed, **days} for name, days in due.items()} | {"unapplied": {kind: unapplied}}
    return _build_routes(principal, route, listed)


def _build_flow_routes(principal: Principal, now: date) -> dict[str, str]:
    """Build the routes of the lists behind receipts and payments."""
    listed = {
        f"{span}{name}": {"flow": flow, "business_date_start": first, "business_date_end": now}
        for span, first in (("", now), ("month_", now.replace(day=1)))
        for name, flow in (("received", INCOME), ("paid", EXPENSE))
    }
    return _build_routes(principal, JOURNAL, listed)


def _build_routes(principal: Principal, route: str, listed: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Build a list's route with each figure's filters; empty where the user may not open it."""
    found = registry.find_by_route(route)
    if not found or not principal.has_right(found[0].right("list")):
        return {}
    return {name: f"{route}?{urlencode(filters)}" for name, filters in listed.items()}
