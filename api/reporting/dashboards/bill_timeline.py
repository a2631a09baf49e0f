"""Ticker of the last audited bills (最新审核的单据), within the user's rights and scope, from the business
log."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import ColumnElement, Numeric, Text, cast, func, literal, null, select, true, union_all

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import POSTED
from api.kit.scope import Principal, scope_condition
from api.kit.storage.business_log import BusinessLog
from api.kit.storage.projection import MASK, masked_names
from api.master.organization.companies import Company

LOG_LIMIT, COMPANY_LOG_LIMIT = 20_000, 1_000
AUDIT_LIMIT = 300
"""So many of the last actions, of all or of each company in a scope, are looked through for audits, and so many audits
are looked up: a ticker of what happened just now needs no more, and the log may be long."""
_AMOUNTS = ("total_amount", "amount")


def read_audited_bills(ctx: Context, number: int) -> list[dict[str, Any]]:
    """Return the bills audited last that are still audited, newest first."""
    seen = _index_visible_types(ctx.principal)
    if not seen:
        return []
    last = ctx.conn.execute(_build_last_audits_query(ctx.principal, seen)).all()
    if not last:
        return []
    # Most types have no bill among them: a union over all would be planned longer than it runs.
    keys = {(row.resource, row.record_id): row for row in last}
    of_type = defaultdict(list)
    for resource, record_id in keys:
        of_type[resource].append(record_id)
    found = ctx.conn.execute(
        union_all(*(_build_bills_query(ctx.principal, seen[name], of_type[name]) for name in of_type))
    )
    bills = [(keys[row.resource, row.record_id], row) for row in found]
    newest = sorted(bills, key=lambda pair: -pair[0].log_id)[:number]
    routes = registry.map_see_routes()
    return [
        {
            "log_id": log.log_id,
            "label": seen[row.resource].declaration.label,
            "url": f"{routes[_find_prefix(seen[row.resource])]}?id={row.record_id}",
            **_format_bill(ctx.principal, seen[row.resource], row, log.at),
        }
        for log, row in newest
    ]


def _format_bill(principal: Principal, cls: type[Bill], row: Any, at: Any) -> dict[str, Any]:
    """Format a bill, with fields masked as on its own screen."""
    hidden = masked_names(cls, cls.name(), principal)
    values = {
        "bill_no": (row.bill_no, "bill_no"),
        "company_name": (row.company_name, "company_id"),
        "amount": (row.amount, _find_amount_field(cls)),
        "audited_at": (at, "audited_at"),
    }
    return {name: MASK if field in hidden else value for name, (value, field) in values.items()}


def _find_amount_field(cls: type[Bill]) -> str | None:
    return next((name for name in _AMOUNTS if name in cls.table().c), None)


def _index_visible_types(principal: Principal) -> dict[str, type[Bill]]:
    """Return the bill types that a principal may list and open, by resource."""
    routes = registry.map_see_routes()
    return {
        cls.name(): cls
        for prefix, cls in registry.map_prefixes().items()
        if issubclass(cls, Bill) and prefix in routes and principal.has_right(cls.right("list"))
    }


def _find_prefix(cls: type[Bill]) -> str:
    assert cls.bill is not None
    return cls.bill.prefix


def _build_last_audits_query(principal: Principal, seen: dict[str, type[Bill]]) -> Any:
    """Return a query of each bill's last audit."""
    last = _build_last_actions_query(principal)
    return (
        select(
            last.c.resource,
            last.c.record_id,
            func.max(last.c.log_id).label("log_id"),
            func.max(last.c.at).label("at"),
        )
        .where(last.c.action == "auditorPass", last.c.resource.in_(list(seen)))
        .group_by(last.c.resource, last.c.record_id)
        .order_by(func.max(last.c.log_id).desc())
        .limit(AUDIT_LIMIT)
    )


def _build_last_actions_query(principal: Principal) -> Any:
    log: Any = BusinessLog.__table__
    newest = select(log).order_by(log.c.log_id.desc())
    if principal.companies is None:
        return newest.limit(LOG_LIMIT).subquery("last_actions")
    company = Company.table()
    of_each = (
        newest.where(log.c.company_id == company.c.company_id).limit(COMPANY_LOG_LIMIT).lateral("of_each")
    )
    mine = company.c.company_id.in_(sorted(principal.companies))
    return select(of_each).select_from(company.join(of_each, true())).where(mine).subquery("last_actions")


def _build_bills_query(principal: Principal, cls: type[Bill], keys: list[int]) -> Any:
    table, name, company = cls.table(), cls.name(), Company.table()
    amount_field = _find_amount_field(cls)
    amount: ColumnElement[Any] = null() if amount_field is None else table.c[amount_field]
    return (
        select(
            literal(name).label("resource"),
            table.c.bill_id.label("record_id"),
            company.c.company_name,
            cast(table.c.bill_no, Text).label("bill_no"),
            cast(amount, Numeric(18, 2)).label("amount"),
        )
        .join_from(table, company, company.c.company_id == table.c.company_id)
        .where(table.c.bill_id.in_(keys), table.c.status.in_(POSTED), scope_condition(table, principal))
    )
