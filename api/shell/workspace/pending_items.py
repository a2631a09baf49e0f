"""Pending items (待办): warnings, audits, rejected bills, cut orders and overdue receivables of a user."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import groupby
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, func, literal, literal_column, select, text, union_all
from sqlalchemy.dialects.postgresql import aggregate_order_by

from api.customers.customer_audit import CustomerAudit
from api.kit.bills.orders import EXECUTION
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.field_sources import APART, PLAIN
from api.kit.declaration.flow import AUDITED, POSTED, UNAUDITED
from api.kit.declaration.view import apply_source, map_bill_routes
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.scope import scope_condition
from api.kit.storage.database import TIME_ZONE, today
from api.kit.storage.projection import MASK
from api.master.partners.partners import WAITING, Customer
from api.master.settings.settings import ErpConfig
from api.master.stock import reservation_losses
from api.risk.stock_warning_query import OUTSIDE, SIDES, StockWarningRow
from api.sales.credit_query import RECEIVABLE, CreditItem

api = build_router()
WARNING, APPROVAL, REJECTED, CUT, ARRIVING, OVERDUE = 0, 1, 2, 3, 4, 5
TITLES = {
    APPROVAL: "待审核",
    REJECTED: "被驳回",
    ARRIVING: "待收货",
    CUT: "占用不足",
    OVERDUE: "应收逾期",
    WARNING: "库存预警",
}
"""Types in the order of the home page."""
NEWEST = 5
"""Bills named in an item."""


class PendingBill(BaseModel):
    bill_no: Annotated[str, APART]
    url: str


class PendingItem(BaseModel):
    """`type` 0: stock warning, 1: customers or bills to audit, 2: own bills sent back, 3: own orders that a stocktake
    took stock from, 4: transfers on their way to his warehouses, 5: receivables past their days of grace; `url` lists
    them, the oldest of which waits or was due `since`; `bills` are the newest, each where it is opened."""

    id: str
    type: int
    content: Annotated[str, PLAIN]
    count: int
    url: str
    since: Annotated[datetime | None, PLAIN]
    bills: list[PendingBill] = []


class Awaiting(BaseModel):
    """Pending items of one type."""

    type: int
    title: Annotated[str, PLAIN]
    count: int
    items: list[PendingItem]


class PendingApproval(BaseModel):
    id: str
    title: Annotated[str, PLAIN]
    count: int
    url: str
    bills: list[PendingBill] = []


# A warehouse that somebody answers for warns him; one that nobody answers for warns whoever may read the warnings.
_WARNINGS = text(f"""
with {OUTSIDE}
select o.side, count(*) as many
from outside o
where (cast(:companies as bigint[]) is null or o.company_id = any(cast(:companies as bigint[])))
    and (cast(:warehouses as bigint[]) is null or o.warehouse_id = any(cast(:warehouses as bigint[])))
    and case when exists (select from stock_early_warning e where e.warehouse_id = o.warehouse_id and e.enabled)
        then exists (
            select from stock_early_warning e join user_account u on u.employee_id = e.employee_id
            where e.warehouse_id = o.warehouse_id and e.enabled and u.user_id = :user_id
                and case when o.side = 1 then e.warns_below else e.warns_above end
        ) else true end
