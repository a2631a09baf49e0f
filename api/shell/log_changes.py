"""What a log entry changed (变更内容): stored values before and after, in labels and words, hidden ones left hidden."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Row, select

from api.kit import menus, registry
from api.kit.fields import Field
from api.kit.flow import TRANSITIONS
from api.kit.projection import MASK
from api.kit.resource import ACTION_LABELS, Resource
from api.kit.scope import Principal

ACTIONS = {**ACTION_LABELS, **{step.name: step.label for step in TRANSITIONS.values()}}
"""What each action is called."""
OTHERS = {
    "rights": "权限",
    "bundles": "权限包",
    "companies": "公司范围",
    "warehouses": "仓库范围",
    "roles": "接收角色",
    "denied": "隐藏字段",
}
"""Values that are logged beside declared fields."""
LISTED = {"companies": "company", "warehouses": "warehouse", "roles": "role", "bundles": "right_bundle"}
SECRET = frozenset({"version", "revision", "password_hash", "row_xid"})
Names = dict[tuple[str, Any], str]


class Change(BaseModel):
    """One field, before and after; null is nothing."""

    field: str
    label: str
    before: str | None
    after: str | None


def changes_of(conn: Connection, rows: Sequence[Row[Any]], reader: Principal) -> dict[int, list[Change]]:
    """The changes of entries by their id; one query for each kind of record that they name."""
    names = _names(conn, _named(rows))
    return {row.log_id: list(_changes(row, registry.find(row.resource), names, reader)) for row in rows}


def _changed(row: Row[Any]) -> Iterator[tuple[str, Any, Any]]:
    before, after = row.before, row.after
    if not isinstance(before, dict | None) or not isinstance(after, dict | None):
        return
    for name in after if after is not None else before or ():
        old, new = (before or {}).get(name), (after or {}).get(name)
        if old != new and name not in SECRET:
            yield name, old, new


def _changes(row: Row[Any], cls: type[Resource] | None, names: Names, reader: Principal) -> Iterator[Change]:
    fields = {item.name: item for item in cls.fields()} if cls else {}
    readable = cls is not None and reader.may(cls.right("list"))
    for name, old, new in _changed(row):
        item = fields.get(name)
        permission = item.permission if item else None
        hidden = not readable or not reader.sees(row.resource, name, permission)
        told: list[str | None] = (
            [MASK, MASK] if hidden else [_told(name, item, value, names) for value in (old, new)]
        )
        if isinstance(old, list) and isinstance(new, list) and not hidden:
            told = [_told(name, item, _without(one, other), names) for one, other in ((old, new), (new, old))]
        label = _label(cls, item, name, counted=not isinstance(new, list))
        yield Change(field=name, label=label, before=told[0], after=told[1])


def _without(values: list[Any], others: list[Any]) -> list[Any]:
    """What of a long list is not in the other: a change of one right among hundreds is one right."""
    return [value for value in values if value not in others]


def _label(cls: type[Resource] | None, item: Field | None, name: str, *, counted: bool) -> str:
    """A field's label; of a bill's lines the number is kept, of what is below a record the rows are."""
    if item is not None:
        return item.label
    blocks = {block.name: block.label for block in cls.blocks()} if cls is not None else {}
    if name in blocks:
        return f"{blocks[name]}行数" if counted else blocks[name]
    return OTHERS.get(name, name)


def _told(name: str, item: Field | None, value: Any, names: Names) -> str | None:
    """A stored value in words."""
    if value is None or value == "" or value == []:
        return None
    if isinstance(value, list):
        return "、".join(_entry(name, one, names) for one in value)
    if item is None:
        return str(value)
    if item.ref:
        return names.get((item.ref.resource, value), str(value))
    if item.kind == "enum":
        return dict(item.options).get(value, str(value))
    if item.kind == "image":
        return f"{str(value).count(',') + 1}个文件"
    if item.kind == "bool" or isinstance(value, bool):
        return "是" if value else "否"
    return str(value)


def _entry(name: str, value: Any, names: Names) -> str:
    if name == "rights":
        return menus.every_right().get(value, "全部权限" if value == "*" else str(value))
    if isinstance(value, dict):
        return ".".join(map(str, value.values()))
    return names.get((LISTED.get(name, ""), value), str(value))


def _named(rows: Iterable[Row[Any]]) -> dict[str, set[int]]:
    """The records that entries name, by kind."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        cls = registry.find(row.resource)
        fields = {item.name: item for item in cls.fields()} if cls else {}
        for name, old, new in _changed(row):
            item = fields.get(name)
            for value in (old, new):
                if item is not None and item.ref and isinstance(value, int):
                    wanted[item.ref.resource].add(value)
                elif name in LISTED and isinstance(value, list):
                    wanted[LISTED[name]].update(one for one in value if isinstance(one, int))
    return wanted


def _names(conn: Connection, wanted: dict[str, set[int]]) -> Names:
    found: Names = {}
    for resource, keys in wanted.items():
        cls = registry.get(resource)
        title = cls.table().c[cls.declaration.title]
        query = select(cls.key().label("key"), title.label("title")).where(cls.key().in_(sorted(keys)))
        found.update({(resource, row.key): str(row.title) for row in conn.execute(query)})
    return found
