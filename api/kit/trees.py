"""Trees (树形资料): what is chosen of one stands for all that lies below it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from api.kit import registry
from api.kit.fields import Field
from api.kit.resource import Declared

PARENT = "p_id"
"""The column by which the rows of a tree name the one above."""


def with_those_below(owner: type[Declared], item: Field, keys: list[Any]) -> Any:
    """Chosen nodes of a tree (goods types) stand for all below them, in reports as in lists: what is published holds
    the tree as well. Only its own list, which is asked for what lies right below, goes by the nodes themselves."""
    assert item.ref
    target = registry.get(item.ref.resource)
    if target is owner or PARENT not in target.table().c:
        return keys
    key, parent = target.key(), target.table().c[PARENT]
    tree = select(key.label("node")).where(key.in_(keys)).cte("tree", recursive=True)
    tree = tree.union(select(key).join(tree, parent == tree.c.node))
    return select(tree.c.node)
