"""The permission tree (权限树): module → group → screen → actions, read from what is declared; and fields by screen."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel
from pydantic import Field as Described

from api.kit import menus, registry
from api.kit.fields import COST
from api.kit.flow import TRANSITIONS
from api.kit.resource import ACTION_LABELS, Declared, Resource
from api.kit.scope import Principal

ELSEWHERE = "其他"


class RightNode(BaseModel):
    """A module, group or screen with what is below it; a leaf's key is a permission code."""

    key: str
    title: str
    mine: bool = Described(default=True, description="自己是否持有，未持有的不能授予")
    roles: int = Described(default=0, description="持有此权限的角色数")
    children: list[RightNode]


class ScreenField(BaseModel):
    field: str
    label: str
    is_cost: bool
    denied: bool
    mine: bool = Described(description="自己是否可见，不可见的不能放开")


class ScreenFields(BaseModel):
    """The fields of a screen, or of the lines on it."""

    screen: str
    label: str
    module: str
    fields: list[ScreenField]


def right_tree(me: Principal, holders: dict[str, int]) -> list[RightNode]:
    """Every right once, at the first place where its screen stands in the menu."""
    every, seen = menus.every_right(), set[str]()
    screens: list[tuple[str, str, RightNode]] = []

    def leaf(code: str, title: str) -> RightNode:
        seen.add(code)
        return RightNode(key=code, title=title, mine=me.may(code), roles=holders.get(code, 0), children=[])

    def screen(module: str, group: str, key: str, title: str, codes: dict[str, str]) -> None:
        fresh = [leaf(code, text) for code, text in codes.items() if code in every and code not in seen]
        if fresh:
            screens.append((module, group, RightNode(key=f"screen {key}", title=title, children=fresh)))

    for entry in sorted(menus.entries(), key=lambda entry: entry.place.sort):
        prefix = entry.right.rsplit(":", 1)[0]
        codes = {entry.rights[name]: label(name) or text for name, text in entry.actions}
        screen(entry.place.module, entry.place.group, prefix, entry.label, codes)
    for cls in registry.declared():
        codes = {cls.right(name): label(name) or name for name in cls.declaration.rights}
        screen(ELSEWHERE, "没有菜单的资料", cls.name(), cls.declaration.label, codes)
    screen(ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE, every)
    return [
        RightNode(
            key=f"module {module}",
            title=module,
            children=[
                RightNode(key=f"group {module} {group}", title=group, children=held)
                for group, held in groups.items()
            ],
        )
        for module, groups in menus.placed(screens).items()
    ]


def label(action: str) -> str | None:
    """What an action is called."""
    step = TRANSITIONS.get(action)
    return step.label if step else ACTION_LABELS.get(action)


def screen_fields(me: Principal, denied: frozenset[tuple[str, str]]) -> list[ScreenFields]:
    """Every screen's fields with those of its lines, and which of them a role does not see."""
    return [
        ScreenFields(
            screen=cls.name(),
            label=title,
            module=module,
            fields=[
                ScreenField(
                    field=item.name,
                    label=item.label,
                    is_cost=item.permission == COST,
                    denied=(cls.name(), item.name) in denied,
                    mine=me.sees(cls.name(), item.name, item.permission),
                )
                for item in cls.fields()
                if not item.hidden and item.kind != "password"
            ],
        )
        for cls, title, module in _screens()
    ]


def known_fields() -> set[tuple[str, str]]:
    """Every field that can be hidden, as (screen, field)."""
    return {(cls.name(), item.name) for cls, _, _ in _screens() for item in cls.fields()}


def _screens() -> Iterator[tuple[type[Declared], str, str]]:
    for cls in registry.declared():
        module = _module(cls)
        yield cls, cls.declaration.label, module
        for block in cls.blocks():
            yield block.cls, f"{cls.declaration.label} · {block.label}", module


def _module(cls: type[Resource]) -> str:
    return next((place.menu.module for place in cls.declaration.places if place.menu), ELSEWHERE)
