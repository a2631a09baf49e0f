"""Rights of lookups (选用): the right that each dropdown needs, and the fields that it shows.

Every user sees the names of the records that fields refer to, and the fields that identify them. Other
fields are shown to those who may list the class, or who key bills that refer to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Resource
from api.kit.http.routing import ANY_USER
from api.kit.scope import Principal, any_of

STRUCTURAL_FIELDS = ("company_id", "enabled")
"""Fields of a record's company and of whether it may still be chosen."""


@cache
def list_lookup_resources() -> frozenset[str]:
    """Return the names of classes with a dropdown: those fields refer to, and those the specification opens."""
    named = {item.ref.resource for cls in registry.list_resources() for item in cls.fields() if item.ref}
    named |= {
        item.ref.resource
        for cls in registry.list_resources()
        for item in _iterate_block_fields(cls)
        if item.ref
    }
    return frozenset(named | {cls.name() for cls in registry.list_resources() if cls.declaration.lookup})


def get_lookup_right(cls: type[Resource]) -> str:
    """Return the right of a class's dropdown."""
    if cls.bill is not None:
        return cls.right("list")
    if not cls.declaration.names_confidential:
        return ANY_USER
    return any_of(
        *sorted(
            {
                *list_lookup_rights(cls.name()),
                *(one.right("list") for one in _find_referring_classes(cls.name())),
            }
        )
    )


def list_lookup_rights(name: str) -> frozenset[str]:
    """Return the rights of those who list a class, or key what refers to it."""
    return list_entry_rights(name) | {registry.get_resource(name).right("list")}


@cache
def list_entry_rights(name: str) -> frozenset[str]:
    """Return the rights of those who key what refers to a class."""
    return frozenset(
        right for cls in _find_referring_classes(name, keyed=True) for right in cls.form_rights()
    )


def _find_referring_classes(name: str, keyed: bool = False) -> Iterator[type[Resource]]:
    for cls in registry.list_resources():
        fields = (*cls.fields(), *_iterate_block_fields(cls))
        if any(item.ref and item.ref.resource == name and (item.writable or not keyed) for item in fields):
            yield cls


def _iterate_block_fields(cls: type[Resource]) -> Iterator[Field]:
    return (item for block in cls.blocks() for item in block.cls.fields())


def restrict_lookup_principal(cls: type[Resource], principal: Principal) -> Principal:
    """Return a principal as he reads a class's dropdown: fields are masked for those who neither list nor
    key."""
    if any(map(principal.has_right, list_lookup_rights(cls.name()))):
        return principal
    return replace(principal, denied_fields=principal.denied_fields | _list_masked_fields(cls))


@cache
def _list_masked_fields(cls: type[Resource]) -> frozenset[tuple[str, str]]:
    kept = list_public_fields(cls)
    return frozenset((cls.name(), item.name) for item in cls.fields() if item.name not in kept)


def list_public_fields(cls: type[Resource]) -> frozenset[str]:
    """Return the fields that everybody sees: title, its initials, and the fields that identify a record."""
    title = cls.declaration.title
    spelled = (item.name for item in cls.fields() if item.initials_of == title)
    return frozenset((title, *spelled, *STRUCTURAL_FIELDS, *cls.declaration.distinguishing_fields))
