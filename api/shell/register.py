"""Screen register (界面清单): every screen of the product, and whether it is built yet.

`screens.csv` is the plan. Built is what the server describes from a declaration, frames from the report catalogue, or
what the browser draws by itself; a built screen that the plan doesn't name is listed as well.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from api.kit import registry
from reports.catalogue import REPORTS

PLAN = Path(__file__).with_name("screens.csv")
DRAWN = frozenset(
    {
        "/login",
        "/home",
        "/selfinfo",
        "/sonCompanyInfo",
        "/system/selfinfo",
        "/system/sonCompanyInfo",
        "/messageconfig",
        "/mySubscriptions",
        "/placeholder/paycenter",
    }
)
"""Pages that the browser draws over calls of their own (web/src/app)."""

NAMES = {
    "/sales/sales_open_order": "销售开单",
    "/sales/service_station_sales_outstock_list": "销售出库单",
    "/service_station_goods/service_station_inventory_goods": "库存商品",
    "/service_station_purchase_order_refund": "采购退款",
    "/shopping_mall/plusSetting": "签约设置",
}
"""What the shell calls screens that it leads to and that aren't built yet; the others go by their route."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen: its route, the module it stands in, who draws it, and how far it is."""

    route: str
    module: str
    kind: Literal["native", "embedded"]
    state: Literal["built", "pending"]


def screens() -> list[Screen]:
    """Every screen, in the plan's order, then those beyond it."""
    built = dict(_built())
    with PLAN.open(encoding="utf-8", newline="") as file:
        planned = {row["route"]: row for row in csv.DictReader(file)}
    listed = [
        Screen(route, row["module"], row["kind"], "built" if route in built else "pending")  # type: ignore[arg-type]
        for route, row in planned.items()
    ]
    beyond = [
        Screen(route, route.split("/")[1], kind, "built")
        for route, kind in built.items()
        if route not in planned
    ]
    return listed + beyond


def _built() -> Iterator[tuple[str, Literal["native", "embedded"]]]:
    for route in sorted(DRAWN):
        yield route, "native"
    for cls in registry.declared():
        for place in cls.declaration.places:
            for route in place.routes.values():
                yield route, "native"
    for report in REPORTS:
        yield report.route, "embedded"
