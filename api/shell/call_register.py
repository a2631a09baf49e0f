"""Call register (接口清单): every call that answers, and where each call that the specification names is found.

`named_calls.csv` is the plan: the section, the method, a path or (where the specification gives none) the last words
of one, the names of the query and of the answer's fields.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLAN = Path(__file__).with_name("named_calls.csv")


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call of the specification: by what name it goes, and the path at which it answers, if it does."""

    section: str
    method: str
    call: str
    query: tuple[str, ...]
    fields: tuple[str, ...]
    path: str | None


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call that answers, and the right it asks for."""

    method: str
    path: str
    right: str


def answered(document: Mapping[str, Any]) -> list[AnsweredCall]:
    """Every operation of an OpenAPI document, by path."""
    return [
        AnsweredCall(method.upper(), path, operation.get("x-right", ""))
        for path, item in sorted(document["paths"].items())
        for method, operation in item.items()
    ]


def named(document: Mapping[str, Any]) -> list[NamedCall]:
    """Every call of the plan, in its order."""
    found = answered(document)
    with PLAN.open(encoding="utf-8", newline="") as file:
        return [
            NamedCall(
                row["section"],
                row["method"],
                row["call"],
                tuple(row["query"].split()),
                tuple(row["fields"].split()),
                _path(row["method"], row["call"], found),
            )
            for row in csv.DictReader(file)
        ]


def _path(method: str, wanted: str, found: list[AnsweredCall]) -> str | None:
    """A whole path, which begins with a stroke, is found as it stands, a name or part of a path at the end of one."""
    for call in found:
        whole = call.path == wanted if wanted.startswith("/") else call.path.endswith(f"/{wanted}")
        if call.method == method and whole:
            return call.path
    return None
