"""Figures of the console (首页经营数据) from the newest published snapshot, within the user's scope.

Sales are net of tax and of returns, from the lines that the user sees: all of a company's, of their
warehouses, or their own. Purchases, receipts and payments are of whole companies only. The month runs up
to today; its prior period has as many days of the month before, as in the sales reports. The running day
counts so far, and its growth is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, case, func, or_, select

from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.ratios import divide_or_none
from api.kit.errors import Forbidden
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.kit.storage.projection import MASK, UNSPECIFIED
from api.reporting.lists.sales.business_data import BusinessData
from api.reporting.prior_periods import YEAR, find_previous_period, has_whole_day
from api.reporting.snapshot.fact_tables import (
    BRANDS,
    BUSINESS,
    COMPANIES,
    CUSTOMERS,
    EMPLOYEES,
    GOODS,
    ORDERS,
    SALES,
    can_see_whole_companies,
    reader_scope_condition,
)
from api.reporting.snapshot.snapshot_connection import open_snapshot
from reports.semantics.period_offsets import SAME_DAYS_BEFORE, find_same_day, shift_months_back

CURVE_DAYS = 30
"""Days of the curve beside today's figures."""
TOP_SALESMEN = 10
ZERO = Decimal("0.00")
SPAN_LABELS = dict(zip(("this", "previous", "last_year"), ("本月", *SAME_DAYS_BEFORE.labels), strict=True))
Figures = dict[str, Any]
Spans = Mapping[str, tuple[date, date]]

_IS_OUTBOUND = SALES.c.bill_type == "XSCK"
_FLOW_NAMES = ("purchase", "receipts", "payments", "new_overdue")


@dataclass(frozen=True, slots=True)
class DashboardQuery:
    """The user and the company that figures are read for; company 0 stands for all in the user's scope."""

    principal: Principal
    company_id: int = 0

    @property
    def can_see_profit(self) -> bool:
        name = BusinessData.name()
        return self.principal.can_see(name, "profit", BusinessData.field("profit").permission)

    @property
    def can_see_companies(self) -> bool:
        return can_see_whole_companies(self.principal)


def read_today_sales(query: DashboardQuery) -> Figures:
    """Return today beside yesterday and the same day a year ago, and the last days one by one with those of a
    year ago."""
    now = today()
    days = [now - timedelta(days=ago) for ago in range(CURVE_DAYS - 1, -1, -1)]
    year_ago = {day: find_same_day(day, YEAR) for day in days}
    every = {*days, *year_ago.values()}
    with open_snapshot() as conn:
        sold = _index_by_day(conn.execute(_build_sales_days_query(query, every)))
        ordered = _index_by_day(conn.execute(_build_orders_days_query(query, (now, days[-2], year_ago[now]))))
        paid = _index_by_day(conn.execute(_build_flow_days_query(query, every)))
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
                **_format_sales(query, sold.get(day)),
                "receipts": _format_flows(query, paid.get(day))["receipts"],
            }
            for key, label, day in cases
        ],
        "days": [
            {
                "day": day,
                **_format_sales(query, sold.get(day)),
                "receipts": _format_flows(query, paid.get(day))["receipts"],
                "last_year_revenue": sold.get(year_ago[day], {}).get("revenue", ZERO),
            }
            for day in days
        ],
    }


def read_month_activity(query: DashboardQuery) -> Figures:
    """Return this month day by day, and its sums beside those of a month and a year ago up to the same day."""
    now = today()
    first = now.replace(day=1)
    spans = {
        "this": (first, now),
        "previous": find_previous_period(first, now),
        "last_year": (shift_months_back(first, YEAR), shift_months_back(now, YEAR)),
    }
    days = [first + timedelta(days=number) for number in range(now.day)]
    with open_snapshot() as conn:
        sold = _index_by_day(conn.execute(_build_sales_days_query(query, days)))
        paid = _index_by_day(conn.execute(_build_flow_days_query(query, days)))
        sales = _index_by_span(conn.execute(_build_sales_spans_query(query, spans)))
        flows = _index_by_span(conn.execute(_build_flow_spans_query(query, spans)))
    return {
        "days": [
            {"day": day, **_format_sales(query, sold.get(day)), **_format_flows(query, paid.get(day))}
            for day in days
        ],
        "months": [
            {
                "key": key,
                "label": SPAN_LABELS[key],
                "first_day": span[0],
                "last_day": span[1],
                **_format_sales(query, sales.get(key)),
                **_format_flows(query, flows.get(key)),
            }
            for key, span in spans.items()
        ],
    }


