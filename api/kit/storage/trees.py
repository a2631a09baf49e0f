"""Trees (树形资料): a chosen node includes all below it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared

PARENT = "p_id"
"""The column by which the rows of a tree name the one above."""


def include_descendants(owner: type[Declared], item: Field, keys: list[Any]) -> Any:
    """Add to chosen nodes of a tree (goods types) all below them, in reports as in lists.

    The snapshot has the tree as well. Only the tree's own list, which shows what lies right below, takes
    the nodes themselves.
    """
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    if target is owner or PARENT not in target.table().c:
        return keys
    key, parent = target.key(), target.table().c[PARENT]
    tree = select(key.label("node")).where(key.in_(keys)).cte("tree", recursive=True)
    tree = tree.union(select(key).join(tree, parent == tree.c.node))
    return select(tree.c.node)
