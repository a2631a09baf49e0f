"""The console's figures (首页经营数据) over the newest published snapshot, within the user's scope.

Sales are net of tax and of returns, by the lines that the user sees: all of a company's, his warehouses', his own.
What was bought, taken in and paid out is told of whole companies only. The month is the one up to today; what is
before it are as many days of the month before, as in the sales reports. Today is told so far, and grows by nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, case, func, or_, select

from api.kit.database import today
from api.kit.errors import Forbidden
from api.kit.projection import MASK, UNSPECIFIED
from api.kit.ratios import quotient
from api.kit.scope import Principal
from api.kit.told import of
from api.reporting.business_data import BusinessData
from api.reporting.earlier_days import YEAR, has_whole_day, previous
from api.reporting.facts import (
    BRANDS,
    BUSINESS,
    COMPANIES,
    CUSTOMERS,
    EMPLOYEES,
    GOODS,
    ORDERS,
    SALES,
    mine,
    sees_whole_companies,
)
from api.reporting.snapshot import published
from reports.catalogue.period_offsets import SAME_DAYS_BEFORE, find_same_day, shift_months_back

CURVE = 30
"""Days of the curve beside today's figures."""
SALESMEN = 10
ZERO = Decimal("0.00")
SPAN_LABELS = dict(zip(("this", "previous", "last_year"), ("本月", *SAME_DAYS_BEFORE.labels), strict=True))
Figures = dict[str, Any]
Spans = Mapping[str, tuple[date, date]]