def rank_salesmen(query: DashboardQuery) -> Figures:
    """Return the salespeople with the largest revenue of this month, and their running sums by day."""
    now = today()
    first = now.replace(day=1)
    days = [first + timedelta(days=number) for number in range(now.day)]
    person = (SALES.c.company_id, SALES.c.employee_id)
    ranking = (
        select(
            *person,
            EMPLOYEES.c.employee_name,
            COMPANIES.c.company_name,
            *_build_compared_sums(first, now),
        )
        .join(COMPANIES, COMPANIES.c.company_id == SALES.c.company_id)
        .outerjoin(EMPLOYEES, EMPLOYEES.c.employee_id == SALES.c.employee_id)
        .where(
            reader_scope_condition(SALES, query.principal, query.company_id),
            _days_condition((first, now), find_previous_period(first, now)),
        )
        .group_by(*person, EMPLOYEES.c.employee_name, COMPANIES.c.company_name)
        .having(func.count().filter(_days_condition((first, now))) > 0)
    )
    shown = _build_ranking_query(ranking, "revenue", TOP_SALESMEN)
    with open_snapshot() as conn:
        people = conn.execute(shown).all()
        grown = conn.execute(
            select(*person, SALES.c.business_date, func.sum(SALES.c.revenue).label("revenue"))
            .where(
                reader_scope_condition(SALES, query.principal, query.company_id),
                _days_condition((first, now)),
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
                **_format_ranked_row(query, row),
                "employee_name": row.employee_name or UNSPECIFIED,
                "curve": _accumulate_totals(
                    sold.get((row.company_id, row.employee_id, day), ZERO) for day in days
                ),
            }
            for row in people
        ],
    }


def read_province_sales(query: DashboardQuery) -> list[Figures]:
    """Return this month's sales by the customer's province, those without one last."""
    now = today()
    first = now.replace(day=1)
    name = CUSTOMERS.c.province_name
    statement = (
        select(
            name.label("province_name"),
            func.count(SALES.c.customer_id.distinct())
            .filter(_days_condition((first, now)), _IS_OUTBOUND)
            .label("customer_count"),
            *_build_compared_sums(first, now),
        )
        .join(CUSTOMERS, CUSTOMERS.c.customer_id == SALES.c.customer_id)
        .where(
            reader_scope_condition(SALES, query.principal, query.company_id),
            _days_condition((first, now), find_previous_period(first, now)),
        )
        .group_by(name)
        .having(func.count().filter(_days_condition((first, now))) > 0)
    )
    with open_snapshot() as conn:
        rows = conn.execute(_build_ranking_query(statement, "revenue", None)).all()
    found = [
        {**_format_ranked_row(query, row), "province_name": row.province_name or UNSPECIFIED} for row in rows
    ]
    return sorted(found, key=lambda row: row["province_name"] == UNSPECIFIED)


@dataclass(frozen=True, slots=True)
class RankingSource:
    """A dimension of a ranking: its key and name, and the join from sales lines to them."""

    id: ColumnElement[Any]
    name: ColumnElement[Any]
    source: FromClause


_OF_GOODS = SALES.join(GOODS, GOODS.c.goods_id == SALES.c.goods_id)
_OF_CUSTOMERS = SALES.join(CUSTOMERS, CUSTOMERS.c.customer_id == SALES.c.customer_id)
RANKINGS: Mapping[str, RankingSource] = {
    "company": RankingSource(
        SALES.c.company_id,
        COMPANIES.c.company_name,
        SALES.join(COMPANIES, COMPANIES.c.company_id == SALES.c.company_id),
    ),
    "goods": RankingSource(SALES.c.goods_id, GOODS.c.goods_name, _OF_GOODS),
    "customer": RankingSource(SALES.c.customer_id, CUSTOMERS.c.customer_name, _OF_CUSTOMERS),
    "brand": RankingSource(
        GOODS.c.brand_id,
        BRANDS.c.brand_name,
        _OF_GOODS.outerjoin(BRANDS, BRANDS.c.brand_id == GOODS.c.brand_id),
    ),
}


