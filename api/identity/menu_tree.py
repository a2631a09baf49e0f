"""The left menu (左侧菜单): modules, groups and entries that a role may see, as the shell's menu nodes."""

from __future__ import annotations

from typing import Any

from api.kit import menus
from api.kit.scope import Principal


def tree(principal: Principal) -> list[dict[str, Any]]:
    """Modules → groups → entries; a group or module without entries is left out."""
    modules: dict[str, dict[str, list[menus.Entry]]] = {
        name: {group: [] for group in module.groups} for name, module in menus.MODULES.items()
    }
    for entry in sorted(menus.entries(), key=lambda entry: entry.place.sort):
        if principal.may(entry.right):
            modules[entry.place.module][entry.place.group].append(entry)
    nodes = []
    for index, (module, groups) in enumerate(modules.items(), 1):
        sub = [
            _group(index * 100 + at, name, entries, principal)
            for at, (name, entries) in enumerate(groups.items(), 1)
            if entries
        ]
        if sub:
            nodes.append(_node(index, module, sort=index, icon=menus.MODULES[module].icon, sub=sub))
    return nodes


def _group(key: int, name: str, entries: list[menus.Entry], principal: Principal) -> dict[str, Any]:
    sub = [
        _node(
            key * 100 + at,
            entry.label,
            route=entry.route,
            code=entry.code,
            sort=entry.place.sort,
            action=[
                name for name, _ in entry.actions if principal.may(entry.right.rsplit(":", 1)[0] + ":" + name)
            ],
        )
        for at, entry in enumerate(entries, 1)
    ]
    return _node(key, name, sort=key, sub=sub)


def _node(key: int, name: str, **values: Any) -> dict[str, Any]:
    blank = {"route": "", "code": "", "icon": "", "sort": 0, "action": [], "tabRoute": "", "sub": []}
    return {"menu_id": key, "name": name, **blank, **values}
