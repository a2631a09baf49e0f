"""Bills audited last (最新审核的单据), within the user's rights and scope, by the business log."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import ColumnElement, Numeric, Text, cast, func, literal, null, select, true, union_all

from api.kit import registry
from api.kit.business_log import BusinessLog
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.flow import POSTED
from api.kit.projection import MASK, masks
from api.kit.scope import Principal, within
from api.master.organisation import Company

LOOKED_THROUGH, OF_A_COMPANY = 20_000, 1_000
TAKEN = 300
"""So many of the last actions, of all or of each company in a scope, are looked through for audits, and so many audits
are looked up: a ticker of what happened just now needs no more, and the log may be long."""
_AMOUNTS = ("total_amount", "amount")


def audited(ctx: Context, number: int) -> list[dict[str, Any]]:
    """The bills audited last that still stand, newest first."""
    seen = _seen(ctx.principal)
    if not seen:
        return []
    last = ctx.conn.execute(_last_audits(ctx.principal, seen)).all()
    if not last:
        return []
    # Most types have no bill among them: a union over all would be planned longer than it runs.
    keys = {(row.resource, row.record_id): row for row in last}
    of_type = defaultdict(list)
    for resource, record_id in keys:
        of_type[resource].append(record_id)
    found = ctx.conn.execute(
        union_all(*(_bills(ctx.principal, seen[name], of_type[name]) for name in of_type))
    )
    bills = [(keys[row.resource, row.record_id], row) for row in found]
    newest = sorted(bills, key=lambda pair: -pair[0].log_id)[:number]
    routes = registry.see_routes()
    return [
        {
            "log_id": log.log_id,
            "label": seen[row.resource].declaration.label,
            "url": f"{routes[_prefix(seen[row.resource])]}?id={row.record_id}",
            **_told(ctx.principal, seen[row.resource], row, log.at),
        }
        for log, row in newest
    ]


def _told(principal: Principal, cls: type[Bill], row: Any, at: Any) -> dict[str, Any]:
    """What is said of a bill, as far as its own screen shows it."""
    hidden = masks(cls, cls.name(), principal)
    said = {
        "bill_no": (row.bill_no, "bill_no"),
        "company_name": (row.company_name, "company_id"),
        "amount": (row.amount, _amount_of(cls)),
        "audited_at": (at, "audited_at"),
    }
    return {name: MASK if field in hidden else value for name, (value, field) in said.items()}


def _amount_of(cls: type[Bill]) -> str | None:
    return next((name for name in _AMOUNTS if name in cls.table().c), None)


def _seen(principal: Principal) -> dict[str, type[Bill]]:
    """The bill types that a principal may list and open, by resource."""
    routes = registry.see_routes()
    return {
        cls.name(): cls
        for prefix, cls in registry.prefixes().items()
        if issubclass(cls, Bill) and prefix in routes and principal.may(cls.right("list"))
    }


def _prefix(cls: type[Bill]) -> str:
    assert cls.bill is not None
    return cls.bill.prefix


def _last_audits(principal: Principal, seen: dict[str, type[Bill]]) -> Any:
    """Of each bill its last audit."""
    last = _last_actions(principal)
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
        .limit(TAKEN)
    )


def _last_actions(principal: Principal) -> Any:
    log: Any = BusinessLog.__table__
    newest = select(log).order_by(log.c.log_id.desc())
    if principal.companies is None:
        return newest.limit(LOOKED_THROUGH).subquery("last_actions")
    company = Company.table()
    of_each = newest.where(log.c.company_id == company.c.company_id).limit(OF_A_COMPANY).lateral("of_each")
    mine = company.c.company_id.in_(sorted(principal.companies))
    return select(of_each).select_from(company.join(of_each, true())).where(mine).subquery("last_actions")


def _bills(principal: Principal, cls: type[Bill], keys: list[int]) -> Any:
    table, name, company = cls.table(), cls.name(), Company.table()
    told = _amount_of(cls)
    amount: ColumnElement[Any] = null() if told is None else table.c[told]
    return (
        select(
            literal(name).label("resource"),
            table.c.bill_id.label("record_id"),
            company.c.company_name,
            cast(table.c.bill_no, Text).label("bill_no"),
            cast(amount, Numeric(18, 2)).label("amount"),
        )
        .join_from(table, company, company.c.company_id == table.c.company_id)
        .where(table.c.bill_id.in_(keys), table.c.status.in_(POSTED), within(table, principal))
    )
