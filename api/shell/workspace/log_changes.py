"""Log changes (变更内容): values of a log entry before and after, as labels and texts, hidden ones masked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Row, select

from api.kit.declaration import menu, registry
from api.kit.declaration.fields import Field
from api.kit.declaration.flow import TRANSITIONS
from api.kit.declaration.resource import ACTION_LABELS, Resource
from api.kit.scope import Principal
from api.kit.storage.projection import MASK

ACTIONS = {**ACTION_LABELS, **{step.name: step.label for step in TRANSITIONS.values()}}
"""Labels of actions."""
EXTRA_LABELS = {
    "rights": "权限",
    "bundles": "权限包",
    "companies": "公司范围",
    "warehouses": "仓库范围",
    "roles": "接收角色",
    "denied": "隐藏字段",
}
"""Labels of logged values that aren't declared fields."""
LIST_TARGETS = {"companies": "company", "warehouses": "warehouse", "roles": "role", "bundles": "right_bundle"}
SECRET = frozenset({"version", "revision", "password_hash", "row_xid"})
Names = dict[tuple[str, Any], str]


class Change(BaseModel):
    """One field, before and after; null is nothing."""

    field: str
    label: str
    before: str | None
    after: str | None


def list_changes(conn: Connection, rows: Sequence[Row[Any]], reader: Principal) -> dict[int, list[Change]]:
    """Return the changes of entries by entry id, with one query for each kind of record they name."""
    names = _read_names(conn, _collect_references(rows))
    return {
        row.log_id: list(_build_changes(row, registry.find_resource(row.resource), names, reader))
        for row in rows
    }


def _changed_values(row: Row[Any]) -> Iterator[tuple[str, Any, Any]]:
    before, after = row.before, row.after
    if not isinstance(before, dict | None) or not isinstance(after, dict | None):
        return
    for name in after if after is not None else before or ():
        old, new = (before or {}).get(name), (after or {}).get(name)
        if old != new and name not in SECRET:
            yield name, old, new


def _build_changes(
    row: Row[Any], cls: type[Resource] | None, names: Names, reader: Principal
) -> Iterator[Change]:
    fields = {item.name: item for item in cls.fields()} if cls else {}
    readable = cls is not None and reader.has_right(cls.right("list"))
    for name, old, new in _changed_values(row):
        item = fields.get(name)
        permission = item.permission if item else None
        hidden = not readable or not reader.can_see(row.resource, name, permission)
        sides: list[str | None] = (
            [MASK, MASK] if hidden else [_display_value(name, item, value, names) for value in (old, new)]
        )
        if isinstance(old, list) and isinstance(new, list) and not hidden:
            sides = [
                _display_value(name, item, _exclude_values(one, other), names)
                for one, other in ((old, new), (new, old))
            ]
        label = _field_label(cls, item, name, counted=not isinstance(new, list))
        yield Change(field=name, label=label, before=sides[0], after=sides[1])


def _exclude_values(values: list[Any], others: list[Any]) -> list[Any]:
    """Return the values that aren't in `others`: a change of one right among hundreds is one right."""
    return [value for value in values if value not in others]


def _field_label(cls: type[Resource] | None, item: Field | None, name: str, *, counted: bool) -> str:
    """Return a field's label; of bill lines the count is logged, of child rows the rows are."""
    if item is not None:
        return item.label
    blocks = {block.name: block.label for block in cls.blocks()} if cls is not None else {}
    if name in blocks:
        return f"{blocks[name]}行数" if counted else blocks[name]
    return EXTRA_LABELS.get(name, name)


def _display_value(name: str, item: Field | None, value: Any, names: Names) -> str | None:
    """Return a stored value as text, None where it is empty."""
    if value is None or value == "" or value == []:
        return None
    if isinstance(value, list):
        return "、".join(_display_item(name, one, names) for one in value)
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


def _display_item(name: str, value: Any, names: Names) -> str:
    if name == "rights":
        return menu.list_rights().get(value, "全部权限" if value == "*" else str(value))
    if isinstance(value, dict):
        return ".".join(map(str, value.values()))
    return names.get((LIST_TARGETS.get(name, ""), value), str(value))


def _collect_references(rows: Iterable[Row[Any]]) -> dict[str, set[int]]:
    """Return the keys of the records that entries name, by resource."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        cls = registry.find_resource(row.resource)
        fields = {item.name: item for item in cls.fields()} if cls else {}
        for name, old, new in _changed_values(row):
            item = fields.get(name)
            for value in (old, new):
                if item is not None and item.ref and isinstance(value, int):
                    wanted[item.ref.resource].add(value)
                elif name in LIST_TARGETS and isinstance(value, list):
                    wanted[LIST_TARGETS[name]].update(one for one in value if isinstance(one, int))
    return wanted


def _read_names(conn: Connection, wanted: dict[str, set[int]]) -> Names:
    found: Names = {}
    for resource, keys in wanted.items():
        cls = registry.get_resource(resource)
        title = cls.table().c[cls.declaration.title]
        query = select(cls.key().label("key"), title.label("title")).where(cls.key().in_(sorted(keys)))
        found.update({(resource, row.key): str(row.title) for row in conn.execute(query)})
    return found
