"""Bill addresses (单据地址): calls that turn a bill number into the route of the bill's page."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import literal, select, union_all

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.view import map_bill_routes
from api.kit.errors import NotFound
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.scope import scope_condition

api = build_router()


class BillAddress(BaseModel):
    """The route of the bill's own page."""

    route: str


@call(api, "GET", "v2/open/BillAddress/getPrefixes", right=ANY_USER, returns=list[str])
def get_prefixes(ctx: Context) -> Any:
    """可打开的单据: the prefixes of the types whose bills the role may open."""
    return list(map_bill_routes(ctx.principal))


@call(api, "GET", "v2/open/BillAddress/getAddress", right=ANY_USER, returns=BillAddress)
def get_address(ctx: Context, bill_no: Annotated[str, Query(max_length=100)]) -> Any:
    """单据地址: of a bill that one may see, whatever its type."""
    bills = registry.map_prefixes()
    found = [
        select(literal(route).label("route"), bills[prefix].key().label("key")).where(
            bills[prefix].table().c.bill_no == bill_no, scope_condition(bills[prefix].table(), ctx.principal)
        )
        for prefix, route in map_bill_routes(ctx.principal).items()
    ]
    row = ctx.conn.execute(union_all(*found)).first() if found else None
    if row is None:
        raise NotFound(f"单据{bill_no}")
    return {"route": f"{row.route}?id={row.key}"}
