"""Queries for every read call, with the keys of existing records, and the figures of these records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from tests.identity.test_route_rights import Call
from tests.support import api_document
from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site

MOBILE, ADDRESS, PRICE, AMOUNT, COST, STOCK = (
    "13987654321",
    "暗巷七十七号",
    "123.45",
    "370.35",
    "98.76",
    "4567",
)
CUSTOMER, REMARK = "看不见的客户", "只给经理看"


@dataclass(frozen=True)
class SeededRecords:
    """Records to search for in answers: a customer, a purchase and a sale, with their secret figures."""

    customer: int
    bought: SavedBill
    sold: SavedBill
    names: list[str]
    figures: list[str]
    mobile: str = MOBILE


_seeded: dict[str, SeededRecords] = {}


def ensure_seeded(site: Site) -> SeededRecords:
    """Create a customer, a purchase and a sale with known figures, once in a database."""
    if site.url not in _seeded:
        _seeded[site.url] = _seed_records(site)
    return _seeded[site.url]


def _seed_records(site: Site) -> SeededRecords:
    desk, world = BillClient(site), site.world
    customer = desk.partner("customer", CUSTOMER, customer_mobile=MOBILE, address=ADDRESS)
    line = {"goods_id": world.oil, "tax_rate": "13"}
    bought = desk.add_audited("purchase_inbound", {**line, "quantity": STOCK, "price": COST})
    sold = desk.add_audited(
        "sales_outbound", {**line, "quantity": "3", "price": PRICE}, customer_id=customer, remark=REMARK
    )
    figures = [MOBILE, ADDRESS, PRICE, AMOUNT, COST, "4564", REMARK]
    return SeededRecords(customer, bought, sold, [CUSTOMER, sold.no, bought.no], figures)


def build_queries(site: Site, call: Call) -> Iterator[dict[str, str]]:
    """Yield the queries of a call: the required parameters, and the same with all known keys."""
    required = dict(call.query)
    names = _list_parameters(call.method.lower(), call.path)
    known = {name: str(value) for name, value in _known_values(site, call).items() if name in names}
    yield {**required, **{name: value for name, value in known.items() if name in required}}
    if known.keys() - required.keys():
        yield {**required, **known}


@cache
def _list_parameters(method: str, path: str) -> frozenset[str]:
    operation = api_document.load_document()["paths"][path][method]
    return frozenset(one["name"] for one in operation.get("parameters", ()) if one["in"] == "query")


def _known_values(site: Site, call: Call) -> dict[str, Any]:
    world, made = site.world, ensure_seeded(site)
    values: dict[str, Any] = {
        "company_id": world.company_a,
        "customer_id": made.customer,
        "partner_id": made.customer,
        "supplier_id": world.supplier,
        "warehouse_id": world.warehouse_a,
        "goods_id": world.oil,
        "inventory_goods_id": 1,
        "business_date": "2026-01-05",
        "bill_no": made.sold.no,
        "screen": "sales_outbound",
        "bill": "sales_outbound",
        "block": "lines",
        "bill_type": "XSCK",
        "period": "2026-01",
    }
    if call.path.endswith("getEffects"):
        return values | {"id": made.sold.id}
    owner = _find_owner(call.path)
    return values | ({"id": _find_key(site, owner)} if owner else {})


def _find_owner(path: str) -> type[Resource] | None:
    return next(
        (cls for cls in registry.list_resources() if path.startswith(f"/{cls.declaration.api}/")), None
    )


def _find_key(site: Site, cls: type[Resource]) -> int:
    """Return the key of a record, of a seeded bill where there is one."""
    made = ensure_seeded(site)
    known = {one.resource: one.id for one in (made.bought, made.sold)} | {"customer": made.customer}
    if cls.name() in known:
        return known[cls.name()]
    listed = site.as_("admin").get(f"{cls.declaration.api}/getList", per_page=1)
    rows = listed.data["data"] if listed.ok else []
    return int(rows[0][cls.key().key]) if rows else 1
