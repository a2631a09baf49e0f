"""Attachments (附件): fields of declared records that hold uploaded files.

The shell checks who may attach which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared, Resource
from api.kit.declaration.view import View
from api.kit.scope import Principal
from api.kit.storage.validation import Problems

AccessCheck = Callable[[Connection, Principal, str, list[str], list[str]], str | None]
"""Describes the problem of a record with files of a scene, the latter list newly attached; None if fine."""
_access_check: AccessCheck | None = None


def set_access_check(access_check: AccessCheck) -> None:
    """Register the shell's check of which uploaded files a record may hold."""
    global _access_check
    _access_check = access_check


def parse_file_names(value: str | None) -> list[str]:
    """Return the file names in a stored value."""
    return value.split(",") if value else []


def list_image_fields() -> Iterator[tuple[type[Resource], Field]]:
    """List every stored field that holds files, with its class."""
    for cls in registry.list_resources():
        if not issubclass(cls, View):
            yield from ((cls, item) for item in cls.fields() if item.kind == "image")


def validate_attachments(
    conn: Connection,
    cls: type[Declared],
    row: Mapping[str, Any],
    before: Mapping[str, Any],
    principal: Principal,
    problems: Problems,
) -> None:
    """Add a problem for files that a row newly holds and the principal may not attach; those it held stay."""
    for item in cls.fields():
        if item.kind != "image" or not item.writable:
            continue
        names, stored = parse_file_names(row.get(item.name)), parse_file_names(before.get(item.name))
        taken = [name for name in names if name not in stored]
        if not taken:
            continue
        assert _access_check and item.scene
        reason = _access_check(conn, principal, item.scene, names, taken)
        if reason:
            problems.add(f"“{item.label}”{reason}")
