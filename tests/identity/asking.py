"""Calls asked of what is there: every read with the records that the world has, and the figures that these hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from api.kit import registry
from api.kit.resource import Resource
from tests.identity.test_route_rights import Call
from tests.kit import documented
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site

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
class Seeded:
    """What was made to be looked for: a customer, a purchase and a sale, and what of them is told to nobody."""

    customer: int
    bought: Made
    sold: Made
    names: list[str]
    figures: list[str]
    mobile: str = MOBILE


_made: dict[str, Seeded] = {}


def seeded(site: Site) -> Seeded:
    """A customer with a mobile and an address, much stock that was bought, and a sale to him; once in a database."""
    if site.url not in _made:
        _made[site.url] = _seed(site)
    return _made[site.url]


def _seed(site: Site) -> Seeded:
    desk, world = Desk(site), site.world
    customer = desk.partner("customer", CUSTOMER, customer_mobile=MOBILE, address=ADDRESS)
    line = {"goods_id": world.oil, "tax_rate": "13"}
    bought = desk.audited("purchase_inbound", {**line, "quantity": STOCK, "price": COST})
    sold = desk.audited(
        "sales_outbound", {**line, "quantity": "3", "price": PRICE}, customer_id=customer, remark=REMARK
    )
    figures = [MOBILE, ADDRESS, PRICE, AMOUNT, COST, "4564", REMARK]
    return Seeded(customer, bought, sold, [CUSTOMER, sold.no, bought.no], figures)


def asked(site: Site, call: Call) -> Iterator[dict[str, str]]:
    """The queries of a call: what it must be asked, and the same with all that can be told of the world."""
    required = dict(call.query)
    names = _parameters(call.method.lower(), call.path)
    known = {name: str(value) for name, value in _values(site, call).items() if name in names}
    yield {**required, **{name: value for name, value in known.items() if name in required}}
    if known.keys() - required.keys():
        yield {**required, **known}


@cache
def _parameters(method: str, path: str) -> frozenset[str]:
    operation = documented.document()["paths"][path][method]
    return frozenset(one["name"] for one in operation.get("parameters", ()) if one["in"] == "query")


def _values(site: Site, call: Call) -> dict[str, Any]:
    world, made = site.world, seeded(site)
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
    owner = _owner(call.path)
    return values | ({"id": _a_key(site, owner)} if owner else {})


def _owner(path: str) -> type[Resource] | None:
    return next((cls for cls in registry.declared() if path.startswith(f"/{cls.declaration.api}/")), None)


def _a_key(site: Site, cls: type[Resource]) -> int:
    """A record's key: of the seeded bills theirs."""
    made = seeded(site)
    known = {one.resource: one.id for one in (made.bought, made.sold)} | {"customer": made.customer}
    if cls.name() in known:
        return known[cls.name()]
    listed = site.as_("admin").get(f"{cls.declaration.api}/getList", per_page=1)
    rows = listed.data["data"] if listed.ok else []
    return int(rows[0][cls.key().key]) if rows else 1