_OUT = SALES.c.bill_type == "XSCK"
_PAID = ("purchase", "receipts", "payments", "new_overdue")


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, and of which company; 0 stands for all in his scope."""

    principal: Principal
    company_id: int = 0

    @property
    def sees_profit(self) -> bool:
        name = BusinessData.name()
        return self.principal.sees(name, "profit", BusinessData.field("profit").permission)

    @property
    def sees_companies(self) -> bool:
        return sees_whole_companies(self.principal)


def today_sales(asked: Asked) -> Figures:
    """Today beside yesterday and the same day a year ago, and the last days one by one with theirs a year ago."""
    now = today()
    days = [now - timedelta(days=ago) for ago in range(CURVE - 1, -1, -1)]
    year_ago = {day: find_same_day(day, YEAR) for day in days}
    every = {*days, *year_ago.values()}
    with published() as conn:
        sold = _by_day(conn.execute(_sales_days(asked, every)))
        ordered = _by_day(conn.execute(_orders_days(asked, (now, days[-2], year_ago[now]))))
        paid = _by_day(conn.execute(_paid_days(asked, every)))
    cases = (
        ("today", "今天", now),
        ("yesterday", "昨天", days[-2]),
        ("last_year", "去年同日", year_ago[now]),
    )
    return {
        "cases": [
            {
                "key": key,
                "label": label,
                "day": day,
                "order_count": ordered.get(day, {}).get("order_count", 0),
                "order_amount": ordered.get(day, {}).get("order_amount", ZERO),
                **_sold(asked, sold.get(day)),
                "receipts": _paid(asked, paid.get(day))["receipts"],
            }
            for key, label, day in cases
        ],
        "days": [
            {
                "day": day,
                **_sold(asked, sold.get(day)),
                "receipts": _paid(asked, paid.get(day))["receipts"],
                "last_year_revenue": sold.get(year_ago[day], {}).get("revenue", ZERO),
            }
            for day in days
        ],
    }


def month_activity(asked: Asked) -> Figures:
    """This month day by day, and its sums beside those of a month and a year ago up to the same day."""
    now = today()
    first = now.replace(day=1)
    spans = {
        "this": (first, now),
        "previous": previous(first, now),
        "last_year": (shift_months_back(first, YEAR), shift_months_back(now, YEAR)),
    }
    days = [first + timedelta(days=number) for number in range(now.day)]
    with published() as conn:
        sold = _by_day(conn.execute(_sales_days(asked, days)))
        paid = _by_day(conn.execute(_paid_days(asked, days)))
        sales = _by_span(conn.execute(_sales_spans(asked, spans)))
        flows = _by_span(conn.execute(_paid_spans(asked, spans)))
    return {
        "days": [{"day": day, **_sold(asked, sold.get(day)), **_paid(asked, paid.get(day))} for day in days],
        "months": [
            {
                "key": key,
                "label": SPAN_LABELS[key],
                "first_day": span[0],
                "last_day": span[1],
                **_sold(asked, sales.get(key)),
                **_paid(asked, flows.get(key)),
            }
            for key, span in spans.items()
        ],
    }


def salesmen(asked: Asked) -> Figures:
    """Who sold most this month, and how his sum grew from day to day."""
    now = today()
    first = now.replace(day=1)
    days = [first + timedelta(days=number) for number in range(now.day)]
    person = (SALES.c.company_id, SALES.c.employee_id)
    ranking = (
        select(
            *person,
            EMPLOYEES.c.employee_name,
            COMPANIES.c.company_name,
            *_compared(first, now),
        )
        .join(COMPANIES, COMPANIES.c.company_id == SALES.c.company_id)
        .outerjoin(EMPLOYEES, EMPLOYEES.c.employee_id == SALES.c.employee_id)
        .where(mine(SALES, asked.principal, asked.company_id), _within((first, now), previous(first, now)))
        .group_by(*person, EMPLOYEES.c.employee_name, COMPANIES.c.company_name)
        .having(func.count().filter(_within((first, now))) > 0)
    )
    shown = _ranked(ranking, "revenue", SALESMEN)
    with published() as conn:
        people = conn.execute(shown).all()
        grown = conn.execute(
            select(*person, SALES.c.business_date, func.sum(SALES.c.revenue).label("revenue"))
            .where(
                mine(SALES, asked.principal, asked.company_id),
                _within((first, now)),
                or_(
                    SALES.c.employee_id.in_([row.employee_id for row in people]),
                    SALES.c.employee_id.is_(None),
                ),
            )
            .group_by(*person, SALES.c.business_date)
        ).all()
    sold = {(row.company_id, row.employee_id, row.business_date): row.revenue for row in grown}
    return {
        "days": days,
        "people": [
            {
                **_told(asked, row),
                "employee_name": row.employee_name or UNSPECIFIED,
                "curve": _running(sold.get((row.company_id, row.employee_id, day), ZERO) for day in days),
            }
            for row in people
        ],
    }


def provinces(asked: Asked) -> list[Figures]:
    """This month's sales by the province that the customer lies in, those without one last."""
    now = today()
    first = now.replace(day=1)
    name = CUSTOMERS.c.province_name
    statement = (
        select(
            name.label("province_name"),
            func.count(SALES.c.customer_id.distinct())
            .filter(_within((first, now)), _OUT)
            .label("customer_count"),
            *_compared(first, now),
        )
        .join(CUSTOMERS, CUSTOMERS.c.customer_id == SALES.c.customer_id)
        .where(mine(SALES, asked.principal, asked.company_id), _within((first, now), previous(first, now)))
        .group_by(name)
        .having(func.count().filter(_within((first, now))) > 0)
    )
    with published() as conn:
        rows = conn.execute(_ranked(statement, "revenue", None)).all()
    found = [{**_told(asked, row), "province_name": row.province_name or UNSPECIFIED} for row in rows]
    return sorted(found, key=lambda row: row["province_name"] == UNSPECIFIED)


@dataclass(frozen=True, slots=True)
class Ranked:
    """What is ranked: its key and name, and how they are reached from the lines of sales."""

    id: ColumnElement[Any]
    name: ColumnElement[Any]
    source: FromClause


