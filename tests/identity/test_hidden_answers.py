"""Hidden fields in every hand-written answer: a user who is denied every field finds no figures there.

test_every_hidden_field has the answers of declarations, field by field.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import pytest
from fastapi.routing import APIRoute

from api.kit.declaration import menu, registry
from api.kit.http.routing import GatedEndpoint
from api.main import app
from tests.identity.call_queries import build_queries, ensure_seeded
from tests.identity.test_matrix import create_member
from tests.identity.test_route_rights import Call, list_calls
from tests.support.client import Caller
from tests.support.fixtures import Site

ENDING = ("/logout", "_logout", "/endImitate")
SLOW = ("/printPdf", "/printTask", "/exportUrl", "/export")
"""They make files of what `/print` and the lists show."""
NOT_READ = tuple(name.lower() for name in (*ENDING, *SLOW))


@pytest.fixture(scope="module")
def everything(site: Site) -> tuple[Caller, Caller]:
    """Two with every right: one from whom nothing is hidden, one from whom all is."""
    ensure_seeded(site)
    kinds = [(cls, *(block.cls for block in cls.blocks())) for cls in registry.list_resources()]
    denied = [(kind.name(), item.name) for parts in kinds for kind in parts for item in kind.fields()]
    held = list(menu.list_rights())
    return create_member(site, "sees-all", held)[1], create_member(site, "sees-nothing", held, denied)[1]


@cache
def list_reads() -> list[Call]:
    by_hand = {
        (method, route.path)
        for route in app.routes
        if isinstance(route, APIRoute) and isinstance(route.endpoint, GatedEndpoint)
        if not route.endpoint.writes and not isinstance(route.endpoint.returns, partial)
        for method in route.methods
    }
    return [
        call
        for call in list_calls()
        if (call.method, call.path) in by_hand and not call.path.lower().endswith(NOT_READ)
    ]


def find_secrets(site: Site, caller: Caller, call: Call, secrets: list[str]) -> set[str]:
    found: set[str] = set()
    for query in build_queries(site, call):
        response = caller.raw(call.method, call.path, _build_body(site, call), query=query)
        if "json" in response.headers.get("content-type", ""):
            found |= {secret for secret in secrets if secret in response.text}
    return found


def _build_body(site: Site, call: Call) -> Any:
    """Return the body of a posted read, with the keys of existing records."""
    made, body = ensure_seeded(site), call.body
    if not isinstance(body, dict):
        return body
    known: dict[str, Any] = {
        "goods_ids": [site.world.oil],
        "ids": [made.sold.id],
        "bill_type": "XSCK",
        "warehouse_id": site.world.warehouse_a,
        "company_id": site.world.company_a,
        "customer_id": made.customer,
        "action": "antiAuditor",
    }
    return {name: known.get(name, value) for name, value in body.items()}


def test_no_answer_tells_a_denied_figure(site: Site, everything: tuple[Caller, Caller]) -> None:
    sees_all, sees_nothing = everything
    made = ensure_seeded(site)
    secrets = [*made.figures, *made.names]
    told = {}
    for call in list_reads():
        if leaks := find_secrets(site, sees_nothing, call, secrets):
            told[f"{call.method} {call.path}"] = leaks
    assert told == {}
    for path in LOOKED_THROUGH:
        [call] = [one for one in list_reads() if one.path == f"/{path}"]
        assert find_secrets(site, sees_all, call, secrets), f"{path} tells nothing that could be hidden"


LOOKED_THROUGH = (
    "v2/inventory/Goods/getGoodsListPopup",
    "v2/inventory/Stock/getStocks",
    "v2/open/BillEffect/getEffects",
    "v2/custom/CustomerReceipt/getOpenItems",
    "v2/inventory/GoodsBatch/getBatchlist",
    "v2/inventory/StockTaking/stockTakingGetGoodsList",
    "v2/report/InventoryBigData/getTicker",
    "v2/system/BusinessLog/getPage",
)
"""Hand-written reads in which the figures stand for who may see them, so that the rule above says something of them."""
