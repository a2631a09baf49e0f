"""Screen registry (界面清单): every screen of the product, and whether it is built yet.

`screens.csv` is the plan, with the names of screens without a declaration. A screen is built where
a declaration describes it, where the report catalogue has it, or where the browser renders it by
itself; a built screen that the plan lacks is listed as well.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from api.kit.declaration import registry
from reports.catalogue import REPORTS

PLAN = Path(__file__).with_name("screens.csv")
BROWSER_PAGES = {
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
"""Pages that the browser renders over hand-written calls (web/src/app)."""
TITLE_PATTERNS = {"list": "{}", "add": "新增{}", "edit": "修改{}", "see": "{}详情"}


@dataclass(frozen=True, slots=True)
class RegisteredScreen:
    """A screen: its route, name and module, whether it is native or embedded, and whether it is built."""

    route: str
    name: str
    module: str
    kind: Literal["native", "embedded"]
    state: Literal["built", "pending"]


def list_screens() -> list[RegisteredScreen]:
    """Return every screen, in the plan's order, then those beyond it."""
    built = {route: (name, kind) for route, name, kind in _list_built()}
    with PLAN.open(encoding="utf-8", newline="") as file:
        planned = {row["route"]: row for row in csv.DictReader(file)}
    listed = [
        RegisteredScreen(
            route,
            row["name"] or built[route][0],
            row["module"],
            row["kind"],  # type: ignore[arg-type]
            "built" if route in built else "pending",
        )
        for route, row in planned.items()
    ]
    beyond = [
        RegisteredScreen(route, name, route.split("/")[1], kind, "built")
        for route, (name, kind) in built.items()
        if route not in planned
    ]
    return listed + beyond


def _list_built() -> Iterator[tuple[str, str, Literal["native", "embedded"]]]:
    for route, name in BROWSER_PAGES.items():
        yield route, name, "native"
    for cls in registry.list_resources():
        for place in cls.declaration.places:
            for shown, route in place.routes.items():
                yield route, TITLE_PATTERNS[shown].format(cls.declaration.label), "native"
    for report in REPORTS:
        yield report.route, report.label, "embedded"
