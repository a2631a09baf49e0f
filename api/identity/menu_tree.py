"""Menu tree (左侧菜单): the modules, groups and entries that a role may see, as the shell's menu nodes."""

from __future__ import annotations

from typing import Any

from api.kit.declaration import menu
from api.kit.scope import Principal
from api.kit.storage.initials import initials


def build_menu_tree(principal: Principal) -> list[dict[str, Any]]:
    """Return modules → groups → entries, without empty groups and modules."""
    shown = menu.group_by_module(
        (entry.place.module, entry.place.group, entry)
        for entry in sorted(menu.list_entries(), key=lambda entry: entry.place.sort)
        if principal.has_right(entry.right)
    )
    order = list(menu.MODULES)
    nodes = []
    for module, groups in shown.items():
        place, shape = order.index(module) + 1, menu.MODULES[module]
        sub = [
            _build_group(place * 100 + shape.groups.index(name) + 1, name, entries, principal)
            for name, entries in groups.items()
        ]
        nodes.append(_build_node(place, module, sort=place, icon=shape.icon, sub=sub))
    return nodes


def _build_group(key: int, name: str, entries: list[menu.MenuEntry], principal: Principal) -> dict[str, Any]:
    sub = [
        _build_node(
            key * 100 + at,
            entry.label,
            route=entry.route,
            code=entry.code,
            pages=list(entry.pages),
            sort=entry.place.sort,
            action=[
                name
                for name, _ in entry.actions
                if principal.has_right(entry.right.rsplit(":", 1)[0] + ":" + name)
            ],
        )
        for at, entry in enumerate(entries, 1)
    ]
    return _build_node(key, name, sort=key, sub=sub)


def _build_node(key: int, name: str, **values: Any) -> dict[str, Any]:
    blank = {
        "route": "",
        "code": "",
        "icon": "",
        "sort": 0,
        "action": [],
        "tabRoute": "",
        "pages": [],
        "sub": [],
    }
    return {"menu_id": key, "name": name, "initials": initials(name), **blank, **values}