_OF_GOODS = SALES.join(GOODS, GOODS.c.goods_id == SALES.c.goods_id)
_OF_CUSTOMERS = SALES.join(CUSTOMERS, CUSTOMERS.c.customer_id == SALES.c.customer_id)
RANKINGS: Mapping[str, Ranked] = {
    "company": Ranked(
        SALES.c.company_id,
        COMPANIES.c.company_name,
        SALES.join(COMPANIES, COMPANIES.c.company_id == SALES.c.company_id),
    ),
    "goods": Ranked(SALES.c.goods_id, GOODS.c.goods_name, _OF_GOODS),
    "customer": Ranked(SALES.c.customer_id, CUSTOMERS.c.customer_name, _OF_CUSTOMERS),
    "brand": Ranked(
        GOODS.c.brand_id,
        BRANDS.c.brand_name,
        _OF_GOODS.outerjoin(BRANDS, BRANDS.c.brand_id == GOODS.c.brand_id),
    ),
}


NAMED = {
    "company": of("business_data.company_id"),
    "goods": of("sales_summary.goods_id", "goods.goods_name"),
    "customer": of("sales_summary.customer_id", "customer.customer_name"),
    "brand": of("sales_summary.brand_id"),
}
"""What the names of a ranking repeat."""


def ranking(asked: Asked, kind: str, measure: str, number: int, province_name: str) -> list[Figures]:
    """The first of this month's companies, goods, customers or brands; of one province's customers where it is named.

    Raises Forbidden for profit without the cost right.
    """
    if measure == "profit" and not asked.sees_profit:
        raise Forbidden("您无权按“毛利”排名")
    now = today()
    first = now.replace(day=1)
    one = RANKINGS[kind]
    statement = (
        select(one.id.label("id"), one.name.label("name"), *_compared(first, now))
        .select_from(one.source)
        .where(mine(SALES, asked.principal, asked.company_id), _within((first, now), previous(first, now)))
        .group_by(one.id, one.name)
        .having(func.count().filter(_within((first, now))) > 0)
    )
    if province_name:
        named = "" if province_name == UNSPECIFIED else province_name
        there = select(CUSTOMERS.c.customer_id).where(CUSTOMERS.c.province_name == named)
        statement = statement.where(SALES.c.customer_id.in_(there))
    with published() as conn:
        rows = conn.execute(_ranked(statement, measure, number)).all()
    if not NAMED[kind].seen_by(asked.principal):
        return [{**_told(asked, row), "id": MASK, "name": MASK} for row in rows]
    return [{**_told(asked, row), "name": row.name or UNSPECIFIED} for row in rows]


def _within(*spans: tuple[date, date]) -> ColumnElement[bool]:
    return or_(*(SALES.c.business_date.between(*span) for span in spans))


def _sums() -> tuple[ColumnElement[Any], ...]:
    return (
        func.coalesce(func.sum(SALES.c.quantity), 0).label("quantity"),
        func.coalesce(func.sum(SALES.c.amount), 0).label("amount"),
        func.coalesce(func.sum(SALES.c.revenue), 0).label("revenue"),
        func.coalesce(func.sum(SALES.c.cost), 0).label("cost"),
        func.count(SALES.c.bill_id.distinct()).filter(_OUT).label("bill_count"),
    )


def _compared(first: date, last: date) -> tuple[ColumnElement[Any], ...]:
    """The sums of days, and the revenue of those before."""
    now, before = _within((first, last)), _within(previous(first, last))
    summed = [
        func.coalesce(func.sum(SALES.c[name]).filter(now), 0).label(name)
        for name in ("quantity", "revenue", "cost")
    ]
    return (
        *summed,
        func.count(SALES.c.bill_id.distinct()).filter(now, _OUT).label("bill_count"),
        func.coalesce(func.sum(SALES.c.revenue).filter(before), 0).label("previous_revenue"),
    )


def _ranked(statement: Any, measure: str, number: int | None) -> Any:
    """The first rows of groups by a measure, each with the sum of all."""
    rows = statement.cte("ranked")
    value = rows.c.revenue - rows.c.cost if measure == "profit" else rows.c[measure]
    keys = [column for column in rows.c if column.name not in ("quantity", "revenue", "cost")]
    return (
        select(rows, value.label("value"), func.sum(value).over().label("whole"))
        .order_by(value.desc(), *keys)
        .limit(number)
    )


