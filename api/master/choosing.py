"""Choosing (选用): who may choose among a class's records, and what of them he is told.

Anybody is told the names of the records that fields refer to, and what tells them apart. What else stands in their list
is told to those who may open that list, or who key what refers to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from api.kit import registry
from api.kit.calls import ANY_USER
from api.kit.fields import Field
from api.kit.resource import Resource
from api.kit.scope import Principal, any_of

STRUCTURE = ("company_id", "enabled")
"""Whose a record is, and whether it may still be chosen."""


@cache
def chosen() -> frozenset[str]:
    """The names of the classes that may be chosen from: what fields refer to, and what the specification opens."""
    named = {item.ref.resource for cls in registry.declared() for item in cls.fields() if item.ref}
    named |= {item.ref.resource for cls in registry.declared() for item in _of_blocks(cls) if item.ref}
    return frozenset(named | {cls.name() for cls in registry.declared() if cls.declaration.lookup})


def right_to_choose(cls: type[Resource]) -> str:
    """The right of a class's dropdown."""
    if cls.bill is not None:
        return cls.right("list")
    if not cls.declaration.confided:
        return ANY_USER
    return any_of(*sorted({*keyers(cls.name()), *(one.right("list") for one in _referring(cls.name()))}))


def keyers(name: str) -> frozenset[str]:
    """The rights of those who list a class, or key what refers to it."""
    return writers(name) | {registry.get(name).right("list")}


@cache
def writers(name: str) -> frozenset[str]:
    """The rights of those who key what refers to a class."""
    return frozenset(right for cls in _referring(name, keyed=True) for right in cls.writing())


def _referring(name: str, keyed: bool = False) -> Iterator[type[Resource]]:
    for cls in registry.declared():
        fields = (*cls.fields(), *_of_blocks(cls))
        if any(item.ref and item.ref.resource == name and (item.writable or not keyed) for item in fields):
            yield cls


def _of_blocks(cls: type[Resource]) -> Iterator[Field]:
    return (item for block in cls.blocks() for item in block.cls.fields())


def chooser(cls: type[Resource], principal: Principal) -> Principal:
    """A principal as he chooses among a class's records: to whoever neither lists nor keys, the rest is hidden."""
    if any(map(principal.may, keyers(cls.name()))):
        return principal
    return replace(principal, denied_fields=principal.denied_fields | _untold(cls))


@cache
def _untold(cls: type[Resource]) -> frozenset[tuple[str, str]]:
    kept = told_to_anybody(cls)
    return frozenset((cls.name(), item.name) for item in cls.fields() if item.name not in kept)


def told_to_anybody(cls: type[Resource]) -> frozenset[str]:
    """The fields that records are told apart by, with the initials that their titles are found by."""
    title = cls.declaration.title
    spelled = (item.name for item in cls.fields() if item.initials_of == title)
    return frozenset((title, *spelled, *STRUCTURE, *cls.declaration.tells))
