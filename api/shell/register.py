"""Screen register (界面清单): every screen of the product, and whether it is built yet.

`screens.csv` is the plan, with the names of what no declaration names. Built is what the server describes from a
declaration, frames from the report catalogue, or what the browser draws by itself; a built screen that the plan doesn't
name is listed as well.
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
DRAWN = {
    "/login": "登录",
    "/home": "主页",
    "/selfinfo": "个人中心",
    "/sonCompanyInfo": "公司信息",
    "/system/selfinfo": "个人中心",
    "/system/sonCompanyInfo": "公司信息",
    "/messageconfig": "系统公告",
    "/myAlerts": "我的预警",
    "/mySubscriptions": "我的订阅",
    "/placeholder/paycenter": "收银台",
}
"""Pages that the browser draws over calls of their own (web/src/app)."""
SHOWN = {"list": "{}", "add": "新增{}", "edit": "修改{}", "see": "{}详情"}


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen: its route, what users call it, the module it stands in, who draws it, and how far it is."""

    route: str
    name: str
    module: str
    kind: Literal["native", "embedded"]
    state: Literal["built", "pending"]


def screens() -> list[Screen]:
    """Every screen, in the plan's order, then those beyond it."""
    built = {route: (name, kind) for route, name, kind in _built()}
    with PLAN.open(encoding="utf-8", newline="") as file:
        planned = {row["route"]: row for row in csv.DictReader(file)}
    listed = [
        Screen(
            route,
            row["name"] or built[route][0],
            row["module"],
            row["kind"],  # type: ignore[arg-type]
            "built" if route in built else "pending",
        )
        for route, row in planned.items()
    ]
    beyond = [
        Screen(route, name, route.split("/")[1], kind, "built")
        for route, (name, kind) in built.items()
        if route not in planned
    ]
    return listed + beyond


def _built() -> Iterator[tuple[str, str, Literal["native", "embedded"]]]:
    for route, name in DRAWN.items():
        yield route, name, "native"
    for cls in registry.declared():
        for place in cls.declaration.places:
            for shown, route in place.routes.items():
                yield route, SHOWN[shown].format(cls.declaration.label), "native"
    for report in REPORTS:
        yield report.route, report.label, "embedded"
