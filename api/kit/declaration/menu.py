"""Menu (菜单): every entry that a role may be given, of declared resources and added by other parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from api.kit.declaration import registry
from api.kit.declaration.resource import ACTION_LABELS, Menu


@dataclass(frozen=True, slots=True)
class MenuModule:
    """A first-level entry: its icon, and its groups in their order."""

    icon: str
    groups: tuple[str, ...]


Item = TypeVar("Item")

MODULES = {
    "采购管理": MenuModule(
        "ShoppingCartOutlined", ("采购业务", "付款业务", "返利与政策", "采购商城", "明细查询", "基础资料")
    ),
    "集中采购": MenuModule("ClusterOutlined", ("采购分析",)),
    "销售管理": MenuModule("ShopOutlined", ("销售业务", "价格政策", "返利政策", "提成", "明细查询")),
    "库存管理": MenuModule(
        "InboxOutlined",
        (
            *("出入库", "调拨移库", "盘点调整", "三包业务", "胎号"),
            *("库存查询", "明细查询", "库存报表", "服务站仓库"),
        ),
    ),
    "客户管理": MenuModule("TeamOutlined", ("客户资料", "信用管理", "收款业务")),
    "资金管理": MenuModule("AccountBookOutlined", ("资金业务", "基础资料")),
    "报表中心": MenuModule(
        "BarChartOutlined",
        (
            *("报表总览", "经营报表", "销售报表", "采购报表", "库存报表", "成本报表"),
            *("往来报表", "收款报表", "三包报表"),
        ),
    ),
    "系统管理": MenuModule(
        "SettingOutlined",
        (
            *("组织架构", "权限管理", "商品设置", "供应商设置", "仓库设置"),
            *("业务类型", "往来类型", "地区设置", "物流设置", "系统设置"),
            *("期初设置", "库存预警", "账务管理", "消息管理", "问卷调查"),
            *("服务站", "日志管理", "数据维护"),
        ),
    ),
}
"""First-level entries in their order."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One screen in the menu; it shows to whoever has `right`.

    One with a `question` is a report, which is also searched by further `words`. `pages` are the routes of
    the forms and details that belong to it.
    """

    label: str
    route: str
    right: str
    place: Menu
    actions: tuple[tuple[str, str], ...] = (("view", "查看"),)
    question: str = ""
    pages: tuple[str, ...] = ()
    words: str = ""

    @property
    def code(self) -> str:
        return route_code(self.route)

    @property
    def rights(self) -> dict[str, str]:
        """The permission code of each action."""
        screen = self.right.rsplit(":", 1)[0]
        return {name: f"{screen}:{name}" for name, _ in self.actions}


def route_code(route: str) -> str:
    """Return the third path segment, by which the shell looks up a screen's rights (spec/2-routes.md 6)."""
    return route.split("/")[2]


_added: list[MenuEntry] = []


def add_entry(entry: MenuEntry) -> None:
    """Add an entry that no resource declares, say a report."""
    _added.append(entry)


def list_entries() -> Iterator[MenuEntry]:
    """Yield every entry, resources first."""
    for cls in registry.list_resources():
        declaration = cls.declaration
        actions = tuple((name, ACTION_LABELS[name]) for name in declaration.rights)
        apart = [place for place in declaration.also if place.menu is None]
        for place in declaration.places:
            if place.menu and "list" in place.routes:
                yield MenuEntry(
                    declaration.label,
                    place.routes["list"],
                    cls.right("list"),
                    place.menu,
                    actions,
                    declaration.question,
                    tuple(
                        route
                        for one in (place, *apart)
                        for kind, route in one.routes.items()
                        if kind != "list"
                    ),
                    declaration.words,
                )
    yield from _added


def group_by_module(items: Iterable[tuple[str, str, Item]]) -> dict[str, dict[str, list[Item]]]:
    """Group items given as (module, group, item) in the menu's order, unknown ones last."""
    order = [(module, group) for module, shape in MODULES.items() for group in shape.groups]
    found: dict[tuple[str, str], list[Item]] = {place: [] for place in order}
    for module, group, item in items:
        found.setdefault((module, group), []).append(item)
    modules: dict[str, dict[str, list[Item]]] = {}
    for (module, group), members in found.items():
        if members:
            modules.setdefault(module, {})[group] = members
    return modules


def find_entry(code: str) -> MenuEntry | None:
    """Return the entry whose route has `code` as third segment."""
    return next((entry for entry in list_entries() if entry.code == code), None)


def list_reports() -> list[MenuEntry]:
    """Return every report, by group in the order of the reports' module, whichever module it stands in."""
    order = MODULES["报表中心"].groups
    found = sorted((entry for entry in list_entries() if entry.question), key=lambda entry: entry.place.sort)
    return sorted(found, key=lambda entry: (*order, entry.place.group).index(entry.place.group))


def find_report(code: str) -> MenuEntry | None:
    """Return the report whose route has `code` as third segment."""
    entry = find_entry(code)
    return entry if entry and entry.question else None


def list_visited() -> list[MenuEntry]:
    """Return every entry whose visits are recorded: reports, and others at /report.

    spec/2-routes.md 2.13.
    """
    return [
        *list_reports(),
        *(entry for entry in list_entries() if not entry.question and is_visited(entry.route, "")),
    ]


def is_visited(route: str, question: str) -> bool:
    """Return whether entering a list is recorded."""
    return bool(question) or route.startswith("/report/")


def list_rights() -> dict[str, str]:
    """Return all permission codes with their labels."""
    found: dict[str, str] = {}
    for cls in registry.list_resources():
        for name in cls.declaration.rights:
            found[cls.right(name)] = f"{cls.declaration.label}-{ACTION_LABELS[name]}"
    for entry in _added:
        found |= {entry.rights[name]: f"{entry.label}-{text}" for name, text in entry.actions}
    return found