group by o.side
order by o.side
""")


@call(api, "GET", "v2/open/Message/getPendingMessage", right=ANY_USER, returns=list[PendingItem])
def get_pending_message(ctx: Context) -> Any:
    """待办事项: only what the user may open and act on."""
    return [
        *_list_warnings(ctx),
        *_list_customers(ctx),
        *_list_bills(ctx),
        *_list_arriving(ctx),
        *_list_cut_orders(ctx),
        *_list_overdue(ctx),
    ]


@call(api, "GET", "v2/system/Console/getAwaitList", right=ANY_USER, returns=list[Awaiting])
def get_await_list(ctx: Context) -> Any:
    """首页待办: what waits for the user, by type, each with its oldest first."""
    order = list(TITLES)
    items = sorted(
        get_pending_message(ctx),
        key=lambda item: (order.index(item["type"]), item["since"] is None, item["since"]),
    )
    return [
        {"type": kind, "title": TITLES[kind], "count": sum(item["count"] for item in found), "items": found}
        for kind, found in ((kind, list(some)) for kind, some in groupby(items, lambda item: item["type"]))
    ]


@call(api, "GET", "v2/open/Message/getMessageList", right=ANY_USER, returns=list[PendingApproval])
def get_message_list(ctx: Context) -> Any:
    """待审批: customers and bills that the user may audit."""
    return [
        {name: item[name] for name in ("id", "count", "url")}
        | {"title": item["content"], "bills": item.get("bills", [])}
        for item in (*_list_customers(ctx), *_list_bills(ctx))
        if item["type"] == APPROVAL
    ]


def _list_warnings(ctx: Context) -> Iterator[dict[str, Any]]:
    me = ctx.principal
    if not me.has_right(StockWarningRow.right("list")):
        return
    scope = {
        "companies": None if me.companies is None else sorted(me.companies),
        "warehouses": None if me.warehouses is None else sorted(me.warehouses),
    }
    route = StockWarningRow.declaration.routes["list"]
    for row in ctx.conn.execute(_WARNINGS, {**scope, "user_id": me.user_id}):
        yield {
            "id": f"stock_warning_{row.side}",
            "type": WARNING,
            "content": f"{row.many} 种商品{SIDES[row.side]}",
            "count": row.many,
            "url": f"{route}?side={row.side}",
            "since": None,
        }


def _list_customers(ctx: Context) -> Iterator[dict[str, Any]]:
    me, table = ctx.principal, Customer.table()
    if not (me.has_right(CustomerAudit.right("list")) and me.has_right(CustomerAudit.right("auditorPass"))):
        return
    waiting = select(func.count()).where(table.c.audit_state == WAITING, scope_condition(table, me))
    if many := ctx.conn.execute(waiting).scalar_one():
        yield {
            "id": f"{CustomerAudit.name()}_{APPROVAL}",
            "type": APPROVAL,
            "content": f"{many} 个客户待审核",
            "count": many,
            "url": f"{CustomerAudit.declaration.routes['list']}?audit_state={WAITING}",
            "since": None,
        }


def _list_bills(ctx: Context) -> Iterator[dict[str, Any]]:
    offered = {cls.name(): cls for cls in _list_readable_types(ctx)}
    waiting = [query for cls in offered.values() for query in _build_waiting_queries(ctx, cls)]
    if not waiting:
        return
    routes = map_bill_routes(ctx.principal)
    for row in ctx.conn.execute(union_all(*waiting)):
        if not row.many:
            continue
        cls = offered[row.name]
        to_audit = row.type == APPROVAL
        params = {"status": UNAUDITED, "rejected": int(not to_audit)}
        if not to_audit:
            params["maker_id"] = ctx.principal.user_id
        place = routes.get(cls.bill.prefix) if cls.bill else None
        yield {
            "id": f"{row.name}_{row.type}",
            "type": row.type,
            "content": f"{row.many} 张{cls.declaration.label}{'待审核' if to_audit else '被驳回'}",
            "count": row.many,
            "url": f"{cls.declaration.routes['list']}?{urlencode(params)}",
            "since": row.since,
            "bills": _name_bills(ctx, cls, row, f"{place}?id=") if place else [],
        }


def _list_arriving(ctx: Context) -> Iterator[dict[str, Any]]:
    """Yield the transfers on their way to warehouses that the user may receive in."""
    sent, received, me = (
        registry.get_resource("transfer_out"),
        registry.get_resource("transfer_in"),
        ctx.principal,
    )
    if not (me.has_right(sent.right("list")) and me.has_right(received.right("add"))):
        return
    assert issubclass(sent, Bill)
    table = sent.table()
    # A clause reads the table by its name, so it stands in a query of its own.
    open_ones = text(f"select bill_id from transfer_out where {EXECUTION.format(table='transfer_out')} <> 2")
    on_the_way = (
        table.c.status.in_(POSTED),
        table.c.bill_id.in_(open_ones),
        scope_condition(table, me, "to_warehouse_id"),
    )
    row = ctx.conn.execute(_build_count_query(sent, ARRIVING, *on_the_way, since=table.c.audited_at)).one()
    if not row.many:
        return
    place = received.declaration.routes["add"]
    yield {
        "id": f"{row.name}_{ARRIVING}",
        "type": ARRIVING,
        "content": f"{row.many} 张{sent.declaration.label}在途待收货",
        "count": row.many,
        "url": place,
        "since": row.since,
        "bills": _name_bills(ctx, sent, row, f"{place}?from="),
    }


def _list_cut_orders(ctx: Context) -> Iterator[dict[str, Any]]:
    """Yield the user's own orders whose reserved stock a stocktake found missing, until covered again."""
    cls, me = registry.get_resource("sales_order"), ctx.principal
    if not me.has_right(cls.right("list")):
        return
    assert issubclass(cls, Bill)
    table = cls.table()
    cut = table.c.bill_id.in_(text(f"select c.bill_id from ({reservation_losses.OPEN_CUTS}) c"))
    mine = (cut, table.c.maker_id == me.user_id, scope_condition(table, me))
    taken: ColumnElement[Any] = literal_column(
        f"(select min(c.posted_at) from ({reservation_losses.OPEN_CUTS}) c where c.bill_id = sales_order.bill_id)"
    )
    row = ctx.conn.execute(_build_count_query(cls, CUT, *mine, since=taken)).one()
    if not row.many:
        return
    place = map_bill_routes(me).get("XSDD")
    yield {
        "id": f"{row.name}_{CUT}",
        "type": CUT,
        "content": f"{row.many} 张{cls.declaration.label}的占用因盘亏减少",
        "count": row.many,
        "url": f"{cls.declaration.routes['list']}?{urlencode({'maker_id': me.user_id, 'status': AUDITED})}",
        "since": row.since,
        "bills": _name_bills(ctx, cls, row, f"{place}?id=") if place else [],
    }