def _sales_days(asked: Asked, days: Iterable[date]) -> Any:
    return (
        select(SALES.c.business_date.label("day"), *_sums())
        .where(mine(SALES, asked.principal, asked.company_id), SALES.c.business_date.in_(sorted(days)))
        .group_by(SALES.c.business_date)
    )


def _span_of(day: ColumnElement[date], spans: Spans) -> ColumnElement[Any]:
    """The key of the span that a day lies in; none overlaps another."""
    return case(*((day.between(*span), key) for key, span in spans.items())).label("span")


def _sales_spans(asked: Asked, spans: Spans) -> Any:
    span = _span_of(SALES.c.business_date, spans)
    wanted = mine(SALES, asked.principal, asked.company_id), _within(*spans.values())
    return select(span, *_sums()).where(*wanted).group_by("span")


def _orders_days(asked: Asked, days: Iterable[date]) -> Any:
    return (
        select(
            ORDERS.c.business_date.label("day"),
            func.count(ORDERS.c.bill_id.distinct()).label("order_count"),
            func.sum(ORDERS.c.amount).label("order_amount"),
        )
        .where(mine(ORDERS, asked.principal, asked.company_id), ORDERS.c.business_date.in_(sorted(days)))
        .group_by(ORDERS.c.business_date)
    )


def _flows() -> tuple[ColumnElement[Any], ...]:
    return tuple(func.coalesce(func.sum(BUSINESS.c[name]), 0).label(name) for name in _PAID)


def _paid_days(asked: Asked, days: Iterable[date]) -> Any:
    return (
        select(BUSINESS.c.day, *_flows())
        .where(mine(BUSINESS, asked.principal, asked.company_id), BUSINESS.c.day.in_(sorted(days)))
        .group_by(BUSINESS.c.day)
    )


def _paid_spans(asked: Asked, spans: Spans) -> Any:
    span = _span_of(BUSINESS.c.day, spans)
    wanted = or_(*(BUSINESS.c.day.between(*days) for days in spans.values()))
    return (
        select(span, *_flows())
        .where(mine(BUSINESS, asked.principal, asked.company_id), wanted)
        .group_by("span")
    )


def _by_day(rows: Iterable[Row[Any]]) -> dict[date, Figures]:
    return {row.day: dict(row._mapping) for row in rows}


def _by_span(rows: Iterable[Row[Any]]) -> dict[str, Figures]:
    return {row.span: dict(row._mapping) for row in rows}


def _sold(asked: Asked, found: Mapping[str, Any] | None) -> Figures:
    """A day's or a month's sales as they are told; profit as the user may see it."""
    row = found or dict.fromkeys(("quantity", "amount", "revenue", "cost"), ZERO) | {"bill_count": 0}
    shown = {name: row[name] for name in ("bill_count", "quantity", "amount", "revenue")}
    return {**shown, **_profit(asked, row["revenue"], row["cost"])}


def _paid(asked: Asked, found: Mapping[str, Any] | None) -> Figures:
    """What was bought and paid; nothing where he doesn't see whole companies."""
    if not asked.sees_companies:
        return dict.fromkeys(_PAID)
    return {name: (found or {}).get(name, ZERO) for name in _PAID}


def _profit(asked: Asked, revenue: Decimal, cost: Decimal) -> Figures:
    if not asked.sees_profit:
        return {"profit": MASK, "margin": MASK}
    return {"profit": revenue - cost, "margin": quotient(100 * (revenue - cost), revenue, 2)}


def _told(asked: Asked, row: Row[Any]) -> Figures:
    """A ranked row: its share of the whole, and how it changed."""
    found = dict(row._mapping)
    value, whole, cost = found.pop("value"), found.pop("whole"), found.pop("cost")
    before = row.previous_revenue if has_whole_day(today().replace(day=1)) else ZERO
    return {
        **found,
        **_profit(asked, row.revenue, cost),
        "share": quotient(100 * value, whole, 2),
        "change": quotient(100 * (row.revenue - before), before, 2),
    }


def _running(values: Iterable[Decimal]) -> list[Decimal]:
    total, found = ZERO, []
    for value in values:
        total += value
        found.append(total)
    return found
