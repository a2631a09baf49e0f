"""Menus (菜单): every entry that a role may be given, from declared resources and from what other parts add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from api.kit import registry
from api.kit.resource import ACTION_LABELS, Menu

MODULES = {
    "采购管理": "ShoppingCartOutlined",
    "销售管理": "ShopOutlined",
    "库存管理": "InboxOutlined",
    "客户管理": "TeamOutlined",
    "资金管理": "AccountBookOutlined",
    "报表中心": "BarChartOutlined",
    "系统管理": "SettingOutlined",
}
"""First-level entries in their order, with their icons."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One screen in the menu; it shows to whoever holds `right`."""

    label: str
    route: str
    right: str
    place: Menu
    actions: tuple[tuple[str, str], ...] = (("view", "查看"),)

    @property
    def code(self) -> str:
        """The third path segment, by which the shell asks for its rights (spec/2-routes.md 6)."""
        return self.route.split("/")[2]


_added: list[Entry] = []


def add(entry: Entry) -> None:
    """Add an entry that no resource declares, say a report."""
    _added.append(entry)


def entries() -> Iterator[Entry]:
    """Every entry, resources first."""
    for cls in registry.declared():
        declaration = cls.declaration
        actions = tuple((name, ACTION_LABELS[name]) for name in declaration.actions)
        for place in declaration.places:
            if place.menu and "list" in place.routes:
                yield Entry(declaration.label, place.routes["list"], cls.right("list"), place.menu, actions)
    yield from _added


def by_code(code: str) -> Entry | None:
    """The entry whose route has `code` as third segment."""
    return next((entry for entry in entries() if entry.code == code), None)


def every_right() -> dict[str, str]:
    """All permission codes with their labels."""
    found: dict[str, str] = {}
    for cls in registry.declared():
        for name in cls.declaration.actions:
            found[cls.right(name)] = f"{cls.declaration.label}-{ACTION_LABELS[name]}"
    for entry in _added:
        found[entry.right] = f"{entry.label}-查看"
    return found