def _list_overdue(ctx: Context) -> Iterator[dict[str, Any]]:
    """Yield the receivables past the days of grace, for users who may enter receipts."""
    me, table = ctx.principal, CreditItem.table()
    receipt = registry.get_resource("customer_receipt")
    if not (me.has_right(CreditItem.right("list")) and me.has_right(receipt.right("add"))):
        return
    grace: int = ctx.conn.execute(select(ErpConfig.table().c.overdue_days).limit(1)).scalar_one()
    last = today() - timedelta(days=grace + 1)
    late = (table.c.use == RECEIVABLE, table.c.due_date <= last, scope_condition(table, me))
    counted: list[ColumnElement[Any]] = [
        func.count().label("many"),
        func.min(table.c.due_date).label("since"),
    ]
    row = ctx.conn.execute(
        apply_source(CreditItem, select(*counted).select_from(table), me, where=late)
    ).one()
    if not row.many:
        return
    params = {"use": RECEIVABLE, "due_date_end": last}
    yield {
        "id": f"{CreditItem.name()}_{OVERDUE}",
        "type": OVERDUE,
        "content": f"{row.many} 笔客户应收已逾期",
        "count": row.many,
        "url": f"{CreditItem.declaration.routes['list']}?{urlencode(params)}",
        "since": datetime.combine(row.since, time(), TIME_ZONE),
    }


def _name_bills(ctx: Context, cls: type[Bill], row: Any, place: str) -> list[dict[str, Any]]:
    """Return the numbers and links of an item's bills."""
    shown = ctx.principal.can_see(cls.name(), "bill_no", None)
    return [
        {"bill_no": bill_no if shown else MASK, "url": f"{place}{key}"}
        for key, bill_no in zip(row.bill_id, row.bill_no, strict=True)
    ]


def _list_readable_types(ctx: Context) -> Iterator[type[Bill]]:
    for cls in registry.list_resources():
        if (
            issubclass(cls, Bill)
            and "list" in cls.declaration.routes
            and ctx.principal.has_right(cls.right("list"))
        ):
            yield cls


def _build_waiting_queries(ctx: Context, cls: type[Bill]) -> Iterator[Select[Any]]:
    """Yield count queries of a type: bills to audit, and the user's own that were sent back."""
    table, me = cls.table(), ctx.principal
    waits = (table.c.status == UNAUDITED, scope_condition(table, me))
    if me.has_right(cls.right("auditorPass")):
        yield _build_count_query(cls, APPROVAL, *waits, table.c.reject_reason.is_(None))
    yield _build_count_query(
        cls, REJECTED, *waits, table.c.reject_reason.is_not(None), table.c.maker_id == me.user_id
    )


def _build_count_query(
    cls: type[Bill], kind: int, *conditions: ColumnElement[bool], since: ColumnElement[Any] | None = None
) -> Select[Any]:
    """Build the query of the count, the earliest moment and the newest bills.

    A bill waits from `since`, or from when it was made.
    """
    table, key = cls.table(), cls.key()
    columns: list[ColumnElement[Any]] = [
        literal(cls.name()).label("name"),
        literal(kind).label("type"),
        func.count().label("many"),
        func.min(table.c.made_at if since is None else since).label("since"),
        *(
            func.array_agg(aggregate_order_by(one, key.desc()))[1:NEWEST].label(one.key)
            for one in (key, table.c.bill_no)
        ),
    ]
    return select(*columns).select_from(table).where(*conditions)
