"""The left menu (左侧菜单): modules, groups and entries that a role may see, as the shell's menu nodes."""

from __future__ import annotations

from typing import Any

from api.kit import menus
from api.kit.initials import initials
from api.kit.scope import Principal


def tree(principal: Principal) -> list[dict[str, Any]]:
    """Modules → groups → entries; a group or module without entries is left out."""
    shown = menus.placed(
        (entry.place.module, entry.place.group, entry)
        for entry in sorted(menus.entries(), key=lambda entry: entry.place.sort)
        if principal.may(entry.right)
    )
    order = list(menus.MODULES)
    nodes = []
    for module, groups in shown.items():
        place, shape = order.index(module) + 1, menus.MODULES[module]
        sub = [
            _group(place * 100 + shape.groups.index(name) + 1, name, entries, principal)
            for name, entries in groups.items()
        ]
        nodes.append(_node(place, module, sort=place, icon=shape.icon, sub=sub))
    return nodes


def _group(key: int, name: str, entries: list[menus.Entry], principal: Principal) -> dict[str, Any]:
    sub = [
        _node(
            key * 100 + at,
            entry.label,
            route=entry.route,
            code=entry.code,
            pages=list(entry.pages),
            sort=entry.place.sort,
            action=[
                name for name, _ in entry.actions if principal.may(entry.right.rsplit(":", 1)[0] + ":" + name)
            ],
        )
        for at, entry in enumerate(entries, 1)
    ]
    return _node(key, name, sort=key, sub=sub)


def _node(key: int, name: str, **values: Any) -> dict[str, Any]:
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