NAME_FIELDS = {
    "company": from_fields("business_data.company_id"),
    "goods": from_fields("sales_summary.goods_id", "goods.goods_name"),
    "customer": from_fields("sales_summary.customer_id", "customer.customer_name"),
    "brand": from_fields("sales_summary.brand_id"),
}
"""What the names of a ranking repeat."""


def read_ranking(
    query: DashboardQuery, kind: str, measure: str, number: int, province_name: str
) -> list[Figures]:
    """Return the first of this month's companies, goods, customers or brands; of one province's customers
    where it is given.

    Raises Forbidden for profit without the cost right.
    """
    if measure == "profit" and not query.can_see_profit:
        raise Forbidden("您无权按“毛利”排名")
    now = today()
    first = now.replace(day=1)
    one = RANKINGS[kind]
    statement = (
        select(one.id.label("id"), one.name.label("name"), *_build_compared_sums(first, now))
        .select_from(one.source)
        .where(
            reader_scope_condition(SALES, query.principal, query.company_id),
            _days_condition((first, now), find_previous_period(first, now)),
        )
        .group_by(one.id, one.name)
        .having(func.count().filter(_days_condition((first, now))) > 0)
    )
    if province_name:
        named = "" if province_name == UNSPECIFIED else province_name
        there = select(CUSTOMERS.c.customer_id).where(CUSTOMERS.c.province_name == named)
        statement = statement.where(SALES.c.customer_id.in_(there))
    with open_snapshot() as conn:
        rows = conn.execute(_build_ranking_query(statement, measure, number)).all()
    if not NAME_FIELDS[kind].is_visible_to(query.principal):
        return [{**_format_ranked_row(query, row), "id": MASK, "name": MASK} for row in rows]
    return [{**_format_ranked_row(query, row), "name": row.name or UNSPECIFIED} for row in rows]


def _days_condition(*spans: tuple[date, date]) -> ColumnElement[bool]:
    return or_(*(SALES.c.business_date.between(*span) for span in spans))


def _build_sums() -> tuple[ColumnElement[Any], ...]:
    return (
        func.coalesce(func.sum(SALES.c.quantity), 0).label("quantity"),
        func.coalesce(func.sum(SALES.c.amount), 0).label("amount"),
        func.coalesce(func.sum(SALES.c.revenue), 0).label("revenue"),
        func.coalesce(func.sum(SALES.c.cost), 0).label("cost"),
        func.count(SALES.c.bill_id.distinct()).filter(_IS_OUTBOUND).label("bill_count"),
    )


def _build_compared_sums(first: date, last: date) -> tuple[ColumnElement[Any], ...]:
    """Return the sums of some days, and the revenue of the prior period."""
    now, before = _days_condition((first, last)), _days_condition(find_previous_period(first, last))
    summed = [
        func.coalesce(func.sum(SALES.c[name]).filter(now), 0).label(name)
        for name in ("quantity", "revenue", "cost")
    ]
    return (
        *summed,
        func.count(SALES.c.bill_id.distinct()).filter(now, _IS_OUTBOUND).label("bill_count"),
        func.coalesce(func.sum(SALES.c.revenue).filter(before), 0).label("previous_revenue"),
    )


def _build_ranking_query(statement: Any, measure: str, number: int | None) -> Any:
    """Return the first rows of groups by a measure, each with the sum of all."""
    rows = statement.cte("ranked")
    value = rows.c.revenue - rows.c.cost if measure == "profit" else rows.c[measure]
    keys = [column for column in rows.c if column.name not in ("quantity", "revenue", "cost")]
    return (
        select(rows, value.label("value"), func.sum(value).over().label("whole"))
        .order_by(value.desc(), *keys)
        .limit(number)
    )


def _build_sales_days_query(query: DashboardQuery, days: Iterable[date]) -> Any:
    return (
        select(SALES.c.business_date.label("day"), *_build_sums())
        .where(
            reader_scope_condition(SALES, query.principal, query.company_id),
            SALES.c.business_date.in_(sorted(days)),
        )
        .group_by(SALES.c.business_date)
    )


