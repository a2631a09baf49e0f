"""Right tree (权限树): module → group → screen → actions of all declarations; and fields by screen."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel
from pydantic import Field as Described

from api.kit.declaration import menu, registry
from api.kit.declaration.fields import COST
from api.kit.declaration.flow import TRANSITIONS
from api.kit.declaration.resource import ACTION_LABELS, Declared, Resource
from api.kit.scope import Principal

OTHER_MODULE = "其他"


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


def build_right_tree(me: Principal, holders: dict[str, int]) -> list[RightNode]:
    """Return every right once, at the first menu place of its screen."""
    every, seen = menu.list_rights(), set[str]()
    screens: list[tuple[str, str, RightNode]] = []

    def build_leaf(code: str, title: str) -> RightNode:
        seen.add(code)
        return RightNode(
            key=code, title=title, mine=me.has_right(code), roles=holders.get(code, 0), children=[]
        )

    def add_screen(module: str, group: str, key: str, title: str, codes: dict[str, str]) -> None:
        fresh = [build_leaf(code, text) for code, text in codes.items() if code in every and code not in seen]
        if fresh:
            screens.append((module, group, RightNode(key=f"screen {key}", title=title, children=fresh)))

    for entry in sorted(menu.list_entries(), key=lambda entry: entry.place.sort):
        prefix = entry.right.rsplit(":", 1)[0]
        codes = {entry.rights[name]: action_label(name) or text for name, text in entry.actions}
        add_screen(entry.place.module, entry.place.group, prefix, entry.label, codes)
    for cls in registry.list_resources():
        codes = {cls.right(name): action_label(name) or name for name in cls.declaration.rights}
        add_screen(OTHER_MODULE, "没有菜单的资料", cls.name(), cls.declaration.label, codes)
    add_screen(OTHER_MODULE, OTHER_MODULE, OTHER_MODULE, OTHER_MODULE, every)
    return [
        RightNode(
            key=f"module {module}",
            title=module,
            children=[
                RightNode(key=f"group {module} {group}", title=group, children=members)
                for group, members in groups.items()
            ],
        )
        for module, groups in menu.group_by_module(screens).items()
    ]


def action_label(action: str) -> str | None:
    """Return the label of an action, None for an undeclared one."""
    step = TRANSITIONS.get(action)
    return step.label if step else ACTION_LABELS.get(action)


def list_screen_fields(me: Principal, denied: frozenset[tuple[str, str]]) -> list[ScreenFields]:
    """Return the fields of every screen and of its lines, with those that a role does not see."""
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
                    mine=me.can_see(cls.name(), item.name, item.permission),
                )
                for item in cls.fields()
                if not item.hidden and item.kind != "password"
            ],
        )
        for cls, title, module in _list_screens()
    ]


def list_known_fields() -> set[tuple[str, str]]:
    """Return every field that can be hidden, as (screen, field)."""
    return {(cls.name(), item.name) for cls, _, _ in _list_screens() for item in cls.fields()}


def _list_screens() -> Iterator[tuple[type[Declared], str, str]]:
    for cls in registry.list_resources():
        module = _find_module(cls)
        yield cls, cls.declaration.label, module
        for block in cls.blocks():
            yield block.cls, f"{cls.declaration.label} · {block.label}", module


def _find_module(cls: type[Resource]) -> str:
    return next((place.menu.module for place in cls.declaration.places if place.menu), OTHER_MODULE)
