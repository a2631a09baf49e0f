"""Attachments (附件): what declared records hold of uploaded files; the shell, which keeps them, says which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from api.kit import registry
from api.kit.fields import Field
from api.kit.resource import Declared, Resource
from api.kit.scope import Principal
from api.kit.validation import Problems
from api.kit.view import View

Judge = Callable[[Connection, Principal, str, list[str], list[str]], str | None]
"""What is wrong with holding files of a scene, of which the latter list is newly taken; or None."""
_judge: Judge | None = None


def set_judge(judge: Judge) -> None:
    """The shell says which uploaded files a record may hold."""
    global _judge
    _judge = judge


def names_in(value: str | None) -> list[str]:
    """The files that a stored value names."""
    return value.split(",") if value else []


def fields() -> Iterator[tuple[type[Resource], Field]]:
    """Every stored field that holds files."""
    for cls in registry.declared():
        if not issubclass(cls, View):
            yield from ((cls, item) for item in cls.fields() if item.kind == "image")


def check(
    conn: Connection,
    cls: type[Declared],
    row: Mapping[str, Any],
    before: Mapping[str, Any],
    principal: Principal,
    problems: Problems,
) -> None:
    """Files that a row newly takes must be the principal's to take; those it held stay."""
    for item in cls.fields():
        if item.kind != "image" or not item.writable:
            continue
        names, held = names_in(row.get(item.name)), names_in(before.get(item.name))
        taken = [name for name in names if name not in held]
        if not taken:
            continue
        assert _judge and item.scene
        told = _judge(conn, principal, item.scene, names, taken)
        if told:
            problems.add(f"“{item.label}”{told}")