def _build_span_column(day: ColumnElement[date], spans: Spans) -> ColumnElement[Any]:
    """Return the key of the span that a day lies in; spans don't overlap."""
    return case(*((day.between(*span), key) for key, span in spans.items())).label("span")


def _build_sales_spans_query(query: DashboardQuery, spans: Spans) -> Any:
    span = _build_span_column(SALES.c.business_date, spans)
    wanted = (
        reader_scope_condition(SALES, query.principal, query.company_id),
        _days_condition(*spans.values()),
    )
    return select(span, *_build_sums()).where(*wanted).group_by("span")


def _build_orders_days_query(query: DashboardQuery, days: Iterable[date]) -> Any:
    return (
        select(
            ORDERS.c.business_date.label("day"),
            func.count(ORDERS.c.bill_id.distinct()).label("order_count"),
            func.sum(ORDERS.c.amount).label("order_amount"),
        )
        .where(
            reader_scope_condition(ORDERS, query.principal, query.company_id),
            ORDERS.c.business_date.in_(sorted(days)),
        )
        .group_by(ORDERS.c.business_date)
    )


def _build_flow_sums() -> tuple[ColumnElement[Any], ...]:
    return tuple(func.coalesce(func.sum(BUSINESS.c[name]), 0).label(name) for name in _FLOW_NAMES)


def _build_flow_days_query(query: DashboardQuery, days: Iterable[date]) -> Any:
    return (
        select(BUSINESS.c.day, *_build_flow_sums())
        .where(
            reader_scope_condition(BUSINESS, query.principal, query.company_id),
            BUSINESS.c.day.in_(sorted(days)),
        )
        .group_by(BUSINESS.c.day)
    )


def _build_flow_spans_query(query: DashboardQuery, spans: Spans) -> Any:
    span = _build_span_column(BUSINESS.c.day, spans)
    wanted = or_(*(BUSINESS.c.day.between(*days) for days in spans.values()))
    return (
        select(span, *_build_flow_sums())
        .where(reader_scope_condition(BUSINESS, query.principal, query.company_id), wanted)
        .group_by("span")
    )


def _index_by_day(rows: Iterable[Row[Any]]) -> dict[date, Figures]:
    return {row.day: dict(row._mapping) for row in rows}


def _index_by_span(rows: Iterable[Row[Any]]) -> dict[str, Figures]:
    return {row.span: dict(row._mapping) for row in rows}


def _format_sales(query: DashboardQuery, found: Mapping[str, Any] | None) -> Figures:
    """Format the sales of a day or a month, with profit as the user may see it."""
    row = found or dict.fromkeys(("quantity", "amount", "revenue", "cost"), ZERO) | {"bill_count": 0}
    shown = {name: row[name] for name in ("bill_count", "quantity", "amount", "revenue")}
    return {**shown, **_format_profit(query, row["revenue"], row["cost"])}


def _format_flows(query: DashboardQuery, found: Mapping[str, Any] | None) -> Figures:
    """Format purchases, receipts and payments; None where the user doesn't see whole companies."""
    if not query.can_see_companies:
        return dict.fromkeys(_FLOW_NAMES)
    return {name: (found or {}).get(name, ZERO) for name in _FLOW_NAMES}


def _format_profit(query: DashboardQuery, revenue: Decimal, cost: Decimal) -> Figures:
    if not query.can_see_profit:
        return {"profit": MASK, "margin": MASK}
    return {"profit": revenue - cost, "margin": divide_or_none(100 * (revenue - cost), revenue, 2)}


def _format_ranked_row(query: DashboardQuery, row: Row[Any]) -> Figures:
    """Format a ranked row with its share of the whole and its change against the prior period."""
    found = dict(row._mapping)
    value, whole, cost = found.pop("value"), found.pop("whole"), found.pop("cost")
    before = row.previous_revenue if has_whole_day(today().replace(day=1)) else ZERO
    return {
        **found,
        **_format_profit(query, row.revenue, cost),
        "share": divide_or_none(100 * value, whole, 2),
        "change": divide_or_none(100 * (row.revenue - before), before, 2),
    }


def _accumulate_totals(values: Iterable[Decimal]) -> list[Decimal]:
    total, found = ZERO, []
    for value in values:
        total += value
        found.append(total)
    return found
